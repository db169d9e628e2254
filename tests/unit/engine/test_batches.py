"""The size of a change set, as the limits of a batch count it."""

from __future__ import annotations

import pytest

from extdns.engine.batches import BatchSize, measure
from extdns.model.capabilities import Capabilities
from extdns.model.change import ChangeSet, Write
from extdns.model.record import restate_record
from tests.builders import ZONE, host, record

ONE, TWO = record("web", "192.0.2.1"), record("web", "192.0.2.1", "192.0.2.2")
SERVICE = Capabilities(atomic=True, conditional=True)


@pytest.mark.parametrize(
    ("writes", "upserts", "size"),
    [
        pytest.param([Write(old=None, new=restate_record(ONE))], False, BatchSize(1, 1, 9), id="create"),
        pytest.param([Write(old=TWO, new=None)], False, BatchSize(1, 2, 18), id="delete"),
        pytest.param([Write(old=ONE, new=restate_record(TWO))], False, BatchSize(2, 3, 27), id="update"),
        pytest.param([Write(old=ONE, new=restate_record(TWO))], True, BatchSize(2, 4, 36), id="upsert-of-more-values"),
        pytest.param([Write(old=TWO, new=restate_record(ONE))], True, BatchSize(2, 3, 27), id="upsert-of-fewer-values"),
        pytest.param([Write(old=None, new=restate_record(ONE))], True, BatchSize(1, 1, 9), id="create-with-upserts"),
        pytest.param([Write(old=ONE, new=None), Write(old=TWO, new=None)], False, BatchSize(2, 3, 27), id="two"),
    ],
)
def test_an_update_counts_as_the_record_before_and_the_record_after(
    writes: list[Write], upserts: bool, size: BatchSize
) -> None:
    change_set = ChangeSet(zone=ZONE, name=host("web"), changes=(), writes=tuple(writes))
    assert measure(change_set, SERVICE, upserts=upserts) == size


def test_a_service_can_measure_the_bytes_of_a_change_set_itself() -> None:
    change_set = ChangeSet(zone=ZONE, name=host("web"), changes=(), writes=(Write(old=TWO, new=None),))
    service = Capabilities(atomic=True, conditional=True, measure=lambda _: 1234)
    assert measure(change_set, service) == BatchSize(1, 2, 1234)
