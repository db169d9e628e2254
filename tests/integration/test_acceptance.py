"""Exit codes and results of single runs, as docs/spec/plan.md 10.1 and 10.3 require them."""

from __future__ import annotations

from pathlib import Path

import pytest

from extdns.cli import main
from tests.objects import service
from tests.program.installation import Installation

_ONCE = ("--once", "--dry-run", "--source=service", "--provider=inmemory", "--policy=sync", "--txt-owner-id=me")


@pytest.mark.parametrize(
    ("flags", "code"),
    [
        pytest.param(("--compat",), 0, id="10.1-once-dry-run"),
        pytest.param((), 4, id="nothing in scope, without --compat"),
        pytest.param(("--manifests=/nonesuch",), 1, id="10.1-no-such-cluster"),
    ],
)
def test_a_dry_run_without_objects_and_zones_exits_with_4_or_with_compat_0_and_after_a_usage_error_with_1(
    tmp_path: Path, flags: tuple[str, ...], code: int
) -> None:
    arguments = {flag.partition("=")[0]: flag for flag in (*_ONCE, f"--manifests={tmp_path}", *flags)}
    assert main([*arguments.values(), "--metrics-address=127.0.0.1:0"], {}) == code


@pytest.mark.parametrize("policy", ["sync", "upsert-only", "create-only"])
@pytest.mark.parametrize(
    "missing",
    [
        pytest.param(("A",), id="10.3-record-gone"),
        pytest.param(("A", "TXT"), id="10.3-both-gone"),
        # Without its ownership record, a record is foreign; docs/spec/plan.md 3.2.10, the fifth example.
        pytest.param(("TXT",), id="10.3-ownership-record-gone"),
    ],
)
def test_a_deleted_record_but_not_a_deleted_ownership_record_is_created_again_and_the_next_run_changes_nothing(
    tmp_path: Path, missing: tuple[str, ...], policy: str
) -> None:
    installation = Installation(tmp_path, example_org="")
    installation.replace_manifests(service("web", "new.example.org"))
    assert installation.run_once() == 0
    complete = _records(installation)
    remaining = [
        line for line in installation.zones.text().splitlines() if " IN " not in line or line.split()[3] not in missing
    ]
    installation.zones.path().write_text("\n".join(remaining) + "\n", encoding="utf-8")
    expected = [line for line in complete if " TXT " not in line] if missing == ("TXT",) else complete
    assert installation.run_twice(f"--policy={policy}") == 0
    assert _records(installation) == expected


def _records(installation: Installation) -> list[str]:
    return [line for line in installation.zones.text().splitlines() if line.startswith(("new.", "a-new."))]
