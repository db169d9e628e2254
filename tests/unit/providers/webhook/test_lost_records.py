"""A webhook provider that accepts a record and does not keep it as it was sent (docs/troubleshooting.md)."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from extdns.engine.engine import Engine
from extdns.engine.inputs import Cause
from extdns.model.reason import Reason
from providers.webhook.provider import WebhookWriter
from tests.builders import INGRESS, PLAN, SERVICE, build_claim, build_registry, change_phase, observe, observe_gone
from tests.conformance.provider import ShowingReader, connect
from tests.fakes.webhook.defects import Defect
from tests.fakes.webhook.server import WebhookServer
from tests.world import World, engine_settings


@pytest.mark.parametrize("defect", [Defect.CREATES_IGNORED, Defect.ONLY_FIRST_TARGET])
def test_after_three_writes_the_object_says_that_its_record_is_not_kept(defect: Defect) -> None:
    with WebhookServer("example.org", defect=defect, default_ttl_s=300) as fake:
        zones = connect(fake.url)
        reader = ShowingReader(zones)
        world = World(engine=Engine(engine_settings(reader)), reader=reader, writer=WebhookWriter(zones))
        claim = build_claim("web", "web", "192.0.2.1", "192.0.2.2")
        world.run(observe("web", claim), change_phase(SERVICE), change_phase(INGRESS), for_s=400.0)
        assert len(world.outcomes) == 3
        decision = world.decision("web")
        assert decision.reason is Reason.CONTENDED
        assert "or the DNS service does not keep it" in decision.detail


@pytest.mark.parametrize("at", ["web", "a-web"], ids=["at-the-record", "at-the-ownership-record"])
def test_a_record_listed_with_invalid_data_delays_no_other_and_is_deleted(at: str) -> None:
    with WebhookServer("example.org", defect=Defect.MX_WITHOUT_PREFERENCE) as fake:
        zones = connect(fake.url)
        reader = ShowingReader(zones)
        plan = replace(PLAN, managed_types=PLAN.managed_types | {"MX"})
        settings = engine_settings(reader, plan=plan, registry=build_registry(types=plan.managed_types))
        world = World(engine=Engine(settings), reader=reader, writer=WebhookWriter(zones))
        mail = build_claim("mail", at, "10 mx.example.com", rtype="MX", namespace="other")
        world.run(observe("mail", mail, namespace="other"), observe("web", build_claim("web", "web")))
        world.run(change_phase(SERVICE), change_phase(INGRESS), for_s=120.0)
        world.run(observe("web", build_claim("web", "web", "192.0.2.2")), for_s=120.0)
        published = {(key.name, key.type): found["targets"] for key, found in fake.records().items()}
        assert published["web.example.org", "A"] == ["192.0.2.2"]
        assert (f"{at}.example.org", "MX") in published
        world.run(observe("mail", namespace="other", cause=Cause.DELETED), observe_gone("web"), for_s=3600.0)
        assert fake.records() == {}
