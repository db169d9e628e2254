"""Addresses of hosts: asked for on another thread, kept for their TTL, and objects to whoever looks them up."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence

import pytest

from extdns.errors import UnresolvedError
from extdns.kube.hosts import Hosts
from extdns.kube.resolved import Resolved
from extdns.kube.resolver import Answer
from extdns.model.cluster import ClusterChange, Kind, KindChange, KindState, ObjectChange, ObjectKey, Phase
from extdns.model.host import HOST, Host
from extdns.ports import NotReadyError, View
from tests.fakes.view import FakeView

LB = "lb.example.net"
HANGS_S = 20.0


class Dns:
    """Answers what a test wrote down; each asking is let through by `tick`, which moves the clock."""

    def __init__(self, *answers: Answer | str) -> None:
        self._answers = list(answers)
        self.asked: list[float] = []
        self.now_s = 0.0
        self._quiet = threading.Condition()

    def ask(self, _: str) -> Answer:
        with self._quiet:
            answer = self._answers.pop(0) if len(self._answers) > 1 else self._answers[0]
            self.asked.append(self.now_s)
            self._quiet.notify_all()
        if isinstance(answer, str):
            raise UnresolvedError(answer)
        return answer

    def monotonic(self) -> float:
        return self.now_s

    def wait_for(self, times: int) -> None:
        """Until it was asked so often."""
        with self._quiet:
            assert self._quiet.wait_for(lambda: len(self.asked) >= times, HANGS_S)


class Idle:
    """A cluster in which nothing happens."""

    view: View = FakeView()

    def need(self, kind: Kind) -> KindState:
        return KindState(kind=kind, phase=Phase.SYNCED)

    def exists(self, key: ObjectKey) -> bool | None:  # noqa: ARG002 - the port says what it is
        return None

    def take(self, timeout_s: float) -> tuple[ClusterChange, ...]:  # noqa: ARG002 - as above
        return ()

    def close(self) -> None: ...


@pytest.fixture
def resolved() -> Iterator[Callable[..., tuple[Resolved, Hosts, Dns]]]:
    made: list[Resolved] = []

    def make(*answers: Answer | str) -> tuple[Resolved, Hosts, Dns]:
        dns = Dns(*answers)
        hosts = Hosts(dns.ask, monotonic=dns.monotonic)
        made.append(Resolved(Idle(), hosts, monotonic=dns.monotonic))
        return made[-1], hosts, dns

    yield make
    for cluster in made:
        cluster.close()


def changes_of(cluster: Resolved) -> Sequence[ClusterChange]:
    """The next changes, however long the other thread takes."""
    while not (found := cluster.take(0.0)):
        pass
    return found


def first(cluster: Resolved, name: str = LB) -> list[ClusterChange]:
    """Look *name* up for the first time, and wait for its answer."""
    with pytest.raises(NotReadyError):
        cluster.view.get(HOST, "", name)
    found: list[ClusterChange] = []
    while not any(isinstance(change, ObjectChange) for change in found):
        found += changes_of(cluster)
    return found


Make = Callable[..., tuple[Resolved, Hosts, Dns]]


def test_a_host_is_not_ready_until_it_was_answered(resolved: Make) -> None:
    cluster, _, _ = resolved(Answer(("192.0.2.1",), 60.0))
    found = first(cluster)
    assert [change.state.phase for change in found if isinstance(change, KindChange)][-1] is Phase.SYNCED
    host = cluster.view.get(HOST, "", LB)
    assert isinstance(host, Host)
    assert host.addresses == ("192.0.2.1",)


@pytest.mark.parametrize(
    ("ttl_s", "after_s"),
    [
        pytest.param(1.0, 30.0, id="30-seconds-at-least"),
        pytest.param(60.0, 60.0, id="its-ttl"),
        pytest.param(86_400.0, 300.0, id="300-seconds-at-most"),
    ],
)
def test_it_is_asked_again_when_it_is_old(resolved: Make, ttl_s: float, after_s: float) -> None:
    cluster, hosts, dns = resolved(Answer(("192.0.2.1",), ttl_s), Answer(("192.0.2.2",), ttl_s))
    first(cluster)
    assert hosts._due[0] == (after_s, LB)
    pass_time(hosts, dns, after_s)
    (change,) = changes_of(cluster)
    assert isinstance(change, ObjectChange)
    assert (change.old, change.new) != (None, None)
    assert dns.asked == [0.0, after_s]


def pass_time(hosts: Hosts, dns: Dns, now_s: float) -> None:
    with hosts._changed:
        dns.now_s = now_s
        hosts._changed.notify_all()


def test_an_answer_that_says_the_same_is_no_change(resolved: Make) -> None:
    cluster, hosts, dns = resolved(Answer(("192.0.2.1",), 60.0))
    first(cluster)
    pass_time(hosts, dns, 60.0)
    dns.wait_for(2)
    assert cluster.take(0.0) == ()


NOBODY = Answer((), 0.0)


@pytest.mark.parametrize("later", ["asking for A: timed out", NOBODY], ids=["failure", "no-address"])
def test_a_refresh_without_address_keeps_the_last_ones(later: Answer | str, resolved: Make) -> None:
    cluster, hosts, dns = resolved(Answer(("192.0.2.1",), 60.0), later)
    first(cluster)
    pass_time(hosts, dns, 60.0)
    dns.wait_for(2)
    assert cluster.take(0.0) == ()
    assert known(cluster) == (("192.0.2.1",), "")


def test_a_first_failure_is_told_and_asked_again_with_growing_pauses(resolved: Make) -> None:
    cluster, hosts, dns = resolved("asking for A: timed out", "still not", Answer(("192.0.2.1",), 60.0))
    first(cluster)
    assert known(cluster) == ((), "asking for A: timed out")
    pass_time(hosts, dns, 30.0)
    changes_of(cluster)
    assert hosts._due[0] == (90.0, LB)
    pass_time(hosts, dns, 90.0)
    changes_of(cluster)
    assert known(cluster) == (("192.0.2.1",), "")


def test_a_host_without_address_is_asked_again_with_growing_pauses_and_stays_one_where_that_fails(
    resolved: Make,
) -> None:
    cluster, hosts, dns = resolved(NOBODY, "asking for A: timed out", Answer(("192.0.2.1",), 60.0))
    first(cluster)
    assert known(cluster) == ((), "")
    pass_time(hosts, dns, 30.0)
    dns.wait_for(2)
    assert cluster.take(0.0) == ()
    assert known(cluster) == ((), "")
    pass_time(hosts, dns, 90.0)
    changes_of(cluster)
    assert known(cluster) == (("192.0.2.1",), "")


def known(cluster: Resolved) -> tuple[tuple[str, ...], str]:
    """The addresses, and why there are none."""
    host = cluster.view.get(HOST, "", LB)
    assert isinstance(host, Host)
    return host.addresses, host.failure


def test_what_is_no_host_is_the_cluster_s_affair(resolved: Make) -> None:
    cluster, _, _ = resolved(Answer((), 0.0))
    assert cluster.need(HOST).phase is Phase.SYNCED
    assert cluster.exists(ObjectKey(HOST, "", LB)) is None
    assert cluster.take(0.0) == ()
