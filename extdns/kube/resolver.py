"""Resolve host names in the background, and present the addresses as objects of the cluster.

Addresses come from /etc/hosts, else from the servers in /etc/resolv.conf (docs/spec/sources.md 3.4).
"""

from __future__ import annotations

import heapq
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final, NamedTuple

import dns.exception
import dns.resolver

from extdns.errors import UnresolvedError, UsageError
from extdns.model.cluster import ClusterChange, KindChange, KindState, ObjectChange, Phase
from extdns.model.kind import Kind, KubernetesObject, ObjectKey, ObjectMeta
from extdns.model.record import parse_address
from extdns.ports import Cluster, ClusterView, NotSyncedError
from extdns.resources.resolved_host import RESOLVED_HOST, ResolvedHost

_TIMEOUT_S: Final = 5.0


class HostAddresses(NamedTuple):
    """Sorted addresses and the shortest of their TTLs in seconds; () if the name does not exist or has none."""

    addresses: tuple[str, ...]
    ttl_s: float


ResolveHost = Callable[[str], HostAddresses]


def build_system_resolver(path: str = "/etc/resolv.conf", *, port: int = 53, hosts: str = "/etc/hosts") -> ResolveHost:
    """Build a resolver that reads the file *hosts* first, then queries the servers of *path* at *port*.

    The resolver raises `UnresolvedError` if a query fails, but not if the name does not exist.
    """
    try:
        resolver = dns.resolver.Resolver(path)
        resolver.port = port
    except dns.exception.DNSException as exc:
        raise UsageError(
            f"--resolve-service-load-balancer-hostname: no DNS server found in {path}\n"
            "  allowed: a file with nameserver lines, as resolv.conf(5)"
        ) from exc

    def resolve(host: str) -> HostAddresses:
        if listed := _read_hosts_file(Path(hosts), host):
            return HostAddresses(listed, 0.0)
        addresses: set[str] = set()
        ttls_s: list[float] = []
        for rdtype in ("A", "AAAA"):
            try:
                answer = resolver.resolve(host, rdtype, search=False, lifetime=_TIMEOUT_S, raise_on_no_answer=False)
            except dns.resolver.NXDOMAIN:
                break
            except dns.exception.DNSException as exc:
                raise UnresolvedError(f"the {rdtype} query failed: {exc}") from exc
            if answer.rrset is not None:
                addresses.update(str(rdata) for rdata in answer.rrset)
                ttls_s.append(float(answer.rrset.ttl))
        return HostAddresses(tuple(sorted(addresses)), min(ttls_s, default=0.0))

    return resolve


def ignore_failures(resolve: ResolveHost) -> ResolveHost:
    """Wrap *resolve*: if a lookup fails, the host has no address, as in external-dns.

    See docs/spec/sources.md 3.4, rule 3.
    """

    def answer(host: str) -> HostAddresses:
        try:
            return resolve(host)
        except UnresolvedError:
            return HostAddresses((), 0.0)

    return answer


def _read_hosts_file(hosts: Path, host: str) -> tuple[str, ...]:
    """Return the addresses of *host* in the file *hosts* (hosts(5)). The file may change or be absent."""
    try:
        lines = hosts.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return ()
    found: set[str] = set()
    for line in lines:
        text, *names = line.partition("#")[0].lower().split() or ("",)
        if host.lower() in names and (parsed := parse_address(text)):
            found.add(str(parsed))
    return tuple(sorted(found))


_MIN_INTERVAL_S: Final = 30.0
_MAX_INTERVAL_S: Final = 300.0
_CLOSING_S: Final = 1.0


class HostChange(NamedTuple):
    """A host before (None if it was unknown) and after a change."""

    old: ResolvedHost | None
    new: ResolvedHost


class HostResolver:
    """Resolves hosts repeatedly, each from its `start_resolving` on; safe from any thread.

    A host is resolved again after its TTL, which counts as 30 s at least and 300 s at most. A failed or empty lookup
    does not remove known addresses, and a failed lookup does not replace an empty result. Without addresses, lookups
    are repeated with exponential backoff.
    """

    def __init__(self, resolve: ResolveHost, *, monotonic: Callable[[], float] = time.monotonic) -> None:
        """Resolve hosts with *resolve*, each from its call of `start_resolving` on."""
        self._resolve = resolve
        self._monotonic = monotonic
        self._changed = threading.Condition()
        self._due: list[tuple[float, str]] = []
        self._known: dict[str, ResolvedHost] = {}
        self._retry_after_s: dict[str, float] = {}
        self._changes: list[HostChange] = []
        self._ended = False
        self._thread = threading.Thread(target=self._run, name="resolver", daemon=True)

    def start_resolving(self, name: str) -> None:
        """Start to resolve *name* unless that was started before."""
        with self._changed:
            if name in self._retry_after_s or self._ended:
                return
            self._retry_after_s[name] = _MIN_INTERVAL_S
            heapq.heappush(self._due, (self._monotonic(), name))
            self._changed.notify_all()
            if self._thread.ident is None:
                self._thread.start()

    def take(self) -> list[HostChange]:
        """Return how the results for hosts changed since the last call."""
        with self._changed:
            changes, self._changes = self._changes, []
            return changes

    def close(self) -> None:
        """Stop resolving. Can be called twice."""
        with self._changed:
            self._ended = True
            self._changed.notify_all()
        if self._thread.ident is not None:
            self._thread.join(_CLOSING_S)

    def _run(self) -> None:
        while name := self._wait_for_due():
            try:
                answer, failure = self._resolve(name), ""
            except UnresolvedError as exc:
                answer, failure = HostAddresses((), 0.0), str(exc)
            if answer.addresses:
                pause_s, self._retry_after_s[name] = max(answer.ttl_s, _MIN_INTERVAL_S), _MIN_INTERVAL_S
            else:
                pause_s, self._retry_after_s[name] = self._retry_after_s[name], self._retry_after_s[name] * 2
            host = ResolvedHost(metadata=ObjectMeta(name=name), addresses=answer.addresses, failure=failure)
            self._store(name, host, min(pause_s, _MAX_INTERVAL_S))

    def _wait_for_due(self) -> str:
        """Wait until a name is due to be resolved, and return it; return "" after `close`."""
        with self._changed:
            while not self._ended:
                wait_s = self._due[0][0] - self._monotonic() if self._due else None
                if wait_s is not None and wait_s <= 0:
                    return heapq.heappop(self._due)[1]
                self._changed.wait(wait_s)
        return ""

    def _store(self, name: str, host: ResolvedHost, pause_s: float) -> None:
        with self._changed:
            heapq.heappush(self._due, (self._monotonic() + pause_s, name))
            old = self._known.get(name)
            if host == old or (old is not None and _rank_knowledge(host) < _rank_knowledge(old)):
                return
            self._known[name] = host
            self._changes.append(HostChange(old, host))


def _rank_knowledge(host: ResolvedHost) -> int:
    """Return 2 if *host* has addresses, 1 if it is known to have none, and 0 if its lookup failed."""
    return 2 if host.addresses else int(not host.failure)


_TAKE_INTERVAL_S: Final = 1.0
_TAKE_FIRST_INTERVAL_S: Final = 0.05


class ClusterWithHosts:
    """Add host names and their addresses to a cluster; implements `Cluster` and `ClusterView`.

    Each host that was looked up is an object of the kind `RESOLVED_HOST` from its first result on. The kind is synced
    while every host that was looked up has a result. Only one thread may use lookups and `take`.
    """

    def __init__(
        self, cluster: Cluster, hosts: HostResolver, *, monotonic: Callable[[], float] = time.monotonic
    ) -> None:
        self._cluster = cluster
        self.require = cluster.require
        self.exists = cluster.exists
        self.select = cluster.view.select  # hosts cannot be selected
        self._hosts = hosts
        self._monotonic = monotonic
        self._known: dict[str, ResolvedHost] = {}
        self._waiting: set[str] = set()
        self._phase: Phase | None = None

    @property
    def view(self) -> ClusterView:
        """A view of the objects that `take` has returned so far."""
        return self

    def get(self, kind: Kind, namespace: str, name: str) -> KubernetesObject | None:
        """Implement `ClusterView.get`. A host that is not resolved yet raises `NotSyncedError`."""
        if kind != RESOLVED_HOST:
            return self._cluster.view.get(kind, namespace, name)
        if name not in self._known:
            self._waiting.add(name)
            self._hosts.start_resolving(name)
            raise NotSyncedError(RESOLVED_HOST)
        return self._known[name]

    def take(self, timeout_s: float) -> tuple[ClusterChange, ...]:
        """Implement `Cluster.take`. First results for hosts are returned at once, changes up to a second later."""
        changes = self._take_changes()
        if changes:
            timeout_s = 0.0
        elif self._waiting or self._known:
            timeout_s = min(timeout_s, _TAKE_FIRST_INTERVAL_S if self._waiting else _TAKE_INTERVAL_S)
        return (*changes, *self._cluster.take(timeout_s))

    def close(self) -> None:
        """Implement `Cluster.close`, and stop resolving."""
        self._hosts.close()
        self._cluster.close()

    def _take_changes(self) -> list[ClusterChange]:
        changes: list[ClusterChange] = []
        for old, new in self._hosts.take():
            name = new.metadata.name
            self._known[name] = new
            self._waiting.discard(name)
            changes.append(ObjectChange(key=ObjectKey(RESOLVED_HOST, "", name), old=old, new=new))
        phase = Phase.LISTING if self._waiting else Phase.SYNCED
        if phase is not self._phase and (self._waiting or self._known):
            self._phase = phase
            changes.append(KindChange(state=KindState(kind=RESOLVED_HOST, phase=phase, since_s=self._monotonic())))
        return changes
