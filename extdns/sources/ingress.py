"""The source `ingress`: networking.k8s.io/v1 Ingresses (docs/spec/sources.md 4)."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Final

from extdns.errors import UsageError, sanitize, shorten
from extdns.flags.sources import SourceFlags
from extdns.model.reason import Reason
from extdns.model.selection import is_label_value
from extdns.ports import ClusterView
from extdns.resources.networking import INGRESS, Ingress, IngressSpec
from extdns.sources.common.annotations import (
    Annotations,
    ExcludedHost,
    HostnameSource,
    MissingTargets,
    TargetResult,
    read_load_balancer,
)
from extdns.sources.common.host_publisher import HostPublisher
from extdns.sources.common.spec import SourceSpec, Templating

_HOSTNAME: Final = "hostname"
_HOSTNAME_SOURCE: Final = "ingress-hostname-source"
_CLASS: Final = "kubernetes.io/ingress.class"


def publish(ingress: Ingress, to: HostPublisher, _view: ClusterView) -> None:
    """Publish the hosts in rules, TLS sections and annotations of the Ingress, and those of templates."""
    classes = to.flags.ingress_class
    if classes and _find_class(ingress) not in classes:
        to.exclude("--ingress-class")
        return
    targets = to.annotated_targets or read_load_balancer(ingress.status)
    rejections = {origin: _find_hostname_source_exclusion(to.annotations, origin) for origin in HostnameSource}
    for text, field, origin, ignored_by in _list_hosts(ingress.spec, to):
        to.publish(text, field, rejections[origin] or (ExcludedHost(excluded_by=ignored_by) if ignored_by else targets))
    to.publish_template_hosts(targets)


def _find_class(ingress: Ingress) -> str | None:
    return ingress.spec.ingress_class_name or (ingress.metadata.annotations or {}).get(_CLASS)


def _list_hosts(spec: IngressSpec, to: HostPublisher) -> Iterator[tuple[str, str, HostnameSource, str]]:
    """Yield each host with its field, whether that is in the spec or an annotation, and the flag that excludes it.

    The flag is "" if none excludes the host.
    """
    excluded_by = "--ignore-ingress-rules-spec" if to.flags.ignore_ingress_rules_spec else ""
    for at, rule in enumerate(spec.rules or ()):
        if rule.host:
            yield rule.host, sys.intern(f"spec.rules[{at}].host"), HostnameSource.DEFINED, excluded_by
    excluded_by = "--ignore-ingress-tls-spec" if to.flags.ignore_ingress_tls_spec else ""
    for at, tls in enumerate(spec.tls or ()):
        for item, host in enumerate(tls.hosts or ()):
            if host:
                yield host, sys.intern(f"spec.tls[{at}].hosts[{item}]"), HostnameSource.DEFINED, excluded_by
    excluded_by = "--ignore-hostname-annotation" if to.flags.ignore_hostname_annotation else ""
    for host in to.annotations.get_list(_HOSTNAME):
        yield host, to.annotations.describe_field(_HOSTNAME), HostnameSource.ANNOTATED, excluded_by


def _find_hostname_source_exclusion(annotations: Annotations, origin: HostnameSource) -> TargetResult | None:
    """Return why `ingress-hostname-source` does not select hosts of *origin*, or None if it selects them."""
    value = annotations.get(_HOSTNAME_SOURCE)
    if value is None or value.lower() == origin:
        return None
    field, allowed = annotations.describe_field(_HOSTNAME_SOURCE), tuple(HostnameSource)
    if value.lower() in allowed:
        return ExcludedHost(excluded_by=field)
    detail = f"{field}: {shorten(value)!r} is not a source of hosts; allowed: {' or '.join(allowed)}"
    return MissingTargets(reason=Reason.INVALID_ANNOTATION, detail=detail)


def _validate(flags: SourceFlags) -> None:
    """Check the names of classes, and that `--annotation-filter` does not filter the class annotation, too."""
    invalid = next((name for name in flags.ingress_class if not is_label_value(name)), None)
    if invalid is not None:
        allowed = "at most 63 letters, digits, '-', '_' and '.', a letter or digit at both ends"
        raise UsageError(f"--ingress-class={sanitize(invalid)} is not a class\n  allowed: {allowed}")
    if flags.ingress_class and flags.annotation_filter.mentions(_CLASS):
        raise UsageError(f"--ingress-class and an --annotation-filter on {_CLASS} cannot be used together")


SOURCE: Final = SourceSpec(
    name="ingress",
    kinds=(INGRESS,),
    publish=publish,
    host_field="a host of an Ingress",
    validate=_validate,
    templates=Templating.NAMES,
)
