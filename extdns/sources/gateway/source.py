"""The sources `gateway-httproute`, `gateway-grpcroute` and the other Route sources (docs/spec/sources.md 5)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final, NamedTuple

from msgspec.structs import replace

from extdns.model.claim import Claim, ClaimWarning, ExcludedClaim
from extdns.model.kind import Kind, KubernetesObject, build_ref
from extdns.model.reason import Reason
from extdns.ports import ClusterView
from extdns.resources.gateway_api import Listener, Route
from extdns.sources.common.annotations import (
    Annotations,
    ExcludedHost,
    FoundTargets,
    RecordOptions,
    TargetResult,
    merge_targets,
)
from extdns.sources.common.claim_builder import ClaimBuilder
from extdns.sources.gateway.admission import (
    ALLOWED_HOSTNAME,
    accepts_kind,
    accepts_namespace,
    find_common_hostname,
    is_hostname,
)
from extdns.sources.gateway.parents import Attachment, ListenerTargets, ParentFinder, ResolvedParentRef
from extdns.sources.gateway.settings import ROUTE_KINDS, RouteSettings

_NO_PARENT: Final = "spec.parentRefs, which is empty"


@dataclass(slots=True)
class _PublishedHostname:
    """A hostname that a Route and listeners have in common, with the targets of these listeners."""

    location: str
    results: list[TargetResult] = field(default_factory=list[TargetResult])

    @property
    def merged_result(self) -> TargetResult:
        """The merged targets of all listeners that have targets; if none has, the result of the first listener."""
        found = [answer for answer in self.results if isinstance(answer, FoundTargets)]
        return merge_targets(found) if found else self.results[0]


@dataclass(frozen=True, slots=True, kw_only=True)
class RouteSource:
    """Publishes the hostnames of one kind of Route.

    Attributes:
        name: name of the source, as in `--source`; a key of `ROUTE_KINDS`.
    """

    name: str
    settings: RouteSettings

    @property
    def kind(self) -> Kind:
        """The kind of Route."""
        return ROUTE_KINDS[self.name].kind

    def find_claims(self, obj: KubernetesObject, view: ClusterView) -> tuple[Claim, ...]:
        """Return the claims of the Route *obj*, in the order of `ClaimBuilder.build`.

        Raises:
            NotSyncedError: Gateways, ListenerSets or Namespaces are needed and not listed yet.
            TemplateError: a template cannot be rendered for *obj*.
            TypeError: *obj* is not a Route.
        """
        if not isinstance(obj, Route):
            raise TypeError(f"the {self.name} source reads {self.kind.name}s only, not {type(obj).__name__}")
        ref, common = build_ref(self.kind, obj.metadata), self.settings.common
        annotations = Annotations.read(obj.metadata.annotations, common.prefixes)
        excluded_by = common.find_exclusion(ref, obj.metadata, annotations)
        if excluded_by:
            return (ExcludedClaim(ref=ref, excluded_by=excluded_by),)
        options = RecordOptions.read(annotations)
        builder = ClaimBuilder(
            self.name, ref, replace(options, warnings=options.warnings + find_hostname_source_warnings(annotations))
        )
        attachments = tuple(self._find_accepting_listeners(obj, ref.key.namespace, view))
        hosts: dict[str, _PublishedHostname] = {}
        spec_hostnames = list_spec_hostnames(obj, has_hostnames=ROUTE_KINDS[self.name].has_hostnames)
        template_hosts = common.templates.render_hosts(self.name, self.kind, obj, has_hosts=bool(spec_hostnames))
        for name in self._collect_valid_hostnames(spec_hostnames, template_hosts, annotations, builder):
            if not self._match_listeners(name, attachments, hosts):
                _exclude(builder, name, attachments)
        for text, host in hosts.items():
            builder.request(text, host.location, host.merged_result)
        return builder.build()

    def _collect_valid_hostnames(
        self,
        hosts: Sequence[LocatedHost],
        template_hosts: Iterable[LocatedHost],
        annotations: Annotations,
        builder: ClaimBuilder,
    ) -> Iterator[RouteHostname]:
        ignore = self.settings.common.flags.ignore_hostname_annotation
        for name in collect_hostnames(hosts, template_hosts, annotations, ignore_annotation=ignore):
            if name.text and not is_hostname(name.text):
                # not INVALID_NAME, which is a failure: no listener accepts it (docs/spec/sources.md 5.5)
                builder.reject(name.text, name.field, Reason.INVALID_ENDPOINT, ALLOWED_HOSTNAME)
            else:
                yield name

    def _find_accepting_listeners(self, route: Route, namespace: str, view: ClusterView) -> Iterator[Attachment]:
        """Yield the parents of *route* with the listeners that accept it."""
        for attachment in ParentFinder(self.settings, view).find_attachments(route, namespace):
            listeners = tuple(
                one
                for one in attachment.listeners
                if self._is_accepted_by(one.listener, attachment.ref, namespace, view)
            )
            yield replace(attachment, listeners=listeners)

    def _is_accepted_by(self, listener: Listener, parent: ResolvedParentRef, namespace: str, view: ClusterView) -> bool:
        if listener.protocol not in ROUTE_KINDS[self.name].protocols or parent.port not in {0, listener.port}:
            return False
        allowed = listener.allowed_routes.namespaces
        return accepts_kind(listener, self.kind) and accepts_namespace(
            allowed, namespace, home=parent.namespace, default="Same", view=view
        )

    def _match_listeners(
        self, name: RouteHostname, attachments: tuple[Attachment, ...], hosts: dict[str, _PublishedHostname]
    ) -> bool:
        """Add to *hosts* each hostname that *name* and a listener have in common. Return whether there is one."""
        if name.excluded_by:
            return False
        found = False
        for attachment in attachments:
            for one in attachment.listeners:
                common = find_common_hostname(one.listener.hostname, name.text)
                if common is not None:
                    found = True
                    field = name.field or _describe_listener_hostname(one, attachment)
                    hosts.setdefault(common, _PublishedHostname(field)).results.append(one.result)
        return found


def _describe_listener_hostname(one: ListenerTargets, attachment: Attachment) -> str:
    return f"hostname of listener {one.listener.name} of {attachment.ref}"


def _exclude(builder: ClaimBuilder, name: RouteHostname, attachments: tuple[Attachment, ...]) -> None:
    """Add an excluded claim for *name*, which no listener accepts, unless its text is empty."""
    if not name.text:
        return
    reasons = [
        one.exclusion.excluded_by
        if one.exclusion
        else f"the listeners of {one.ref}, none of which accepts the Route with this hostname"
        for one in attachments
    ]
    builder.request(
        name.text, name.field, ExcludedHost(excluded_by=name.excluded_by or next(iter(reasons), _NO_PARENT))
    )


_HOSTNAME: Final = "hostname"
_HOSTNAME_SOURCE: Final = "gateway-hostname-source"


class _RouteHostnameSource(StrEnum):
    """Where a Route states a hostname. The value of the `gateway-hostname-source` annotation selects one of them."""

    DEFINED = "defined-hosts-only"
    ANNOTATED = "annotation-only"


LocatedHost = tuple[str, str]
"""A hostname and the field that holds it."""


class RouteHostname(NamedTuple):
    """A hostname of a Route.

    Attributes:
        text: the hostname; "" stands for the hostname of the listener.
        field: the field that holds it.
        excluded_by: the flag or annotation that excludes it, "" if none does.
    """

    text: str
    field: str
    excluded_by: str = ""


def list_spec_hostnames(route: Route, *, has_hostnames: bool) -> tuple[LocatedHost, ...]:
    """List the hostnames in the spec of *route*, each with its field; () unless *has_hostnames*."""
    return tuple(
        (host, f"spec.hostnames[{at}]") for at, host in enumerate((route.spec.hostnames or ()) if has_hostnames else ())
    )


def collect_hostnames(
    hosts: Sequence[LocatedHost],
    template_hosts: Iterable[LocatedHost],
    annotations: Annotations,
    *,
    ignore_annotation: bool,
) -> tuple[RouteHostname, ...]:
    """Collect the hostnames of a Route.

    Args:
        hosts: the result of `list_spec_hostnames`.
        template_hosts: hostnames from templates, each with its flag.
        annotations: annotations of the Route.
        ignore_annotation: whether to ignore the `hostname` annotation.
    """
    origin = _read_hostname_source(annotations)
    excluded_by = "" if origin is None else annotations.describe_field(_HOSTNAME_SOURCE)
    found = [
        RouteHostname(host, field, excluded_by if origin is _RouteHostnameSource.ANNOTATED else "")
        for host, field in (*hosts, *template_hosts)
    ]
    if origin is None and not hosts:
        found.append(RouteHostname("", ""))
    return (
        *found,
        *_list_annotation_hostnames(
            annotations, "--ignore-hostname-annotation" if ignore_annotation else "", origin, excluded_by
        ),
    )


def _list_annotation_hostnames(
    annotations: Annotations, ignored_by: str, origin: _RouteHostnameSource | None, other_source: str
) -> Iterator[RouteHostname]:
    excluded_by = ignored_by or (other_source if origin is _RouteHostnameSource.DEFINED else "")
    for host in annotations.get_list(_HOSTNAME):
        yield RouteHostname(host, annotations.describe_field(_HOSTNAME), excluded_by)


def find_hostname_source_warnings(annotations: Annotations) -> tuple[ClaimWarning, ...]:
    """Return a warning if the `gateway-hostname-source` annotation is not valid; it is then ignored."""
    if annotations.get(_HOSTNAME_SOURCE) is None or _read_hostname_source(annotations) is not None:
        return ()
    return (annotations.build_warning(_HOSTNAME_SOURCE, Reason.INVALID_ANNOTATION, " or ".join(_RouteHostnameSource)),)


def _read_hostname_source(annotations: Annotations) -> _RouteHostnameSource | None:
    value = (annotations.get(_HOSTNAME_SOURCE) or "").lower()
    return _RouteHostnameSource(value) if value in list(_RouteHostnameSource) else None
