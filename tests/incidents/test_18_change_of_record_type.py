"""A becomes CNAME, a simple record becomes weighted, or an Ingress takes over the name of a deleted Service.

external-dns deletes in one call and creates in another, or never creates because the old record still exists: the name
is missing for a minute or for good.

What must hold: old and new record are exchanged in one change set, so that the name resolves at every moment, without
grace period and outside of the delete budget.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.builders import host
from tests.cluster_world import ClusterWorld, start_cluster
from tests.incidents.production import Production
from tests.objects import Json, ingress, numbered, service, services

WEIGHTED = {"set-identifier": "blue", "aws-weight": "10"}
WEB = service("web")


def apply_objects(*after: Json) -> Callable[[ClusterWorld], None]:
    return lambda world: world.apply(*after, for_s=2.0)


def transfer_to_ingress(world: ClusterWorld) -> None:
    world.apply(ingress("web", "web.example.org", address="lb.example.net"), for_s=0.5)
    world.delete(WEB, for_s=120.0)


def transfer_to_ingress_later(world: ClusterWorld) -> None:
    world.delete(WEB, for_s=30.0)
    world.apply(ingress("web", "web.example.org", address="lb.example.net"), for_s=120.0)


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        pytest.param(apply_objects(service("web", address="lb.example.net")), {"web CNAME"}, id="a-to-cname"),
        pytest.param(apply_objects(service("web", address="2001:db8::1")), {"web AAAA"}, id="a-to-aaaa"),
        pytest.param(apply_objects(service("web", annotations=WEIGHTED)), {"web A"}, id="simple-to-weighted"),
        pytest.param(transfer_to_ingress, {"web CNAME"}, id="ingress-beside-a-service-that-is-deleted"),
        pytest.param(transfer_to_ingress_later, {"web CNAME"}, id="ingress-after-a-service-was-deleted"),
    ],
)
def test_a_change_of_type_or_routing_is_written_in_one_batch_so_the_name_always_has_a_record(
    change: Callable[[ClusterWorld], None], expected: set[str]
) -> None:
    world = start_cluster(WEB)
    before = len(world.provider.submissions)
    change(world)
    assert set(world.list_records()) == expected
    assert len(world.provider.submissions) == before + 1
    for submission in world.provider.submissions:
        assert host("web") in {key.name for key in submission.after}


def test_a_weighted_record_is_replaced_by_a_simple_one_in_one_batch() -> None:
    world = start_cluster(service("web", annotations=WEIGHTED))
    world.apply(WEB, for_s=2.0)
    assert [record.set_identifier for record in world.provider.submissions[-1].after.values()] == ["", ""]
    assert set(world.list_records()) == {"web A"}


def test_100_names_can_change_their_record_type_at_once_without_a_hold() -> None:
    names = numbered(100)
    world = start_cluster(*services(names))
    world.apply(*services(names, address="lb.example.net"), for_s=5.0)
    assert set(world.list_records().values()) == {("lb.example.net",)}
    assert not world.code


@pytest.mark.parametrize("address", ["lb.example.net", "2001:db8::1"])
def test_the_program_changes_the_record_type_in_one_call(production: Production, address: str) -> None:
    production.apply(WEB)
    with production.process():
        production.until_published("web")
        written = production.writes()
        production.apply(service("web", address=address))
        production.until(lambda: set(production.dns.records().values()) == {(address,)})
        assert production.writes() == written + 1
        production.dns.check_ownership()
