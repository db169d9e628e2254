"""The same objects give the same zone whatever the order of events (law 9)."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import given, settings
from hypothesis import strategies as st

from extdns.engine.inputs import Input
from extdns.model.claim import Claim
from extdns.model.record import Record, RecordKey
from extdns.model.zone import Zone
from extdns.planner.coexistence import can_coexist
from tests.builders import INGRESS, SERVICE, ZONE, change_phase
from tests.unit.engine.cluster import Cluster
from tests.unit.engine.machine_strategies import KEYS, claims_of, foreign_records
from tests.unit.engine.machine_zones import INNER
from tests.world import World, build_world

ORDERS = st.permutations(range(len(KEYS) + 2))


def run_in_order(
    records: Sequence[Record], claims: Sequence[tuple[Claim, ...]], order: Sequence[int], size: int
) -> World:
    """Run an engine that observes the objects with *claims*, one each, and the kinds in *order*."""
    seed: dict[Zone, dict[RecordKey, Record]] = {ZONE: {}, INNER: {}}
    for record in records:
        held = seed[INNER if record.name.within(INNER.name) else ZONE]
        if can_coexist((record, *(other for other in held.values() if other.name == record.name))):
            held[record.key] = record
    world = build_world(zones={zone: held.values() for zone, held in seed.items()}, page_size=size)
    cluster = Cluster()
    inputs: list[Input] = [cluster.see(key, found) for key, found in zip(KEYS, claims, strict=True)]
    inputs += [change_phase(SERVICE), change_phase(INGRESS)]
    world.run(*(inputs[index] for index in order), for_s=200.0)
    return world


@settings(max_examples=60)
@given(
    records=st.lists(foreign_records(), max_size=5),
    claims=st.tuples(*(claims_of(key) for key in KEYS)),
    orders=st.tuples(ORDERS, ORDERS),
    sizes=st.tuples(st.sampled_from((1, 300)), st.sampled_from((2, 300))),
)
def test_neither_order_of_observations_nor_page_size_changes_the_result(
    records: list[Record],
    claims: tuple[tuple[Claim, ...], ...],
    orders: tuple[list[int], list[int]],
    sizes: tuple[int, int],
) -> None:
    one, other = (run_in_order(records, claims, order, size) for order, size in zip(orders, sizes, strict=True))
    for zone in (ZONE, INNER):
        assert one.provider.contents(zone) == other.provider.contents(zone)
    assert list(one.engine.decisions) == list(other.engine.decisions)
    assert sorted(map(repr, one.reported)) == sorted(map(repr, other.reported))
