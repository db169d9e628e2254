"""What outlives the process: budgets, held sets, releases, accepted settings (design 6, "State")."""

from __future__ import annotations

from msgspec.structs import replace

from extdns.model.value import Value


class SavedZone(Value, frozen=True, kw_only=True):
    """The state of one zone; times are seconds of the one clock that its `Saved` goes by.

    Attributes:
        name: of the zone, for people.
        fingerprint: of the settings under which the zone was once in order, "" if it never was.
        made: deletes that count, oldest first: when, and whether on absence.
        most: how many records were owned until when, oldest first.
        shown: the sets of deletes that were shown as held, oldest first: code and digests.
        held: the code of the set that is held now, the last of *shown*; "" if none is.
        records: the first of that set, for people: name, type, set identifier, evidence.
        released: what a person released: digest, and until when.
    """

    name: str = ""
    fingerprint: str = ""
    made: tuple[tuple[float, bool], ...] = ()
    most: tuple[tuple[float, int], ...] = ()
    shown: tuple[tuple[str, tuple[str, ...]], ...] = ()
    held: str = ""
    records: tuple[tuple[str, str, str, str], ...] = ()
    released: tuple[tuple[str, float], ...] = ()

    def shifted(self, by_s: float, latest_s: float) -> SavedZone:
        """The same by a clock that is *by_s* ahead; what happened, happened at *latest_s* at the latest."""
        return replace(
            self,
            made=tuple((min(at_s + by_s, latest_s), by_absence) for at_s, by_absence in self.made),
            most=tuple((min(until_s + by_s, latest_s), records) for until_s, records in self.most),
            released=tuple((digest, until_s + by_s) for digest, until_s in self.released),
        )


class Saved(Value, frozen=True, kw_only=True):
    """The state of all zones, sorted by the id of the zone.

    Attributes:
        released: codes that a person released and that are no part of a zone's state yet; told, and not kept here.
    """

    zones: tuple[tuple[str, SavedZone], ...] = ()
    released: tuple[str, ...] = ()

    def of(self, zone_id: str) -> SavedZone:
        """What is known of a zone, nothing of one that is not there."""
        return next((zone for id_, zone in self.zones if id_ == zone_id), SavedZone())

    def shifted(self, by_s: float, latest_s: float) -> Saved:
        """As `SavedZone.shifted`, of every zone."""
        return replace(self, zones=tuple((id_, zone.shifted(by_s, latest_s)) for id_, zone in self.zones))
