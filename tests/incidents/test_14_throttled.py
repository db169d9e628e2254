"""The service throttles nine of ten calls for five minutes.

Another tool in the account uses up the rate limit. external-dns gives up a whole run at the first throttled call, reads
all zones again, and makes the throttling worse.

What must hold: no change is lost and none is written twice. All requested changes are made soon after calls succeed
again, deletes still wait for their evidence, and calls become fewer.
"""

from __future__ import annotations

from itertools import count

from extdns.errors import ProviderError, RetryableError
from extdns.model.change import Applied, Batch, Outcome, TryLater
from tests.builders import host
from tests.cluster_world import MINUTE_S, ClusterWorld, start_cluster
from tests.fakes.service.faults import Fault
from tests.incidents.production import Production
from tests.objects import numbered, service, services

OLD, NEW = numbered(30, "o"), numbered(30, "n")


def throttle(world: ClusterWorld) -> None:
    """Let only every tenth call succeed."""
    numbers = count(1)

    def write(_: Batch) -> Outcome | None:
        return None if next(numbers) % 10 == 0 else TryLater(message="Rate exceeded")

    busy: list[ProviderError | None] = [RetryableError("Rate exceeded")] * 9
    world.provider.rule = write
    world.provider.failures.extend([*busy, None] * 3)


def test_throttled_changes_are_written_once_each_with_few_calls() -> None:
    world = start_cluster(*services(OLD), flags=["--interval=1m"])
    world.calls.clear()
    throttle(world)
    world.apply(*services(NEW), service(OLD[0], address="192.0.2.9"))
    world.delete(service(OLD[1]), for_s=5 * MINUTE_S)
    assert world.calls.count("SubmitBatch") <= 25
    world.provider.rule = lambda _: None
    world.provider.failures.clear()
    world.run(for_s=2 * MINUTE_S)
    assert world.published() == {*OLD, *NEW} - {OLD[1]}
    assert world.list_records()[f"{OLD[0]} A"] == ("192.0.2.9",)
    applied = [one for one in world.provider.submissions if isinstance(one.outcome, Applied)]
    written = [change_set.name for one in applied[1:] for change_set in one.batch.change_sets]
    assert sorted(written) == sorted(map(host, (*NEW, *OLD[:2]))), "each name is written once"


def test_the_program_writes_all_changes_after_throttling_with_few_calls(production: Production) -> None:
    dns, old, new = production.dns, OLD[:10], NEW[:10]
    production.apply(*services(old))
    with production.process() as running:
        production.until_published(*old)
        for _ in range(3):
            dns.faults.arm(dns.busy, action=dns.change, times=9)
            dns.faults.arm(Fault(), action=dns.change)
        before = production.writes()
        production.apply(*services(new), service(old[0], address="192.0.2.9"))
        production.delete(service(old[1]))

        def written_later() -> bool:
            running.pass_time(10.0)
            return production.published() == {*old, *new} - {old[1]}

        production.until(written_later)
        dns.check_ownership()
        assert dns.records()[f"{old[0]} A"] == ("192.0.2.9",)
        assert production.writes() - before <= 45
