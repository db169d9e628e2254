"""Claims: what one object asks for, and why (design 4)."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum

from extdns.model.cluster import ObjectRef
from extdns.model.name import DnsName
from extdns.model.reason import Reason
from extdns.model.record import Endpoint
from extdns.model.value import Value


class Derivation(StrEnum):
    """How a claim was made out of another one. The value is what messages call it."""

    NONE = ""
    NAT64 = "nat64"
    POINTER = "ptr"


class Provenance(Value, frozen=True, kw_only=True):
    """Where a claim comes from.

    Attributes:
        source: the name of the source, as `--source` spells it.
        field: the annotation, field or template that named the host, as `spec.rules[0].host`.
        derived: how, if not the object itself says it; such claims are merged with their like alone.
    """

    source: str
    ref: ObjectRef
    field: str
    derived: Derivation = Derivation.NONE


class Notice(Value, frozen=True, kw_only=True):
    """Something on an object that is wrong but costs no record, such as an unreadable TTL."""

    reason: Reason
    field: str
    value: str
    allowed: str


class Wanted(Value, frozen=True, kw_only=True):
    """The object wants this endpoint."""

    endpoint: Endpoint
    provenance: Provenance
    notices: tuple[Notice, ...] = ()

    @property
    def name(self) -> DnsName:
        """The name asked for."""
        return self.endpoint.name

    @property
    def set_identifier(self) -> str:
        """The set identifier asked for, "" for a simple record."""
        return self.endpoint.set_identifier


class Withheld(Value, frozen=True, kw_only=True):
    """The object wants the name, but cannot say its targets now; what is published stays.

    Attributes:
        detail: one sentence for a person.
        type: the record type it asks for, "" where that is not known.
    """

    name: DnsName
    set_identifier: str
    provenance: Provenance
    reason: Reason
    detail: str
    type: str = ""


class Invalid(Value, frozen=True, kw_only=True):
    """The object asks for something that is no name or no endpoint; nothing comes of it."""

    provenance: Provenance
    reason: Reason
    value: str
    allowed: str


class Filtered(Value, frozen=True, kw_only=True):
    """The object, or one name on it, is left out by configuration.

    Attributes:
        by: the flag or annotation that leaves it out, as `--ingress-class`.
        name: the name left out; None: the whole object is, and this is its only claim.
    """

    ref: ObjectRef
    by: str
    name: DnsName | None = None


Claim = Wanted | Withheld | Invalid | Filtered


def mistakes(claims: Iterable[Claim]) -> tuple[Notice, ...]:
    """What is wrong on the object that makes *claims*, each mistake once, in their order."""
    found: dict[Notice, None] = {}
    for claim in claims:
        match claim:
            case Invalid(provenance=where, reason=reason, value=value, allowed=allowed):
                found[Notice(reason=reason, field=where.field, value=value, allowed=allowed)] = None
            case Wanted(notices=notices):
                found.update(dict.fromkeys(notices))
            case Withheld() | Filtered():
                pass
    return tuple(found)
