"""What the engine asks for. The controller carries it out and feeds the answers back as inputs."""

from __future__ import annotations

from extdns.model.change import Batch
from extdns.model.cluster import ObjectKey
from extdns.model.decision import Decision
from extdns.model.held import Held
from extdns.model.name import DnsName
from extdns.model.outcome import Outcome
from extdns.model.saved import Saved
from extdns.model.value import Value
from extdns.model.zone import Zone


class ListZones(Value, frozen=True, kw_only=True):
    """List the zones of all accounts."""


class ReadPage(Value, frozen=True, kw_only=True):
    """Read one page of *zone*, from its start or from the cursor *after*.

    Attributes:
        onward: the pages behind it are to be read, too, one after the other, until one fails.
    """

    zone: Zone
    after: str | None
    onward: bool = False


class ReadNames(Value, frozen=True, kw_only=True):
    """Read all records of *names*."""

    zone: Zone
    names: tuple[DnsName, ...]


class Submit(Value, frozen=True, kw_only=True):
    """Write *batch* in one attempt."""

    batch: Batch


class Confirm(Value, frozen=True, kw_only=True):
    """Ask the cluster whether an object exists."""

    key: ObjectKey


class TellDecisions(Value, frozen=True, kw_only=True):
    """Decisions that are new or changed, sorted by their order."""

    decisions: tuple[Decision, ...]


class TellOutcome(Value, frozen=True, kw_only=True):
    """How a batch ended."""

    batch: Batch
    outcome: Outcome


class TellHeld(Value, frozen=True, kw_only=True):
    """Other deletes than before wait for a person in *zone*.

    Attributes:
        code: releases them, "" when none is held any more.
        held: sorted by the key of the record.
    """

    zone: Zone
    code: str
    held: tuple[Held, ...]


class LoadState(Value, frozen=True, kw_only=True):
    """Load what a former process kept."""


class SaveState(Value, frozen=True, kw_only=True):
    """Keep *saved*, whose times are monotonic seconds, for the next process."""

    saved: Saved


class LookForReleases(Value, frozen=True, kw_only=True):
    """See which codes a person released."""


class Wake(Value, frozen=True, kw_only=True):
    """Step again at *at_s*, in monotonic seconds, if nothing happens before."""

    at_s: float


Effect = (
    ListZones
    | ReadPage
    | ReadNames
    | Submit
    | Confirm
    | TellDecisions
    | TellOutcome
    | TellHeld
    | LoadState
    | SaveState
    | LookForReleases
    | Wake
)
