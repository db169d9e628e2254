"""`extdns plan --base`: what a branch changes, and nothing else; and `--held`."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

from extdns import cli
from tests.integration.stage import Stage, service

BEFORE = (
    service("api", "api.example.org"),
    service("gone", "gone.example.org"),
    service("late", "late.example.org"),
    service("www", "www.example.org", annotations={"ttl": "wrong"}),
)
AFTER = (
    service("api", "api.example.org", address="192.0.2.7"),
    service("late", "late.example.org"),
    service("new", "new.example.org", annotations={"ttl": "wrong, too"}),
    service("www", "www.example.org", annotations={"ttl": "wrong"}),
)


@pytest.fixture
def stage(tmp_path: Path) -> Stage:
    """A zone that lags behind both sets of manifests: of neither is anything published."""
    found = Stage(tmp_path, example_org="www IN A 192.0.2.99\n")
    found.apply(*AFTER)
    return found


@pytest.fixture
def base(tmp_path: Path) -> Path:
    """A folder with the manifests of before."""
    folder = tmp_path / "base"
    folder.mkdir()
    write(folder, *BEFORE)
    return folder


def write(folder: Path, *objects: Mapping[str, object]) -> None:
    (folder / "all.json").write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": objects}))


def plan(stage: Stage, *more: str, manifests: str = "") -> int:
    flags = ["--source=service", "--provider=zonefile", f"--zonefile-dir={stage.zones}", "--txt-owner-id=me"]
    return cli.main(["plan", *flags, f"--manifests={manifests or stage.manifests}", *more], {})


EXPECTED = (
    "  ~ A  api.example.org   192.0.2.7  Service shop/api: annotation hostname\n"
    "       target 192.0.2.1 → 192.0.2.7\n"
    "  - A  gone.example.org  192.0.2.1  made for service/shop/gone             [orphan-gone]\n"
    "  + A  new.example.org   192.0.2.1  Service shop/new: annotation hostname\n"
)


def test_only_what_the_branch_changes_is_told(stage: Stage, base: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = stage.state()
    assert plan(stage, f"--base={base}") == 2
    said = capsys.readouterr().out
    assert EXPECTED in said
    assert "late.example.org" not in said
    assert "www" not in said
    assert "Service shop/new: annotation ttl: 'wrong, too' is not valid" in said
    assert said.endswith("1 to create, 1 to update, 1 to delete.\n")
    assert stage.state() == before


def test_a_name_that_an_object_does_not_ask_for_any_more_goes(
    stage: Stage, base: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    stage.apply(*BEFORE[:1], service("gone", "other.example.org"), *BEFORE[2:])
    assert plan(stage, f"--base={base}") == 2
    assert "  - A  gone.example.org   192.0.2.1  made for service/shop/gone" in capsys.readouterr().out


def test_the_same_manifests_differ_in_nothing(stage: Stage, capsys: pytest.CaptureFixture[str]) -> None:
    assert plan(stage, f"--base={stage.manifests}") == 0
    assert capsys.readouterr().out == "The branch changes nothing.\n"


@pytest.fixture
def repository(stage: Stage) -> Path:
    """A repository in which the manifests of before are the one revision of the branch `main`."""
    found = stage.manifests.parent
    write(stage.manifests, *BEFORE)
    for arguments in (
        ("init", "--quiet", "--initial-branch=main"),
        ("add", "manifests"),
        ("-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "--quiet", "--no-gpg-sign", "--message=x"),
    ):
        subprocess.run(["git", *arguments], cwd=found, check=True, capture_output=True)
    return found


def test_a_revision_of_git_can_be_the_base(stage: Stage, repository: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(stage.manifests, *AFTER)
    assert plan(stage, "--base=HEAD") == 2
    assert EXPECTED in capsys.readouterr().out
    assert plan(stage, "--base=HEAD", manifests=f"{stage.manifests}/all.json") == 2
    assert EXPECTED in capsys.readouterr().out
    other = repository / "other"
    other.mkdir()
    write(other, service("new", "new.example.org"))
    assert plan(stage, "--base=HEAD", manifests=str(other)) == 2
    assert capsys.readouterr().out.endswith("1 to create, 0 to update, 0 to delete.\n")
    assert plan(stage, "--base=nowhere") == 1
    assert capsys.readouterr().err.startswith("error: --base=nowhere is neither a file or folder nor a revision of git")
    assert plan(stage, "--base=--output=x") == 1
    assert not (stage.manifests / "x").exists()


def test_a_folder_that_has_the_name_of_a_branch_is_not_guessed_at(
    stage: Stage, repository: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    write(stage.manifests, *AFTER)
    (repository / "main").mkdir()
    monkeypatch.chdir(repository)
    assert plan(stage, "--base=main") == 1
    assert capsys.readouterr().err == (
        "error: --base=main is a file or folder, and also a revision of git\n"
        "  the file or folder: --base=./main\n"
        "  the revision: --base=$(git rev-parse main)\n"
    )
    assert plan(stage, "--base=./main") == 2
    assert "3 to create, 0 to update" in capsys.readouterr().out
    assert plan(stage, "--base=heads/main") == 2
    assert EXPECTED in capsys.readouterr().out


def test_deletes_over_the_budget_are_told_as_held(stage: Stage, base: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert plan(stage, f"--base={base}", "--max-delete-count=0", "--max-delete-percent=0", "--held") == 3
    said = capsys.readouterr().out
    assert "  ! A  gone.example.org  kept  made for service/shop/gone  [held]\n" in said
    assert "1 delete is HELD in example.org" in said
    assert "api" not in said
    assert said.endswith("0 to create, 0 to update, 0 to delete, 1 kept.\n")


def test_what_could_not_be_read_of_either_is_told(stage: Stage, base: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (base / "broken.yaml").write_text("kind: [")
    assert plan(stage, f"--base={base}") == 1
    assert "INCOMPLETE: before: " in capsys.readouterr().out


def test_a_difference_cannot_be_applied(
    stage: Stage, base: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert plan(stage, f"--base={base}", "--output=json") == 2
    (tmp_path / "plan.json").write_text(capsys.readouterr().out)
    flags = ["--source=service", "--provider=zonefile", f"--zonefile-dir={stage.zones}", "--txt-owner-id=me"]
    assert cli.main(["apply", f"--plan={tmp_path / 'plan.json'}", *flags, f"--manifests={stage.manifests}"], {}) == 1
    assert capsys.readouterr().err.startswith("error: the plan is that of a difference, so it cannot be applied\n")


@pytest.mark.parametrize(
    ("manifests", "base", "message"),
    [
        pytest.param("-", "main", "error: --base=main is no file or folder, and standard input has no", id="stdin"),
        pytest.param("", "main", "error: --base=main is neither a file or folder nor a revision of git", id="no-git"),
        pytest.param("", "x" * 300, "error: --base=xxxxxxxxxx", id="longer-than-any-path"),
    ],
)
def test_a_base_that_is_none_is_refused(
    stage: Stage, manifests: str, base: str, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert plan(stage, f"--base={base}", manifests=manifests) == 1
    assert capsys.readouterr().err.startswith(message)


def test_a_live_cluster_has_no_base(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["plan", "--base=main", "--source=service", "--provider=inmemory", "--txt-owner-id=me"], {}) == 1
    assert capsys.readouterr().err.startswith("error: --base=main needs --manifests\n")
