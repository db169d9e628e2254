"""Read what one object states about its records: annotations, record options, and the targets of its hostnames.

Targets come from an annotation, the load balancer status, nodes or another object. See docs/spec/sources.md 1.3, 1.4,
2.1-2.4 and docs/design/differences.md.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from itertools import chain, islice
from typing import Final

import msgspec

from extdns.errors import ExtdnsError, InvalidValueError, shorten
from extdns.flags.sources import SourceFlags
from extdns.model import rrtype, ttl
from extdns.model.claim import ClaimWarning
from extdns.model.reason import Reason
from extdns.model.record import ALIAS, RECORD_TYPE, choose_record_type, parse_target, strip_trailing_dots
from extdns.model.validation import MAX_TARGETS, TARGETS_ALLOWED, describe_allowed
from extdns.model.value import EMPTY_MAP, StringMap, Value
from extdns.ports import ClusterView
from extdns.resources.core import Node
from extdns.resources.meta import LoadBalancedStatus, LoadBalancerIngress
from extdns.resources.networking import INGRESS, Ingress
from extdns.sources.common.annotation_names import (
    BOTH_PREFIXES,
    KNOWN_KEYS,
    OLD_PREFIX,
    PREFIX,
    find_misplaced_keys,
    find_misspelled_keys,
)


def choose_prefixes(flags: SourceFlags, *, compat: bool) -> tuple[str, ...]:
    """Return the annotation prefixes to accept, the preferred one first: without `--annotation-prefix`, both.

    With *compat*, only that of external-dns. `--enable-legacy-annotation-prefix` adds the old one.
    """
    prefix = PREFIX if flags.annotation_prefix is None and compat else flags.annotation_prefix
    if prefix is None:
        return BOTH_PREFIXES
    has_older = flags.enable_legacy_annotation_prefix and prefix != OLD_PREFIX
    return (prefix, OLD_PREFIX) if has_older else (prefix,)


_MAX_WARNINGS: Final = 64
"""The most warnings about the annotations of an object. Each of thousands of ignored keys would give one."""


class Annotations(Value, frozen=True, kw_only=True):
    """The annotations of one object under one prefix.

    Attributes:
        prefix: the prefix in use on this object.
        values: the values of the annotations under that prefix, by key without the prefix.
        written: all annotations of the object.
        older: the accepted prefixes that the object should not use beside *prefix*.
        joins_blanks: whether blanks inside the items of lists are removed, as external-dns does.
    """

    prefix: str
    values: Mapping[str, str] = msgspec.field(default_factory=dict[str, str])
    written: Mapping[str, str] = msgspec.field(default_factory=dict[str, str])
    older: Sequence[str] = ()
    labels: Mapping[str, str] | None = None
    joins_blanks: bool = False

    @classmethod
    def read(
        cls,
        annotations: Mapping[str, str] | None,
        accepted: Sequence[str],
        *,
        labels: Mapping[str, str] | None = None,
        joins_blanks: bool = False,
    ) -> Annotations:
        """Read *annotations* under the first of the *accepted* prefixes that the object uses."""
        written = annotations or {}
        for at, prefix in enumerate(accepted):
            start = len(prefix)
            values = {key[start:]: value for key, value in written.items() if key.startswith(prefix)}
            if values:
                older = accepted[at + 1 :]
                return cls(
                    prefix=prefix, values=values, written=written, older=older, labels=labels, joins_blanks=joins_blanks
                )
        return cls(prefix=accepted[0], written=written, labels=labels)

    def find_warnings(self) -> tuple[ClaimWarning, ...]:
        """Return warnings, at most 64: one for each ignored key, and for each value that its annotation does not allow.

        A key is ignored if it has an older prefix than others of the object, is misspelled, or is among the labels.
        """
        # `hostname` beside ours is that of another program
        unknown = (self.written.keys() - KNOWN_KEYS).difference(self.values)
        found = chain(
            _find_outdated_keys(self.written, self.prefix, self.values, self.older),
            find_misspelled_keys(frozenset(unknown), self.prefix),
            self._find_invalid_values(),
            find_misplaced_keys(self.labels),
        )
        return tuple(islice(found, _MAX_WARNINGS))

    def get(self, name: str) -> str | None:
        """Return the value of annotation *name*, or None if it is absent."""
        return self.values.get(name)

    def describe_field(self, name: str) -> str:
        """Return how messages call annotation *name*: `annotation`, a blank, and its full name."""
        return sys.intern(f"annotation {self.prefix}{name}")

    def build_warning(self, name: str, reason: Reason, allowed: str) -> ClaimWarning:
        """Build the warning about an invalid value of annotation *name*; *allowed* describes the valid ones."""
        return ClaimWarning(reason=reason, field=self.describe_field(name), value=self.values[name], allowed=allowed)

    def get_list(self, name: str) -> tuple[str, ...]:
        """Return the items of the comma-separated annotation *name*, as `split_list` does."""
        return split_list(self.values.get(name), joins_blanks=self.joins_blanks)

    def get_choice(self, name: str) -> str:
        """Return the value of annotation *name* if it is one of `CHOICES`, else ""."""
        value = self.values.get(name, "")
        return value if value in CHOICES[name] else ""

    def _find_invalid_values(self) -> Iterator[ClaimWarning]:
        if CHOICES.keys().isdisjoint(self.values) and self.get(TARGET_ANNOTATION) != "":
            return
        for name, choices in CHOICES.items():
            if name in self.values and self.values[name] not in choices:
                yield self.build_warning(name, Reason.INVALID_ANNOTATION, " or ".join(choices))
        if self.get(TARGET_ANNOTATION) == "":
            allowed = "an address or host name; an empty value counts as none, so the targets are those of the object"
            yield self.build_warning(TARGET_ANNOTATION, Reason.INVALID_ANNOTATION, allowed)


class HostnameSource(StrEnum):
    """Where an object states a hostname: the values of the annotations that select one of both."""

    DEFINED = "defined-hosts-only"
    ANNOTATED = "annotation-only"


ACCESS: Final = "access"
ENDPOINTS_TYPE: Final = "endpoints-type"
TARGET_ANNOTATION: Final = "target"

CHOICES: Final = {
    ACCESS: ("public", "private"),
    ALIAS: ("true", "false"),
    ENDPOINTS_TYPE: ("NodeExternalIP", "HostIP"),
}
"""The annotations that allow some values only. An invalid value counts as none."""


def split_list(text: str | None, *, joins_blanks: bool = False) -> tuple[str, ...]:
    """Split a comma-separated list; empty and repeated items are dropped (docs/spec/sources.md 11).

    Blanks around items are removed; with *joins_blanks*, also those inside them.
    """
    if not text:
        return ()
    items = map(str.strip, (text.replace(" ", "") if joins_blanks else text).split(","))
    return tuple(dict.fromkeys(filter(None, items)))


def _find_outdated_keys(
    annotations: Mapping[str, str], prefix: str, values: Mapping[str, str], older: Sequence[str]
) -> Iterator[ClaimWarning]:
    """Yield a warning for each key with an *older* prefix than *prefix*, under which the object has *values*."""
    heads = tuple(older)
    for key in sorted(key for key in annotations if key.startswith(heads)):
        yield ClaimWarning(
            reason=Reason.INVALID_ANNOTATION if key.rpartition("/")[2] in values else Reason.IGNORED_ANNOTATION,
            field=f"annotation {key}",
            value=annotations[key],
            allowed=f"the prefix {prefix}: the object uses it too, so annotations with the old prefix are ignored",
        )


SET_IDENTIFIER: Final = "set-identifier"
TTL: Final = "ttl"

# An annotation with one of these prefixes sets the property of the same name: `aws-weight` sets `aws/weight`.
_PROVIDER_PREFIXES: Final = frozenset({"aws", "scw", "webhook", "coredns"})
_AZURE_TAGS: Final = "azure-tags"
# A key that starts with one of these sets the property with that name, after the annotation prefix in use.
_CLOUDFLARE_KEYS: Final = (
    "cloudflare-custom-hostname",
    "cloudflare-proxied",
    "cloudflare-region-key",
    "cloudflare-record-comment",
    "cloudflare-tags",
)
# The first words of the names of all annotations that set a property.
_PROPERTY_PREFIXES: Final = _PROVIDER_PREFIXES | {
    name.partition("-")[0] for name in (ALIAS, RECORD_TYPE, _AZURE_TAGS, *_CLOUDFLARE_KEYS)
}


class RecordOptions(Value, frozen=True, kw_only=True):
    """The options that annotations set for every record of one object: TTL, set identifier, provider properties.

    Attributes:
        warnings: those about the annotations; also one if the TTL is invalid, which is then ignored. Providers check
            the values of properties.
    """

    ttl_s: int = ttl.UNSET
    set_identifier: str = ""
    properties: StringMap = EMPTY_MAP
    warnings: tuple[ClaimWarning, ...] = ()

    @classmethod
    def read(cls, annotations: Annotations) -> RecordOptions:
        """Read all options. An invalid TTL is ignored and gives a warning."""
        ttl_s, warnings = _read_ttl(annotations)
        return cls(
            ttl_s=ttl_s,
            set_identifier=annotations.values.get(SET_IDENTIFIER, ""),
            properties=_read_properties(annotations),
            warnings=annotations.find_warnings() + warnings,
        )

    @classmethod
    def read_ttl_only(cls, annotations: Annotations) -> RecordOptions:
        """Read only the TTL, for sources that support no other option (docs/spec/sources.md 2.6)."""
        ttl_s, warnings = _read_ttl(annotations)
        return cls(ttl_s=ttl_s, warnings=annotations.find_warnings() + warnings)


def read_no_options(_: Annotations) -> RecordOptions:
    """Read no option, for objects whose annotations set none."""
    return RecordOptions()


def _read_ttl(annotations: Annotations) -> tuple[int, tuple[ClaimWarning, ...]]:
    text = annotations.get(TTL)
    if text is None:
        return ttl.UNSET, ()
    try:
        return ttl.parse_ttl(text), ()
    except InvalidValueError as exc:
        return ttl.UNSET, (annotations.build_warning(TTL, Reason.INVALID_TTL, exc.allowed),)


def _read_properties(annotations: Annotations) -> StringMap:
    names = [name for name in annotations.values if name.partition("-")[0] in _PROPERTY_PREFIXES]
    found: dict[str, str] = {}
    for name in sorted(names):  # if two keys set the same Cloudflare property, the exact spelling sorts first and wins
        key, value = _find_property_key(name, annotations.prefix), annotations.values[name]
        if key and (key != ALIAS or value == "true"):
            found.setdefault(key, value)
    return StringMap.from_items(found)


def _find_property_key(name: str, prefix: str) -> str:
    if name in {ALIAS, RECORD_TYPE}:
        return name
    head, dash, rest = name.partition("-")
    if dash and head in _PROVIDER_PREFIXES:
        return f"{head}/{rest}"
    if name == _AZURE_TAGS:
        return "azure/tags"
    return next((prefix + known for known in _CLOUDFLARE_KEYS if name.startswith(known)), "")


class FoundTargets(Value, frozen=True, kw_only=True):
    """The targets of a hostname.

    Attributes:
        groups: pairs of a record type and its canonical targets.
        invalid: what is wrong with the first of the texts that is not a target, None if all are. A record of any other
            type may be meant, so existing ones stay.
        is_stated: whether an annotation, a spec or a template states them, or names or selects an object of another
            namespace that has them; False if a controller gave them.
    """

    groups: tuple[tuple[str, tuple[str, ...]], ...]
    invalid: MissingTargets | None = None
    is_stated: bool = False


class MissingTargets(Value, frozen=True, kw_only=True):
    """A hostname has no known target.

    Attributes:
        reason: `NO_ENDPOINTS` if complete data shows that there is no target. With any other reason an existing record
            stays.
    """

    reason: Reason
    detail: str


NO_LOAD_BALANCER_ADDRESS: Final = MissingTargets(
    reason=Reason.NO_ADDRESS, detail="status.loadBalancer has no address yet"
)


class ExcludedHost(Value, frozen=True, kw_only=True):
    """A hostname that is excluded; *excluded_by* names the flag, annotation, field or object that excludes it."""

    excluded_by: str


TargetResult = FoundTargets | MissingTargets | ExcludedHost


def parse_targets(
    texts: Iterable[str],
    field: str,
    *,
    if_empty: MissingTargets,
    is_stated: bool = False,
    count: RequestedCount | None = None,
) -> FoundTargets | MissingTargets:
    """Parse *texts*, addresses and host names in *field*, by record type; drop empty ones (docs/spec/sources.md 11).

    The result is missing if there are more than `MAX_TARGETS` of a type; the others are not parsed then. It is
    *if_empty* if all texts are empty. *is_stated*: see `FoundTargets`. If another object has the texts, they are added
    to *count*, what the object requests; raises as `RequestedCount.add`.
    """
    groups: dict[str, set[str]] = {}
    invalid: MissingTargets | None = None
    for text in texts:
        if count is not None:
            count.add(1)
        if text:
            try:
                rtype, target = parse_target(text)
            except InvalidValueError:
                invalid = invalid or _reject_target(text, field)
            else:
                found = groups.setdefault(rtype, set())
                found.add(target)
                if len(found) > MAX_TARGETS:
                    detail = f"{field}: more than {MAX_TARGETS} {rtype} targets; allowed: at most {MAX_TARGETS}"
                    return MissingTargets(reason=Reason.INVALID_TARGET, detail=detail)
    if groups:
        by_type = tuple((rtype, tuple(sorted(groups[rtype]))) for rtype in sorted(groups))
        return FoundTargets(groups=by_type, invalid=invalid, is_stated=is_stated)
    return invalid or if_empty


def _reject_target(text: str, field: str) -> MissingTargets:
    allowed = describe_allowed(text, TARGETS_ALLOWED)
    detail = f"{field}: {shorten(text)!r} is not a target; allowed: {allowed}"
    return MissingTargets(reason=Reason.INVALID_TARGET, detail=detail)


def read_target_annotation(
    annotations: Annotations, *, on_object: str = "", count: RequestedCount | None = None
) -> FoundTargets | MissingTargets | None:
    """Return the targets of the `target` annotation, or None if it is absent or empty.

    *on_object* describes the object for messages, "" if it is that of the claim. *count*: see `parse_targets`.
    """
    if not annotations.get(TARGET_ANNOTATION):
        return None
    field = annotations.describe_field(TARGET_ANNOTATION) + (f" of {on_object}" if on_object else "")
    if_empty = MissingTargets(reason=Reason.INVALID_TARGET, detail=f"{field} has no target; allowed: {TARGETS_ALLOWED}")
    texts = annotations.get_list(TARGET_ANNOTATION)
    return parse_targets(texts, field, if_empty=if_empty, is_stated=True, count=count)


MAX_OBJECT_TARGETS: Final = 100_000
"""The most targets of all records of one object: more than two for each of the hostnames that fit into an object."""

_MAX_REQUESTED: Final = 2 * MAX_OBJECT_TARGETS  # a name may be requested twice, with the same targets
_MAX_INVALID: Final = 1000
"""The most invalid values of an object. One can be as short as `{}`, and its claim takes a hundred times the memory."""


class RequestedCount:
    """How much one object requests: for each hostname, its targets; also what is read of other objects for that.

    Many hostnames with many targets each, which other objects may state, would otherwise take minutes to compute.
    """

    __slots__ = ("_count", "_invalid_count")

    def __init__(self) -> None:
        """Start at none."""
        self._count = self._invalid_count = 0

    def merge(self, results: Sequence[FoundTargets]) -> FoundTargets:
        """Merge *results*, at least one, for one hostname; raises as `add`, which counts the merged ones."""
        self.add(sum([count_targets(result) for result in results[1:]]))
        return merge_targets(results)

    def add(self, number: int) -> None:
        """Count *number* targets, or what takes as long.

        Raises:
            ExtdnsError: the object requests too much.
        """
        self._count += number
        if self._count > _MAX_REQUESTED:
            raise ExtdnsError(
                f"the object requests more than {_MAX_REQUESTED} targets, if those of each hostname and of each object "
                "that it refers to are counted; request fewer hostnames or targets, or refer to fewer objects"
            )

    def add_invalid(self) -> None:
        """Count an invalid value.

        Raises:
            ExtdnsError: the object has too many.
        """
        self._invalid_count += 1
        if self._invalid_count > _MAX_INVALID:
            raise ExtdnsError(f"the object has more than {_MAX_INVALID} invalid values; correct or remove some")


def count_targets(result: TargetResult) -> int:
    """Return the number of targets; 1 if there is none, because their absence is also a claim."""
    return sum([len(targets) for _, targets in result.groups]) if isinstance(result, FoundTargets) else 1


def merge_targets(results: Sequence[FoundTargets]) -> FoundTargets:
    """Merge *results*, at least one, by record type."""
    if len(results) == 1:
        return results[0]
    groups: dict[str, set[str]] = {}
    for answer in results:
        for rtype, targets in answer.groups:
            groups.setdefault(rtype, set()).update(targets)
    by_type = tuple((rtype, tuple(sorted(groups[rtype]))) for rtype in sorted(groups))
    return FoundTargets(
        groups=by_type,
        invalid=next(filter(None, (answer.invalid for answer in results)), None),
        is_stated=any(answer.is_stated for answer in results),
    )


def read_load_balancer(status: LoadBalancedStatus) -> FoundTargets | MissingTargets:
    """Return the addresses in the load balancer status of a Service or Ingress (docs/spec/sources.md 3.4, 4.2)."""
    points = status.load_balancer.ingress if status.load_balancer else ()
    return parse_targets(list_addresses(points), "status.loadBalancer", if_empty=NO_LOAD_BALANCER_ADDRESS)


def list_first_addresses(status: LoadBalancedStatus) -> Iterator[str]:
    """Yield one address for each entry of the load balancer status, the IP address if it has both."""
    for point in (status.load_balancer.ingress or ()) if status.load_balancer else ():
        yield point.ip or point.hostname


def list_addresses(points: Iterable[LoadBalancerIngress] | None) -> Iterator[str]:
    """Yield the IP address and the host name of each of *points*; either may be empty."""
    for point in points or ():
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
