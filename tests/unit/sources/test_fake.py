"""The sources fake and empty (spec sources 6.6, 6.7)."""

from __future__ import annotations

import pytest

from extdns.model import rrtype
from extdns.model.claim import Wanted
from extdns.sources.empty import EmptySource
from extdns.sources.fake import BASE, FAKE, FakeSource, invented
from extdns.sources.refine import Refined, validated
from tests.fakes.view import FakeView
from tests.unit.sources.samples import load_balancer, wanted


def claims(*bases: str) -> list[Wanted]:
    source = Refined(source=FakeSource(), stages=(validated,))
    return wanted(claim for obj in invented(bases) for claim in source.claims(obj, FakeView()))


def test_6_6_one_valid_endpoint_of_each_type() -> None:
    found = claims(BASE)
    assert sorted(claim.endpoint.type for claim in found) == sorted(rrtype.OWNABLE)
    assert {claim.set_identifier for claim in found} == {"fake"}
    assert all(claim.endpoint.resource == f"fake/default/{claim.name}" for claim in found)
    assert all(claim.name.endswith(BASE) for claim in found if claim.endpoint.type != rrtype.PTR)


def test_6_6_every_base_has_its_own_and_there_are_as_many_addresses_as_bases() -> None:
    found = claims("a.test", "b.test", "a.test")
    addresses = [claim.endpoint for claim in found if claim.endpoint.type == rrtype.A]
    assert len(found) == 2 * len(rrtype.OWNABLE)
    assert [len(endpoint.targets) for endpoint in addresses] == [2, 2]


def test_what_is_made_up_is_always_the_same() -> None:
    assert invented([BASE]) == invented([BASE])
    assert [obj.metadata.name for obj in invented([BASE])] == sorted(obj.metadata.name for obj in invented([BASE]))


def test_6_7_empty_asks_for_nothing() -> None:
    assert EmptySource().claims(load_balancer(None, "192.0.2.1"), FakeView()) == ()


def test_other_objects_are_a_defect() -> None:
    assert FakeSource().kind == FAKE
    with pytest.raises(TypeError, match="invented only"):
        FakeSource().claims(load_balancer(None), FakeView())
