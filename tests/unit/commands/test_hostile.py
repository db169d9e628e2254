"""Every command escapes and shortens untrusted text from objects, zones and files."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from extdns import cli
from tests.fakes.nameserver import NameServer
from tests.objects import service
from tests.program.installation import Installation

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


COMMANDS = {
    "plan": ("plan",),
    "plan-json": ("plan", "--output=json"),
    "plan-markdown": ("plan", "--output=markdown"),
    "plan-held": ("plan", "--held"),
    "explain-name": ("explain", "evil.example.org"),
    "explain-object": ("explain", "service/shop/name"),
    "owners": ("owners",),
    "owners-json": ("owners", "--output=json"),
    "adopt": ("adopt",),
    "adopt-json": ("adopt", "--output=json"),
    "migrate": ("migrate",),
    "migrate-json": ("migrate", "--output=json"),
    "check": ("check",),
    "check-json": ("check", "--output=json"),
    "verify": ("verify",),
    "verify-json": ("verify", "--output=json"),
    "apply": ("apply", f"--plan=/nowhere/{EVIL}"),
    "plan-base": ("plan", f"--base={EVIL}"),
    "plan-snapshot": ("plan", f"--zone-snapshot=/nowhere/{EVIL}"),
    "iam-policy": ("iam-policy", f"--domain-filter={EVIL}"),
}


@pytest.mark.parametrize("command", [pytest.param(command, id=name) for name, command in COMMANDS.items()])
def test_no_command_prints_control_characters_from_objects_or_zones(
    installation: Installation, command: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    flags = [
        "--source=service",
        "--provider=zonefile",
        f"--zonefile-dir={installation.zones.folder}",
        "--txt-owner-id=me",
    ]
    flags += [] if command[0] == "iam-policy" else [f"--manifests={installation.manifests}", "--log-level=fatal"]
    with NameServer("example.org", {("hand.example.org", "A"): ("192.0.2.1",)}) as server:
        nameserver = [f"--nameserver={server.address}"] if command[0] == "verify" else []
        cli.main([*command, *nameserver, *(flags if command[0] != "iam-policy" else [])], {})
    captured = capsys.readouterr()
    output = captured.out + captured.err
    assert output
    assert all(line.isprintable() for line in output.splitlines())
    assert LONG[:1000] not in output or "--output=json" in command  # JSON contains the full text
    if "--output=markdown" in command:
        outside = re.sub("`[^`\n]*`", "", output)
        assert not {"<script", "@all", "</td>"} & set(re.findall(r"<script|@all|</td>", outside))
