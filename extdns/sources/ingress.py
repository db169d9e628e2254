"""The `ingress` source: networking.k8s.io/v1 Ingresses (docs/spec/sources.md 4)."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from enum import StrEnum
from typing import Final

from extdns.errors import UsageError, sanitize, shorten
from extdns.model.claim import Claim
from extdns.model.kind import KubernetesObject
from extdns.model.reason import Reason
from extdns.model.selection import is_label_value
from extdns.model.value import Value
from extdns.ports import ClusterView
from extdns.resources.networking import INGRESS, Ingress, IngressSpec
from extdns.sources.common.annotations import (
    Annotations,
    ExcludedHost,
    MissingTargets,
    TargetResult,
    read_load_balancer,
)
from extdns.sources.common.claim_builder import SourceSettings
from extdns.sources.common.host_publisher import HostPublisher

_NAME: Final = "ingress"
_HOSTNAME: Final = "hostname"
_HOSTNAME_SOURCE: Final = "ingress-hostname-source"
_CLASS: Final = "kubernetes.io/ingress.class"


class _IngressHostnameSource(StrEnum):
    """Where an Ingress states a host. The value of the `ingress-hostname-source` annotation selects one of them."""

    DEFINED = "defined-hosts-only"
    ANNOTATED = "annotation-only"


class IngressSettings(Value, frozen=True, kw_only=True):
    """Settings of the `ingress` source, named as the flags are.

    Attributes:
        ingress_class: read Ingresses of these classes only; () is all.

    Raises:
        UsageError: a class name is not valid, or `--annotation-filter` filters the class annotation, too.
    """

    common: SourceSettings
    ingress_class: tuple[str, ...] = ()
    ignore_ingress_rules_spec: bool = False
    ignore_ingress_tls_spec: bool = False

    def __post_init__(self) -> None:
        invalid = next((name for name in self.ingress_class if not is_label_value(name)), None)
        if invalid is not None:
            allowed = "at most 63 letters, digits, '-', '_' and '.', a letter or digit at both ends"
            raise UsageError(f"--ingress-class={sanitize(invalid)} is not a class\n  allowed: {allowed}")
        if self.ingress_class and self.common.flags.annotation_filter.mentions(_CLASS):
            raise UsageError(f"--ingress-class and an --annotation-filter on {_CLASS} cannot be used together")


class IngressSource(Value, frozen=True, kw_only=True):
    """Publishes the hosts in rules, TLS sections and annotations of Ingresses."""

    name = _NAME
    kind = INGRESS

    settings: IngressSettings

    def find_claims(self, obj: KubernetesObject, view: ClusterView) -> tuple[Claim, ...]:  # noqa: ARG002 - unused
        """Return the claims of the Ingress *obj*, in the order of `HostPublisher.build`.

        Raises:
            TemplateError: a template cannot be rendered for *obj*.
            TypeError: *obj* is not an Ingress.
        """
        if not isinstance(obj, Ingress):
            raise TypeError(f"the {_NAME} source reads Ingresses only, not {type(obj).__name__}")
        publisher = HostPublisher(_NAME, INGRESS, obj, self.settings.common)
        if exclusion := publisher.find_exclusion(self._find_class_exclusion(obj)):
            return exclusion
        targets = publisher.annotated_targets or read_load_balancer(obj.status)
        for text, field, origin, ignored_by in self._list_hosts(obj.spec, publisher.annotations):
            rejection = _find_hostname_source_exclusion(publisher.annotations, origin)
            publisher.publish(
                text, field, rejection or (ExcludedHost(excluded_by=ignored_by) if ignored_by else targets)
            )
        publisher.publish_template_hosts(targets)
        return publisher.build()

    def _find_class_exclusion(self, ingress: Ingress) -> str:
        name = ingress.spec.ingress_class_name or (ingress.metadata.annotations or {}).get(_CLASS)
        return "--ingress-class" if self.settings.ingress_class and name not in self.settings.ingress_class else ""

    def _list_hosts(
        self, spec: IngressSpec, annotations: Annotations
    ) -> Iterator[tuple[str, str, _IngressHostnameSource, str]]:
        """Yield each host with its field, whether that is in the spec or an annotation, and the flag that excludes it.

        The flag is "" if none excludes the host.
        """
        excluded_by = "--ignore-ingress-rules-spec" if self.settings.ignore_ingress_rules_spec else ""
        for at, rule in enumerate(spec.rules or ()):
            if rule.host:
                yield rule.host, sys.intern(f"spec.rules[{at}].host"), _IngressHostnameSource.DEFINED, excluded_by
        excluded_by = "--ignore-ingress-tls-spec" if self.settings.ignore_ingress_tls_spec else ""
        for at, tls in enumerate(spec.tls or ()):
            for item, host in enumerate(tls.hosts or ()):
                if host:
                    yield host, sys.intern(f"spec.tls[{at}].hosts[{item}]"), _IngressHostnameSource.DEFINED, excluded_by
        excluded_by = "--ignore-hostname-annotation" if self.settings.common.flags.ignore_hostname_annotation else ""
        for host in annotations.get_list(_HOSTNAME):
            yield host, annotations.describe_field(_HOSTNAME), _IngressHostnameSource.ANNOTATED, excluded_by


def _find_hostname_source_exclusion(annotations: Annotations, origin: _IngressHostnameSource) -> TargetResult | None:
    """Return why `ingress-hostname-source` does not select hosts of *origin*, or None if it selects them."""
    value = annotations.get(_HOSTNAME_SOURCE)
    if value is None or value.lower() == origin:
        return None
    field, allowed = annotations.describe_field(_HOSTNAME_SOURCE), tuple(_IngressHostnameSource)
    if value.lower() in allowed:
        return ExcludedHost(excluded_by=field)
    detail = f"{field}: {shorten(value)!r} is not a source of hosts; allowed: {' or '.join(allowed)}"
    return MissingTargets(reason=Reason.INVALID_ANNOTATION, detail=detail)
