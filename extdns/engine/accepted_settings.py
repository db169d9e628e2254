"""Which evidence suffices in a zone (docs/design/delete-safety.md, "Evidence", `orphan-unclaimed`)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from extdns.model.evidence import Evidence

if TYPE_CHECKING:
    from extdns.engine.delete_settings import DeleteSettings

_BY_ABSENCE: Final = frozenset(one for one in Evidence if one.is_by_absence)
_INSUFFICIENT: Final = frozenset(one for one in Evidence if not one.is_sufficient)
_NONE: Final[frozenset[Evidence]] = frozenset()


class AcceptedSettings:
    """The zones in which the settings that decide which names are requested are those that were accepted last.

    There `orphan-unclaimed` is sufficient evidence: no change of a flag has taken the name from its object.

    Attributes:
        digests: by zone id, the digest of the settings that were accepted last.
    """

    def __init__(self, settings: DeleteSettings, settings_digest: str) -> None:
        self._has_owner = bool(settings.owner)
        self._settings_digest = settings_digest
        self._zones: set[str] = set()
        self.digests: dict[str, str] = {}

    def __contains__(self, zone_id: object) -> bool:
        """Return whether the present settings are accepted for the zone."""
        return zone_id in self._zones

    def accept(self, zone_id: str) -> None:
        """Accept the present settings for the zone."""
        self._zones.add(zone_id)
        self.digests[zone_id] = self._settings_digest

    def load(self, zone_id: str, digest: str) -> bool:
        """Store what an earlier process accepted for the zone. Return whether these are the present settings."""
        self.digests.setdefault(zone_id, digest)
        if digest and digest == self._settings_digest:
            self._zones.add(zone_id)
        return zone_id in self._zones

    def clear(self) -> None:
        """Forget everything, because another process leads."""
        self._zones.clear()
        self.digests.clear()

    def find_insufficient(self, zone_id: str) -> frozenset[Evidence]:
        """Return the evidence that does not allow a delete without approval.

        Without an owner id there are no ownership records, so nothing proves that a record was ours after its object
        has disappeared.
        """
        if not self._has_owner:
            return _BY_ABSENCE
        return _NONE if zone_id in self._zones else _INSUFFICIENT

    def is_sufficient(self, zone_id: str, evidence: Evidence) -> bool:
        """Return whether *evidence* alone allows a delete within the budgets, without approval."""
        return evidence not in self.find_insufficient(zone_id)
