"""The source `ambassador-host`: getambassador.io/v3alpha1 Hosts (docs/spec/sources.md 7.6)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from msgspec.structs import replace

from extdns.errors import shorten
from extdns.flags.sources import SourceFlags
from extdns.model.kind import Kind
from extdns.model.reason import Reason
from extdns.ports import ClusterView
from extdns.resources.core import SERVICE, Service
from extdns.resources.ingress_controllers import AMBASSADOR_HOST, AmbassadorHost
from extdns.sources.common.annotations import (
    ExcludedHost,
    FoundTargets,
    MissingTargets,
    TargetResult,
    parse_targets,
    read_load_balancer,
)
from extdns.sources.common.host_publisher import HostPublisher
from extdns.sources.common.spec import SourceSpec

_SERVICE: Final = "external-dns.ambassador-service"  # --annotation-prefix does not change its prefix
_FIELD: Final = f"annotation {_SERVICE}"


def publish(host: AmbassadorHost, to: HostPublisher, view: ClusterView) -> None:
    """Publish the hostname, at the addresses of the Service that an annotation names."""
    reference = (host.metadata.annotations or {}).get(_SERVICE)
    if reference is None:
        targets: TargetResult = ExcludedHost(excluded_by=f"{_FIELD}, which is absent")
    else:
        targets = to.annotated_targets or _find_service_targets(reference, to.ref.key.namespace, view)
    to.publish(host.spec.hostname, "spec.hostname", targets)


def _find_service_targets(reference: str, home: str, view: ClusterView) -> TargetResult:
    service_key = _parse_service_reference(reference)
    if service_key is None:
        allowed = "namespace/name, name.namespace or name"
        detail = f"{_FIELD}: {shorten(reference)!r} is not a valid Service reference; allowed: {allowed}"
        return MissingTargets(reason=Reason.INVALID_ANNOTATION, detail=detail)
    namespace, name = service_key
    service = view.get(SERVICE, namespace, name)
    if not isinstance(service, Service):
        return ExcludedHost(excluded_by=f"{_FIELD}: there is no Service {shorten(f'{namespace}/{name}')}")
    if service.spec.external_ips:
        if_empty = MissingTargets(
            reason=Reason.NO_ADDRESS, detail=f"spec.externalIPs of Service {namespace}/{name} has no address"
        )
        return parse_targets(
            service.spec.external_ips,
            f"spec.externalIPs of Service {namespace}/{name}",
            if_empty=if_empty,
            is_stated=True,
        )
    found = read_load_balancer(service.status)
    # anybody can name the Service of another namespace
    return replace(found, is_stated=True) if isinstance(found, FoundTargets) and namespace != home else found


def _parse_service_reference(reference: str) -> tuple[str, str] | None:
    namespace, slash, name = reference.partition("/")
    if slash:
        return None if "/" in name else (namespace, name)
    name, dot, namespace = reference.partition(".")
    return (namespace if dot else "default", name)


def _find_namespaces(_: SourceFlags) -> Mapping[Kind, tuple[str, ...]]:
    return {SERVICE: ()}  # a Host may refer to a Service of any namespace


SOURCE: Final = SourceSpec(
    name="ambassador-host",
    kinds=(AMBASSADOR_HOST,),
    publish=publish,
    host_field="spec.hostname of a Host",
    hostname_annotations=(),
    lookups=(SERVICE,),
    namespaces=_find_namespaces,
    has_controller=False,
)
