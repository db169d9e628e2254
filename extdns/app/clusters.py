"""The cluster of `--manifests`, or a live one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from extdns.config import Config
    from extdns.model.cluster import Kind
    from extdns.model.objects import KubernetesObject
    from extdns.ports import Cluster

_CLUSTERLESS: Final = frozenset({"empty", "fake"})


def cluster(config: Config) -> Cluster:
    """The manifests of `--manifests` if there are any, else a live cluster, and what sources invent."""
    objects = _invented(config)
    if not objects:
        return _real(config)
    from extdns.kube.invented import Invented

    return Invented(_real(config), objects)


def _invented(config: Config) -> Mapping[Kind, Sequence[KubernetesObject]]:
    objects: dict[Kind, Sequence[KubernetesObject]] = {}
    if "empty" in config.sources.names:
        from extdns.sources.empty import EMPTY

        objects[EMPTY] = ()
    if "fake" in config.sources.names:
        from extdns.sources.fake import BASE, FAKE, invented

        objects[FAKE] = invented((BASE,))
    return objects


def _real(config: Config) -> Cluster:
    chosen = config.cluster
    namespaces = (chosen.namespace,) if chosen.namespace else ()
    elsewhere = _elsewhere(config)
    if chosen.manifests or _CLUSTERLESS.issuperset(config.sources.names):
        from extdns.kube.manifests.cluster import ManifestCluster

        watch = bool(chosen.manifests) and not config.control.once
        return ManifestCluster(chosen.manifests, watch=watch, namespaces=namespaces, elsewhere=elsewhere)
    from extdns.kube.api import Api
    from extdns.kube.client import Access, Client
    from extdns.kube.live.cluster import LiveCluster

    limit_s = chosen.time_limit_s
    client = Client(Access(server=chosen.server, kubeconfig=chosen.kubeconfig, request_timeout_s=limit_s))
    return LiveCluster(Api(client, request_timeout_s=limit_s), namespaces=namespaces, elsewhere=elsewhere)


def _elsewhere(config: Config) -> Mapping[Kind, Sequence[str]]:
    """Where kinds are read that `--namespace` does not limit (spec sources 5.2)."""
    from extdns.model.gatewayapi import GATEWAY, LISTENER_SET

    given = config.sources.gateway_namespace
    return {GATEWAY: (given,) if given else (), LISTENER_SET: ()}
