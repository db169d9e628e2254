"""Host names are resolved on another thread, kept for their TTL, and looked up as objects."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence

import pytest

from extdns.errors import UnresolvedError
from extdns.kube.resolver import ClusterWithHosts, HostAddresses, HostResolver
from extdns.model.cluster import ClusterChange, KindChange, KindState, ObjectChange, Phase
from extdns.model.kind import Kind, ObjectKey
from extdns.ports import ClusterView, NotSyncedError
from extdns.resources.resolved_host import RESOLVED_HOST, ResolvedHost
from tests.fakes.view import FakeView

LB = "lb.example.net"
HANGS_S = 20.0


class Dns:
    """A resolver with scripted results. Each lookup waits for `tick`, which advances the clock."""

    def __init__(self, *answers: HostAddresses | str) -> None:
        self._answers = list(answers)
        self.lookup_times: list[float] = []
        self.now_s = 0.0
        self._quiet = threading.Condition()

    def resolve(self, _: str) -> HostAddresses:
        with self._quiet:
            answer = self._answers.pop(0) if len(self._answers) > 1 else self._answers[0]
            self.lookup_times.append(self.now_s)
            self._quiet.notify_all()
        if isinstance(answer, str):
            raise UnresolvedError(answer)
        return answer

    def monotonic(self) -> float:
        return self.now_s

    def wait_for(self, times: int) -> None:
        """Wait until *times* lookups were made."""
        with self._quiet:
            assert self._quiet.wait_for(lambda: len(self.lookup_times) >= times, HANGS_S)


class Idle:
    """A cluster that has no objects and reports no changes."""

    view: ClusterView = FakeView()

    def require(self, kind: Kind) -> KindState:
        return KindState(kind=kind, phase=Phase.SYNCED)

    def exists(self, key: ObjectKey) -> bool | None:  # noqa: ARG002 - the port says what it is
        return None

    def take(self, timeout_s: float) -> tuple[ClusterChange, ...]:  # noqa: ARG002 - as above
        return ()

    def close(self) -> None: ...


@pytest.fixture
def resolved() -> Iterator[Callable[..., tuple[ClusterWithHosts, HostResolver, Dns]]]:
    made: list[ClusterWithHosts] = []

    def make(*answers: HostAddresses | str) -> tuple[ClusterWithHosts, HostResolver, Dns]:
        dns = Dns(*answers)
        hosts = HostResolver(dns.resolve, monotonic=dns.monotonic)
        made.append(ClusterWithHosts(Idle(), hosts, monotonic=dns.monotonic))
        return made[-1], hosts, dns

    yield make
    for cluster in made:
        cluster.close()


def take_changes(cluster: ClusterWithHosts) -> Sequence[ClusterChange]:
    """Take changes from *cluster* until there are some, and return them."""
    while not (found := cluster.take(0.0)):
        pass
    return found


def resolve_first(cluster: ClusterWithHosts, name: str = LB) -> list[ClusterChange]:
    """Look up the host *name* in *cluster* for the first time, and wait for the result."""
    with pytest.raises(NotSyncedError):
        cluster.view.get(RESOLVED_HOST, "", name)
    found: list[ClusterChange] = []
    while not any(isinstance(change, ObjectChange) for change in found):
        found += take_changes(cluster)
    return found


Make = Callable[..., tuple[ClusterWithHosts, HostResolver, Dns]]


def test_a_requested_host_is_synced_and_has_its_addresses_once_its_first_lookup_has_ended(resolved: Make) -> None:
    cluster, _, _ = resolved(HostAddresses(("192.0.2.1",), 60.0))
    found = resolve_first(cluster)
    assert [change.state.phase for change in found if isinstance(change, KindChange)][-1] is Phase.SYNCED
    host = cluster.view.get(RESOLVED_HOST, "", LB)
    assert isinstance(host, ResolvedHost)
    assert host.addresses == ("192.0.2.1",)


@pytest.mark.parametrize(
    ("ttl_s", "after_s"),
    [
        pytest.param(1.0, 30.0, id="30-seconds-at-least"),
        pytest.param(60.0, 60.0, id="its-ttl"),
        pytest.param(86_400.0, 300.0, id="300-seconds-at-most"),
    ],
)
def test_a_host_is_resolved_again_after_its_ttl_but_after_30_seconds_at_least_and_300_at_most(
    resolved: Make, ttl_s: float, after_s: float
) -> None:
    cluster, hosts, dns = resolved(HostAddresses(("192.0.2.1",), ttl_s), HostAddresses(("192.0.2.2",), ttl_s))
    resolve_first(cluster)
    assert hosts._due[0] == (after_s, LB)
    pass_time(hosts, dns, after_s)
    (change,) = take_changes(cluster)
    assert isinstance(change, ObjectChange)
    assert (change.old, change.new) != (None, None)
    assert dns.lookup_times == [0.0, after_s]


def pass_time(hosts: HostResolver, dns: Dns, now_s: float) -> None:
    with hosts._changed:
        dns.now_s = now_s
        hosts._changed.notify_all()


def test_an_unchanged_lookup_result_is_not_reported(resolved: Make) -> None:
    cluster, hosts, dns = resolved(HostAddresses(("192.0.2.1",), 60.0))
    resolve_first(cluster)
    pass_time(hosts, dns, 60.0)
    dns.wait_for(2)
    assert cluster.take(0.0) == ()


NOBODY = HostAddresses((), 0.0)


@pytest.mark.parametrize("later", ["the A query failed: timed out", NOBODY], ids=["failure", "no-address"])
def test_a_later_lookup_without_result_keeps_the_known_addresses_of_a_host(
    later: HostAddresses | str, resolved: Make
) -> None:
    cluster, hosts, dns = resolved(HostAddresses(("192.0.2.1",), 60.0), later)
    resolve_first(cluster)
    pass_time(hosts, dns, 60.0)
    dns.wait_for(2)
    assert cluster.take(0.0) == ()
    assert list_known(cluster) == (("192.0.2.1",), "")


def test_a_host_whose_first_lookup_fails_is_reported_and_looked_up_again_with_backoff(resolved: Make) -> None:
    cluster, hosts, dns = resolved("the A query failed: timed out", "still not", HostAddresses(("192.0.2.1",), 60.0))
    resolve_first(cluster)
    assert list_known(cluster) == ((), "the A query failed: timed out")
    pass_time(hosts, dns, 30.0)
    take_changes(cluster)
    assert hosts._due[0] == (90.0, LB)
    pass_time(hosts, dns, 90.0)
    take_changes(cluster)
    assert list_known(cluster) == (("192.0.2.1",), "")


def test_a_host_without_addresses_is_looked_up_again_with_backoff(
    resolved: Make,
) -> None:
    cluster, hosts, dns = resolved(NOBODY, "the A query failed: timed out", HostAddresses(("192.0.2.1",), 60.0))
    resolve_first(cluster)
    assert list_known(cluster) == ((), "")
    pass_time(hosts, dns, 30.0)
    dns.wait_for(2)
    assert cluster.take(0.0) == ()
    assert list_known(cluster) == ((), "")
    pass_time(hosts, dns, 90.0)
    take_changes(cluster)
    assert list_known(cluster) == (("192.0.2.1",), "")


def list_known(cluster: ClusterWithHosts) -> tuple[tuple[str, ...], str]:
    """Return the known addresses of the host and the failure of its last lookup."""
    host = cluster.view.get(RESOLVED_HOST, "", LB)
    assert isinstance(host, ResolvedHost)
    return host.addresses, host.failure


def test_requiring_hosts_and_checking_their_existence_is_left_to_the_wrapped_cluster(resolved: Make) -> None:
    cluster, _, _ = resolved(HostAddresses((), 0.0))
    assert cluster.require(RESOLVED_HOST).phase is Phase.SYNCED
    assert cluster.exists(ObjectKey(RESOLVED_HOST, "", LB)) is None
    assert cluster.take(0.0) == ()
