"""The `ambassador-host` source: getambassador.io/v3alpha1 Hosts (spec sources 7.6)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from extdns.errors import shortened
from extdns.model.claim import Claim
from extdns.model.objects import SERVICE, KubernetesObject, Service
from extdns.model.reason import Reason
from extdns.model.vendors import AMBASSADOR_HOST, AmbassadorHost
from extdns.ports import View
from extdns.sources.hosting import Hosting
from extdns.sources.selection import Selection
from extdns.sources.targets import Answer, LeftOut, Missing, balanced, found

_NAME: Final = "ambassador-host"
_SERVICE: Final = "external-dns.ambassador-service"  # bears no prefix
_FIELD: Final = f"annotation {_SERVICE}"


@dataclass(frozen=True, slots=True, kw_only=True)
class AmbassadorSource:
    """Names of Hosts, at the addresses of the Service that their annotation names."""

    name = _NAME
    kind = AMBASSADOR_HOST

    selection: Selection

    def claims(self, obj: KubernetesObject, view: View) -> tuple[Claim, ...]:
        """What the Host *obj* asks for, in the order of `Draft.claims`.

        Raises:
            NotReadyError: it takes Services to tell, and they are not listed yet.
            TypeError: *obj* is no Host.
        """
        if not isinstance(obj, AmbassadorHost):
            raise TypeError(f"the {_NAME} source reads Hosts only")
        hosting = Hosting(_NAME, AMBASSADOR_HOST, obj, self.selection)
        if left_out := hosting.left_out(whoever_controls=True):
            return left_out
        reference = (obj.metadata.annotations or {}).get(_SERVICE)
        if reference is None:
            answer: Answer = LeftOut(by=f"{_FIELD}, which is absent")
        else:
            answer = hosting.target or _of_service(reference, view)
        hosting.publish(obj.spec.hostname, "spec.hostname", answer)
        return hosting.claims()


def _of_service(reference: str, view: View) -> Answer:
    place = _place(reference)
    if place is None:
        detail = f"{_FIELD}: {shortened(reference)!r} is no Service; allowed: namespace/name, name.namespace or name"
        return Missing(reason=Reason.INVALID_ANNOTATION, detail=detail)
    namespace, name = place
    service = view.get(SERVICE, namespace, name)
    if not isinstance(service, Service):
        return LeftOut(by=f"{_FIELD}: there is no Service {shortened(f'{namespace}/{name}')}")
    if service.spec.external_ips:
        nothing = Missing(reason=Reason.NO_ADDRESS, detail=f"spec.externalIPs of Service {namespace}/{name} is empty")
        return found(service.spec.external_ips, f"spec.externalIPs of Service {namespace}/{name}", otherwise=nothing)
    return balanced(service.status)


def _place(reference: str) -> tuple[str, str] | None:
    """Namespace and name of the Service that *reference* means, None if it means none."""
    namespace, slash, name = reference.partition("/")
    if slash:
        return None if "/" in name else (namespace, name)
    name, dot, namespace = reference.partition(".")
    return (namespace if dot else "default", name)
