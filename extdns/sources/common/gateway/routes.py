"""Publish the hostnames of Routes of the Gateway API (docs/spec/sources.md 5)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final, NamedTuple

from msgspec.structs import replace

from extdns.flags.sources import SourceFlags
from extdns.model.claim import ClaimWarning, ExcludedClaim
from extdns.model.kind import Kind
from extdns.model.reason import Reason
from extdns.ports import ClusterView
from extdns.resources.core import NAMESPACE
from extdns.resources.gateway_api import GATEWAY, LISTENER_SET, Listener, Route
from extdns.sources.common.annotations import (
    Annotations,
    ExcludedHost,
    FoundTargets,
    HostnameSource,
    MissingTargets,
    RecordOptions,
    RequestedCount,
    TargetResult,
)
from extdns.sources.common.gateway.admission import (
    ALLOWED_HOSTNAME,
    accepts_kind,
    accepts_namespace,
    find_common_hostname,
    is_hostname,
)
from extdns.sources.common.gateway.parents import (
    Attachment,
    ParentFinder,
    ResolvedParentRef,
    parse_gateway_labels,
)
from extdns.sources.common.host_publisher import HostPublisher
from extdns.sources.common.spec import SourceSpec, Templating
from extdns.sources.common.wildcards import list_wildcards

_NO_PARENT: Final = "spec.parentRefs, which is empty"


@dataclass(slots=True)
class _PublishedHostname:
    """A hostname that a Route and listeners have in common, with the targets of these listeners."""

    location: str
    results: list[TargetResult] = field(default_factory=list[TargetResult])

    def merge(self, count: RequestedCount) -> TargetResult:
        """Return the targets of all listeners that have targets; if none has, the result of the first listener."""
        found = [answer for answer in self.results if isinstance(answer, FoundTargets)]
        return count.merge(found) if found else self.results[0]


def build_route_spec(
    name: str, kind: Kind, protocols: frozenset[str], *, has_hostnames: bool = True
) -> SourceSpec[Route]:
    """Build the spec of the source *name* of Routes of *kind*, which listeners with one of *protocols* accept.

    *has_hostnames* says whether the spec of such Routes has hostnames.
    """

    def publish(route: Route, to: HostPublisher, view: ClusterView) -> None:
        written = (route.spec.hostnames or ()) if has_hostnames else ()
        spec_hostnames = [(host, f"spec.hostnames[{at}]") for at, host in enumerate(written)]
        attachments = tuple(_find_accepting_listeners(route, protocols, to, view))
        listeners = _ListenersByHostname(attachments, to.count)
        hosts: dict[str, _PublishedHostname] = {}
        template_hosts = to.list_template_hosts(has_hosts=bool(spec_hostnames))
        for hostname in _collect_hostnames(spec_hostnames, template_hosts, to):
            if not _match_listeners(hostname, listeners, hosts):
                _exclude(to, hostname, attachments)
        for text, host in hosts.items():
            to.publish(text, host.location, host.merge(to.count))

    return SourceSpec(
        name=name,
        kinds=(kind,),
        publish=publish,
        host_field=f"spec.hostnames of {kind.name}s" if has_hostnames else "",
        lookups=(GATEWAY, NAMESPACE),
        namespaces=_find_namespaces,
        validate=_validate,
        options=_read_options,
        templates=Templating.NAMES,
    )


def _find_namespaces(flags: SourceFlags) -> Mapping[Kind, tuple[str, ...]]:
    return {GATEWAY: (flags.gateway_namespace,) if flags.gateway_namespace else (), LISTENER_SET: ()}


def _validate(flags: SourceFlags) -> None:
    parse_gateway_labels(flags.gateway_label_filter)


def _read_options(annotations: Annotations) -> RecordOptions:
    options = RecordOptions.read(annotations)
    return replace(options, warnings=options.warnings + find_hostname_source_warnings(annotations))


def _collect_hostnames(
    hosts: Sequence[LocatedHost], template_hosts: Iterable[LocatedHost], to: HostPublisher
) -> Iterator[RouteHostname]:
    """Yield the hostnames of the spec (*hosts*), of templates and of the annotation; reject those that are invalid."""
    annotations, origin = to.annotations, _read_hostname_source(to.annotations)
    excluded_by = "" if origin is None else annotations.describe_field(_HOSTNAME_SOURCE)
    found = [
        RouteHostname(host, field, excluded_by if origin is HostnameSource.ANNOTATED else "")
        for host, field in (*hosts, *template_hosts)
    ]
    if origin is None and not hosts:
        found.append(RouteHostname("", ""))
    ignored_by = "--ignore-hostname-annotation" if to.flags.ignore_hostname_annotation else ""
    ignored_by = ignored_by or (excluded_by if origin is HostnameSource.DEFINED else "")
    field = annotations.describe_field(_HOSTNAME)
    found += (RouteHostname(host, field, ignored_by) for host in annotations.get_list(_HOSTNAME))
    for name in found:
        if name.text and not is_hostname(name.text):
            # not INVALID_NAME, which is a failure: no listener accepts it (docs/spec/sources.md 5.5)
            to.builder.reject(name.text, name.field, Reason.INVALID_ENDPOINT, ALLOWED_HOSTNAME)
        else:
            yield name


def _find_accepting_listeners(
    route: Route, protocols: frozenset[str], to: HostPublisher, view: ClusterView
) -> Iterator[Attachment]:
    """Yield the parents of *route* with the listeners that accept it."""
    kind, namespace, _ = to.ref.key

    def accepts(listener: Listener, parent: ResolvedParentRef) -> bool:
        if listener.protocol not in protocols or parent.port not in {0, listener.port}:
            return False
        allowed = listener.allowed_routes.namespaces
        return accepts_kind(listener, kind) and accepts_namespace(
            allowed, namespace, home=parent.namespace, default="Same", view=view, count=to.count
        )

    for attachment in ParentFinder(to, view).find_attachments(route, namespace):
        listeners = tuple(one for one in attachment.listeners if accepts(one.listener, attachment.ref))
        yield replace(attachment, listeners=listeners)


class _ListenersByHostname:
    """The listeners that accept a Route, by hostname in lower case: a Route may have as many hostnames as they have."""

    def __init__(self, attachments: Iterable[Attachment], count: RequestedCount) -> None:
        """Merge the targets of listeners that have the same hostname."""
        found: dict[str, _PublishedHostname] = {}
        for attachment in attachments:
            for one in attachment.listeners:
                field = f"hostname of listener {one.listener.name} of {attachment.ref}"
                hostname = one.listener.hostname.lower()
                found.setdefault(hostname, _PublishedHostname(field)).results.append(one.result)
        self._count: Final = count
        self._found: Final = {hostname: (one.location, one.merge(count)) for hostname, one in found.items()}
        self._order: Final = {hostname: at for at, hostname in enumerate(found)}

    @cached_property
    def _below(self) -> dict[str, list[str]]:
        """The hostnames below each wildcard."""
        below: dict[str, list[str]] = {}
        for hostname in self._order:
            for wildcard in list_wildcards(hostname):
                below.setdefault(wildcard, []).append(hostname)
        return below

    def list_matches(self, text: str) -> Iterator[tuple[str, str, TargetResult]]:
        """Yield each hostname that *text* has in common with listeners, with the field and the targets of these.

        Those below a wildcard are counted, because a Route may request it in thousands of spellings.
        """
        host = text.lower()
        below = self._below.get(host, ()) if host.startswith("*") else ()
        self._count.add(len(below))
        candidates = {"", host, *list_wildcards(host), *below} if host else self._order
        for hostname in sorted(self._order.keys() & candidates, key=self._order.__getitem__):
            common = find_common_hostname(hostname, text)
            if common is not None:
                yield common, *self._found[hostname]


def _match_listeners(
    name: RouteHostname, listeners: _ListenersByHostname, hosts: dict[str, _PublishedHostname]
) -> bool:
    """Add to *hosts* each hostname that *name* and a listener have in common. Return whether there is one."""
    if name.excluded_by:
        return False
    found = False
    for common, location, result in listeners.list_matches(name.text):
        found = True
        hosts.setdefault(common, _PublishedHostname(name.field or location)).results.append(result)
    return found


def _exclude(to: HostPublisher, name: RouteHostname, attachments: tuple[Attachment, ...]) -> None:
    """Say why *name*, which no listener accepts, is not published.

    An empty one stands for hostnames of listeners. It has no claim, unless the Gateway with the listeners is missing.
    """
    results = [
        one.exclusion
        or ExcludedHost(excluded_by=f"the listeners of {one.ref}, none of which accepts the Route with this hostname")
        for one in attachments
    ]
    excluded = ExcludedHost(excluded_by=name.excluded_by or _NO_PARENT)
    result = excluded if name.excluded_by or not results else results[0]
    to.publish(name.text, name.field, result)
    if not name.text and isinstance(result, MissingTargets):
        to.add(ExcludedClaim(ref=to.ref, excluded_by=result.detail))


_HOSTNAME: Final = "hostname"
_HOSTNAME_SOURCE: Final = "gateway-hostname-source"


LocatedHost = tuple[str, str]
"""A hostname and the field that holds it."""


class RouteHostname(NamedTuple):
    """A hostname of a Route.

    Attributes:
        text: the hostname; "" stands for the hostname of the listener.
        excluded_by: the flag or annotation that excludes it, "" if none does.
    """

    text: str
    field: str
    excluded_by: str = ""


def find_hostname_source_warnings(annotations: Annotations) -> tuple[ClaimWarning, ...]:
    """Return a warning if the `gateway-hostname-source` annotation is not valid; it is then ignored."""
    if annotations.get(_HOSTNAME_SOURCE) is None or _read_hostname_source(annotations) is not None:
        return ()
    return (annotations.build_warning(_HOSTNAME_SOURCE, Reason.INVALID_ANNOTATION, " or ".join(HostnameSource)),)


def _read_hostname_source(annotations: Annotations) -> HostnameSource | None:
    value = (annotations.get(_HOSTNAME_SOURCE) or "").lower()
    return HostnameSource(value) if value in list(HostnameSource) else None
