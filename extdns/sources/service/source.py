"""The `service` source (docs/spec/sources.md 3)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from enum import StrEnum
from typing import Final, NamedTuple, assert_never

from extdns.model import rrtype
from extdns.model.claim import Claim, ExcludedClaim
from extdns.model.dns_name import DnsName
from extdns.model.kind import KubernetesObject, build_ref
from extdns.model.reason import Reason
from extdns.model.value import Value
from extdns.ports import ClusterView
from extdns.resources.core import SERVICE, Service
from extdns.sources.common.annotations import (
    INTERNAL_IP,
    Annotations,
    ExcludedHost,
    FoundTargets,
    MissingTargets,
    RecordOptions,
    TargetResult,
    list_node_addresses,
    list_public_node_addresses,
    parse_targets,
    read_load_balancer,
    split_list,
)
from extdns.sources.common.claim_builder import ClaimBuilder
from extdns.sources.service.expansions import (
    Audience,
    Compatibility,
    Expansion,
    ServiceContext,
    ServiceSettings,
    ServiceType,
    choose_expansion,
)

_NAME: Final = "service"
_AUDIENCES: Final = tuple(Audience)
_EXCLUDED_ANNOTATION: Final = ExcludedHost(excluded_by="--ignore-hostname-annotation")


class ServiceSource(Value, frozen=True, kw_only=True):
    """Publishes the hostnames in annotations of Services, and those of templates."""

    name = _NAME
    kind = SERVICE

    settings: ServiceSettings

    def find_claims(self, obj: KubernetesObject, view: ClusterView) -> tuple[Claim, ...]:
        """Return the claims of the Service *obj*, in the order of `HostPublisher.build`.

        Raises:
            NotSyncedError: other objects are needed and not listed yet, or a hostname is not resolved yet.
            TemplateError: a template cannot be rendered for *obj*.
            TypeError: *obj* is not a Service.
        """
        if not isinstance(obj, Service):
            raise TypeError(f"the {_NAME} source reads Services only, not {type(obj).__name__}")
        ref, common = build_ref(SERVICE, obj.metadata), self.settings.common
        annotations = Annotations.read(obj.metadata.annotations, common.prefixes)
        excluded_by = common.find_exclusion(ref, obj.metadata, annotations) or self._find_type_exclusion(obj)
        if excluded_by:
            return (ExcludedClaim(ref=ref, excluded_by=excluded_by),)
        if not (
            annotations.values
            or annotations.warnings
            or common.templates.can_name_hosts
            or self.settings.compatibility is not Compatibility.NONE
        ):
            return ()
        context = ServiceContext(
            service=obj, namespace=ref.key.namespace, annotations=annotations, settings=self.settings, view=view
        )
        builder = ClaimBuilder(_NAME, ref, RecordOptions.read(annotations))
        for audience in _AUDIENCES:
            _request_annotation_hosts(builder, context, audience)
        if builder.has_resolved_claims and not common.templates.can_name_hosts:
            return builder.build()
        template_builder = ClaimBuilder(_NAME, ref, RecordOptions(), resource="")
        if not builder.has_resolved_claims:
            _request_legacy_hosts(template_builder, context)
        common.templates.request_host_target_pairs(
            template_builder,
            _NAME,
            SERVICE,
            obj,
            has_hosts=builder.has_resolved_claims or template_builder.has_resolved_claims,
        )
        _request_template_hosts(
            builder, context, has_hosts=builder.has_resolved_claims or template_builder.has_resolved_claims
        )
        return builder.build() + template_builder.build()

    def _find_type_exclusion(self, service: Service) -> str:
        return (
            "" if self.settings.includes_type(service.spec.type or ServiceType.CLUSTER_IP) else "--service-type-filter"
        )


def _request_legacy_hosts(builder: ClaimBuilder, context: ServiceContext) -> None:
    for text, field, result in find_legacy_hosts(context):
        name = builder.parse_name(text, field)
        if name is not None:
            builder.request_name(name, field, result)


def _request_annotation_hosts(builder: ClaimBuilder, context: ServiceContext, audience: Audience) -> None:
    texts = context.annotations.get_list(audience)
    if not texts:
        return
    field = context.annotations.describe_field(audience)
    hosts = [host for text in texts if (host := builder.parse_name(text, field)) is not None]
    if context.settings.common.flags.ignore_hostname_annotation:
        for host in hosts:
            builder.request_name(host, field, _EXCLUDED_ANNOTATION)
    else:
        _request_expanded_hosts(builder, hosts, field, choose_expansion(context, audience))


def _request_template_hosts(builder: ClaimBuilder, context: ServiceContext, *, has_hosts: bool) -> None:
    templates = context.settings.common.templates
    for text, field in templates.render_hosts(_NAME, SERVICE, context.service, has_hosts=has_hosts):
        host = builder.parse_name(text, field)
        if host is not None:
            _request_expanded_hosts(builder, (host,), field, choose_expansion(context, Audience.EXTERNAL))


def _request_expanded_hosts(builder: ClaimBuilder, hosts: Iterable[DnsName], field: str, expand: Expansion) -> None:
    for host in hosts:
        for text, result in expand(host):
            name = host if text is host else builder.parse_name(text, field)
            if name is not None:
                builder.request_name(name, field, result)


_MATE: Final = "zalando.org/dnsname"
_MOLECULE: Final = "domainName"
_MOLECULE_LABEL: Final = ("dns", "route53")
_KOPS_NODE: Final = "node-role.kubernetes.io/node"
_NO_NODE: Final = MissingTargets(
    reason=Reason.NO_ENDPOINTS,
    detail=f"no node with label {_KOPS_NODE} has an address of the type that the annotation requires",
)


class _KopsAnnotation(StrEnum):
    """An annotation of kops' dns-controller that lists external or internal hostnames."""

    EXTERNAL = "dns.alpha.kubernetes.io/external"
    INTERNAL = "dns.alpha.kubernetes.io/internal"


class LegacyHost(NamedTuple):
    """A hostname, the annotation that lists it, and its targets."""

    text: str
    field: str
    result: TargetResult


def find_legacy_hosts(context: ServiceContext) -> Iterator[LegacyHost]:
    """Yield the hostnames in annotations of the older tool that `--compatibility` names; raises `NotSyncedError`."""
    match context.settings.compatibility:
        case Compatibility.NONE:
            pass
        case Compatibility.MATE:
            if host := _get_annotations(context).get(_MATE):
                yield LegacyHost(text=host, field=f"annotation {_MATE}", result=_read_load_balancer_as_a(context))
        case Compatibility.MOLECULE:
            key, value = _MOLECULE_LABEL
            if (context.service.metadata.labels or {}).get(key) == value:
                yield from _list_legacy_hosts(context, _MOLECULE, _read_load_balancer_as_a(context))
        case Compatibility.KOPS:
            yield from _find_kops_hosts(context)
        case other:
            assert_never(other)


def _find_kops_hosts(context: ServiceContext) -> Iterator[LegacyHost]:
    keys = [key for key in _KopsAnnotation if key in _get_annotations(context)]
    match context.service.spec.type:
        case ServiceType.LOAD_BALANCER:
            for key in keys:
                yield from _list_legacy_hosts(context, key, _read_load_balancer_as_a(context))
        case ServiceType.NODE_PORT if len(keys) == 1:
            yield from _list_legacy_hosts(context, keys[0], _read_node_addresses(context, keys[0]))
        case _:
            pass


def _read_node_addresses(context: ServiceContext, key: _KopsAnnotation) -> TargetResult:
    chosen = [node for node in context.list_nodes() if _KOPS_NODE in (node.metadata.labels or {})]
    if key is _KopsAnnotation.EXTERNAL:
        texts = list_public_node_addresses(chosen, expose_internal_ipv6=context.settings.expose_internal_ipv6)
    else:
        texts = list_node_addresses(chosen, INTERNAL_IP)
    return parse_targets(texts, "status.addresses of the nodes", if_empty=_NO_NODE)


def _read_load_balancer_as_a(context: ServiceContext) -> TargetResult:
    """Return the addresses of the load balancer, all as type A, as older tools do.

    IPv6 addresses are then invalid targets.
    """
    result = read_load_balancer(context.service.status)
    if not isinstance(result, FoundTargets):
        return result
    groups: dict[str, tuple[str, ...]] = {}
    for rtype, targets in result.groups:
        fits = rrtype.A if rtype == rrtype.AAAA else rtype
        groups[fits] = (*groups.get(fits, ()), *targets)
    return FoundTargets(groups=tuple(groups.items()), warnings=result.warnings)


def _list_legacy_hosts(context: ServiceContext, key: str, result: TargetResult) -> Iterator[LegacyHost]:
    for text in split_list(_get_annotations(context).get(key)):
        yield LegacyHost(text=text, field=f"annotation {key}", result=result)


def _get_annotations(context: ServiceContext) -> Mapping[str, str]:
    return context.service.metadata.annotations or {}
