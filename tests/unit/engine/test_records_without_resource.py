"""Deletes of records whose ownership records name no object (docs/design/delete-safety.md, "Evidence")."""

from __future__ import annotations

from typing import Final

import pytest
from msgspec.structs import replace

from extdns.engine.delete_settings import DeleteLimits, DeleteSettings
from extdns.engine.inputs import Cause, Observed
from extdns.model.claim import InvalidClaim, ResolvedClaim
from extdns.model.evidence import Evidence
from extdns.model.kind import ObjectKey
from extdns.model.reason import Reason
from extdns.model.value import EMPTY_MAP
from tests.builders import PODS, build_claim, build_unresolved, observe, observe_gone, origin, owned
from tests.world import World, start_world

ACCEPTED: Final = {"has_state_store": True, "settings_digest": "today"}
"""Settings that the first pass accepts, so that `orphan-unclaimed` is enough for a delete."""


def request(name: str, *targets: str) -> ResolvedClaim:
    """Build a claim of the Service *name* to `web` that names no resource, as those of Pods and PTR records."""
    made = build_claim(name, "web", *targets)
    return replace(made, desired=replace(made.desired, labels=EMPTY_MAP))


def start_with(*first: Observed) -> World:
    """Start an engine in whose zone `web` has the two addresses of the Services `a` and `b`."""
    return start_world(*owned("web", "192.0.2.1", "192.0.2.2", resource=""), first=first, **ACCEPTED)


A: Final = observe("a", request("a", "192.0.2.1"))
B: Final = observe("b", request("b", "192.0.2.2"))


def test_a_record_stays_while_a_get_finds_the_object_that_a_list_lacks() -> None:
    world = start_with(A)
    world.exists = lambda _: True
    world.run(observe_gone("a", Cause.MISSING), for_s=1000.0)
    assert world.list_records() == {"web A": ("192.0.2.1",)}
    assert world.decision("web").reason is Reason.ABSENCE_UNCONFIRMED


def test_a_record_is_deleted_after_a_get_confirmed_that_its_object_is_gone() -> None:
    world = start_with(A)
    world.run(observe_gone("a", Cause.MISSING), for_s=1000.0)
    assert world.list_records() == {}
    assert world.evidence == [Evidence.ABSENT]


def test_a_record_stays_while_a_get_finds_its_object_although_another_object_requests_another_type() -> None:
    request_v6 = build_claim("b", "web", "2001:db8::1", rtype="AAAA")
    world = start_with(A, observe("b", replace(request_v6, desired=replace(request_v6.desired, labels=EMPTY_MAP))))
    world.exists = lambda _: True
    world.run(observe_gone("a", Cause.MISSING), for_s=1000.0)
    assert world.list_records() == {"web A": ("192.0.2.1",), "web AAAA": ("2001:db8::1",)}
    world.exists = lambda _: False
    world.run(for_s=1000.0)
    assert world.list_records() == {"web AAAA": ("2001:db8::1",)}
    assert world.evidence == [Evidence.ABSENT]


@pytest.mark.parametrize("is_deleted_last", [pytest.param(True, id="last"), pytest.param(False, id="first")])
def test_a_deleted_event_of_one_requester_is_no_evidence_while_another_requester_may_still_exist(
    *, is_deleted_last: bool
) -> None:
    world = start_with(A, B)
    world.exists = lambda _: True
    gone = [observe_gone("b", Cause.MISSING), observe_gone("a")]
    for one in gone if is_deleted_last else reversed(gone):
        world.run(one, for_s=100.0)
    world.run(for_s=1000.0)
    assert "web A" in world.list_records()
    assert world.decision("web").reason is Reason.ABSENCE_UNCONFIRMED


SAME: Final = observe("b", request("b", "192.0.2.1"))


def test_a_record_stays_if_one_requester_is_missing_from_a_list_and_the_other_is_deleted_later() -> None:
    world = start_world(*owned("web", "192.0.2.1", resource=""), first=(A, SAME), **ACCEPTED)
    world.exists = lambda _: True
    world.run(observe_gone("a", Cause.MISSING), for_s=100.0)
    world.run(observe_gone("b"), for_s=1000.0)
    assert world.list_records() == {"web A": ("192.0.2.1",)}
    assert world.decision("web").reason is Reason.ABSENCE_UNCONFIRMED


def test_a_record_stays_if_a_dependency_of_one_requester_is_missing_and_the_other_requester_is_deleted_later() -> None:
    world = start_world(*owned("web", "192.0.2.1", resource=""), first=(A, SAME), **ACCEPTED)
    world.exists = lambda _: True
    pod = ObjectKey(PODS, "shop", "web-1")
    world.run(observe("a", cause=Cause.DEPENDENCY, missing_dependencies=(pod,)), for_s=100.0)
    world.run(observe_gone("b"), for_s=1000.0)
    assert world.list_records() == {"web A": ("192.0.2.1",)}


def test_a_record_stays_until_the_missing_dependency_of_its_requester_is_known_not_to_exist() -> None:
    pod = ObjectKey(PODS, "shop", "web-1")
    world = start_with(A)
    world.exists = lambda _: None
    changed = observe("a", cause=Cause.DEPENDENCY, missing_dependencies=(pod,))
    world.run(changed, for_s=1000.0)
    assert world.list_records() == {"web A": ("192.0.2.1",)}
    world.exists = lambda _: False
    world.run(for_s=1000.0)
    assert world.evidence == [Evidence.DEPENDENCY_CHANGED]


def test_a_record_is_deleted_when_its_requester_misses_in_a_list_and_returns_without_requesting_the_name() -> None:
    world = start_with(A)
    world.exists = lambda _: None
    world.run(observe_gone("a", Cause.MISSING), observe("a"), for_s=1000.0)
    assert world.list_records() == {}
    assert world.evidence == [Evidence.HOSTNAME_REMOVED]


def test_the_ended_claims_of_a_deleted_object_are_forgotten_within_100_seconds() -> None:
    world = start_with(B)
    for number in range(5):
        name = f"other-{number}"
        world.run(observe(name, request(name, "192.0.2.9")), observe_gone(name), for_s=100.0)
        assert not world.engine.claims.have_ended([request(name).name])


def test_a_record_stays_if_the_namespace_that_requests_it_loses_the_name_to_another_namespace() -> None:
    invalid = InvalidClaim(provenance=origin("a"), reason=Reason.INVALID_NAME, value="a..b", allowed="a name")
    request_v6 = build_claim("a", "web", "2001:db8::1", rtype="AAAA", namespace="lab")
    request_cname = build_claim("b", "web", "b.test", rtype="CNAME", namespace="lab")  # contests the name as a whole
    world = start_world(
        *owned("web", "192.0.2.1", resource="service/shop/a"),
        *owned("web", "2001:db8::1", rtype="AAAA", resource=""),
        first=(
            observe("a", invalid),
            observe("c", build_unresolved("c", "web", Reason.NO_ENDPOINTS)),
            observe("a", replace(request_v6, desired=replace(request_v6.desired, labels=EMPTY_MAP)), namespace="lab"),
            observe("b", request_cname, namespace="lab"),
        ),
        **ACCEPTED,
    )
    world.run(for_s=1000.0)
    assert world.list_records() == {"web A": ("192.0.2.1",), "web AAAA": ("2001:db8::1",)}


def test_the_unresolved_timeout_of_one_requester_ends_only_after_a_get_confirmed_that_the_other_is_gone() -> None:
    deletes = DeleteSettings(owner="me", unresolved_timeout_s=100.0, limits=DeleteLimits(percent=100))
    unresolved = observe("b", build_unresolved("b", "web"))
    world = start_world(*owned("web", resource=""), first=(A, unresolved), deletes=deletes, **ACCEPTED)
    world.exists = lambda _: True
    world.run(observe_gone("a", Cause.MISSING), for_s=1000.0)
    assert world.list_records() == {"web A": ("192.0.2.1",)}
    assert world.decision("web").reason is Reason.NO_ADDRESS
    world.exists = lambda _: False
    world.run(for_s=1000.0)
    assert world.list_records() == {}
    assert world.evidence == [Evidence.UNRESOLVED_EXPIRED]
