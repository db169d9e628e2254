"""The cluster of `--manifests`, or a live one."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from extdns.app.namespaces import namespaces

if TYPE_CHECKING:
    from extdns.config import Config
    from extdns.model.cluster import Kind
    from extdns.model.objects import KubernetesObject
    from extdns.ports import Cluster

CLUSTERLESS: Final = frozenset({"empty", "fake"})
"""Sources of objects that are in no cluster."""


def is_live(config: Config) -> bool:
    """Whether objects come from an API server."""
    return not config.cluster.manifests and not CLUSTERLESS.issuperset(config.sources.names)


def cluster(config: Config, kinds: Collection[Kind]) -> Cluster:
    """The manifests of `--manifests` if there are any, else a live cluster, and what sources invent.

    Args:
        config: what the flags say.
        kinds: those that sources start from; templates see their objects whole.
    """
    from extdns.model.objects import STRUCTS

    templated = config.sources.fqdn_template or config.sources.fqdn_target_template
    whole = kinds if templated else [kind for kind in kinds if kind not in STRUCTS]
    found = _real(config, whole)
    if objects := _invented(config):
        from extdns.kube.invented import Invented

        found = Invented(found, objects)
    if config.sources.resolve_service_load_balancer_hostname:
        from extdns.kube.hosts import Hosts
        from extdns.kube.resolved import Resolved
        from extdns.kube.resolver import system_resolver, unfailing

        ask = system_resolver()
        found = Resolved(found, Hosts(unfailing(ask) if config.control.compat else ask))
    return found


def _invented(config: Config) -> Mapping[Kind, Sequence[KubernetesObject]]:
    objects: dict[Kind, Sequence[KubernetesObject]] = {}
    if "empty" in config.sources.names:
        from extdns.sources.empty import EMPTY

        objects[EMPTY] = ()
    if "fake" in config.sources.names:
        from extdns.app.sources import templates
        from extdns.sources.fake import FAKE, bases, invented

        objects[FAKE] = invented(bases(templates(config)))
    return objects


def _real(config: Config, whole: Collection[Kind]) -> Cluster:
    chosen, where = config.cluster, namespaces(config)
    if not is_live(config):
        from extdns.kube.manifests.cluster import ManifestCluster

        watch = bool(chosen.manifests) and not config.control.once
        return ManifestCluster(chosen.manifests, watch=watch, namespaces=where, whole=whole)
    from extdns.app.apiservers import api_server
    from extdns.kube.live.cluster import LiveCluster

    return LiveCluster(api_server(chosen)[0], namespaces=where, whole=whole)
