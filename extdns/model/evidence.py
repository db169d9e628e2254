"""Evidence for deletes (design 6)."""

from __future__ import annotations

from enum import StrEnum


class Evidence(StrEnum):
    """Why a record that is ours may go. The value is the reason code."""

    OBJECT_DELETED = "object-deleted"
    HOSTNAME_REMOVED = "hostname-removed"
    FILTERED_OUT = "filtered-out"
    DEPENDENCY_CHANGED = "dependency-changed"
    NO_ENDPOINTS = "no-endpoints"
    ABSENT = "absent"
    ORPHAN_GONE = "orphan-gone"
    ORPHAN_UNCLAIMED = "orphan-unclaimed"
    STALE = "stale"  # the object has not been able to say its target for --stale-hold
    REPLACED = "replaced"  # the pair lives on in another form, in the same change set

    @property
    def by_absence(self) -> bool:
        """Whether it rests on something not being there; such deletes have a smaller budget."""
        return self in {Evidence.ABSENT, Evidence.ORPHAN_GONE, Evidence.ORPHAN_UNCLAIMED}

    @property
    def sufficient(self) -> bool:
        """Whether a delete may follow without a person's word."""
        return self is not Evidence.ORPHAN_UNCLAIMED
