"""`git revert` is the undo: the plan shows the way back, `extdns apply` goes it, and name servers answer as before."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from extdns import cli
from tests.fakes.nameserver import NameServer
from tests.objects import Json, service
from tests.program.installation import Installation


class Repository:
    """Manifests under Git."""

    def __init__(self, root: Path) -> None:
        self.installation = Installation(root, example_org="")
        self.git("init", "--quiet")

    def git(self, *arguments: str) -> None:
        author = ("-c", "user.name=me", "-c", "user.email=me@example.org")
        subprocess.run(["git", *author, *arguments], cwd=self.installation.manifests, check=True, capture_output=True)

    def publish(self, *objects: Json) -> list[str]:
        """Commit *objects* as all there are, and return what extdns then publishes."""
        self.installation.replace_manifests(*objects)
        self.git("add", ".")
        self.git("commit", "--message=Change objects")
        assert self.installation.run_once() == 0
        return self.installation.zones.published()


def test_a_reverted_commit_brings_every_record_back(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    repository, file = Repository(tmp_path), tmp_path / "plan.json"
    web, removed = service("web", address="192.0.2.1"), service("removed", address="192.0.2.2")
    before = repository.publish(web, removed)
    assert repository.publish(service("web", address="192.0.2.9"), service("added")) != before
    repository.git("revert", "--no-edit", "HEAD")
    flags = repository.installation.flags()
    capsys.readouterr()
    assert cli.main(["plan", *flags, "--output=json"], {}) == 2
    file.write_text(capsys.readouterr().out)
    planned = {(one["action"], one["name"]) for one in json.loads(file.read_text())["changes"]}
    assert planned == {
        ("delete", "added.example.org"),
        ("create", "removed.example.org"),
        ("update", "web.example.org"),
    }
    assert cli.main(["apply", *flags, f"--plan={file}"], {}) == 0
    assert repository.installation.zones.published() == before
    records = {(name, type_): (target,) for name, type_, target in map(str.split, before)}
    with NameServer("example.org", records) as server:
        capsys.readouterr()
        assert cli.main(["verify", *flags, f"--nameserver={server.address}"], {}) == 0
    assert "2 of 2 records served." in capsys.readouterr().out
