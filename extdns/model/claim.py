"""Claims: what one object requests, and where on the object (docs/design/architecture.md)."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from itertools import chain

from extdns.model.dns_name import DnsName
from extdns.model.kind import ObjectRef
from extdns.model.reason import Reason
from extdns.model.record import DesiredRecord
from extdns.model.value import Value


class Derivation(StrEnum):
    """How a claim was derived from another one. The value is used in messages."""

    NONE = ""
    NAT64 = "nat64"
    PTR = "ptr"


class Provenance(Value, frozen=True, kw_only=True):
    """The place that a claim comes from.

    Attributes:
        source: the name of the source, as `--source` spells it.
        field: the annotation, field or template that named the host, as `spec.rules[0].host`.
        derivation: how the claim was derived from another one, `NONE` if the object states it. Derived claims are
            merged only with claims of the same derivation.
        states_targets: whether the object states the targets itself, and does not get them from a controller.
    """

    source: str
    ref: ObjectRef
    field: str
    derivation: Derivation = Derivation.NONE
    states_targets: bool = False


class ClaimWarning(Value, frozen=True, kw_only=True):
    """A problem on an object, such as an invalid TTL. Among the warnings of a resolved claim, it prevents no record."""

    reason: Reason
    field: str
    value: str
    allowed: str


class ResolvedClaim(Value, frozen=True, kw_only=True):
    """The object requests this record.

    Attributes:
        warning_groups: the warnings in groups. What concerns several records of the object is one group, which their
            claims share: thousands of hostnames, each with a list of all warnings, would fill the memory.
    """

    desired: DesiredRecord
    provenance: Provenance
    warning_groups: tuple[tuple[ClaimWarning, ...], ...] = ()

    @property
    def name(self) -> DnsName:
        """The requested name."""
        return self.desired.name

    @property
    def set_identifier(self) -> str:
        """The requested set identifier, "" for a simple record."""
        return self.desired.set_identifier

    @property
    def warnings(self) -> tuple[ClaimWarning, ...]:
        """The warnings of all groups."""
        return tuple(chain.from_iterable(self.warning_groups))


class UnresolvedClaim(Value, frozen=True, kw_only=True):
    """The object requests the name, but its targets are not known now. An existing record stays, unless `is_detached`.

    Attributes:
        detail: one sentence for a person.
        type: the requested record type, "" if that is not known.
        denied: the requested record, if rules deny it; else None.
    """

    name: DnsName
    set_identifier: str
    provenance: Provenance
    reason: Reason
    detail: str
    type: str = ""
    denied: DesiredRecord | None = None


def is_detached(claim: Claim) -> bool:
    """Return whether *claim* is only reported, and requests nothing, because the Gateway of its object is missing."""
    return isinstance(claim, UnresolvedClaim) and claim.reason is Reason.NO_GATEWAY


class InvalidClaim(Value, frozen=True, kw_only=True):
    """The object requests something that is not a valid name or record. It is not published."""

    provenance: Provenance
    reason: Reason
    value: str
    allowed: str


class ExcludedClaim(Value, frozen=True, kw_only=True):
    """The object, or one name on it, is excluded by configuration or by a field that selects nothing.

    Attributes:
        excluded_by: the flag, annotation, field or object that excludes it, as `--ingress-class`; or a field and what
            is wrong with it, as `spec.parentRefs: there is no Gateway shop/front`.
        name: the excluded name; None if the whole object is excluded, or names that are not known.
    """

    ref: ObjectRef
    excluded_by: str
    name: DnsName | None = None


Claim = ResolvedClaim | UnresolvedClaim | InvalidClaim | ExcludedClaim
NameClaim = ResolvedClaim | UnresolvedClaim
"""A claim to a name."""


def find_problems(claims: Iterable[Claim]) -> tuple[ClaimWarning, ...]:
    """Return the warnings of *claims*, and one for each invalid claim, in the order of *claims*, without duplicates.

    *claims* are all of one object.
    """
    groups: dict[int, tuple[ClaimWarning, ...]] = {}  # by identity, so that a group of many claims is read once
    for claim in claims:
        if isinstance(claim, ResolvedClaim):
            groups.update((id(group), group) for group in claim.warning_groups)
        elif isinstance(claim, InvalidClaim):
            field = claim.provenance.field
            group = (ClaimWarning(reason=claim.reason, field=field, value=claim.value, allowed=claim.allowed),)
            groups[id(group)] = group
    return tuple(dict.fromkeys(chain.from_iterable(groups.values()))) if groups else ()


def find_hidden_request(problems: Iterable[ClaimWarning]) -> ClaimWarning | None:
    """Return the first of *problems* that may hide a name that the object requests; None if there is none.

    *problems* are all of one object.
    """
    return next((problem for problem in problems if problem.reason.row.hides_request), None)
