"""The order in which queued changes are sent (docs/design/retries.md, "Namespaces in turn")."""

from __future__ import annotations

from functools import partial

import pytest
from msgspec.structs import replace

from extdns.engine.inputs import Observed
from extdns.engine.write_queue import WriteQueue
from extdns.model.capabilities import Capabilities
from extdns.model.change import ChangeSet, Create, build_write
from tests.bench.largest import count_calls
from tests.builders import ZONE, build_claim, combine, host, observe, observe_gone, observe_new
from tests.world import start_published

SMALL = Capabilities(atomic=True, conditional=True, max_batch_writes=4)
READ_FIRST = replace(SMALL, atomic=False, reads_full_zones=True)


@pytest.mark.parametrize("capabilities", [SMALL, READ_FIRST], ids=["conditional", "read-first"])
@pytest.mark.parametrize("change", [observe_new("web", target="192.0.2.9"), observe_gone("web")], ids=["new", "gone"])
def test_one_change_is_sent_soon_whatever_another_namespace_has_queued(
    change: Observed, capabilities: Capabilities
) -> None:
    world = start_published(capabilities=capabilities)
    many = [f"a{number}" for number in range(50)]
    world.feed(combine(*(observe(one, build_claim(one, one, namespace="other"), namespace="other") for one in many)))
    world.run(change)
    assert any("web" in batch for batch in world.batches[:3])


def build_queue(*names: tuple[str, str]) -> WriteQueue:
    """Return a queue that creates a record for each of *names*, which has a namespace and a label."""
    queue = WriteQueue()
    for namespace, at in names:
        create = Create(desired=build_claim("web", at, namespace=namespace).desired)
        found = ChangeSet(zone=ZONE, name=host(at), changes=(create,), writes=(build_write(create),))
        queue.replace(found.name, (found,), 1.0)
    return queue


def test_a_name_that_cannot_be_sent_now_costs_its_namespace_no_turn() -> None:
    queue, sent = build_queue(("one", "a"), ("one", "b"), ("two", "c"), ("two", "d")), []
    while batch := queue.take_batch(1, replace(SMALL, max_batch_writes=1), 1.0, lambda name, _: name == host("a")):
        sent += [one.name for one in batch.change_sets]
        queue.record_applied(batch, 1.0)
    assert sent == [host("b"), host("c"), host("d")]


@pytest.mark.parametrize("capabilities", [SMALL, READ_FIRST], ids=["conditional", "read-first"])
def test_a_batch_costs_the_same_however_many_namespaces_wait(capabilities: Capabilities) -> None:
    def count(namespaces: int) -> int:
        queue = build_queue(*((f"n{number}", f"a{number}") for number in range(namespaces)))
        return count_calls(partial(queue.take_batch, 1, capabilities, 1.0))[1]

    assert count(100) == count(10)
