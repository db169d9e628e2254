"""Requested names that are not DNS names: extdns refuses them before the service would.

See docs/design/delete-safety.md, "One pass and dry runs".
"""

from __future__ import annotations

import pytest

from extdns.engine.engine import Engine
from extdns.engine.health import find_failures
from extdns.engine.inputs import Cause, Observation, Observed
from extdns.engine.settings import EngineSettings
from extdns.model.claim import Claim, InvalidClaim, Provenance
from extdns.model.kind import Kind, ObjectKey, ObjectRef
from extdns.model.reason import Reason
from extdns.planner.settings import PlanSettings
from providers.inmemory.provider import InMemoryProvider
from registry.noop import NoopRegistry
from tests.world import World

KEY = ObjectKey(Kind("", "v1", "Service", "services"), "shop", "web")
ALLOWED = "a name"


def build_invalid_claim(text: str, reason: Reason = Reason.INVALID_NAME) -> InvalidClaim:
    """Build a claim of the Service `web` to the name *text*, which is invalid for *reason*."""
    provenance = Provenance(source="service", ref=ObjectRef(key=KEY), field="annotation")
    return InvalidClaim(provenance=provenance, reason=reason, value=text, allowed=ALLOWED)


def observe(*claims: Claim, cause: Cause = Cause.VERSION) -> Observed:
    """Build the observation that the Service `web` has exactly *claims*."""
    found = Observation(source="service", key=KEY, cause=cause, claims=claims)
    return Observed(observations=(found,))


def start_world() -> World:
    """Start an engine with the empty zone example.org, which was read."""
    memory = InMemoryProvider(["example.org"])
    settings = EngineSettings(
        plan=PlanSettings(owner=""),
        registry=NoopRegistry(),
        adjust=memory.adjust,
        capabilities=memory.capabilities,
        kinds={},
    )
    world = World(engine=Engine(settings), reader=memory, writer=memory)
    world.run()
    return world


@pytest.mark.parametrize("text", ["a..example.org", "A..Example.ORG.", "a b.example.org"])
def test_an_invalid_name_that_ends_with_a_zone_name_is_a_failure(text: str) -> None:
    world = start_world()
    world.run(observe(build_invalid_claim(text)))
    assert find_failures(world.engine) == (f"Service shop/web: {text!r} is not a DNS name; allowed: {ALLOWED}",)


@pytest.mark.parametrize(
    "claim",
    [
        pytest.param(build_invalid_claim("a..elsewhere.org"), id="outside every zone"),
        pytest.param(build_invalid_claim(f"{'x' * 64}.example.org"), id="0.1 a label of more than 63 bytes"),
        pytest.param(build_invalid_claim(f"{'é' * 32}.example.org"), id="0.1 a label of 32 characters in 64 bytes"),
        pytest.param(build_invalid_claim("0", Reason.INVALID_TTL), id="an invalid TTL"),
    ],
)
def test_an_invalid_claim_is_no_failure_if_external_dns_would_skip_it_too(claim: InvalidClaim) -> None:
    world = start_world()
    world.run(observe(claim))
    assert find_failures(world.engine) == ()


@pytest.mark.parametrize("cause", [Cause.VERSION, Cause.DELETED])
def test_the_failure_of_an_invalid_name_ends_with_the_claim(cause: Cause) -> None:
    world = start_world()
    world.run(observe(build_invalid_claim("a..example.org")), observe(cause=cause))
    assert find_failures(world.engine) == ()
