"""Permissions that the flags require: the IAM policy for AWS, and checks of what the service and the cluster allow."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Final

from extdns.app.cluster import build_namespaces, connect_api_server, find_own_namespace
from extdns.app.provider import build_cloud_dns_settings, build_rfc2136_settings, build_route53_settings
from extdns.app.registry import build_naming
from extdns.app.sources import list_read_kinds
from extdns.model.dns_name import DnsName
from extdns.model.selection import parse_suffixes
from providers.aws import iam_policy

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from extdns.config import Config
    from extdns.flags.providers import AwsFlags
    from extdns.flags.records import PlanFlags, RegistryFlags
    from extdns.kube.access_review import ResourcePermission
    from extdns.model.zone import Permission, Zone
    from providers.aws.permissions import PermissionCheck


def build_policy_scope(
    plan: PlanFlags, registry: RegistryFlags, aws: AwsFlags, region: str = ""
) -> iam_policy.PolicyScope:
    """Return what the IAM policy must allow; *region* selects the AWS partition."""
    return iam_policy.PolicyScope(
        partition=iam_policy.find_partition(region),
        zone_ids=tuple(filter(None, plan.zone_id_filter)),
        names=tuple(_find_name_patterns(plan, registry)),
        excluded_names=_find_excluded_patterns(plan),
        types=iam_policy.list_changed_types(plan.find_managed_types(), with_ownership=registry.name == "txt"),
        conditional=aws.aws_conditional_writes,
        filters_by_tag=bool(aws.aws_zone_tags),
    )


def _has_patterns(plan: PlanFlags) -> bool:
    """Return whether names are selected by regular expressions, which no IAM condition can express."""
    return plan.regex_domain_filter is not None or plan.regex_domain_exclusion is not None


def _find_name_patterns(plan: PlanFlags, registry: RegistryFlags) -> Iterator[str]:
    found = () if _has_patterns(plan) else parse_suffixes(plan.domain_filter)
    if found:
        yield from iam_policy.build_name_patterns(found, _find_ownership_names(found, plan, registry))


def _find_ownership_names(found: Sequence[str], plan: PlanFlags, registry: RegistryFlags) -> Iterator[str]:
    """Yield the names of the ownership records of the domains *found*, in all naming formats, for each managed type.

    A domain that begins with a dot has none: it stands only for the names below it.
    """
    if registry.name != "txt":
        return
    build_names = build_naming(registry).build_all_names
    for domain in found:
        if not domain.startswith("."):
            for rtype in plan.find_managed_types():
                yield from (ownership_name for _, ownership_name in build_names(DnsName(domain), rtype, alias=True))


def _find_excluded_patterns(plan: PlanFlags) -> tuple[str, ...]:
    return () if _has_patterns(plan) else iam_policy.build_name_patterns(parse_suffixes(plan.exclude_domains), ())


_ROLE: Final = "AWS_ROLE_ARN"


def check_permissions(config: Config, zones: Iterable[Zone]) -> Iterator[tuple[Zone, Permission]]:
    """Yield each of *zones* with whether its records may be changed; nothing for providers without permissions."""
    match config.control.provider:
        case "google":
            from providers.google.client import build_api
            from providers.google.provider import check_permission

            project = build_api(build_cloud_dns_settings(config))
            yield from ((zone, check_permission(project, zone)) for zone in zones)
        case "aws":
            accounts = _build_checkers(config)
            yield from ((zone, accounts[zone.account].check(zone)) for zone in zones)
        case "rfc2136":
            from providers.rfc2136 import permissions as rfc2136

            settings = build_rfc2136_settings(config)
            yield from ((zone, rfc2136.check_permission(settings, zone)) for zone in zones)
        case "octodns" | "webhook" as provider:
            from extdns.model.zone import Permission

            service = "octoDNS" if provider == "octodns" else "the webhook protocol"
            unknown = Permission(granted=None, detail=f"{service} has no call that checks permissions")
            yield from ((zone, unknown) for zone in zones)
        case "zonefile":
            yield from _check_files(config, zones)
        case _:
            return


def _check_files(config: Config, zones: Iterable[Zone]) -> Iterator[tuple[Zone, Permission]]:
    """Yield each zone with whether its zone file can be replaced."""
    from extdns.model.zone import Permission
    from providers.zonefile.folder import ZoneFolder

    folder = ZoneFolder(Path(config.zonefile.zonefile_dir))
    for zone in zones:
        obstacle = folder.find_write_obstacle(zone.id)
        remedy = "let the user of the process own the files and write to the folder" if obstacle else ""
        yield (
            zone,
            Permission(granted=not obstacle, detail=obstacle or "the file permissions allow it", remedy=remedy),
        )


def _build_checkers(config: Config) -> Mapping[str, PermissionCheck]:
    """Build the permission check of each account, by account name."""
    from providers.aws.permissions import IamIdentity, PermissionCheck

    scope = build_policy_scope(config.plan, config.registry, config.aws)
    return {
        account: PermissionCheck(IamIdentity(access), scope, filter(None, (access.role, os.environ.get(_ROLE))))
        for account, access in build_route53_settings(config).accounts_by_name.items()
    }


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
    yield from _list_rule_permissions(config)
    yield from (ResourcePermission(verb, "events.k8s.io", "events", usual) for verb in ("create", "patch"))
    if config.deletes.state_configmap:
        where, _, name = config.deletes.state_configmap.rpartition("/")
        yield from _list_own_object_permissions("", "configmaps", where or home, name)
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
    """Return the permissions for an object that extdns itself creates and replaces."""
    from extdns.kube.access_review import ResourcePermission

    yield from (ResourcePermission(verb, group, resource, namespace, name) for verb in ("get", "update"))
    yield ResourcePermission("create", group, resource, namespace)
