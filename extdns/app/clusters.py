"""The cluster of `--manifests`, or a live one."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from extdns.config import Config
    from extdns.ports import Cluster


def cluster(config: Config) -> Cluster:
    """The cluster: the manifests of `--manifests` if there are any, else a live one."""
    chosen = config.cluster
    namespaces = (chosen.namespace,) if chosen.namespace else ()
    if chosen.manifests:
        from extdns.kube.manifests.cluster import ManifestCluster

        return ManifestCluster(chosen.manifests, watch=not config.control.once, namespaces=namespaces)
    from extdns.kube.api import Api
    from extdns.kube.client import Access, Client
    from extdns.kube.live.cluster import LiveCluster

    limit_s = chosen.time_limit_s
    client = Client(Access(server=chosen.server, kubeconfig=chosen.kubeconfig, request_timeout_s=limit_s))
    return LiveCluster(Api(client, request_timeout_s=limit_s), namespaces=namespaces)
