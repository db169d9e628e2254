"""The service answers one call in ten, for five minutes.

Another tool in the account uses up the allowance of calls. The reference gives up a whole pass at the first refusal,
reads all zones again, and makes the throttling worse.

What must hold: nothing is lost and nothing is written twice; what was asked for stands soon after the calls go through
again, and deletes wait for their evidence as ever. Calls become fewer, not more.
"""

from __future__ import annotations

from itertools import count

from extdns.errors import ProviderError, RetryableError
from extdns.model.change import Batch
from extdns.model.outcome import Applied, Outcome, TryLater
from tests.fakes.service.faults import Fault
from tests.incidents.objects import numbered, service, services
from tests.incidents.production import Production
from tests.incidents.scene import MINUTE_S, Scene, scene
from tests.unit.engine.stage import host

OLD, NEW = numbered(30, "o"), numbered(30, "n")


def throttle(world: Scene) -> None:
    """One call in ten comes through, the tenth first."""
    numbers = count(1)

    def write(_: Batch) -> Outcome | None:
        return None if next(numbers) % 10 == 0 else TryLater(message="Rate exceeded")

    busy: list[ProviderError | None] = [RetryableError("Rate exceeded")] * 9
    world.provider.rule = write
    world.provider.failures.extend([*busy, None] * 3)


def test_nothing_is_lost_and_calls_become_fewer() -> None:
    world = scene(*services(OLD), flags=["--interval=1m"])
    world.calls.clear()
    throttle(world)
    world.show(*services(NEW), service(OLD[0], address="192.0.2.9"))
    world.delete(service(OLD[1]), for_s=5 * MINUTE_S)
    assert world.calls.count("Submit") <= 25
    world.provider.rule = lambda _: None
    world.provider.failures.clear()
    world.run(for_s=2 * MINUTE_S)
    assert world.published() == {*OLD, *NEW} - {OLD[1]}
    assert world.holds()[f"{OLD[0]} A"] == ("192.0.2.9",)
    applied = [one for one in world.provider.submissions if isinstance(one.outcome, Applied)]
    written = [change_set.name for one in applied[1:] for change_set in one.batch.sets]
    assert sorted(written) == sorted(map(host, (*NEW, *OLD[:2]))), "each name is written once"


def test_the_whole_program_writes_everything_in_the_end_and_asks_seldom(production: Production) -> None:
    dns, old, new = production.dns, OLD[:10], NEW[:10]
    production.put(*services(old))
    with production.process() as running:
        production.until_published(*old)
        for _ in range(3):
            dns.faults.arm(dns.busy, action=dns.change, times=9)
            dns.faults.arm(Fault(), action=dns.change)
        before = production.writes()
        production.put(*services(new), service(old[0], address="192.0.2.9"))
        production.delete(service(old[1]))

        def written_later() -> bool:
            running.pass_time(10.0)
            return production.published() == {*old, *new} - {old[1]}

        production.until(written_later)
        dns.whole()
        assert dns.holds()[f"{old[0]} A"] == ("192.0.2.9",)
        assert production.writes() - before <= 45
