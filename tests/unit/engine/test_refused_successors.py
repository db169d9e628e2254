"""What the service would refuse replaces nothing: both or neither (design 2 law 6; spec plan 11)."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from msgspec.structs import replace

from extdns.engine.health import failures
from extdns.model.adjusted import Adjusted, Refusal
from extdns.model.claim import Wanted
from extdns.model.reason import Reason
from extdns.model.record import Endpoint
from extdns.model.zone import Zone
from tests.unit.engine.stage import PLAN, ZONE, Stage, gone, owned, record, running, seen, wants

WEB = wants("web", "web")
CNAME = wants("web", "web", "lb.test", rtype="CNAME")
ROUTED = wants("web", "web", set_identifier="v1")
BESIDE = wants("web", "web", "2001:db8::1", rtype="AAAA")
MAIL = wants("web", "web", "10 mx.test", rtype="MX")
STANDS = owned("web")


def choosy(wanted: Sequence[Endpoint], _: Zone) -> Adjusted:
    """Take simple addresses alone."""
    taken = tuple(one for one in wanted if one.type in {"A", "AAAA"} and not one.set_identifier)
    refused = tuple(
        Refusal(endpoint=one, reason=Reason.UNSUPPORTED, detail="too much") for one in wanted if one not in taken
    )
    return Adjusted(wanted=taken, refused=refused)


def changed(*asked: Wanted, compat: bool) -> Stage:
    """The object asked for what stands, and now asks for something else."""
    world = running(*STANDS, first=[seen("web", WEB)], adjust=choosy, plan=replace(PLAN, compat=compat))
    world.run(seen("web", *asked), for_s=300.0)
    return world


@pytest.mark.parametrize("compat", [False, True])
@pytest.mark.parametrize(
    "asked", [pytest.param(CNAME, id="11-another-type"), pytest.param(ROUTED, id="law-6-routed-for-simple")]
)
def test_a_record_stays_while_what_replaces_it_would_be_refused(asked: Wanted, *, compat: bool) -> None:
    world = changed(asked, compat=compat)
    assert world.batches == []
    found = [one for one in world.engine.decisions.of(WEB.name) if one.held]
    assert [(one.verdict, one.reason, one.detail) for one in found] == [
        ("keep", "unsupported", f"{asked.endpoint.type} cannot replace it: too much")
    ]


V1, V2 = wants("web", "web", set_identifier="v1"), wants("web", "web", set_identifier="v2")


def without_v2(wanted: Sequence[Endpoint], _: Zone) -> Adjusted:
    """Take all sets but `v2`."""
    taken = tuple(one for one in wanted if one.set_identifier != "v2")
    refused = tuple(
        Refusal(endpoint=one, reason=Reason.UNSUPPORTED, detail="too much") for one in wanted if one not in taken
    )
    return Adjusted(wanted=taken, refused=refused)


def routed(*, compat: bool) -> Stage:
    """The object has its record as set `v1`."""
    world = running(first=[seen("web", V1)], adjust=without_v2, plan=replace(PLAN, compat=compat))
    assert world.holds() == {"web A": ("192.0.2.1",)}
    return world


@pytest.mark.parametrize("compat", [False, True])
def test_a_set_stays_while_the_one_that_its_object_asks_for_instead_would_be_refused(*, compat: bool) -> None:
    world = routed(compat=compat)
    world.run(seen("web", V2), for_s=300.0)
    (stays,) = [one for one in world.engine.decisions.of(V1.name) if one.held]
    assert (stays.set_identifier, stays.verdict, stays.reason) == ("v1", "keep", "unsupported")
    world.run(seen("web", wants("web", "web", set_identifier="v3")), for_s=300.0)
    assert [key.set_identifier for key in world.provider.contents(ZONE) if key.type == "A"] == ["v3"]


@pytest.mark.parametrize("compat", [False, True])
def test_a_set_goes_though_one_of_another_object_or_type_would_be_refused(*, compat: bool) -> None:
    world = routed(compat=compat)
    other = wants("web", "web", "2001:db8::1", rtype="AAAA", set_identifier="v2")
    world.run(seen("web", other), seen("api", wants("api", "web", set_identifier="v2")), for_s=300.0)
    assert world.holds() == {}


def test_it_goes_once_the_object_is_gone() -> None:
    world = changed(CNAME, compat=False)
    world.run(gone("web"))
    assert world.holds() == {}


def test_what_is_refused_and_not_managed_replaces_nothing_and_keeps_nothing() -> None:
    assert changed(MAIL, compat=True).holds() == {}


def test_a_record_is_replaced_by_what_is_taken() -> None:
    assert changed(BESIDE, compat=False).holds() == {"web AAAA": ("2001:db8::1",)}


def test_it_stays_and_nothing_has_failed_where_a_foreign_record_is_in_the_way_in_any_case() -> None:
    theirs = record("web", "2001:db8::9", rtype="AAAA")
    world = running(*STANDS, theirs, first=[seen("web", WEB)], adjust=choosy)
    world.run(seen("web", CNAME), for_s=300.0)
    assert world.batches == []
    assert {one.reason for one in world.engine.decisions.of(WEB.name)} == {Reason.FOREIGN_RECORD}
    assert failures(world.engine) == ()
