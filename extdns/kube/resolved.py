"""A cluster that also knows the addresses of hosts."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from extdns.kube.hosts import Hosts
from extdns.model.cluster import ClusterChange, Kind, KindChange, KindState, ObjectChange, ObjectKey, Phase
from extdns.model.host import HOST, Host
from extdns.model.objects import KubernetesObject
from extdns.ports import Cluster, NotReadyError, View

_LOOK_S: Final = 1.0
_LOOK_SOON_S: Final = 0.05


class Resolved:
    """Implements `Cluster` and `View`: hosts are objects of a kind of their own, each known once it was looked up.

    The kind is synced while no host waits for its first answer. Look-ups and `take` belong to one thread.
    """

    def __init__(self, cluster: Cluster, hosts: Hosts, *, monotonic: Callable[[], float] = time.monotonic) -> None:
        """Add *hosts* to *cluster*."""
        self._cluster = cluster
        self._hosts = hosts
        self._monotonic = monotonic
        self._known: dict[str, Host] = {}
        self._waiting: set[str] = set()
        self._phase: Phase | None = None

    @property
    def view(self) -> View:
        """Look-ups in what `take` has returned so far."""
        return self

    def get(self, kind: Kind, namespace: str, name: str) -> KubernetesObject | None:
        """As `View.get`; a host that nobody has looked up yet is not ready."""
        if kind != HOST:
            return self._cluster.view.get(kind, namespace, name)
        if name not in self._known:
            self._waiting.add(name)
            self._hosts.look(name)
            raise NotReadyError(HOST)
        return self._known[name]

    def select(self, kind: Kind, namespace: str, labels: Mapping[str, str]) -> Sequence[KubernetesObject]:
        """As `View.select`; hosts are not selected."""
        return self._cluster.view.select(kind, namespace, labels)

    def need(self, kind: Kind) -> KindState:
        """As `Cluster.need`."""
        return self._cluster.need(kind)

    def exists(self, key: ObjectKey) -> bool | None:
        """As `Cluster.exists`."""
        return self._cluster.exists(key)

    def take(self, timeout_s: float) -> tuple[ClusterChange, ...]:
        """As `Cluster.take`; changes of hosts may come a second late, their first answers at once."""
        changes = self._news()
        if changes:
            timeout_s = 0.0
        elif self._waiting or self._known:
            timeout_s = min(timeout_s, _LOOK_SOON_S if self._waiting else _LOOK_S)
        return (*changes, *self._cluster.take(timeout_s))

    def close(self) -> None:
        """As `Cluster.close`; hosts are asked for no more."""
        self._hosts.close()
        self._cluster.close()

    def _news(self) -> list[ClusterChange]:
        changes: list[ClusterChange] = []
        for old, new in self._hosts.take():
            name = new.metadata.name
            self._known[name] = new
            self._waiting.discard(name)
            changes.append(ObjectChange(key=ObjectKey(HOST, "", name), old=old, new=new))
        phase = Phase.LISTING if self._waiting else Phase.SYNCED
        if phase is not self._phase and (self._waiting or self._known):
            self._phase = phase
            changes.append(KindChange(state=KindState(kind=HOST, phase=phase, since_s=self._monotonic())))
        return changes
