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
        pytest.param(("--provider=nonesuch",), 1, id="10.1-unknown-provider"),
        pytest.param(("--policy=", "--compat"), 1, id="10.1-no-policy"),
        pytest.param(("--source=nonesuch",), 1, id="10.1-unknown-source"),
        pytest.param(("--log-format=xml",), 1, id="10.1-bad-log-format"),
        pytest.param(("--registry=nonesuch",), 1, id="10.1-unknown-registry"),
        pytest.param(("--txt-owner-id=",), 1, id="10.1-empty-owner"),
        pytest.param(("--manifests=/nonesuch",), 1, id="10.1-no-such-cluster"),
    ],
)
def test_a_dry_run_without_objects_and_zones_exits_with_4_or_with_compat_0_and_after_a_usage_error_with_1(
    tmp_path: Path, flags: tuple[str, ...], code: int
) -> None:
    arguments = {flag.partition("=")[0]: flag for flag in (*_ONCE, f"--manifests={tmp_path}", *flags)}
    assert main([*arguments.values(), "--metrics-address=127.0.0.1:0"], {}) == code


def test_the_exit_code_is_1_if_the_kubeconfig_does_not_exist(tmp_path: Path) -> None:
    assert main([*_ONCE, f"--kubeconfig={tmp_path / 'nonesuch'}", "--metrics-address=127.0.0.1:0"], {}) == 1


def test_the_exit_code_is_1_if_no_source_flag_is_set(tmp_path: Path) -> None:
    flags = [flag for flag in _ONCE if not flag.startswith("--source")]
    assert main([*flags, f"--manifests={tmp_path}"], {}) == 1  # docs/spec/plan.md 10.1


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


@pytest.mark.parametrize("policy", ["upsert-only", "create-only"])
def test_with_policy_upsert_only_or_create_only_no_change_is_made_that_the_policy_forbids(
    tmp_path: Path, policy: str
) -> None:
    installation = Installation(tmp_path, example_org="")
    installation.replace_manifests(
        service("one", "one.example.org"), service("two", "two.example.org"), service("gone", "x.example.org")
    )
    assert installation.run_once() == 0
    installation.replace_manifests(
        service("one", "one.example.org", address="192.0.2.2"), service("two", "two.example.org", address="y.z")
    )
    installation.run_twice(f"--policy={policy}")
    one = "192.0.2.2" if policy == "upsert-only" else "192.0.2.1"
    others = ["two.example.org A 192.0.2.1", "x.example.org A 192.0.2.1"]
    assert installation.zones.published() == [f"one.example.org A {one}", *others]  # docs/spec/plan.md 2.8


def test_with_the_flag_migrate_from_txt_owner_only_requested_records_of_the_old_owner_are_taken_over(
    tmp_path: Path,
) -> None:
    installation = Installation(tmp_path, example_org="")
    installation.replace_manifests(service("one", "one.example.org"), service("two", "two.example.org"))
    assert installation.run_once(owner="old") == 0
    installation.replace_manifests(service("one", "one.example.org"))
    assert installation.run_twice("--migrate-from-txt-owner=old", owner="new") == 0
    ownership_lines = [line for line in installation.zones.text().splitlines() if "heritage" in line]
    assert ["owner=new" in line for line in ownership_lines] == [True, False]  # docs/spec/plan.md 3.2.8
    assert installation.zones.published() == ["one.example.org A 192.0.2.1", "two.example.org A 192.0.2.1"]
    installation.replace_manifests(service("other", "other.example.org"))
    assert installation.run_twice(owner="new") == 0
    assert installation.zones.published() == ["other.example.org A 192.0.2.1", "two.example.org A 192.0.2.1"]


def _records(installation: Installation) -> list[str]:
    return [line for line in installation.zones.text().splitlines() if line.startswith(("new.", "a-new."))]
