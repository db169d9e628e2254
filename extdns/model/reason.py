"""Reason codes: why a decision was made (law 7).

`extdns explain`, Events, metrics, logs and the web server show them. Each code has one row
(reason_rows.py): all classification reads it, and docs, metrics and schemas are generated from the rows.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Final

from extdns.model import reason_rows
from extdns.model.reason_row import Category, ReasonRow


class Reason(StrEnum):
    """Why a decision was made: one code for each outcome of a claim, a record or a change."""

    # published, or about to be
    PUBLISHED = "published"
    REQUESTED = "requested"
    CHANGED = "changed"
    DRIFT_REPAIRED = "drift-repaired"
    OWNERSHIP_RECORD_MISSING = "ownership-record-missing"
    OWNER_MIGRATED = "owner-migrated"
    # removed
    OBJECT_DELETED = "object-deleted"
    HOSTNAME_REMOVED = "hostname-removed"
    FILTERED_OUT = "filtered-out"
    DEPENDENCY_CHANGED = "dependency-changed"
    NO_ENDPOINTS = "no-endpoints"
    ABSENT = "absent"
    ORPHAN_GONE = "orphan-gone"
    ORPHAN_UNCLAIMED = "orphan-unclaimed"
    UNRESOLVED_EXPIRED = "unresolved-expired"
    REPLACED = "replaced"
    # kept
    IN_GRACE = "in-grace"
    HELD = "held"
    OTHER_CLUSTER = "other-cluster"
    NO_ADDRESS = "no-address"
    NOT_ACCEPTED = "not-accepted"
    ABSENCE_UNCONFIRMED = "absence-unconfirmed"
    OBJECT_FAILED = "object-failed"
    SOURCE_DOWN = "source-down"
    POLICY_KEEPS = "policy-keeps"
    POLICY_KEEPS_TYPE = "policy-keeps-type"
    POLICY_DENIED = "policy-denied"
    POLICY_VIOLATION = "policy-violation"
    POLICY_UNAVAILABLE = "policy-unavailable"
    # invalid values on the object
    INVALID_NAME = "invalid-name"
    INVALID_TARGET = "invalid-target"
    INVALID_TTL = "invalid-ttl"
    INVALID_ENDPOINT = "invalid-endpoint"
    INVALID_ANNOTATION = "invalid-annotation"
    IGNORED_ANNOTATION = "ignored-annotation"
    INVALID_OBJECT = "invalid-object"
    FORGED_OWNERSHIP = "forged-ownership"
    # excluded by configuration, or no readable zone
    DOMAIN_FILTERED = "domain-filtered"
    TYPE_UNMANAGED = "type-unmanaged"
    TARGETS_FILTERED = "targets-filtered"
    NO_ZONE = "no-zone"
    ZONES_UNKNOWN = "zones-unknown"
    ZONE_UNREAD = "zone-unread"
    ZONE_GONE = "zone-gone"
    ZONE_MOVED = "zone-moved"
    RECORD_UNREADABLE = "record-unreadable"
    # owned by somebody else, or in conflict with another record
    OWNED_BY_OTHER = "owned-by-other"
    FOREIGN_RECORD = "foreign-record"
    OWNERSHIP_RECORD_UNREADABLE = "ownership-record-unreadable"
    REQUESTED_BY_OTHER = "requested-by-other"
    MERGED_BEFORE = "merged-before"
    CONTENDED = "contended"
    INCOMPATIBLE_TYPE = "incompatible-type"
    INCOMPATIBLE_RECORD = "incompatible-record"
    NO_OWNERSHIP_NAME = "no-ownership-name"
    DUPLICATE_OWNERSHIP_NAME = "duplicate-ownership-name"
    # refused by the DNS service
    UNSUPPORTED = "unsupported"
    TOO_LARGE = "too-large"
    REFUSED = "refused"
    ZONE_FORBIDDEN = "zone-forbidden"
    WRITE_CONFLICT = "write-conflict"
    TRY_LATER = "try-later"
    NO_ANSWER = "no-answer"

    @property
    def row(self) -> ReasonRow:
        """The row of the code: its meaning and classification."""
        return ROWS[self]

    @property
    def event(self) -> str:
        """The `reason` of Events: from the row, by default the code in camel case, as `RequestedByOther`."""
        return self.row.event or "".join(word.capitalize() for word in self.value.split("-"))


ROWS: Final[Mapping[Reason, ReasonRow]] = {reason: reason_rows.ROWS[reason.value] for reason in Reason}

MEANINGS: Final[Mapping[str, str]] = {reason: row.text for reason, row in ROWS.items()}


def select_reasons(category: Category) -> frozenset[Reason]:
    """Return the reasons of *category*."""
    return frozenset(reason for reason, row in ROWS.items() if row.category is category)


def find_meaning(code: str) -> str:
    """Return the text of the reason *code*; "" for an unknown code, as a process of another version may send."""
    return MEANINGS.get(code, "")
