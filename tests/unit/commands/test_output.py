"""Standard output that is closed, full, or has a limited encoding."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from extdns import cli
from extdns.command import RUN_FLAGS, list_commands, load_command
from extdns.commands.output import show
from extdns.errors import UsageError
from tests.fakes.nameserver import NameServer
from tests.objects import service
from tests.program.installation import Installation


def to(monkeypatch: pytest.MonkeyPatch, descriptor: int, encoding: str = "utf-8") -> None:
    stream = os.fdopen(descriptor, "w", encoding=encoding)
    monkeypatch.setattr(sys, "stdout", stream)


def test_standard_output_is_flushed_after_each_write(monkeypatch: pytest.MonkeyPatch) -> None:
    reader, writer = os.pipe()
    to(monkeypatch, writer)
    show("a → b\n")
    assert os.read(reader, 100).decode() == "a → b\n"
    os.close(reader)
    sys.stdout.close()


def test_standard_output_to_a_full_disk_is_a_usage_error(monkeypatch: pytest.MonkeyPatch) -> None:
    to(monkeypatch, os.open("/dev/full", os.O_WRONLY))
    with pytest.raises(UsageError, match="standard output cannot be written: No space left on device"):
        show("lost\n")
    sys.stdout.close()


# Every command escapes and shortens untrusted text from objects, zones and files


EVIL = "\x1b[31m`|</td><script>@all\u202e\x9b2J\ud800"
LONG = "x" * 60_000
OWNERSHIP = 'a-evil IN TXT "heritage=external-dns,external-dns/owner=\\027[31m<script>\\226\\128\\174"'


@pytest.fixture
def installation(tmp_path: Path) -> Installation:
    """Create hostile hosts, annotations, targets, owners and file names, and one valid Service."""
    found = Installation(tmp_path, example_org=f"evil IN A 192.0.2.9\n{OWNERSHIP}\nhand IN A 192.0.2.1\n")
    objects = [
        service("hand", "hand.example.org"),
        service("name", f"ok.example.org,{EVIL}.example.org,{LONG}.example.org".replace("\ud800", "")),
        service("set", "set.example.org", annotations={"set-identifier": EVIL.replace("\ud800", ""), "ttl": LONG}),
        service("evil", "evil.example.org"),
        service("target", "target.example.org", annotations={"target": f"{LONG}.example.net"}),
    ]
    found.replace_manifests(*objects)
    (found.manifests / "broken\x1b[31m<script>.yaml").write_text("kind: [")
    return found


ARGUMENTS = {
    "apply": ((f"--plan=/nowhere/{EVIL}",),),
    "explain": (("evil.example.org",), ("service/shop/name",)),
    "iam-policy": ((f"--domain-filter={EVIL}",),),
    "plan": ((), ("--held",), (f"--base={EVIL}",), (f"--zone-snapshot=/nowhere/{EVIL}",)),
}
"""What follows the name of a command, if that is not nothing."""


def list_command_lines() -> Iterator[tuple[str, ...]]:
    """Yield each command that reads objects or zones, in each of its output formats."""
    for name in list_commands():
        called = load_command(name)
        options = [one for one in called.params if one.name == "output"]
        outputs = [(f"--output={choice}",) for one in options for choice in str(one.metavar).split("|")]
        for arguments in ARGUMENTS.get(name, ((),)) if called.flags == RUN_FLAGS else ():
            yield from ((name, *arguments, *output) for output in outputs or ((),))


@pytest.mark.parametrize("command", tuple(list_command_lines()), ids=repr)
def test_no_command_prints_control_characters_from_objects_or_zones(
    installation: Installation, command: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    flags = installation.flags("--log-level=fatal")
    with NameServer("example.org", {("hand.example.org", "A"): ("192.0.2.1",)}) as server:
        nameserver = [f"--nameserver={server.address}"] if command[0] == "verify" else []
        cli.main([*command, *nameserver, *(flags if command[0] != "iam-policy" else [])], {})
    captured = capsys.readouterr()
    output = captured.out + captured.err
    assert output
    assert all(line.isprintable() for line in output.splitlines())
    assert LONG[:1000] not in output or {"--output=json", "snapshot"} & set(command)  # JSON contains the full text
    if "--output=markdown" in command:
        outside = re.sub("`[^`\n]*`", "", captured.out)
        assert not {"<script", "@all", "</td>"} & set(re.findall(r"<script|@all|</td>", outside))
        assert {line.count("|") for line in captured.out.splitlines() if line.startswith("|")} <= {7}
