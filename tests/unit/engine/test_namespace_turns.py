"""Lines in which namespaces take turns."""

from __future__ import annotations

from weakref import WeakSet

from extdns.engine.namespace_turns import NamespaceTurns


class Waiting:
    """What can wait."""


def test_what_was_removed_takes_no_memory_although_nothing_is_taken() -> None:
    turns: NamespaceTurns[Waiting] = NamespaceTurns()
    kept, known = Waiting(), WeakSet[Waiting]()
    turns.add("shop", kept)
    for number in range(10_000):
        one = Waiting()
        known.add(one)
        turns.add(f"preview-{number}", one)
        turns.discard(one)
    assert len(known) < 2_000
    assert (turns.take(), turns.take()) == (kept, None)
