"""A record is not deleted if the service refuses its successor (law 6; docs/spec/plan.md 11)."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from msgspec.structs import replace

from extdns.engine.health import find_failures
from extdns.model.change import Action, AdjustedRecords, Refusal
from extdns.model.claim import ResolvedClaim
from extdns.model.reason import Reason
from extdns.model.record import DesiredRecord
from extdns.model.zone import Zone
from tests.builders import (
    INGRESS,
    PLAN,
    SERVICE,
    ZONE,
    build_claim,
    change_phase,
    host,
    observe,
    observe_gone,
    owned,
    record,
)
from tests.world import World, build_world, start_world

WEB = build_claim("web", "web")
CNAME = build_claim("web", "web", "lb.test", rtype="CNAME")
ROUTED = build_claim("web", "web", set_identifier="v1")
OTHER_TYPE = build_claim("web", "web", "2001:db8::1", rtype="AAAA")
MAIL = build_claim("web", "web", "10 mx.test", rtype="MX")
CURRENT = owned("web")


def accept_simple_addresses(desired: Sequence[DesiredRecord], _: Zone) -> AdjustedRecords:
    """Accept A and AAAA records without set identifier, and refuse all others."""
    taken = tuple(one for one in desired if one.type in {"A", "AAAA"} and not one.set_identifier)
    refused = tuple(
        Refusal(desired=one, reason=Reason.UNSUPPORTED, detail="too much") for one in desired if one not in taken
    )
    return AdjustedRecords(accepted=taken, refused=refused)


def run_with_change(*requested: ResolvedClaim, compat: bool) -> World:
    """Run an engine whose Service `web` has the current record, and then requests *requested* instead."""
    world = start_world(
        *CURRENT, first=[observe("web", WEB)], adjust=accept_simple_addresses, plan=replace(PLAN, compat=compat)
    )
    world.run(observe("web", *requested), for_s=300.0)
    return world


@pytest.mark.parametrize("compat", [False, True])
@pytest.mark.parametrize(
    "requested", [pytest.param(CNAME, id="11-another-type"), pytest.param(ROUTED, id="law-6-routed-for-simple")]
)
def test_a_record_is_kept_if_the_dns_service_does_not_support_the_record_that_would_replace_it(
    requested: ResolvedClaim, *, compat: bool
) -> None:
    world = run_with_change(requested, compat=compat)
    assert world.batches == []
    found = [one for one in world.engine.decisions.decisions(WEB.name) if one.current]
    assert [(one.action, one.reason, one.detail) for one in found] == [
        ("keep", "unsupported", f"the requested {requested.desired.type} record cannot replace it: too much")
    ]


V1, V2 = build_claim("web", "web", set_identifier="v1"), build_claim("web", "web", set_identifier="v2")


def refuse_v2(desired: Sequence[DesiredRecord], _: Zone) -> AdjustedRecords:
    """Refuse records with the set identifier `v2`, and accept all others."""
    taken = tuple(one for one in desired if one.set_identifier != "v2")
    refused = tuple(
        Refusal(desired=one, reason=Reason.UNSUPPORTED, detail="too much") for one in desired if one not in taken
    )
    return AdjustedRecords(accepted=taken, refused=refused)


def start_routed(*, compat: bool) -> World:
    """Start an engine whose Service `web` has a record with the set identifier `v1`."""
    world = start_world(first=[observe("web", V1)], adjust=refuse_v2, plan=replace(PLAN, compat=compat))
    assert world.list_records() == {"web A": ("192.0.2.1",)}
    return world


@pytest.mark.parametrize("compat", [False, True])
def test_a_routed_record_is_kept_if_the_dns_service_does_not_support_the_record_that_would_replace_it(
    *, compat: bool
) -> None:
    world = start_routed(compat=compat)
    world.run(observe("web", V2), for_s=300.0)
    (stays,) = [one for one in world.engine.decisions.decisions(V1.name) if one.current]
    assert (stays.set_identifier, stays.action, stays.reason) == ("v1", Action.KEEP, Reason.UNSUPPORTED)
    world.run(observe("web", build_claim("web", "web", set_identifier="v3")), for_s=300.0)
    assert [key.set_identifier for key in world.provider.contents(ZONE) if key.type == "A"] == ["v3"]


@pytest.mark.parametrize("compat", [False, True])
def test_a_routed_record_is_deleted_if_only_another_object_requests_an_unsupported_record_of_its_type(
    *, compat: bool
) -> None:
    world = start_routed(compat=compat)
    other = build_claim("web", "web", "2001:db8::1", rtype="AAAA", set_identifier="v2")
    world.run(observe("web", other), observe("api", build_claim("api", "web", set_identifier="v2")), for_s=300.0)
    assert world.list_records() == {}


@pytest.mark.parametrize("compat", [False, True])
def test_without_compat_a_record_stays_while_the_cname_its_object_now_requests_loses_to_an_aaaa_record(
    *, compat: bool
) -> None:
    other = build_claim("api", "web", "2001:db8::1", rtype="AAAA")
    world = start_world(*CURRENT, first=[observe("web", WEB), observe("api", other)], plan=replace(PLAN, compat=compat))
    world.run(observe("web", CNAME), for_s=300.0)
    address = {} if compat else {"web A": ("192.0.2.1",)}  # external-dns deletes the A record
    assert world.list_records() == {"web AAAA": ("2001:db8::1",)} | address
    world.run(observe("api"), for_s=300.0)
    assert world.list_records() == {"web CNAME": ("lb.test",)}


def test_a_record_kept_because_its_replacement_is_unsupported_is_deleted_once_its_object_is_deleted() -> None:
    world = run_with_change(CNAME, compat=False)
    world.run(observe_gone("web"))
    assert world.list_records() == {}


def test_with_compat_a_record_is_deleted_although_its_object_now_requests_an_unsupported_unmanaged_type() -> None:
    assert run_with_change(MAIL, compat=True).list_records() == {}


def test_a_record_is_replaced_if_the_dns_service_supports_the_record_that_replaces_it() -> None:
    assert run_with_change(OTHER_TYPE, compat=False).list_records() == {"web AAAA": ("2001:db8::1",)}


def test_a_record_is_kept_as_unsupported_although_a_foreign_record_also_blocks_its_replacement() -> None:
    theirs = record("web", "2001:db8::9", rtype="AAAA")
    world = start_world(*CURRENT, theirs, first=[observe("web", WEB)], adjust=accept_simple_addresses)
    world.run(observe("web", CNAME), for_s=300.0)
    assert world.batches == []
    found = {(one.type, one.reason) for one in world.engine.decisions.decisions(WEB.name)}
    assert found == {("A", Reason.UNSUPPORTED), ("AAAA", Reason.FOREIGN_RECORD), ("CNAME", Reason.UNSUPPORTED)}
    assert find_failures(world.engine) == ("2 records could not be published",)


def test_a_record_is_deleted_although_an_unsupported_cname_is_requested_that_yields_to_an_address() -> None:
    world = start_world(first=[observe("web", WEB, OTHER_TYPE)], adjust=accept_simple_addresses)
    world.run(observe("web", WEB), observe("api", build_claim("api", "web", "lb.test", rtype="CNAME")), for_s=300.0)
    assert world.list_records() == {"web A": ("192.0.2.1",)}
    assert find_failures(world.engine) == ()


@pytest.mark.parametrize("compat", [False, True])
@pytest.mark.parametrize(
    "claim",
    [
        pytest.param(build_claim("new", "web", set_identifier="v1"), id="routed"),
        pytest.param(build_claim("new", "web", "lb.test", rtype="CNAME"), id="cname"),
    ],
)
def test_the_record_of_a_deleted_object_stays_if_the_dns_service_does_not_support_its_replacement(
    claim: ResolvedClaim, *, compat: bool
) -> None:
    world = build_world(*owned("web"), adjust=accept_simple_addresses, plan=replace(PLAN, compat=compat))
    world.run(observe("new", claim), change_phase(SERVICE), change_phase(INGRESS), for_s=600.0)
    assert world.list_records() == {"web A": ("192.0.2.1",)}
    assert [one.reason for one in world.engine.decisions.decisions(host("web")) if one.current] == [Reason.UNSUPPORTED]


def test_a_record_is_deleted_although_an_unsupported_record_that_could_coexist_with_it_is_requested() -> None:
    world = start_world(
        *owned("web"), first=[observe("web", build_claim("web", "web"))], adjust=accept_simple_addresses
    )
    other = build_claim("new", "web", "2001:db8::1", rtype="AAAA", set_identifier="v1")
    world.run(observe("new", other), observe_gone("web"), for_s=600.0)
    assert world.list_records() == {}
