"""What the engine asks for. The controller carries it out and feeds the answers back as inputs."""

from __future__ import annotations

from dataclasses import dataclass

from extdns.model.change import Batch
from extdns.model.cluster import ObjectKey
from extdns.model.decision import Decision
from extdns.model.name import DnsName
from extdns.model.outcome import Outcome
from extdns.model.zone import Zone


@dataclass(frozen=True, slots=True, kw_only=True)
class ListZones:
    """List the zones of all accounts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadPage:
    """Read one page of *zone*, from its start or from the cursor *after*."""

    zone: Zone
    after: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadNames:
    """Read all records of *names*."""

    zone: Zone
    names: tuple[DnsName, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Submit:
    """Write *batch* in one attempt."""

    batch: Batch


@dataclass(frozen=True, slots=True, kw_only=True)
class Confirm:
    """Ask the cluster whether an object exists."""

    key: ObjectKey


@dataclass(frozen=True, slots=True, kw_only=True)
class TellDecisions:
    """Decisions that are new or changed, sorted by their order."""

    decisions: tuple[Decision, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class TellOutcome:
    """How a batch ended."""

    batch: Batch
    outcome: Outcome


@dataclass(frozen=True, slots=True, kw_only=True)
class Wake:
    """Step again at *at_s*, in monotonic seconds, if nothing happens before."""

    at_s: float


Effect = ListZones | ReadPage | ReadNames | Submit | Confirm | TellDecisions | TellOutcome | Wake
