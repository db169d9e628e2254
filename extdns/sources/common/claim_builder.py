"""Build the claims of one object.

`ClaimBuilder` merges the hostnames that a source requests. `SourceSettings` decides which objects all
sources exclude, and has the `Templates` of further hostnames. `HostPublisher` in host_publisher.py combines
the three for one object. See docs/spec/sources.md 1.5, 2.6, 2.7 and 8.8.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import TYPE_CHECKING, Final, NamedTuple, assert_never

from msgspec.structs import replace

from extdns.errors import InvalidValueError
from extdns.flags.sources import SourceFlags
from extdns.model import rrtype
from extdns.model.claim import (
    Claim,
    ClaimWarning,
    ExcludedClaim,
    InvalidClaim,
    Provenance,
    ResolvedClaim,
    UnresolvedClaim,
    is_detached,
)
from extdns.model.dns_name import DnsName
from extdns.model.kind import ObjectMeta, ObjectRef
from extdns.model.reason import REASONS, Reason
from extdns.model.record import RESOURCE, DesiredRecord
from extdns.model.validation import parse_hostname
from extdns.model.value import EMPTY_MAP, StringMap, Value
from extdns.sources.common.annotation_names import BOTH_PREFIXES
from extdns.sources.common.annotations import (
    Annotations,
    ExcludedHost,
    FoundTargets,
    MissingTargets,
    RecordOptions,
    RequestedCount,
    TargetResult,
    count_targets,
)

if TYPE_CHECKING:  # the template engine is imported only if a template is configured
    from extdns.gotemplate.template import Template


_Key = tuple[DnsName, str, tuple[str, ...]]


class _RequestedTargets(NamedTuple):
    provenance: Provenance
    lists: list[tuple[str, ...]]


class ClaimBuilder:
    """Merges the requested hostnames of one object into claims; used for one call of `Source.find_claims`.

    Requests for the same name and type are merged into one claim with the targets of all these requests
    (docs/spec/sources.md 1.5). Requests for a CNAME are merged only if their targets are equal. A merged
    claim names the field of the first request.
    """

    __slots__ = (
        "_count",
        "_excluded_claims",
        "_invalid_claims",
        "_labels",
        "_lenient",
        "_options",
        "_ref",
        "_requested",
        "_source",
        "_unresolved_claims",
        "_warnings",
    )

    def __init__(
        self,
        source: str,
        ref: ObjectRef,
        options: RecordOptions,
        *,
        resource: str,
        lenient: bool,
        count: RequestedCount,
    ) -> None:
        """Build claims of *source* for the object at *ref*, each with *options*.

        *resource* is what ownership records name, "" for nothing. *lenient*: see `extdns.model.validation`. *count* is
        what all builders request for the object.
        """
        self._labels: Final = StringMap(((RESOURCE, resource),)) if resource else EMPTY_MAP
        self._source: Final = source
        self._ref: Final = ref
        self._options: Final = options
        self._lenient: Final = lenient
        self._count: Final = count
        self._requested: dict[_Key, _RequestedTargets] = {}
        self._unresolved_claims: dict[DnsName, UnresolvedClaim] = {}
        self._excluded_claims: dict[DnsName, ExcludedClaim] = {}
        self._invalid_claims: dict[InvalidClaim, None] = {}
        self._warnings: dict[ClaimWarning, None] = dict.fromkeys(options.warnings)

    def parse_name(self, text: str, field: str) -> DnsName | None:
        """Return *text* as a name. If it is invalid, add an invalid claim and return None."""
        try:
            return parse_hostname(text, lenient=self._lenient)
        except InvalidValueError as exc:
            self.reject(text, field, REASONS[exc.reason], exc.allowed)
            return None

    def request(self, text: str, field: str, result: TargetResult) -> None:
        """Request the hostname *text*, found in *field*, with the targets of *result*.

        If *text* is not a DNS name, add an invalid claim.
        """
        name = self.parse_name(text, field)
        if name is not None:
            self.request_name(name, field, result)

    def reject(self, text: str, field: str, reason: Reason, allowed: str) -> None:
        """Add an invalid claim for *text*, found in *field*; *allowed* describes the valid values.

        Raises:
            ExtdnsError: the object has too many.
        """
        self._count.add_invalid()
        self._invalid_claims[
            InvalidClaim(provenance=self._build_provenance(field), reason=reason, value=text, allowed=allowed)
        ] = None

    def request_name(self, name: DnsName, field: str, result: TargetResult) -> None:
        """Request *name*, found in *field*, with the targets of *result*.

        Raises:
            ExtdnsError: the object requests too much.
        """
        self._count.add(count_targets(result))
        match result:
            case FoundTargets():
                for rtype, targets in result.groups:
                    place = self._build_provenance(field, states_targets=result.is_stated)
                    self._add_targets(name, rtype, targets, place)
                if result.invalid:
                    self.request_name(name, field, result.invalid)
            case MissingTargets():
                earlier = self._unresolved_claims.get(name)
                if earlier is None or is_detached(earlier):  # any other claim keeps the record
                    self._unresolved_claims[name] = self._build_unresolved_claim(name, field, result)
            case ExcludedHost():
                self._excluded_claims.setdefault(
                    name, ExcludedClaim(ref=self._ref, excluded_by=result.excluded_by, name=name)
                )
            case _:
                assert_never(result)

    @property
    def has_resolved_claims(self) -> bool:
        """Whether any hostname with known targets was requested so far."""
        return bool(self._requested)

    def build(self) -> tuple[Claim, ...]:
        """Return the resolved, unresolved and excluded claims, each sorted by name and type, then the invalid ones.

        A name has either resolved claims, or an unresolved claim, or an excluded claim. If some of its targets are
        invalid, it has an unresolved claim besides its resolved ones. Each resolved claim has all warnings of the
        object; if the object has no resolved claim, each warning becomes an invalid claim.
        """
        groups = (tuple(self._warnings),) if self._warnings else ()
        claims: list[Claim] = [
            self._build_resolved_claim(key, self._requested[key], groups) for key in sorted(self._requested)
        ]
        if self._unresolved_claims or self._excluded_claims:
            claims += self._list_unresolved_claims()
        claims += self._invalid_claims
        if not self._requested:
            claims += (self._build_invalid_claim(warning) for warning in self._warnings)
        return tuple(claims)

    def _list_unresolved_claims(self) -> Iterator[Claim]:
        resolved = {name for name, _, _ in self._requested}
        for name, claim in sorted(self._unresolved_claims.items()):
            if name not in resolved or claim.reason is Reason.INVALID_TARGET:
                yield claim
        yield from (
            self._excluded_claims[name]
            for name in sorted(self._excluded_claims.keys() - self._unresolved_claims.keys() - resolved)
        )

    def _build_provenance(self, field: str, *, states_targets: bool = False) -> Provenance:
        return Provenance(source=self._source, ref=self._ref, field=field, states_targets=states_targets)

    def _add_targets(self, name: DnsName, rtype: str, targets: tuple[str, ...], place: Provenance) -> None:
        key = (name, rtype, targets if rtype == rrtype.CNAME else ())
        earlier = self._requested.get(key)
        if earlier is None:
            self._requested[key] = _RequestedTargets(place, [targets])
        elif earlier.lists != [targets]:
            earlier.lists.append(targets)
            if place.states_targets and not earlier.provenance.states_targets:
                merged = replace(earlier.provenance, states_targets=True)
                self._requested[key] = _RequestedTargets(merged, earlier.lists)

    def _build_resolved_claim(
        self, key: _Key, requested: _RequestedTargets, groups: tuple[tuple[ClaimWarning, ...], ...]
    ) -> ResolvedClaim:
        targets, *others = requested.lists
        if others:
            targets = tuple(sorted({*targets, *chain.from_iterable(others)}))
        endpoint = DesiredRecord(
            name=key[0],
            type=key[1],
            targets=targets,
            ttl_s=self._options.ttl_s,
            set_identifier=self._options.set_identifier,
            labels=self._labels,
            properties=self._options.properties,
        )
        return ResolvedClaim(desired=endpoint, provenance=requested.provenance, warning_groups=groups)

    def _build_unresolved_claim(self, name: DnsName, field: str, result: MissingTargets) -> UnresolvedClaim:
        return UnresolvedClaim(
            name=name,
            set_identifier=self._options.set_identifier,
            provenance=self._build_provenance(field),
            reason=result.reason,
            detail=result.detail,
        )

    def _build_invalid_claim(self, warning: ClaimWarning) -> InvalidClaim:
        provenance = self._build_provenance(warning.field)
        return InvalidClaim(provenance=provenance, reason=warning.reason, value=warning.value, allowed=warning.allowed)


class Templates(Value, frozen=True, kw_only=True):
    """The templates of the command line.

    Attributes:
        combine: also use the templates for objects that have other hostnames (`--combine-fqdn-annotation`).
    """

    fqdn: Template | None = None
    fqdn_target: Template | None = None
    target: Template | None = None
    combine: bool = False

    @property
    def can_name_hosts(self) -> bool:
        """Whether a template renders hostnames. If so, sources need objects with all fields."""
        return self.fqdn is not None or self.fqdn_target is not None


NO_TEMPLATES: Final = Templates()


CONTROLLER: Final = "controller"
DNS_CONTROLLER: Final = "dns-controller"


class SourceSettings(Value, frozen=True, kw_only=True):
    """Settings of the sources.

    Attributes:
        namespace: read objects of this namespace only; "" is all. Cluster-scoped objects are always read.
        prefixes: accepted annotation prefixes, the preferred one first.
        compat: the value of `--compat`: names and targets are checked as far as external-dns does.
        reads_manifests: whether the objects come from manifests, which in Git have no status.
    """

    flags: SourceFlags
    namespace: str = ""
    prefixes: tuple[str, ...] = BOTH_PREFIXES
    templates: Templates = NO_TEMPLATES
    compat: bool = False
    reads_manifests: bool = False

    def read_annotations(self, meta: ObjectMeta) -> Annotations:
        """Read the annotations of an object."""
        return Annotations.read(meta.annotations, self.prefixes, labels=meta.labels, joins_blanks=self.compat)

    def find_exclusion(self, ref: ObjectRef, meta: ObjectMeta, annotations: Annotations) -> str:
        """Return the flag or annotation that excludes the object, or "" if none does."""
        if self.namespace and ref.key.kind.namespaced and ref.key.namespace != self.namespace:
            return "--namespace"
        if not self.flags.label_filter.matches(meta.labels):
            return "--label-filter"
        if not self.flags.annotation_filter.matches(meta.annotations):
            return "--annotation-filter"
        return "" if is_our_controller(annotations) else annotations.describe_field(CONTROLLER)


def is_our_controller(annotations: Annotations) -> bool:
    """Return whether the `controller` annotation is absent or names dns-controller."""
    return annotations.values.get(CONTROLLER, DNS_CONTROLLER) == DNS_CONTROLLER
