"""What objects, zones and files say is shown escaped by every command, and none of it at any length."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from extdns import cli
from tests.fakes.nameserver import NameServer
from tests.integration.stage import Stage, service

EVIL = "\x1b[31m`|</td><script>@all\u202e\x9b2J\ud800"
LONG = "x" * 60_000
MARK = 'a-evil IN TXT "heritage=external-dns,external-dns/owner=\\027[31m<script>\\226\\128\\174"'


@pytest.fixture
def stage(tmp_path: Path) -> Stage:
    """Hostile hosts, annotations, targets and owners, a manifest with a hostile name, and what is in order."""
    found = Stage(tmp_path, example_org=f"evil IN A 192.0.2.9\n{MARK}\nhand IN A 192.0.2.1\n")
    objects = [
        service("hand", "hand.example.org"),
        service("name", f"ok.example.org,{EVIL}.example.org,{LONG}.example.org".replace("\ud800", "")),
        service("set", "set.example.org", annotations={"set-identifier": EVIL.replace("\ud800", ""), "ttl": LONG}),
        service("evil", "evil.example.org"),
        service("target", "target.example.org", annotations={"target": f"{LONG}.example.net"}),
    ]
    found.apply(*objects)
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
def test_nothing_hostile_is_shown_as_it_is(
    stage: Stage, command: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    flags = ["--source=service", "--provider=zonefile", f"--zonefile-dir={stage.zones}", "--txt-owner-id=me"]
    flags += [] if command[0] == "iam-policy" else [f"--manifests={stage.manifests}", "--log-level=fatal"]
    with NameServer("example.org", {("hand.example.org", "A"): ("192.0.2.1",)}) as server:
        asked = [f"--nameserver={server.place}"] if command[0] == "verify" else []
        cli.main([*command, *asked, *(flags if command[0] != "iam-policy" else [])], {})
    told = capsys.readouterr()
    said = told.out + told.err
    assert said
    assert all(line.isprintable() for line in said.splitlines())
    assert LONG[:1000] not in said or "--output=json" in command  # programs get all of it
    if "--output=markdown" in command:
        outside = re.sub("`[^`\n]*`", "", said)
        assert not {"<script", "@all", "</td>"} & set(re.findall(r"<script|@all|</td>", outside))
