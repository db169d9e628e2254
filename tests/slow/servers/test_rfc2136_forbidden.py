"""A real BIND that does not let the key write records of a type."""

from __future__ import annotations

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
    SERVICE,
    build_claim,
    change_phase,
    combine,
    observe,
    observe_new,
)
from tests.updatable import KEY, UpdatableServer
from tests.world import World, engine_settings


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
