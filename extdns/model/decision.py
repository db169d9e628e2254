"""Decisions: how every claim, name and change ended (law 7)."""

from __future__ import annotations

from enum import StrEnum

from extdns.model.claim import Provenance
from extdns.model.name import DnsName
from extdns.model.ownership import Owned
from extdns.model.reason import Reason
from extdns.model.record import Endpoint
from extdns.model.value import Value
from extdns.model.zone import Zone


class Verdict(StrEnum):
    """What happens to a record set."""

    CREATE = "create"
    UPDATE = "update"
    DELETE = "delete"
    KEEP = "keep"  # something stands and stays
    NONE = "none"  # nothing stands and nothing is made


class Decision(Value, frozen=True, kw_only=True):
    """One record set of one zone, or one claim that reached none.

    Attributes:
        zone: None where no zone was found.
        wanted: what would be published, None if nothing is.
        held: what stands, None if nothing does.
        asked_by: who asks for it, the one that decides first.
        detail: one clause for a person, "" where the reason says it all.
    """

    zone: Zone | None
    name: DnsName
    set_identifier: str
    type: str
    verdict: Verdict
    reason: Reason
    detail: str = ""
    wanted: Endpoint | None = None
    held: Owned | None = None
    asked_by: tuple[Provenance, ...] = ()

    @property
    def concerns_us(self) -> bool:
        """Whether it is about a record of ours or one that somebody asks for; other people's records are not."""
        return bool(self.asked_by) or self.held is None or self.held.ours

    @property
    def key(self) -> tuple[str, DnsName, str, str]:
        """The identity of the record set: id of the zone or "", name, set identifier, type."""
        return (self.zone.id if self.zone else "", self.name, self.set_identifier, self.type)

    @property
    def order(self) -> tuple[str, str, str, str, str]:
        """Sort key: zone, name, set identifier, type, reason."""
        zone = f"{self.zone.name} {self.zone.id}" if self.zone else ""
        return (zone, self.name, self.set_identifier, self.type, self.reason)
