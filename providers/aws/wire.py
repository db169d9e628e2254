"""Record sets as the service has them, in its own spelling, without the SDK's types."""

from __future__ import annotations

from enum import StrEnum

from extdns.model import pairs
from extdns.model.pairs import Pairs
from extdns.model.value import Value


class AliasTarget(Value, frozen=True, kw_only=True):
    """Where an alias points to.

    Attributes:
        zone_id: of the zone that holds the target, without `/hostedzone/`.
        name: as the service spells it.
    """

    zone_id: str
    name: str
    evaluate_target_health: bool


class RecordSet(Value, frozen=True, kw_only=True):
    """One resource record set.

    Attributes:
        name: in any spelling that the service takes.
        ttl_s: None for an alias.
        values: in the service's order; () for an alias.
        routing: the fields of the routing policy in the API's words, inner ones as
            `GeoLocation.CountryCode`, with their values in text.
        health_check_id: "" for none.
    """

    name: str
    type: str
    ttl_s: int | None = None
    values: tuple[str, ...] = ()
    alias: AliasTarget | None = None
    set_identifier: str = ""
    routing: Pairs = pairs.NONE
    health_check_id: str = ""


class HostedZone(Value, frozen=True, kw_only=True):
    """One zone of an account; *id* without `/hostedzone/`, *name* as the service spells it."""

    id: str
    name: str
    private: bool = False


class Position(Value, frozen=True, kw_only=True):
    """Where a page of record sets begins."""

    name: str
    type: str
    set_identifier: str = ""


class ListedSets(Value, frozen=True, kw_only=True):
    """A page of record sets; *after* is where the next one begins, None on the last."""

    sets: tuple[RecordSet, ...]
    after: Position | None = None


class Action(StrEnum):
    """What a change does."""

    CREATE = "CREATE"
    DELETE = "DELETE"
    UPSERT = "UPSERT"


class WireChange(Value, frozen=True, kw_only=True):
    """One element of a batch."""

    action: Action
    record_set: RecordSet


def bare_id(text: str) -> str:
    """A zone id without the path that some of the API's answers put before it."""
    return text.removeprefix("/hostedzone/")
