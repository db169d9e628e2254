"""Check the permissions in the cluster that the flags require, and the one to write the table of the registry."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing

from msgspec.structs import replace

from extdns.app.cluster import build_namespaces, connect_api_server, find_own_namespace
from extdns.app.row_store import open_row_store
from extdns.app.sources import list_read_kinds
from extdns.config import Config
from extdns.errors import ForbiddenError, ProviderError
from extdns.flags.rules import CLUSTER_POLICIES
from extdns.kube.access_review import ResourcePermission, is_allowed
from extdns.model import rrtype
from extdns.model.dns_name import DnsName
from extdns.model.record import RecordKey
from extdns.model.value import EMPTY_MAP
from extdns.model.zone import Permission
from extdns.resources.core import NAMESPACE
from extdns.resources.extdns import DNS_POLICY
from extdns.resources.externaldns import DNS_ENDPOINT
from providers.common.api_calls import CallOptions
from registry.rows.row import Row, RowChange, RowsChangedError, RowStore


def check_cluster_permissions(config: Config) -> Iterator[tuple[ResourcePermission, bool]]:
    """Yield each permission in the cluster that the flags require, with whether it is granted.

    Raises:
        ApiError: the check failed.
    """
    with closing(connect_api_server(config.cluster)) as api:
        for permission in dict.fromkeys(_list_needed_permissions(config, find_own_namespace(api.namespace))):
            yield permission, is_allowed(api, permission)


def _list_needed_permissions(config: Config, home: str) -> Iterator[ResourcePermission]:
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
    if config.rules.policy_rules:
        yield from (ResourcePermission(verb, NAMESPACE.group, NAMESPACE.plural, "") for verb in ("list", "watch"))
    if CLUSTER_POLICIES in config.rules.policy_rules:
        group, plural = DNS_POLICY.group, DNS_POLICY.plural
        yield from (ResourcePermission(verb, group, plural, "") for verb in ("get", "list", "watch"))
        yield ResourcePermission("patch", group, plural, "", subresource="status")


def _list_own_object_permissions(group: str, resource: str, namespace: str, name: str) -> Iterator[ResourcePermission]:
    yield from (ResourcePermission(verb, group, resource, namespace, name) for verb in ("get", "update"))
    yield ResourcePermission("create", group, resource, namespace)


def check_table(config: Config) -> Permission | None:
    """Return whether the table of `--registry=dynamodb` may be written; None with another registry.

    A transaction is sent that is always cancelled, because its rows do not exist: DynamoDB compares them only for
    callers that may write them.
    """
    if config.registry.name != "dynamodb" or not (store := open_row_store(config, CallOptions())):
        return None
    put, delete, check = (_build_row(store, one) for one in ("put", "delete", "check"))
    changes = ((put, replace(put, owner="other")), (delete, None), (check, check))
    try:
        store.write([RowChange(old=old, new=new) for old, new in changes])
    except RowsChangedError:
        pass
    except ForbiddenError as exc:
        remedy = "the policy that allows it: extdns permissions --registry=dynamodb [flags]"
        return Permission(granted=False, detail=str(exc), remedy=remedy)
    except ProviderError as exc:
        return Permission(granted=None, detail=str(exc))
    return Permission(granted=True, detail="according to a transaction that is always cancelled")


def _build_row(store: RowStore, label: str) -> Row:
    """Return a row that does not exist."""
    key = RecordKey(DnsName(f"{label}.extdns-check.invalid"), "", rrtype.A)
    return Row(id=store.build_id(key), key=key, owner="extdns-check", labels=EMPTY_MAP)
