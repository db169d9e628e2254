"""Find the targets of an object's hostnames: in an annotation, the load balancer status, nodes or another object.

See docs/spec/sources.md 1.3, 1.4, 2.2.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from extdns.errors import ExtdnsError, InvalidValueError, shorten
from extdns.model import rrtype
from extdns.model.claim import ClaimWarning
from extdns.model.reason import Reason
from extdns.model.record import choose_record_type, parse_target, strip_trailing_dots
from extdns.model.resources.core import Node
from extdns.model.resources.meta import LoadBalancedStatus
from extdns.model.resources.networking import INGRESS, Ingress
from extdns.model.value import Value
from extdns.ports import ClusterView
from extdns.sources.annotations import Annotations

TARGET_ANNOTATION: Final = "target"

_ALLOWED: Final = "IP addresses without zone, or host names"


class FoundTargets(Value, frozen=True, kw_only=True):
    """The targets of a hostname.

    Attributes:
        groups: canonical, sorted targets by record type, in the order A, AAAA, CNAME.
        warnings: one for each invalid target, which is ignored.
    """

    groups: tuple[tuple[str, tuple[str, ...]], ...]
    warnings: tuple[ClaimWarning, ...] = ()


class MissingTargets(Value, frozen=True, kw_only=True):
    """A hostname has no known target.

    Attributes:
        reason: `NO_ENDPOINTS` if complete data shows that there is none. With other reasons an existing record stays.
        detail: the explanation for people.
    """

    reason: Reason
    detail: str
    warnings: tuple[ClaimWarning, ...] = ()


NO_LOAD_BALANCER_ADDRESS: Final = MissingTargets(
    reason=Reason.NO_ADDRESS, detail="status.loadBalancer has no address yet"
)


class ExcludedHost(Value, frozen=True, kw_only=True):
    """A hostname that configuration excludes; *excluded_by* names the flag or annotation."""

    excluded_by: str


TargetResult = FoundTargets | MissingTargets | ExcludedHost


def parse_targets(
    texts: Iterable[str], field: str, *, if_empty: MissingTargets, warnings: tuple[ClaimWarning, ...] = ()
) -> FoundTargets | MissingTargets:
    """Parse *texts* and group them by record type; empty texts are dropped (docs/spec/sources.md 11).

    Args:
        texts: addresses and host names.
        field: the field that holds them.
        if_empty: the result if all texts are empty.
        warnings: warnings to add to the result.
    """
    groups: dict[str, set[str]] = {}
    invalid: list[ClaimWarning] = []
    for text in texts:
        if text:
            try:
                rtype, target = parse_target(text)
            except InvalidValueError:
                invalid.append(ClaimWarning(reason=Reason.INVALID_TARGET, field=field, value=text, allowed=_ALLOWED))
            else:
                groups.setdefault(rtype, set()).add(target)
    if groups:
        by_type = tuple((rtype, tuple(sorted(groups[rtype]))) for rtype in sorted(groups))
        return FoundTargets(groups=by_type, warnings=warnings + tuple(invalid))
    if invalid:
        detail = f"{field}: {shorten(invalid[0].value)!r} is not a target; allowed: {_ALLOWED}"
        return MissingTargets(reason=Reason.INVALID_TARGET, detail=detail, warnings=warnings)
    return MissingTargets(reason=if_empty.reason, detail=if_empty.detail, warnings=warnings + if_empty.warnings)


def read_target_annotation(annotations: Annotations, *, on_object: str = "") -> FoundTargets | MissingTargets | None:
    """Return the targets of the `target` annotation, or None if it is absent or empty.

    Args:
        annotations: annotations of the object that has the targets.
        on_object: description of that object for messages, "" if it is the object of the claim.
    """
    if not annotations.get(TARGET_ANNOTATION):
        return None
    field = (
        f"{annotations.describe_field(TARGET_ANNOTATION)} of {on_object}"
        if on_object
        else annotations.describe_field(TARGET_ANNOTATION)
    )
    if_empty = MissingTargets(reason=Reason.INVALID_TARGET, detail=f"{field} has no target; allowed: {_ALLOWED}")
    return parse_targets(annotations.get_list(TARGET_ANNOTATION), field, if_empty=if_empty)


def merge_targets(results: Sequence[FoundTargets]) -> FoundTargets:
    """Merge *results*, at least one, by record type."""
    if len(results) == 1:
        return results[0]
    groups: dict[str, set[str]] = {}
    warnings: dict[ClaimWarning, None] = {}
    for answer in results:
        warnings |= dict.fromkeys(answer.warnings)
        for rtype, targets in answer.groups:
            groups.setdefault(rtype, set()).update(targets)
    by_type = tuple((rtype, tuple(sorted(groups[rtype]))) for rtype in sorted(groups))
    return FoundTargets(groups=by_type, warnings=tuple(warnings))


def read_load_balancer(status: LoadBalancedStatus) -> FoundTargets | MissingTargets:
    """Return the addresses in the load balancer status of a Service or Ingress (docs/spec/sources.md 3.4, 4.2)."""
    return parse_targets(
        _list_load_balancer_addresses(status), "status.loadBalancer", if_empty=NO_LOAD_BALANCER_ADDRESS
    )


def _list_load_balancer_addresses(status: LoadBalancedStatus) -> Iterator[str]:
    if status.load_balancer is not None:
        for point in status.load_balancer.ingress or ():
            yield point.ip
            yield point.hostname


EXTERNAL_IP: Final = "ExternalIP"
INTERNAL_IP: Final = "InternalIP"


def list_node_addresses(nodes: Iterable[Node], kind: str) -> list[str]:
    """List all addresses of type *kind*, in the order of *nodes*."""
    return [found.address for node in nodes for found in node.status.addresses or () if found.type == kind]


def list_public_node_addresses(nodes: Iterable[Node], *, expose_internal_ipv6: bool) -> list[str]:
    """List external addresses and, with *expose_internal_ipv6*, also internal IPv6 addresses."""
    nodes = tuple(nodes)
    internal = list_node_addresses(nodes, INTERNAL_IP) if expose_internal_ipv6 else []
    return list_node_addresses(nodes, EXTERNAL_IP) + [
        text for text in internal if choose_record_type(strip_trailing_dots(text)) == rrtype.AAAA
    ]


def parse_reference(reference: str, home: str, field: str, kind: str) -> tuple[str, str]:
    """Return namespace and name in *reference*: `name` (in namespace *home*) or `namespace/name`. *field* holds it.

    Raises:
        ExtdnsError: *reference* has more than one slash, so it is not a valid reference to an object of *kind*.
    """
    *namespaces, name = reference.split("/")
    if len(namespaces) > 1:
        raise ExtdnsError(
            f"{field}: {shorten(reference)!r} is not a valid {kind} reference; allowed: name or namespace/name"
        )
    return namespaces[0] if namespaces else home, name


def get_ingress(reference: str, home: str, field: str, view: ClusterView) -> Ingress:
    """Return the Ingress at *reference*, which is parsed as in `parse_reference`.

    Raises:
        ExtdnsError: *reference* is not valid, or there is no such Ingress.
        NotSyncedError: Ingresses are not listed yet.
    """
    namespace, name = parse_reference(reference, home, field, INGRESS.name)
    found = view.get(INGRESS, namespace, name)
    if not isinstance(found, Ingress):
        raise ExtdnsError(f"{field}: there is no Ingress {shorten(f'{namespace}/{name}')}")
    return found
