"""Resolve host names in the background, and present the addresses as objects of the cluster.

Addresses come from /etc/hosts, else from the servers in /etc/resolv.conf (docs/spec/sources.md 3.4).
"""

from __future__ import annotations

import heapq
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NamedTuple

import dns.exception
import dns.resolver

from extdns.errors import UnresolvedError, UsageError
from extdns.model.cluster import ClusterChange, KindChange, KindState, ObjectChange, Phase, Sighting
from extdns.model.kind import Kind, KubernetesObject, ObjectKey, ObjectMeta, build_key
from extdns.model.record import parse_address
from extdns.model.value import take_next
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
_THREADS: Final = 16  # most of them wait, if a name server does not answer

HostKey = tuple[str, str]
"""The namespace of who looks a host up, and the name of the host."""


@dataclass(slots=True)
class _Host:
    due_at_s: float
    retry_after_s: float = _MIN_INTERVAL_S
    known: ResolvedHost | None = None


class HostResolver:
    """Resolves hosts repeatedly, each from its `start_resolving` until its `forget`; safe from any thread.

    A host is resolved again after its TTL, which counts as 30 s at least and 300 s at most. A failed or empty lookup
    does not remove known addresses, and a failed lookup does not replace an empty result. Without addresses, lookups
    are repeated with exponential backoff.

    Namespaces take turns, so that hosts of one whose name servers do not answer delay no lookup of another.
    """

    def __init__(self, resolve: ResolveHost, *, monotonic: Callable[[], float] = time.monotonic) -> None:
        """Resolve hosts with *resolve*, on several threads at once."""
        self._resolve = resolve
        self._monotonic = monotonic
        self._changed = threading.Condition()
        self._paused: list[tuple[float, HostKey]] = []
        self._due: dict[str, dict[HostKey, HostKey]] = OrderedDict()
        self._hosts: dict[HostKey, _Host] = {}
        self._changes: list[ResolvedHost] = []
        self._ended = False
        self._threads: list[threading.Thread] = []

    def start_resolving(self, namespace: str, name: str) -> None:
        """Start to resolve *name* for *namespace* unless that was started before."""
        host = (namespace, name)
        with self._changed:
            if host in self._hosts or self._ended:
                return
            self._hosts[host] = _Host(self._monotonic())
            heapq.heappush(self._paused, (self._hosts[host].due_at_s, host))
            self._changed.notify_all()
            if len(self._threads) < _THREADS:
                self._threads.append(threading.Thread(target=self._run, name="resolver", daemon=True))
                self._threads[-1].start()

    def forget(self, namespace: str, name: str) -> None:
        """Stop to resolve *name* for *namespace*."""
        with self._changed:
            self._hosts.pop((namespace, name), None)

    def take(self) -> list[ResolvedHost]:
        """Return the results that changed since the last call."""
        with self._changed:
            changes, self._changes = self._changes, []
            return changes

    def close(self) -> None:
        """Stop resolving. Can be called twice."""
        with self._changed:
            self._ended = True
            self._changed.notify_all()
        ends_at = time.monotonic() + _CLOSING_S
        for thread in self._threads:
            thread.join(max(ends_at - time.monotonic(), 0.0))

    def _run(self) -> None:
        while host := self._wait_for_due():
            namespace, name = host
            try:
                answer, failure = self._resolve(name), ""
            except UnresolvedError as exc:
                answer, failure = HostAddresses((), 0.0), str(exc)
            metadata = ObjectMeta(namespace=namespace, name=name)
            found = ResolvedHost(metadata=metadata, addresses=answer.addresses, failure=failure)
            self._store(host, found, answer.ttl_s)

    def _wait_for_due(self) -> HostKey | None:
        """Wait until a host is due to be resolved, and return it; return None after `close`."""
        with self._changed:
            while not self._ended:
                now_s = self._monotonic()
                while self._paused and self._paused[0][0] <= now_s:
                    due_at_s, key = heapq.heappop(self._paused)
                    if (host := self._hosts.get(key)) and host.due_at_s == due_at_s:  # else it was forgotten
                        self._due.setdefault(key[0], OrderedDict())[key] = key
                while due := take_next(self._due):
                    if due in self._hosts:
                        return due
                self._changed.wait(self._paused[0][0] - now_s if self._paused else None)
        return None

    def _store(self, key: HostKey, found: ResolvedHost, ttl_s: float) -> None:
        with self._changed:
            host = self._hosts.get(key)
            if host is None:
                return
            if found.addresses:
                pause_s, host.retry_after_s = max(ttl_s, _MIN_INTERVAL_S), _MIN_INTERVAL_S
            else:
                pause_s, host.retry_after_s = host.retry_after_s, host.retry_after_s * 2
            host.due_at_s = self._monotonic() + min(pause_s, _MAX_INTERVAL_S)
            heapq.heappush(self._paused, (host.due_at_s, key))
            self._changed.notify()  # a thread that waits for a later one
            old = host.known
            if found == old or (old is not None and _rank_knowledge(found) < _rank_knowledge(old)):
                return
            host.known = found
            self._changes.append(found)


def _rank_knowledge(host: ResolvedHost) -> int:
    """Return 2 if *host* has addresses, 1 if it is known to have none, and 0 if its lookup failed."""
    return 2 if host.addresses else int(not host.failure)


_TAKE_INTERVAL_S: Final = 1.0
_TAKE_FIRST_INTERVAL_S: Final = 0.05
_AWAITED_S: Final = 15.0


class ClusterWithHosts:
    """Add host names and their addresses to a cluster; implements `Cluster`, `ClusterView` and `OnDemandView`.

    Each host that was looked up is an object of the kind `RESOLVED_HOST` from its first result on until it is
    forgotten, in the namespace for which it was looked up. The kind is synced while every host that was looked up has a
    result, and always from 15 s after the first lookup on: then only what looks a host up waits for it. Only one thread
    may use lookups, `forget` and `take`.
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
        self._known: dict[HostKey, ResolvedHost] = {}
        self._waiting: set[HostKey] = set()
        self._forgotten: list[ResolvedHost] = []
        self._first_lookup_at: float | None = None
        self._phase: Phase | None = None

    @property
    def view(self) -> ClusterView:
        """A view of the objects that `take` has returned so far."""
        return self

    def get(self, kind: Kind, namespace: str, name: str) -> KubernetesObject | None:
        """Implement `ClusterView.get`. A host that is not resolved yet raises `NotSyncedError`."""
        if kind != RESOLVED_HOST:
            return self._cluster.view.get(kind, namespace, name)
        host = (namespace, name)
        if host not in self._known:
            if self._first_lookup_at is None:
                self._first_lookup_at = self._monotonic()
            self._waiting.add(host)
            self._hosts.start_resolving(namespace, name)
            raise NotSyncedError(RESOLVED_HOST)
        return self._known[host]

    def forget(self, key: ObjectKey) -> None:
        """Implement `OnDemandView.forget`."""
        if key.kind == RESOLVED_HOST:
            host = (key.namespace, key.name)
            self._hosts.forget(*host)
            self._waiting.discard(host)
            if known := self._known.pop(host, None):
                self._forgotten.append(known)

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
        changes: list[ClusterChange] = [
            ObjectChange(key=build_key(RESOLVED_HOST, old.metadata), old=old, new=None, seen=Sighting.DELETED)
            for old in self._forgotten
        ]
        self._forgotten.clear()
        for new in self._hosts.take():
            host = (new.metadata.namespace, new.metadata.name)
            old = self._known.get(host)
            if old or host in self._waiting:  # else it was forgotten
                self._known[host] = new
                self._waiting.discard(host)
                changes.append(ObjectChange(key=ObjectKey(RESOLVED_HOST, *host), old=old, new=new))
        if self._first_lookup_at is not None:
            now_s = self._monotonic()
            is_awaited = self._waiting and now_s < self._first_lookup_at + _AWAITED_S
            phase = Phase.LISTING if is_awaited else Phase.SYNCED
            if phase is not self._phase:
                self._phase = phase
                changes.append(KindChange(state=KindState(kind=RESOLVED_HOST, phase=phase, since_s=now_s)))
        return changes
