"""What spec plan 10.1 and 10.3 ask of whole passes."""

from __future__ import annotations

from pathlib import Path

import pytest

from extdns.cli import main
from tests.integration.stage import Stage, service

_ONCE = ("--once", "--dry-run", "--source=service", "--provider=inmemory", "--policy=sync", "--txt-owner-id=me")


@pytest.mark.parametrize(
    ("flags", "code"),
    [
        pytest.param((), 0, id="10.1-once-dry-run"),
        pytest.param(("--provider=nonesuch",), 1, id="10.1-unknown-provider"),
        pytest.param(("--policy=", "--compat"), 1, id="10.1-no-policy"),
        pytest.param(("--source=nonesuch",), 1, id="10.1-unknown-source"),
        pytest.param(("--log-format=xml",), 1, id="10.1-bad-log-format"),
        pytest.param(("--registry=dynamodb",), 1, id="10.1-registry-that-is-not-here"),
        pytest.param(("--txt-owner-id=",), 1, id="10.1-empty-owner"),
        pytest.param(("--manifests=/nonesuch",), 1, id="10.1-no-such-cluster"),
    ],
)
def test_the_exit_code_says_whether_it_worked(tmp_path: Path, flags: tuple[str, ...], code: int) -> None:
    given = {flag.partition("=")[0]: flag for flag in (*_ONCE, f"--manifests={tmp_path}", *flags)}
    assert main([*given.values(), "--metrics-address=127.0.0.1:0"], {}) == code


def test_10_1_without_a_kubeconfig_that_can_be_read_it_does_not_start(tmp_path: Path) -> None:
    assert main([*_ONCE, f"--kubeconfig={tmp_path / 'nonesuch'}", "--metrics-address=127.0.0.1:0"], {}) == 1


def test_11_a_dry_run_says_of_two_names_with_one_mark_what_will_be_done(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    stage = Stage(tmp_path, example_org="")
    stage.apply(service("both", "*.x.example.org,any.x.example.org"))
    flags = [
        "--source=service",
        "--provider=zonefile",
        f"--zonefile-dir={stage.zones}",
        f"--manifests={stage.manifests}",
    ]
    wildcard = ["--txt-owner-id=me", "--txt-wildcard-replacement=any", "--metrics-address=127.0.0.1:0"]
    assert main([*flags, *wildcard, "--once", "--dry-run"], {}) == 1
    said = capsys.readouterr().out
    assert "1 to create, 0 to update, 0 to delete, 1 not published." in said
    assert "[mark-clash]" in said


def test_without_a_source_it_does_not_start(tmp_path: Path) -> None:
    flags = [flag for flag in _ONCE if not flag.startswith("--source")]
    assert main([*flags, f"--manifests={tmp_path}"], {}) == 1  # spec plan 10.1


@pytest.mark.parametrize("policy", ["sync", "upsert-only", "create-only"])
@pytest.mark.parametrize(
    "missing",
    [
        pytest.param(("A",), id="10.3-record-gone"),
        pytest.param(("A", "TXT"), id="10.3-both-gone"),
        # Without its mark nothing tells that it is ours; spec plan 3.2.10, the fifth example.
        pytest.param(("TXT",), id="10.3-mark-gone"),
    ],
)
def test_what_went_missing_comes_back_and_then_rests(tmp_path: Path, missing: tuple[str, ...], policy: str) -> None:
    stage = Stage(tmp_path, example_org="")
    stage.apply(service("web", "new.example.org"))
    assert stage.once() == 0
    whole = _records(stage)
    kept = [line for line in stage.text().splitlines() if " IN " not in line or line.split()[3] not in missing]
    stage.file().write_text("\n".join(kept) + "\n", encoding="utf-8")
    expected = [line for line in whole if " TXT " not in line] if missing == ("TXT",) else whole
    assert stage.settle(f"--policy={policy}") == 0
    assert _records(stage) == expected


@pytest.mark.parametrize("policy", ["upsert-only", "create-only"])
def test_a_policy_keeps_what_it_does_not_allow_to_change(tmp_path: Path, policy: str) -> None:
    stage = Stage(tmp_path, example_org="")
    stage.apply(service("one", "one.example.org"), service("two", "two.example.org"), service("gone", "x.example.org"))
    assert stage.once() == 0
    stage.apply(
        service("one", "one.example.org", address="192.0.2.2"), service("two", "two.example.org", address="y.z")
    )
    stage.settle(f"--policy={policy}")
    one = "192.0.2.2" if policy == "upsert-only" else "192.0.2.1"
    others = ["two.example.org A 192.0.2.1", "x.example.org A 192.0.2.1"]
    assert stage.published() == [f"one.example.org A {one}", *others]  # spec plan 2.8


def test_records_of_the_old_owner_are_taken_over_where_claimed(tmp_path: Path) -> None:
    stage = Stage(tmp_path, example_org="")
    stage.apply(service("one", "one.example.org"), service("two", "two.example.org"))
    assert stage.once(owner="old") == 0
    stage.apply(service("one", "one.example.org"))
    assert stage.settle("--migrate-from-txt-owner=old", owner="new") == 0
    marks = [line for line in stage.text().splitlines() if "heritage" in line]
    assert ["owner=new" in line for line in marks] == [True, False]  # spec plan 3.2.8, design 5
    assert stage.published() == ["one.example.org A 192.0.2.1", "two.example.org A 192.0.2.1"]
    stage.apply()
    assert stage.settle(owner="new") == 0
    assert stage.published() == ["two.example.org A 192.0.2.1"]


def _records(stage: Stage) -> list[str]:
    return [line for line in stage.text().splitlines() if line.startswith(("new.", "a-new."))]
