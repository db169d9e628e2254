"""Cost of a change and memory do not depend on the number of former changes (docs/design/laws.md, law 4)."""

from __future__ import annotations

import gc
import sys
from collections import Counter, deque
from dataclasses import dataclass, field

from extdns.engine.delete_settings import DeleteLimits, DeleteSettings
from extdns.engine.inputs import TimePassed
from tests.bench.largest import count_calls
from tests.builders import build_claim, observe, observe_gone, observe_new
from tests.world import World, start_world

ALIVE = 4
LIFE_S = 6.0
WINDOW_MINUTES = 12  # the window of a delete budget, and two minutes to drop what is older
HOUR = 60
LIMITS = DeleteLimits(count=1_000_000)


@dataclass(kw_only=True)
class Churn:
    """An engine with `ALIVE` lasting names, and a method that creates and deletes names, each after `LIFE_S`."""

    world: World
    alive: deque[str] = field(default_factory=deque)
    number: int = 0

    def run_minute(self) -> None:
        """Create 40 names within a minute, and delete each of them `LIFE_S` seconds later."""
        for _ in range(int(60 * ALIVE / LIFE_S)):
            self.number += 1
            name = f"churn-{self.number}"
            self.world.feed(observe(name, build_claim(name, name)))
            self.alive.append(name)
            if len(self.alive) > ALIVE:
                self.world.feed(observe_gone(self.alive.popleft()))
            self.world.run(for_s=LIFE_S / ALIVE)
        self.world.provider.submissions.clear()
        self.world.outcomes.clear()
        self.world.reported.clear()
        self.world.calls.clear()


def count_objects(root: object) -> Counter[str]:
    """Return how many objects of each type can be reached from *root*."""
    visited: dict[int, object] = {}
    waiting = [root]
    while waiting:
        found = waiting.pop()
        if id(found) in visited or isinstance(found, type | type(sys)) or callable(found):
            continue
        visited[id(found)] = found
        waiting += gc.get_referents(found)
    return Counter(type(one).__name__ for one in visited.values())


def test_memory_and_calls_do_not_grow_while_names_come_and_go_for_an_hour() -> None:
    first = observe_new(*(f"stays-{number}" for number in range(ALIVE)))
    deletes = DeleteSettings(owner="me", grace_s=0.0, limits=LIMITS)
    churn = Churn(world=start_world(first=[first], has_state_store=True, deletes=deletes))
    calls, objects = [], []
    for minute in range(HOUR):
        if minute in {WINDOW_MINUTES, HOUR // 2, HOUR - 1}:
            churn.world.feed(TimePassed())
            calls.append(count_calls(churn.run_minute, builtins=True)[1])
            objects.append(count_objects(churn.world.engine))
        else:
            churn.run_minute()
    assert max(calls) <= min(calls) * 1.01
    for later in objects[1:]:
        assert {name: (objects[0][name], count) for name, count in later.items() if count > objects[0][name] + 8} == {}
