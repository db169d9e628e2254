"""The addresses of Gateways of Istio, which are unrelated to those of the Gateway API (docs/spec/sources.md 7.1, 7.2).

They come from an annotation, from an Ingress, or from the Services of the Gateway's proxies.
"""

from __future__ import annotations

from itertools import islice
from typing import Final

from extdns.model.kind import build_ref
from extdns.model.reason import Reason
from extdns.ports import ClusterView
from extdns.resources.core import SERVICE, Service
from extdns.resources.istio import IstioGateway
from extdns.resources.networking import INGRESS
from extdns.sources.common.annotation_names import PREFIX
from extdns.sources.common.annotations import (
    ExcludedHost,
    MissingTargets,
    RequestedCount,
    TargetResult,
    get_ingress,
    list_first_addresses,
    parse_targets,
    read_target_annotation,
)
from extdns.sources.common.host_publisher import HostPublisher

ANY: Final = "*"


def strip_namespace(host: str) -> str:
    """Return *host* without the namespace before its slash, or "" if the rest is only a wildcard."""
    parts = host.split("/")
    name = parts[1] if len(parts) == 2 else host  # noqa: PLR2004 - namespace and name
    return "" if name == ANY else name


_INGRESS_ANNOTATION: Final = "ingress"
_SHOWN: Final = 5
_LOOKED_UP: Final = 8  # labels of a selector; the rest is compared: each VirtualService keeps what it looked up
_LOOKUP: Final = 100  # as many targets take as long as a lookup: thousands of Services may have one of the labels
_NO_ADDRESS: Final = "the status of the load balancer has no address yet"

KnownTargets = dict[tuple[str, frozenset[tuple[str, str]]], TargetResult]
"""The targets in Services, by the namespace and the selector of Gateways."""


def find_gateway_targets(
    gateway: IstioGateway, namespace: str, to: HostPublisher, view: ClusterView, known: KnownTargets
) -> TargetResult:
    """Find the targets of *gateway* in its `target` annotation, else in its Ingress, else in Services of its proxies.

    They count for the object that *to* publishes, which raises, and those of Services are added to *known*.

    Raises:
        ExtdnsError: the `ingress` annotation is not valid, or the Ingress that it names does not exist.
        NotSyncedError: Ingresses or Services are not listed yet.
    """
    annotations = to.settings.read_annotations(gateway.metadata)
    description = f"Gateway {namespace}/{gateway.metadata.name}"
    annotated = read_target_annotation(annotations, on_object=description, count=to.count)
    if annotated is not None:
        return annotated
    # the key with the usual prefix works, too, even if --annotation-prefix sets another one
    reference = annotations.get(_INGRESS_ANNOTATION) or (gateway.metadata.annotations or {}).get(
        PREFIX + _INGRESS_ANNOTATION
    )
    if reference:
        field = f"{annotations.describe_field(_INGRESS_ANNOTATION)} of {description}"
        return _read_ingress_targets(reference, namespace, field, view, to.count)
    selector = gateway.spec.selector or {}
    key = namespace, frozenset(selector.items())
    if key not in known:
        known[key] = _read_service_targets(selector, namespace, to, view)
    return known[key]


def _read_ingress_targets(
    reference: str, home: str, field: str, view: ClusterView, count: RequestedCount
) -> TargetResult:
    ingress = get_ingress(reference, home, field, view)
    ref = build_ref(INGRESS, ingress.metadata)
    if_empty = MissingTargets(reason=Reason.NO_ADDRESS, detail=f"{ref}: {_NO_ADDRESS}")
    return parse_targets(
        list_first_addresses(ingress.status),
        f"status.loadBalancer of {ref}",
        if_empty=if_empty,
        is_stated=ref.key.namespace != home,  # anybody can name the Ingress of another namespace
        count=count,
    )


def _read_service_targets(selector: dict[str, str], home: str, to: HostPublisher, view: ClusterView) -> TargetResult:
    matching: list[Service] = []
    if to.settings.namespace in {"", home} and not to.settings.compat:
        matching = _select_services(selector, home, view, to.count)
    if not matching:
        matching = _select_services(selector, to.settings.namespace, view, to.count)
    if not matching:
        return ExcludedHost(excluded_by="spec.selector of the Gateway, which no Service matches")
    namespaces = sorted({service.metadata.namespace or "" for service in matching})
    if len(namespaces) > 1 and not to.settings.compat:
        # any tenant can create such a Service, also one that is older than the proxy, so it ends no record either
        detail = f"namespaces {', '.join(namespaces[:_SHOWN])} have Services with its selector"
        return MissingTargets(reason=Reason.AMBIGUOUS_ADDRESS, detail=detail)
    texts = (text for service in matching for text in service.spec.external_ips or list_first_addresses(service.status))
    if_empty = MissingTargets(reason=Reason.NO_ADDRESS, detail=f"Service {matching[0].metadata.name}: {_NO_ADDRESS}")
    # anybody can select the Service of another namespace
    is_stated = any(service.spec.external_ips or service.metadata.namespace != home for service in matching)
    return parse_targets(texts, "the Services of the Gateway", if_empty=if_empty, is_stated=is_stated, count=to.count)


def _select_services(
    selector: dict[str, str], namespace: str, view: ClusterView, count: RequestedCount
) -> list[Service]:
    """Return the Services of *namespace*, "" for all, whose selectors have all labels of *selector*."""
    found = view.select(SERVICE, namespace, dict(islice(selector.items(), _LOOKED_UP)))
    count.add(_LOOKUP + len(found) * max(1, len(selector)))
    return [
        service
        for service in found
        if isinstance(service, Service) and selector.items() <= (service.spec.selector or {}).items()
    ]
