"""The `ambassador-host` source: getambassador.io/v3alpha1 Hosts (docs/spec/sources.md 7.6)."""

from __future__ import annotations

from typing import Final

from extdns.errors import shorten
from extdns.model.claim import Claim
from extdns.model.kind import KubernetesObject
from extdns.model.reason import Reason
from extdns.model.value import Value
from extdns.ports import ClusterView
from extdns.resources.core import SERVICE, Service
from extdns.resources.ingress_controllers import AMBASSADOR_HOST, AmbassadorHost
from extdns.sources.common.annotations import (
    ExcludedHost,
    MissingTargets,
    TargetResult,
    parse_targets,
    read_load_balancer,
)
from extdns.sources.common.claim_builder import SourceSettings
from extdns.sources.common.host_publisher import HostPublisher

_NAME: Final = "ambassador-host"
_SERVICE: Final = "external-dns.ambassador-service"  # --annotation-prefix does not change its prefix
_FIELD: Final = f"annotation {_SERVICE}"


class AmbassadorSource(Value, frozen=True, kw_only=True):
    """Publishes the hostnames of Hosts that name a Service in an annotation, with the addresses of the Service.

    The targets of the `target` annotation replace these addresses.
    """

    name = _NAME
    kind = AMBASSADOR_HOST

    common: SourceSettings

    def find_claims(self, obj: KubernetesObject, view: ClusterView) -> tuple[Claim, ...]:
        """Return the claims of the Host *obj*, in the order of `HostPublisher.build`.

        Raises:
            NotSyncedError: Services are needed and not listed yet.
            TypeError: *obj* is not a Host.
        """
        if not isinstance(obj, AmbassadorHost):
            raise TypeError(f"the {_NAME} source reads Hosts only, not {type(obj).__name__}")
        publisher = HostPublisher(_NAME, AMBASSADOR_HOST, obj, self.common)
        if exclusion := publisher.find_exclusion(ignore_controller=True):
            return exclusion
        reference = (obj.metadata.annotations or {}).get(_SERVICE)
        if reference is None:
            result: TargetResult = ExcludedHost(excluded_by=f"{_FIELD}, which is absent")
        else:
            result = publisher.annotated_targets or _find_service_targets(reference, view)
        publisher.publish(obj.spec.hostname, "spec.hostname", result)
        return publisher.build()


def _find_service_targets(reference: str, view: ClusterView) -> TargetResult:
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
            service.spec.external_ips, f"spec.externalIPs of Service {namespace}/{name}", if_empty=if_empty
        )
    return read_load_balancer(service.status)


def _parse_service_reference(reference: str) -> tuple[str, str] | None:
    """Return namespace and name of the Service at *reference*, or None if *reference* is not valid."""
    namespace, slash, name = reference.partition("/")
    if slash:
        return None if "/" in name else (namespace, name)
    name, dot, namespace = reference.partition(".")
    return (namespace if dot else "default", name)
