"""A webhook provider that accepts a record and does not keep it (docs/troubleshooting.md)."""

from __future__ import annotations

import pytest

from extdns.engine.engine import Engine
from extdns.model.reason import Reason
from providers.webhook.provider import WebhookWriter
from tests.builders import INGRESS, SERVICE, build_claim, change_phase, observe
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
