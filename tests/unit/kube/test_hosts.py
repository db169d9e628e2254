"""Host names are resolved on another thread, kept for their TTL, and looked up as objects."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import dns.flags
import dns.message
import dns.rcode
import dns.rrset
import pytest

from extdns.errors import UnresolvedError, UsageError
from extdns.kube.resolver import (
    ClusterWithHosts,
    HostAddresses,
    HostResolver,
    ResolveHost,
    build_system_resolver,
    ignore_failures,
)
from extdns.model.cluster import ClusterChange, KindChange, KindState, ObjectChange, Phase, Sighting
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
    assert hosts._paused[0] == (after_s, ("", LB))
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
    assert hosts._paused[0] == (90.0, ("", LB))
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


def test_hosts_of_a_namespace_whose_lookups_do_not_end_keep_no_lookup_of_another_waiting() -> None:
    timeouts, resolved = threading.Semaphore(0), threading.Event()

    def resolve(host: str) -> HostAddresses:
        if host == LB:
            resolved.set()
        else:
            assert timeouts.acquire(timeout=HANGS_S)
        return NOBODY

    hosts = HostResolver(resolve)
    for number in range(100):
        hosts.start_resolving("attacker", f"{number}.example.net")
    hosts.start_resolving("victim", LB)
    timeouts.release(2)  # namespaces take turns
    assert resolved.wait(HANGS_S)
    timeouts.release(100)
    hosts.close()


def test_nothing_but_its_own_objects_waits_for_a_host_15_seconds_after_the_first_lookup() -> None:
    answers, dns = threading.Semaphore(0), Dns(NOBODY)

    def resolve(_: str) -> HostAddresses:
        assert answers.acquire(timeout=HANGS_S)
        return NOBODY

    def look_up(name: str) -> list[Phase]:
        with pytest.raises(NotSyncedError):
            cluster.view.get(RESOLVED_HOST, "", name)
        return [change.state.phase for change in cluster.take(0.0) if isinstance(change, KindChange)]

    cluster = ClusterWithHosts(Idle(), HostResolver(resolve), monotonic=dns.monotonic)
    assert look_up("a.test") == [Phase.LISTING]
    dns.now_s = 15.0
    assert look_up("b.test") == [Phase.SYNCED]
    answers.release(2)
    assert look_up("c.test") == []
    answers.release()
    cluster.close()


def test_requiring_hosts_and_checking_their_existence_is_left_to_the_wrapped_cluster(resolved: Make) -> None:
    cluster, _, _ = resolved(HostAddresses((), 0.0))
    assert cluster.require(RESOLVED_HOST).phase is Phase.SYNCED
    assert cluster.exists(ObjectKey(RESOLVED_HOST, "", LB)) is None
    assert cluster.take(0.0) == ()


def test_a_host_that_was_forgotten_is_no_longer_resolved_nor_known_until_it_is_looked_up_again(resolved: Make) -> None:
    cluster, hosts, dns = resolved(HostAddresses(("192.0.2.1",), 60.0))
    resolve_first(cluster)
    cluster.forget(ObjectKey(RESOLVED_HOST, "", LB))
    (change,) = take_changes(cluster)
    assert isinstance(change, ObjectChange)
    assert (change.new, change.seen) == (None, Sighting.DELETED)
    resolve_first(cluster, "other.example.net")
    pass_time(hosts, dns, 60.0)
    dns.wait_for(3)
    pass_time(hosts, dns, 90.0)
    resolve_first(cluster)
    assert dns.lookup_times == [0.0, 0.0, 60.0, 90.0]


# The system resolver, against a name server on a real socket


ZONE = {
    ("both.t.", "A"): ("60", "192.0.2.2", "192.0.2.1"),
    ("both.t.", "AAAA"): ("30", "2001:db8::1"),
    ("four.t.", "A"): ("90", "192.0.2.3"),
    ("bare.t.", "TXT"): ("60", '"x"'),
}
HOSTS = """
192.0.2.9\tlisted.t both.listed.t  # four.t
2001:DB8::9 Both.Listed.t
nonsense listed.t
"""


def answer(wire: bytes) -> bytes:
    query = dns.message.from_wire(wire)
    question = query.question[0]
    name, kind = str(question.name), question.rdtype.name
    response = dns.message.make_response(query)
    response.flags |= dns.flags.RA
    if (name, kind) in ZONE:
        ttl, *values = ZONE[name, kind]
        response.answer.append(dns.rrset.from_text(name, int(ttl), "IN", kind, *values))
    elif name == "broken.t.":
        response.set_rcode(dns.rcode.SERVFAIL)
    elif name not in {known for known, _ in ZONE}:
        response.set_rcode(dns.rcode.NXDOMAIN)
    return response.to_wire()


@pytest.fixture(scope="module")
def server() -> Iterator[int]:
    """Run a name server, and return its port."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as found:
        found.bind(("127.0.0.1", 0))
        thread = threading.Thread(target=serve, args=(found,))
        thread.start()
        yield found.getsockname()[1]
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as last:
            last.sendto(b"", found.getsockname())
        thread.join()


@pytest.fixture
def resolve(server: int, tmp_path: Path) -> ResolveHost:
    """Build a resolver that reads a hosts file and queries the test's name server."""
    (tmp_path / "hosts").write_text(HOSTS)
    return resolver(tmp_path, server)


def resolver(etc: Path, port: int) -> ResolveHost:
    (etc / "resolv.conf").write_text("nameserver 127.0.0.1\noptions timeout:1\n")
    return build_system_resolver(f"{etc}/resolv.conf", port=port, hosts=f"{etc}/hosts")


def serve(server: socket.socket) -> None:
    while True:
        wire, client = server.recvfrom(4096)
        if not wire:
            return
        server.sendto(answer(wire), client)


@pytest.mark.parametrize(
    ("host", "found"),
    [
        pytest.param(
            "both.t", HostAddresses(("192.0.2.1", "192.0.2.2", "2001:db8::1"), 30.0), id="both-types-shortest-ttl"
        ),
        pytest.param("four.t", HostAddresses(("192.0.2.3",), 90.0), id="one-type"),
        pytest.param("listed.t", HostAddresses(("192.0.2.9",), 0.0), id="hosts-file-first"),
        pytest.param(
            "BOTH.listed.t", HostAddresses(("192.0.2.9", "2001:db8::9"), 0.0), id="hosts-file-any-case-all-lines"
        ),
        pytest.param("nobody.t", HostAddresses((), 0.0), id="no-name"),
        pytest.param("bare.t", HostAddresses((), 0.0), id="no-address"),
    ],
)
def test_the_resolver_returns_sorted_addresses_with_their_ttl(
    resolve: Callable[[str], HostAddresses], host: str, found: HostAddresses
) -> None:
    assert resolve(host) == found


def test_a_failed_lookup_raises_an_error_with_the_reason(resolve: Callable[[str], HostAddresses]) -> None:
    with pytest.raises(UnresolvedError, match=r"^the A query failed: "):
        resolve("broken.t")


# docs/spec/sources.md 3.4
def test_if_failures_are_ignored_a_failed_lookup_counts_as_no_address(
    resolve: Callable[[str], HostAddresses],
) -> None:
    assert ignore_failures(resolve)("broken.t") == HostAddresses((), 0.0)
    assert ignore_failures(resolve)("four.t") == resolve("four.t")


def test_the_resolver_queries_dns_if_there_is_no_hosts_file(server: int, tmp_path: Path) -> None:
    assert resolver(tmp_path, server)("listed.t") == HostAddresses((), 0.0)


def test_a_missing_resolver_configuration_is_a_usage_error(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"resolve-service-load-balancer-hostname: no DNS server found in "):
        build_system_resolver(f"{tmp_path}/none")
