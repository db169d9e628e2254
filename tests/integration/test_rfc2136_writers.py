"""Two writers on one zone of a real BIND, which crashes twice: extdns, and a program that sends raw updates."""

from __future__ import annotations

import random
from pathlib import Path

import dns.update
import pytest

from extdns.model.dns_name import DnsName
from providers.rfc2136.client import build_key
from providers.rfc2136.provider import Rfc2136Reader, Rfc2136Writer, Rfc2136Zones
from providers.rfc2136.settings import Rfc2136Settings
from tests.builders import REGISTRY
from tests.conformance.provider import Rig
from tests.conformance.test_laws import NAMES, Scene
from tests.nameservers import installed
from tests.unit.engine import laws
from tests.updatable import KEY, UpdatableServer

EDITS = 200
KILLED_AT = (60, 140)


@pytest.mark.skipif(not installed("named"), reason="named is not installed: rfc2136 is untested with it")
def test_no_edit_of_another_writer_that_extdns_has_not_read_is_overwritten_and_foreign_records_stay(
    tmp_path: Path,
) -> None:
    choose = random.Random(22)
    with UpdatableServer("named", tmp_path / "server") as server:
        settings = Rfc2136Settings(servers=(server.address,), zones=(DnsName("example.org"),), key=KEY)
        zones, others = Rfc2136Zones(settings), Rfc2136Zones(settings)
        reader = Rfc2136Reader(zones)
        rig = Rig(
            reader=reader,
            writer=Rfc2136Writer(zones),
            other=Rfc2136Writer(others),
            zone=reader.list_zones().zones[0],
            sees_ttl=False,
        )
        scene = Scene(rig)
        foreign: dict[str, str] = {}
        for edit in range(EDITS):
            if edit in KILLED_AT:
                server.kill()
                server.start()
            _edit(server, choose, edit, foreign)
            name = choose.choice(NAMES)
            scene.apply_step(("want", name, f"192.0.2.{choose.randrange(1, 200)}"))
        scene.world.run(for_s=1500.0)
        assert scene.world.engine.is_idle
        for submission in scene.submissions:
            laws.check_submission(submission, REGISTRY)
        held = {one.name: one.targets for one in rig.read() if one.name.startswith("f")}
        assert held == {f"{name}.example.org": (target,) for name, target in foreign.items()}


def _edit(server: UpdatableServer, choose: random.Random, edit: int, foreign: dict[str, str]) -> None:
    """Change a foreign record, or the address of a name that extdns manages."""
    message = dns.update.UpdateMessage("example.org", keyring=build_key(KEY))
    if choose.random() < 0.5:
        name = f"f{choose.randrange(20)}"
        foreign[name] = f"198.51.100.{edit % 250}"
        message.replace(f"{name}.example.org.", 60, "A", foreign[name])
    else:
        message.replace(f"{choose.choice(NAMES)}.example.org.", 300, "A", "203.0.113.9")
    server.update(message)
