"""What objects ask for that is no name: refused by us in the service's place (design 6, `--once`)."""

from __future__ import annotations

import pytest

from extdns.engine.engine import Engine
from extdns.engine.health import failures
from extdns.engine.inputs import Cause, Observation, Observed
from extdns.engine.settings import EngineSettings
from extdns.model.claim import Claim, Invalid, Provenance
from extdns.model.cluster import Kind, ObjectKey, ObjectRef
from extdns.model.reason import Reason
from extdns.planner.settings import PlanSettings
from providers.inmemory.provider import InMemoryProvider
from registry.noop import NoopRegistry
from tests.fakes.world import World

KEY = ObjectKey(Kind("", "v1", "Service", "services"), "shop", "web")
ALLOWED = "a name"


def asks_for(text: str, reason: Reason = Reason.INVALID_NAME) -> Invalid:
    provenance = Provenance(source="service", ref=ObjectRef(key=KEY), field="annotation")
    return Invalid(provenance=provenance, reason=reason, value=text, allowed=ALLOWED)


def seen(*claims: Claim, cause: Cause = Cause.VERSION) -> Observed:
    found = Observation(source="service", key=KEY, cause=cause, claims=claims)
    return Observed(observations=(found,))


def a_world() -> World:
    """A world with the zone example.org, read and empty."""
    memory = InMemoryProvider(["example.org"])
    settings = EngineSettings(
        plan=PlanSettings(owner=""), registry=NoopRegistry(), adjust=memory.adjust, traits=memory.traits, kinds={}
    )
    world = World(engine=Engine(settings), reader=memory, writer=memory)
    world.run()
    return world


@pytest.mark.parametrize("text", ["a..example.org", "A..Example.ORG.", "a b.example.org"])
def test_what_is_no_name_but_would_lie_in_a_zone_is_a_failure(text: str) -> None:
    world = a_world()
    world.run(seen(asks_for(text)))
    assert failures(world.engine) == (f"Service shop/web: {text!r} is no name; allowed: {ALLOWED}",)


@pytest.mark.parametrize(
    "claim",
    [
        pytest.param(asks_for("a..elsewhere.org"), id="in no zone of ours"),
        pytest.param(asks_for(f"{'x' * 64}.example.org"), id="0.1 a label over 63 bytes is passed over"),
        pytest.param(asks_for(f"{'é' * 32}.example.org"), id="0.1 bytes count, not characters"),
        pytest.param(asks_for("0", Reason.INVALID_TTL), id="another mistake"),
    ],
)
def test_what_the_service_would_never_see_is_none(claim: Invalid) -> None:
    world = a_world()
    world.run(seen(claim))
    assert failures(world.engine) == ()


@pytest.mark.parametrize("cause", [Cause.VERSION, Cause.DELETED])
def test_it_is_over_with_the_claim(cause: Cause) -> None:
    world = a_world()
    world.run(seen(asks_for("a..example.org")), seen(cause=cause))
    assert failures(world.engine) == ()
