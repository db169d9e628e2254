"""Count the API calls of many processes that share one account, in virtual time, without threads and sockets.

Usage: fleet [CLUSTERS ...], by default 1 5 10 40. For each number of clusters, with a process each, it prints the calls
a second of an hour, and what happens if all start in the same second.
"""

from __future__ import annotations

import random
import sys
from collections import Counter
from dataclasses import dataclass
from functools import cache
from heapq import heappop, heappush
from typing import Final

from msgspec.structs import replace

from extdns.engine.engine import Engine
from extdns.model.dns_name import DnsName
from extdns.model.record import Record
from providers.common.api_calls import RateLimit, RateLimiter, TokenBucket
from providers.inmemory.provider import InMemoryProvider
from tests.builders import INGRESS, PLAN, SERVICE, ZONE, build_claim, build_registry, change_phase, observe
from tests.fakes.clocks import MovedClock
from tests.world import World, engine_settings

RECORDS: Final = 10_000  # the default quota of a zone of Route 53
PAGE_SIZE: Final = 300  # the largest page of Route 53
LIMIT: Final = RateLimit()  # of Route 53, for one account
_CLUSTERS: Final = (1, 5, 10, 40)
_HOUR_S: Final = 3600
_TICK_S: Final = 5
_EDITED_EVERY_S: Final = 600
_LATENCY_S: Final = 0.1
_HEADINGS: Final = (
    "Clusters",
    "a quiet hour, calls a second",
    "one zone for all, a change in each cluster every ten minutes",
    "the same with the flags for 40 clusters",
    "all start at once: throttled",
    "until the last has read its zone (with all calls that the limit allows)",
)


def main(sizes: tuple[int, ...]) -> None:
    print(f"| {' | '.join(_HEADINGS)} |")
    print(f"|{' ---: |' * len(_HEADINGS)}")
    for clusters in sizes or _CLUSTERS:
        quiet, busy = count_calls(clusters), count_calls(clusters, has_one_zone=True)
        fewer = count_calls(clusters, has_one_zone=True, calls_per_minute=4)
        start = simulate_start(clusters)
        least_s = max(0.0, (clusters * _find_pages() - LIMIT.burst) / LIMIT.per_s)
        rates = (f"{found.total() / _HOUR_S:.2f}" for found in (quiet, busy, fewer))
        cells = (
            str(clusters),
            *rates,
            f"{start.throttled / start.calls:.0%} of {start.calls} calls",
            f"{start.seconds:.0f} s ({least_s:.0f} s)",
        )
        print(f"| {' | '.join(cells)} |", flush=True)


def _find_pages() -> int:
    return 1 + -(-RECORDS // PAGE_SIZE)  # a list of zones, and the pages of one


def count_calls(
    clusters: int,
    *,
    has_one_zone: bool = False,
    records: int = RECORDS,
    page_size: int = PAGE_SIZE,
    calls_per_minute: int = 12,
) -> Counter[str]:
    """Return the calls of an hour, the second after a start, by the name of the effect.

    Args:
        clusters: the number of processes.
        has_one_zone: whether all have one zone, where each makes a change every ten minutes. Otherwise each has a
            zone of its own, where nothing changes.
        records: the records of each zone.
        page_size: the largest number of records in an answer.
        calls_per_minute: the value of `--refresh-calls-per-minute`.
    """
    seed = {ZONE: _build_records(records)}
    common = InMemoryProvider(seed=seed, page_size=page_size)
    worlds = [
        _start(number, common if has_one_zone else InMemoryProvider(seed=seed, page_size=page_size), calls_per_minute)
        for number in range(clusters)
    ]
    for now_s in range(0, 2 * _HOUR_S, _TICK_S):
        if now_s == _HOUR_S:
            for world in worlds:
                world.calls.clear()
        for number, world in enumerate(worlds):
            if has_one_zone and (now_s + number * _EDITED_EVERY_S // clusters) % _EDITED_EVERY_S == 0:
                address = f"192.0.2.{now_s // _EDITED_EVERY_S + 1}"
                world.feed(observe(f"web{number}", build_claim(f"web{number}", f"web{number}", address)))
            world.run(for_s=_TICK_S)
    return sum((Counter(world.calls) for world in worlds), Counter[str]())


@cache
def _build_records(count: int) -> tuple[Record, ...]:
    names = (DnsName(f"n{number}.{ZONE.name}") for number in range(count))
    return tuple(Record(name=name, type="TXT", targets=('"of nobody"',), ttl_s=300) for name in names)


def _start(number: int, provider: InMemoryProvider, calls_per_minute: int) -> World:
    owner = f"cluster{number}"
    settings = engine_settings(
        provider,
        plan=replace(PLAN, owner=owner),
        registry=build_registry(owner=owner),
        refresh_calls_per_minute=calls_per_minute,
    )
    world = World(engine=Engine(settings), reader=provider, writer=provider)
    world.run(change_phase(SERVICE), change_phase(INGRESS), for_s=0.0)
    return world


@dataclass(frozen=True, slots=True, kw_only=True)
class Start:
    """What happened when many processes started in the same second.

    Attributes:
        calls: all calls.
        throttled: those of them that the service throttled.
        seconds: when the last process had read its zone.
    """

    calls: int
    throttled: int
    seconds: float


def simulate_start(clusters: int, *, pages: int = _find_pages(), seed: int = 1) -> Start:
    """Let processes read *pages* each, one after the other, from a service with the rate limit of Route 53."""
    clock, chooser = MovedClock(now_s=0.0), random.Random(seed)
    service = TokenBucket.full(LIMIT, 0.0)
    limiters = [RateLimiter(monotonic_s=clock.monotonic_s, choose=chooser.random) for _ in range(clusters)]
    missing, calls, throttled = [pages] * clusters, 0, 0
    due = [(chooser.random(), number, False) for number in range(clusters)]
    due.sort()
    while due:
        clock.now_s, number, waited = heappop(due)
        limiter = limiters[number]
        if wait_s := limiter.try_acquire("List", waited=waited):
            heappush(due, (clock.now_s + wait_s, number, True))
            continue
        calls += 1
        if service.compute_wait_s(clock.now_s) > 0:
            throttled += 1
            limiter.record_throttle("List")
        else:
            service.take()
            limiter.record_success("List")
            missing[number] -= 1
        if missing[number]:
            heappush(due, (clock.now_s + _LATENCY_S, number, False))
    return Start(calls=calls, throttled=throttled, seconds=clock.now_s)


if __name__ == "__main__":
    main(tuple(int(size) for size in sys.argv[1:]))
