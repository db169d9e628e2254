"""Two writers on one zone of a real BIND, which crashes twice: extdns, and `nsupdate`."""

from __future__ import annotations

import random
import subprocess
from pathlib import Path

from msgspec.structs import replace

from extdns.engine.engine import Engine
from extdns.model.change import Action
from extdns.model.dns_name import DnsName
from extdns.model.reason import Reason
from providers.rfc2136.provider import Rfc2136Reader, Rfc2136Writer, Rfc2136Zones
from providers.rfc2136.settings import Rfc2136Settings
from tests.builders import (
    INGRESS,
    PLAN,
    REGISTRY,
    SERVICE,
    build_claim,
    change_phase,
    combine,
    observe,
    observe_new,
)
from tests.conformance.provider import Rig
from tests.conformance.test_laws import NAMES, Scene
from tests.required_programs import require_programs
from tests.unit.engine import laws
from tests.updatable import KEY, UpdatableServer
from tests.web_server import HANGS_S
from tests.world import World, engine_settings

EDITS = 200
KILLED_AT = (60, 140)


def test_no_edit_of_another_writer_that_extdns_has_not_read_is_overwritten_and_foreign_records_stay(
    tmp_path: Path,
) -> None:
    require_programs("two writers on one zone", "nsupdate")
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
    """Change a foreign record, or the address of a name that extdns manages, with nsupdate."""
    if choose.random() < 0.5:
        name, ttl_s, address = f"f{choose.randrange(20)}", 60, f"198.51.100.{edit % 250}"
        foreign[name] = address
    else:
        name, ttl_s, address = choose.choice(NAMES), 300, "203.0.113.9"
    lines = (
        f"server {server.address.host} {server.address.port}",
        "zone example.org",
        f"update delete {name}.example.org A",
        f"update add {name}.example.org {ttl_s} A {address}",
        "send",
    )
    command = ("nsupdate", "-v", "-y", f"{KEY.algorithm}:{KEY.name}:{KEY.secret}")
    subprocess.run(command, input="\n".join(lines), text=True, check=True, timeout=HANGS_S)


def test_thirty_mx_records_that_bind_refuses_delay_no_other_name(tmp_path: Path) -> None:
    updates = "update-policy { grant extdns zonesub A TXT; }"
    with UpdatableServer("named", tmp_path / "server", updates=updates) as server:
        settings = Rfc2136Settings(servers=(server.address,), zones=(DnsName("example.org"),), key=KEY)
        zones = Rfc2136Zones(settings)
        reader = Rfc2136Reader(zones)
        plan = replace(PLAN, managed_types=PLAN.managed_types | {"MX"})
        world = World(engine=Engine(engine_settings(reader, plan=plan)), reader=reader, writer=Rfc2136Writer(zones))
        mail = [f"a{number}" for number in range(30)]
        good = [f"n{number}" for number in range(50)]
        refused = [observe(name, build_claim(name, name, "10 mail.example.net", rtype="MX")) for name in mail]
        world.run(combine(*refused, observe_new(*good)), change_phase(SERVICE), change_phase(INGRESS), for_s=80.0)
        assert {world.list_decisions(name)[0] for name in good} == {("A", Action.KEEP, Reason.PUBLISHED)}
        assert {world.list_decisions(name)[0] for name in mail} == {("MX", Action.NONE, Reason.ZONE_FORBIDDEN)}
