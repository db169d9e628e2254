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


def test_time_is_counted_although_others_were_removed_meanwhile() -> None:
    turns: NamespaceTurns[int] = NamespaceTurns()
    for number in range(3_000):
        turns.add("shop" if number % 2 else "blog", number)
    assert (turns.take(), turns.take()) == (0, 1)
    for number in range(2, 2_800):
        turns.discard(number)
    turns.spend(5.0)
    assert [turns.take() for _ in range(4)] == [2800, 2802, 2804, 2806]


def test_what_was_served_in_the_turn_of_one_namespace_waits_in_no_other_if_it_is_added_again() -> None:
    turns: NamespaceTurns[int] = NamespaceTurns()
    for namespace in ("shop", "blog"):
        turns.add(namespace, 1)
    assert turns.take() == 1
    turns.add("shop", 1)
    assert (turns.waits_in("shop", 1), turns.waits_in("blog", 1)) == (True, False)
