"""Requested names that are not DNS names: extdns refuses them before the service would.

See docs/design/delete-safety.md, "One pass and dry runs".
"""

from __future__ import annotations

import pytest

from extdns.engine.health import find_failures
from extdns.engine.inputs import Cause
from extdns.model.claim import InvalidClaim
from extdns.model.reason import Reason
from extdns.planner.settings import PlanSettings
from registry.noop.registry import NoopRegistry
from tests.builders import observe, origin
from tests.world import World, start_world

ALLOWED = "a name"


def build_invalid_claim(text: str, reason: Reason = Reason.INVALID_NAME) -> InvalidClaim:
    """Build a claim of the Service `web` to the name *text*, which is invalid for *reason*."""
    return InvalidClaim(provenance=origin("web"), reason=reason, value=text, allowed=ALLOWED)


def start_with_empty_zone() -> World:
    """Start an engine without registry, with the empty zone example.org, which was read."""
    return start_world(plan=PlanSettings(owner=""), registry=NoopRegistry())


@pytest.mark.parametrize("text", ["a..example.org", "A..Example.ORG.", "a b.example.org"])
def test_an_invalid_hostname_that_ends_with_the_name_of_a_zone_is_reported_as_a_failure(text: str) -> None:
    world = start_with_empty_zone()
    world.run(observe("web", build_invalid_claim(text)))
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
def test_an_invalid_claim_that_external_dns_would_also_skip_is_no_failure(claim: InvalidClaim) -> None:
    world = start_with_empty_zone()
    world.run(observe("web", claim))
    assert find_failures(world.engine) == ()


@pytest.mark.parametrize("cause", [Cause.VERSION, Cause.DELETED])
def test_the_failure_about_an_invalid_hostname_ends_when_no_object_requests_it(cause: Cause) -> None:
    world = start_with_empty_zone()
    world.run(observe("web", build_invalid_claim("a..example.org")), observe("web", cause=cause))
    assert find_failures(world.engine) == ()
