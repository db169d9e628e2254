"""`extdns plan --base` shows only what a branch changes; also with `--held`."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

from extdns import cli
from tests.objects import service
from tests.program.installation import Installation

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
def installation(tmp_path: Path) -> Installation:
    """Return an installation in which no name that the base or the branch requests is published yet."""
    found = Installation(tmp_path, example_org="www IN A 192.0.2.99\n")
    found.replace_manifests(*AFTER)
    return found


@pytest.fixture
def base(tmp_path: Path) -> Path:
    """Return a folder with the manifests of the base."""
    folder = tmp_path / "base"
    folder.mkdir()
    write(folder, *BEFORE)
    return folder


def write(folder: Path, *objects: Mapping[str, object]) -> None:
    (folder / "all.json").write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": objects}))


def plan(installation: Installation, *more: str, manifests: str = "") -> int:
    flags = installation.flags(*more)
    return cli.main(["plan", *([f"--manifests={manifests}", *flags[1:]] if manifests else flags)], {})


EXPECTED = (
    "  ~ A  api.example.org   192.0.2.7  Service shop/api: annotation hostname\n"
    "       target 192.0.2.1 → 192.0.2.7\n"
    "  - A  gone.example.org  192.0.2.1  resource service/shop/gone             [orphan-gone]\n"
    "  + A  new.example.org   192.0.2.1  Service shop/new: annotation hostname\n"
)


def test_plan_with_a_base_shows_only_what_the_branch_changes(
    installation: Installation, base: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = installation.zones.contents()
    assert plan(installation, f"--base={base}") == 2
    output = capsys.readouterr().out
    assert EXPECTED in output
    assert "late.example.org" not in output
    assert "www" not in output
    assert "Service shop/new: annotation ttl: 'wrong, too' is not valid" in output
    assert output.endswith("1 to create, 1 to update, 1 to delete, 1 invalid value.\n")
    assert installation.zones.contents() == before


def test_a_plan_whose_base_equals_the_manifests_is_empty(
    installation: Installation, capsys: pytest.CaptureFixture[str]
) -> None:
    assert plan(installation, f"--base={installation.manifests}") == 0
    source = f'Answered by this command, in one pass, owner "me", files {installation.manifests}'
    assert capsys.readouterr().out == f"{source}\n\nThe manifests change nothing compared with the base.\n"


@pytest.fixture
def repository(installation: Installation) -> Path:
    """Return a Git repository whose branch `main` has one revision, with the manifests of the base."""
    found = installation.manifests.parent
    write(installation.manifests, *BEFORE)
    for arguments in (
        ("init", "--quiet", "--initial-branch=main"),
        ("add", "manifests"),
        ("-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "--quiet", "--no-gpg-sign", "--message=x"),
    ):
        subprocess.run(["git", *arguments], cwd=found, check=True, capture_output=True)
    return found


def test_a_git_revision_can_be_the_base_of_a_plan(
    installation: Installation, repository: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(installation.manifests, *AFTER)
    assert plan(installation, "--base=HEAD") == 2
    assert EXPECTED in capsys.readouterr().out
    assert plan(installation, "--base=HEAD", manifests=f"{installation.manifests}/all.json") == 2
    assert EXPECTED in capsys.readouterr().out
    other = repository / "other"
    other.mkdir()
    write(other, service("new", "new.example.org"))
    assert plan(installation, "--base=HEAD", manifests=str(other)) == 2
    assert capsys.readouterr().out.endswith("1 to create, 0 to update, 0 to delete.\n")
    assert plan(installation, "--base=nowhere") == 1
    assert capsys.readouterr().err.startswith("error: --base=nowhere is neither a path nor a Git revision")
    assert plan(installation, "--base=--output=x") == 1
    assert not (installation.manifests / "x").exists()


def test_a_base_that_is_both_a_path_and_a_revision_is_refused(
    installation: Installation, repository: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    write(installation.manifests, *AFTER)
    (repository / "main").mkdir()
    monkeypatch.chdir(repository)
    assert plan(installation, "--base=main") == 1
    assert capsys.readouterr().err == (
        "error: --base=main is both a path and a Git revision\n"
        "  if the path is meant: --base=./main\n"
        "  if the revision is meant: --base=$(git rev-parse main)\n"
    )
    assert plan(installation, "--base=./main") == 2
    assert "3 to create, 0 to update" in capsys.readouterr().out
    assert plan(installation, "--base=heads/main") == 2
    assert EXPECTED in capsys.readouterr().out


def test_a_plan_with_a_base_holds_deletes_over_the_budget(
    installation: Installation, base: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert plan(installation, f"--base={base}", "--max-delete-count=0", "--max-delete-percent=0", "--held") == 3
    output = capsys.readouterr().out
    assert "  ! A  gone.example.org  kept  resource service/shop/gone  [held]\n" in output
    assert "1 delete is HELD in namespace shop in zone example.org" in output
    assert "api" not in output
    assert output.endswith("0 to create, 0 to update, 0 to delete, 1 kept.\n")


def test_a_plan_is_incomplete_if_a_manifest_of_its_base_is_unreadable(
    installation: Installation, base: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (base / "broken.yaml").write_text("kind: [")
    assert plan(installation, f"--base={base}") == 1
    assert "INCOMPLETE: base: " in capsys.readouterr().out


def test_a_plan_with_a_base_cannot_be_applied(
    installation: Installation, base: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert plan(installation, f"--base={base}", "--output=json") == 2
    (tmp_path / "plan.json").write_text(capsys.readouterr().out)
    assert cli.main(["apply", f"--plan={tmp_path / 'plan.json'}", *installation.flags()], {}) == 1
    assert capsys.readouterr().err.startswith("error: the plan was made with --base, so it cannot be applied\n")


@pytest.mark.parametrize(
    ("manifests", "base", "message"),
    [
        pytest.param("-", "main", "error: --base=main is not a path, and standard input has no", id="stdin"),
        pytest.param("", "main", "error: --base=main is neither a path nor a Git revision", id="no-git"),
        pytest.param("", "x" * 300, "error: --base=xxxxxxxxxx", id="longer-than-any-path"),
    ],
)
def test_a_base_that_is_neither_a_path_nor_a_git_revision_is_refused(
    installation: Installation, manifests: str, base: str, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert plan(installation, f"--base={base}", manifests=manifests) == 1
    assert capsys.readouterr().err.startswith(message)


def test_the_base_flag_is_refused_with_a_live_cluster(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["plan", "--base=main", "--source=service", "--provider=inmemory", "--txt-owner-id=me"], {}) == 1
    assert capsys.readouterr().err.startswith("error: --base=main needs --manifests\n")
