"""The same input gives the same zone, in whatever order it comes (design 2, law 9)."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import given, settings
from hypothesis import strategies as st

from extdns.engine.inputs import Input
from extdns.model.claim import Claim
from extdns.model.record import Record, RecordKey
from extdns.model.zone import Zone
from extdns.planner.forms import beside
from tests.unit.engine.cluster import Cluster
from tests.unit.engine.stage import INGRESS, SERVICE, ZONE, Stage, phase, stage
from tests.unit.engine.wishes import INNER, KEYS, foreign_records, wishes

ORDERS = st.permutations(range(len(KEYS) + 2))


def outcome(records: Sequence[Record], claims: Sequence[tuple[Claim, ...]], order: Sequence[int], size: int) -> Stage:
    """Everything is seen in *order*, then planned and written."""
    seed: dict[Zone, dict[RecordKey, Record]] = {ZONE: {}, INNER: {}}
    for record in records:
        held = seed[INNER if record.name.within(INNER.name) else ZONE]
        if beside((record.key, *(key for key in held if key.name == record.name))):
            held[record.key] = record
    world = stage(zones={zone: held.values() for zone, held in seed.items()}, page_size=size)
    cluster = Cluster()
    news: list[Input] = [cluster.see(key, wanted) for key, wanted in zip(KEYS, claims, strict=True)]
    news += [phase(SERVICE), phase(INGRESS)]
    world.run(*(news[index] for index in order), for_s=200.0)
    return world


@settings(max_examples=60)
@given(
    records=st.lists(foreign_records(), max_size=5),
    claims=st.tuples(*(wishes(key) for key in KEYS)),
    orders=st.tuples(ORDERS, ORDERS),
    sizes=st.tuples(st.sampled_from((1, 300)), st.sampled_from((2, 300))),
)
def test_the_order_of_observations_and_the_size_of_pages_never_matter(
    records: list[Record],
    claims: tuple[tuple[Claim, ...], ...],
    orders: tuple[list[int], list[int]],
    sizes: tuple[int, int],
) -> None:
    one, other = (outcome(records, claims, order, size) for order, size in zip(orders, sizes, strict=True))
    for zone in (ZONE, INNER):
        assert one.provider.contents(zone) == other.provider.contents(zone)
    assert list(one.engine.decisions) == list(other.engine.decisions)
    assert one.told == other.told
