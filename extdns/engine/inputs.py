"""What the engine is told. Each value is one fact from outside; time comes with every step."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum

from extdns.model.claim import Claim
from extdns.model.cluster import Kind, KindState, ObjectKey, ObjectProblem
from extdns.model.name import DnsName
from extdns.model.outcome import Outcome
from extdns.model.record import Record
from extdns.model.saved import Saved
from extdns.model.value import Value
from extdns.model.zone import Page, Zone, ZoneList


class Cause(StrEnum):
    """Why an object was looked at again."""

    VERSION = "version"  # the object is new or was modified
    DEPENDENCY = "dependency"  # something it was computed from changed
    DELETED = "deleted"  # a DELETED event
    MISSING = "missing"  # a complete list lacks it


class Observation(Value, frozen=True, kw_only=True):
    """What one source says of one object now.

    Attributes:
        claims: () for an object that is gone, or that asks for nothing.
        failure: why the claims could not be computed, "" if they were; its last claims stay.
        parked_on: the kind that has to be listed before they can be, None if none.
        lacking: what they are computed from, by its name, and a complete list lacks; it may be there.
        generation: `metadata.generation` of the object as it was looked at, 0 where it has none.
    """

    source: str
    key: ObjectKey
    cause: Cause
    claims: tuple[Claim, ...] = ()
    failure: str = ""
    parked_on: Kind | None = None
    lacking: tuple[ObjectKey, ...] = ()
    generation: int = 0


class Observed(Value, frozen=True, kw_only=True):
    """Objects were looked at."""

    observations: tuple[Observation, ...]


class KindReported(Value, frozen=True, kw_only=True):
    """The list and watch of a kind came to another phase."""

    state: KindState


class ProblemReported(Value, frozen=True, kw_only=True):
    """An object cannot be read, or can again."""

    problem: ObjectProblem


class Existence(Value, frozen=True, kw_only=True):
    """Whether an object exists was asked; None: cannot be known now."""

    key: ObjectKey
    exists: bool | None


class ZonesListed(Value, frozen=True, kw_only=True):
    """The zones of all accounts that answered."""

    zones: ZoneList


class PageRead(Value, frozen=True, kw_only=True):
    """A page of a zone, asked for with the cursor *asked*."""

    zone: Zone
    asked: str | None
    page: Page


class NamesRead(Value, frozen=True, kw_only=True):
    """All records of *names*."""

    zone: Zone
    names: tuple[DnsName, ...]
    records: tuple[Record, ...]


class Call(StrEnum):
    """A read that can fail."""

    ZONES = "list zones"
    PAGE = "read the zone"
    NAMES = "read names"


class ReadFailed(Value, frozen=True, kw_only=True):
    """A read failed.

    Attributes:
        zone: None for the list of zones.
        retry_after_s: the pause that the service asked for.
        forbidden: a person must grant a right first.
    """

    call: Call
    zone: Zone | None
    message: str
    retry_after_s: float | None = None
    forbidden: bool = False


class Submitted(Value, frozen=True, kw_only=True):
    """The outcome of the batch with that number."""

    number: int
    zone: Zone
    outcome: Outcome


class StateLoaded(Value, frozen=True, kw_only=True):
    """What a former process kept, in monotonic seconds of this one; nothing, if there was none."""

    saved: Saved


class StateAnswered(Value, frozen=True, kw_only=True):
    """What was to be kept is kept, or which codes a person released.

    Attributes:
        released: codes, () when saving was asked for.
    """

    released: tuple[str, ...] = ()


class StateFailed(Value, frozen=True, kw_only=True):
    """Loading or saving failed."""

    message: str


class Approved(Value, frozen=True, kw_only=True):
    """Somebody has seen the whole plan and wants it written."""


class Led(Value, frozen=True, kw_only=True):
    """From now on we lead, or somebody else may: then we stand by."""

    leads: bool


class Tick(Value, frozen=True, kw_only=True):
    """Nothing but time has passed."""


Input = (
    Observed
    | KindReported
    | ProblemReported
    | Existence
    | ZonesListed
    | PageRead
    | NamesRead
    | ReadFailed
    | Submitted
    | StateLoaded
    | StateAnswered
    | StateFailed
    | Approved
    | Led
    | Tick
)


def records_by_name(records: Sequence[Record]) -> dict[DnsName, tuple[Record, ...]]:
    """*records* grouped by name, each group sorted by key."""
    groups: dict[DnsName, list[Record]] = {}
    for record in records:
        groups.setdefault(record.name, []).append(record)
    for group in groups.values():
        if len(group) > 1:
            group.sort(key=lambda record: record.key)
    return {name: tuple(group) for name, group in groups.items()}
