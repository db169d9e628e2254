"""The sources fake and empty (docs/spec/sources.md 6.6, 6.7)."""

from __future__ import annotations

from extdns.model import rrtype
from extdns.model.claim import ResolvedClaim
from extdns.sources.common.claim_stages import validate_claim
from extdns.sources.fake import DEFAULT_BASE_NAME, build_objects
from tests.fakes.view import FakeView
from tests.unit.sources.made import build_source
from tests.unit.sources.samples import list_resolved_claims, load_balancer


def claims(*bases: str) -> list[ResolvedClaim]:
    source = build_source("fake", stages=(validate_claim,))
    return list_resolved_claims(claim for obj in build_objects(bases) for claim in source.find_claims(obj, FakeView()))


# docs/spec/sources.md 6.6
def test_the_fake_source_generates_one_valid_endpoint_of_each_type() -> None:
    found = claims(DEFAULT_BASE_NAME)
    assert sorted(claim.desired.type for claim in found) == sorted(rrtype.OWNABLE)
    assert {claim.set_identifier for claim in found} == {"fake"}
    assert all(claim.desired.resource == f"fake/default/{claim.name}" for claim in found)
    assert all(claim.name.endswith(DEFAULT_BASE_NAME) for claim in found if claim.desired.type != rrtype.PTR)


# docs/spec/sources.md 6.6
def test_the_fake_source_generates_records_for_each_base_name() -> None:
    found = claims("a.test", "b.test", "a.test")
    addresses = [claim.desired for claim in found if claim.desired.type == rrtype.A]
    assert len(found) == 2 * len(rrtype.OWNABLE)
    assert [len(endpoint.targets) for endpoint in addresses] == [2, 2]


def test_the_fake_source_generates_the_same_records_for_the_same_base_names() -> None:
    assert build_objects([DEFAULT_BASE_NAME]) == build_objects([DEFAULT_BASE_NAME])
    assert [obj.metadata.name for obj in build_objects([DEFAULT_BASE_NAME])] == sorted(
        obj.metadata.name for obj in build_objects([DEFAULT_BASE_NAME])
    )


# docs/spec/sources.md 6.7
def test_the_empty_source_gives_no_claims() -> None:
    assert build_source("empty").find_claims(load_balancer(None, "192.0.2.1"), FakeView()) == ()
