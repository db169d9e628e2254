"""The registry of Cloud Map: ownership in the text of the service at the name itself."""

from __future__ import annotations

import pytest

from extdns.errors import UsageError
from extdns.model.change import Blocked, ChangeSet
from extdns.model.reason import Reason
from extdns.model.record import Record
from registry.aws_sd.registry import DescriptionRegistry
from tests.builders import create, update
from tests.unit.registry.zone_records import ZONE, build_desired, build_name, record

TYPES = frozenset({"A", "AAAA", "CNAME"})
REGISTRY = DescriptionRegistry(owner="me", managed_types=TYPES)


def describe(owner: str) -> Record:
    return record("TXT", "web", target=f'"heritage=external-dns,external-dns/owner={owner}"')


def test_a_description_that_external_dns_has_updated_states_its_owner() -> None:
    old = "heritage=external-dns,external-dns/owner=me,external-dns/resource=service/shop/web"
    text = f'"heritage=external-dns,external-dns/aws-sd-description={old},external-dns/owner=me"'
    (owned,) = REGISTRY.read([record("A", "web"), record("TXT", "web", target=text)], ZONE)
    assert (owned.owner, owned.resource) == ("me", "service/shop/web")


def complete(*current: Record, resource: str = "service/shop/web") -> ChangeSet | Blocked:
    change = create(build_desired("A", "web", resource))
    return REGISTRY.complete(ChangeSet(zone=ZONE, name=build_name("web"), changes=(change,)), current)


def test_a_description_with_an_owner_makes_only_records_of_managed_types_at_its_name_ours() -> None:
    records = [record("A", "web"), record("MX", "web"), record("A", "api"), describe("me")]
    found = {(owned.record.name, owned.record.type): owned.is_ours for owned in REGISTRY.read(records, ZONE)}
    assert found == {
        (build_name("api"), "A"): False,
        (build_name("web"), "A"): True,
        (build_name("web"), "MX"): False,
    }


@pytest.mark.parametrize(
    ("current", "reason"),
    [
        ([], None),
        ([describe("me")], None),
        ([describe("other")], Reason.OWNED_BY_OTHER),
        ([record("TXT", "web", target='"made by hand"')], Reason.NO_OWNERSHIP_NAME),
        ([record("AAAA", "web")], Reason.NO_OWNERSHIP_NAME),
    ],
    ids=["nothing", "ours-and-empty", "of-another-owner", "without-owner", "without-description"],
)
def test_a_record_is_created_only_where_no_service_of_somebody_else_is(
    current: list[Record], reason: Reason | None
) -> None:
    found = complete(*current)
    assert (found.reason if isinstance(found, Blocked) else None) is reason


def test_a_new_record_leaves_the_description_to_the_object_of_one_that_stays() -> None:
    text = '"heritage=external-dns,external-dns/owner=me,external-dns/resource=service/blue/web"'
    found = complete(record("AAAA", "web"), record("TXT", "web", target=text))
    assert isinstance(found, ChangeSet)
    assert [one.new.targets for one in found.writes if one.new and one.new.type == "TXT"] == [(text,)]


def test_labels_that_do_not_fit_into_a_description_block_the_record() -> None:
    found = complete(resource=f"service/shop/{'n' * 1000}")
    assert isinstance(found, Blocked)
    assert "1024 characters" in found.detail


def adopt(*by_hand: Record) -> ChangeSet | Blocked:
    """Complete the adoption of the A record of `web` among the records *by_hand*."""
    (owned,) = (one for one in REGISTRY.read(by_hand, ZONE) if one.record.type == "A")
    change = update(owned, build_desired("A", "web", "service/shop/web"))
    return REGISTRY.complete(ChangeSet(zone=ZONE, name=build_name("web"), changes=(change,)), by_hand)


def test_records_without_an_owner_can_be_adopted_by_an_update() -> None:
    by_hand = [record("A", "web"), record("TXT", "web", target='"made by hand"')]
    found = adopt(*by_hand)
    assert isinstance(found, ChangeSet)
    assert found.writes[-1].old == by_hand[1]


def test_a_record_is_not_adopted_while_its_service_has_another_that_would_become_ours() -> None:
    found = adopt(record("A", "web"), record("AAAA", "web"))
    assert isinstance(found, Blocked)
    assert "also has AAAA" in found.detail


def test_an_owner_id_that_no_description_can_hold_is_refused() -> None:
    with pytest.raises(UsageError, match="--txt-owner-id=a,b cannot"):
        DescriptionRegistry(owner="a,b", managed_types=TYPES)
