"""Check the permissions in the cluster that the flags require."""

from __future__ import annotations

from typing import TYPE_CHECKING

from extdns.app.cluster import build_namespaces, connect_api_server, find_own_namespace
from extdns.app.sources import list_read_kinds

if TYPE_CHECKING:
    from collections.abc import Iterator

    from extdns.config import Config
    from extdns.kube.access_review import ResourcePermission


def check_cluster_permissions(config: Config) -> Iterator[tuple[ResourcePermission, bool]]:
    """Yield each permission in the cluster that the flags require, with whether it is granted.

    Raises:
        ApiError: the check failed.
    """
    from extdns.kube.access_review import is_allowed

    api, kubeconfig_namespace = connect_api_server(config.cluster)
    try:
        for permission in dict.fromkeys(_list_needed_permissions(config, find_own_namespace(kubeconfig_namespace))):
            yield permission, is_allowed(api, permission)
    finally:
        api.close()


def _list_needed_permissions(config: Config, home: str) -> Iterator[ResourcePermission]:
    from extdns.kube.access_review import ResourcePermission
    from extdns.resources.externaldns import DNS_ENDPOINT

    usual, read = config.cluster.namespace, build_namespaces(config)
    for kind, is_named in list_read_kinds(config).items():
        verbs = ("list", "watch", "get") if is_named else ("list", "watch")
        for namespace in read.list_for_kind(kind) or ("",):
            yield from (ResourcePermission(verb, kind.group, kind.plural, namespace) for verb in verbs)
        if kind == DNS_ENDPOINT:
            yield ResourcePermission("patch", kind.group, kind.plural, usual, subresource="status")
            if config.deletes.finalizer_timeout_s:
                yield ResourcePermission("patch", kind.group, kind.plural, usual)
    yield from _list_rule_permissions(config)
    yield from (ResourcePermission(verb, "events.k8s.io", "events", usual) for verb in ("create", "patch"))
    if config.deletes.state_configmap:
        where, _, name = config.deletes.state_configmap.rpartition("/")
        yield from _list_own_object_permissions("", "configmaps", where or home, name)
    if config.registry.name == "crd":
        where = config.registry.crd_registry_namespace or home
        for verb in ("get", "list", "create", "update", "delete"):
            yield ResourcePermission(verb, "externaldns.k8s.io", "dnsrecords", where)
        yield ResourcePermission("patch", "externaldns.k8s.io", "dnsrecords", where, subresource="status")
    if config.election.leader_elect:
        where, name = config.election.leader_elect_resource_namespace, config.election.leader_elect_resource_name
        yield from _list_own_object_permissions("coordination.k8s.io", "leases", where or home, name)


def _list_rule_permissions(config: Config) -> Iterator[ResourcePermission]:
    """Return the permissions that rules need: to read the labels of namespaces, and DNSPolicies in the cluster."""
    from extdns.flags.rules import CLUSTER_POLICIES
    from extdns.kube.access_review import ResourcePermission
    from extdns.resources.core import NAMESPACE
    from extdns.resources.extdns import DNS_POLICY

    if config.rules.policy_rules:
        yield from (ResourcePermission(verb, NAMESPACE.group, NAMESPACE.plural, "") for verb in ("list", "watch"))
    if CLUSTER_POLICIES in config.rules.policy_rules:
        group, plural = DNS_POLICY.group, DNS_POLICY.plural
        yield from (ResourcePermission(verb, group, plural, "") for verb in ("get", "list", "watch"))
        yield ResourcePermission("patch", group, plural, "", subresource="status")


def _list_own_object_permissions(group: str, resource: str, namespace: str, name: str) -> Iterator[ResourcePermission]:
    from extdns.kube.access_review import ResourcePermission

    yield from (ResourcePermission(verb, group, resource, namespace, name) for verb in ("get", "update"))
    yield ResourcePermission("create", group, resource, namespace)
