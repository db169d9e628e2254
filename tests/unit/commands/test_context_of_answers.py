"""Every answer says where it comes from, and what was left out of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from extdns import cli
from tests.objects import service
from tests.program.installation import Installation


@pytest.fixture
def installation(tmp_path: Path) -> Installation:
    """Return an installation that has published one Service."""
    found = Installation(tmp_path, example_org="")
    found.replace_manifests(service("web"))
    assert found.run_once() == 0
    return found


def run(installation: Installation, command: str, *more: str) -> None:
    flags = [
        f"--manifests={installation.manifests}",
        "--source=service",
        "--provider=zonefile",
        f"--zonefile-dir={installation.zones.folder}",
        "--txt-owner-id=me",
    ]
    cli.main([command, *flags, *more], {})


@pytest.mark.parametrize("command", ["plan", "owners", "check"])
def test_the_output_of_a_command_shows_the_owner_id_and_where_objects_were_read(
    installation: Installation, command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    run(installation, command)
    answer = f'Answered by this command, in one pass, owner "me", files {installation.manifests}'
    assert answer in capsys.readouterr().out.splitlines()


def test_status_shows_which_file_it_was_read_from(
    installation: Installation, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    state = tmp_path / "state.json"
    assert installation.run_once(f"--state-file={state}") == 0
    capsys.readouterr()
    assert cli.main(["status", f"--state-file={state}"], {}) == 0
    assert f"Read from state file {state}" in capsys.readouterr().out.splitlines()


def test_a_plan_counts_the_objects_that_an_annotation_or_a_flag_excludes(
    installation: Installation, capsys: pytest.CaptureFixture[str]
) -> None:
    objects = [service(name, annotations={"controller": "other"} if name == "api" else {}) for name in ("web", "api")]
    installation.replace_manifests(*objects, service("lab", namespace="lab"))
    run(installation, "plan", "--namespace=shop")
    lines = capsys.readouterr().out.splitlines()
    assert "1 object excluded by annotation external-dns.kubernetes.io/controller" in lines
    run(installation, "plan", "--label-filter=app=shop")
    assert "3 objects excluded by --label-filter" in capsys.readouterr().out.splitlines()


def test_a_plan_with_orphans_warns_that_another_cluster_may_use_the_same_owner_id(
    installation: Installation, capsys: pytest.CaptureFixture[str]
) -> None:
    run(installation, "plan")
    assert "owner id" not in capsys.readouterr().out
    installation.replace_manifests(service("api"))
    run(installation, "plan")
    assert (
        '1 record is of our owner id "me", and no object requests it.\n'
        "  If objects of another cluster request it, both clusters use this owner id: "
        "give each its own --txt-owner-id.\n"
    ) in capsys.readouterr().out
