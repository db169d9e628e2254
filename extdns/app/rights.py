"""The rights that the flags need in the cluster, beside those that only an object on the way may need."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from extdns.app.apiservers import api_server, own_namespace
from extdns.app.namespaces import namespaces
from extdns.kube.rights import Right, allowed
from extdns.model.dnsendpoint import DNS_ENDPOINT
from extdns.model.gloo import PROXY
from extdns.model.objects import POD

if TYPE_CHECKING:
    from collections.abc import Iterable

    from extdns.config import Config
    from extdns.model.cluster import Kind

_UNMARKED: Final = (POD, PROXY)
"""Kinds whose objects no mark names, so that none is asked for by its name."""


def rights(config: Config, kinds: Iterable[Kind]) -> Iterator[tuple[Right, bool]]:
    """Each right that is needed, and whether it is there; *kinds* are those that sources start from.

    Raises:
        ApiError: the API server does not say.
    """
    api, of_kubeconfig = api_server(config.cluster)
    try:
        for right in dict.fromkeys(_needed(config, kinds, own_namespace(of_kubeconfig))):
            yield right, allowed(api, right)
    finally:
        api.close()


def _needed(config: Config, kinds: Iterable[Kind], home: str) -> Iterator[Right]:
    usual, read = config.cluster.namespace, namespaces(config)
    for kind in kinds:
        verbs = ("list", "watch") if kind in _UNMARKED else ("list", "watch", "get")
        for namespace in read.of(kind) or ("",):
            yield from (Right(verb, kind.group, kind.plural, namespace) for verb in verbs)
        if kind == DNS_ENDPOINT:
            yield Right("patch", kind.group, kind.plural, usual, subresource="status")
    yield from (Right(verb, "events.k8s.io", "events", usual) for verb in ("create", "patch"))
    if config.deletes.state_configmap:
        where, _, name = config.deletes.state_configmap.rpartition("/")
        yield from _kept("", "configmaps", where or home, name)
    if config.election.leader_elect:
        where, name = config.election.leader_elect_resource_namespace, config.election.leader_elect_resource_name
        yield from _kept("coordination.k8s.io", "leases", where or home, name)


def _kept(group: str, resource: str, namespace: str, name: str) -> Iterator[Right]:
    """An object of our own: it is made once, and written whole from then on."""
    yield from (Right(verb, group, resource, namespace, name) for verb in ("get", "update"))
    yield Right("create", group, resource, namespace)
