"""Reason codes: why a decision was made (law 7).

`extdns explain`, Events, metrics, logs and the web server show them. Each code has one row
(reason_row.py): all classification reads it, and docs, metrics and schemas are generated from the rows.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Final

from extdns.model.reason_row import RECORD_ERROR, Category, EventWhen, Group, LogLevel, ReasonRow


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


_REVIEW: Final = "See and approve held deletes: extdns status"
ROWS: Final[dict[Reason, ReasonRow]] = {
    Reason.PUBLISHED: ReasonRow(
        Group.PUBLISHED, "The zone holds what the object requests.", category=Category.IN_SYNC, log=LogLevel.NOTHING
    ),
    Reason.REQUESTED: ReasonRow(
        Group.PUBLISHED, "An object requests the record, and nothing is in its way. It will be created."
    ),
    Reason.CHANGED: ReasonRow(
        Group.PUBLISHED, "The record is ours and differs from what the object requests. It will be updated."
    ),
    Reason.DRIFT_REPAIRED: ReasonRow(
        Group.PUBLISHED, "Somebody else changed the record, which is ours. It will be changed back."
    ),
    Reason.OWNERSHIP_RECORD_MISSING: ReasonRow(
        Group.PUBLISHED,
        "Only an ownership record in an older format shows that the record is ours. One in the newest format "
        "will be added.",
    ),
    Reason.OWNER_MIGRATED: ReasonRow(
        Group.PUBLISHED, "The record belonged to the owner in --migrate-from-txt-owner. It becomes ours."
    ),
    Reason.OBJECT_DELETED: ReasonRow(Group.REMOVED, "The object that requested the record was deleted."),
    Reason.HOSTNAME_REMOVED: ReasonRow(Group.REMOVED, "A newer version of the object no longer requests the name."),
    Reason.FILTERED_OUT: ReasonRow(
        Group.REMOVED, "A filter, a class or the controller annotation no longer selects the object."
    ),
    Reason.DEPENDENCY_CHANGED: ReasonRow(
        Group.REMOVED, "The object is unchanged, but the objects that it refers to no longer yield the name."
    ),
    Reason.NO_ENDPOINTS: ReasonRow(
        Group.REMOVED,
        "No ready endpoints: complete data about endpoints, pods or nodes has no target for the name.",
        log=LogLevel.INFO,
    ),
    Reason.ABSENT: ReasonRow(
        Group.REMOVED, "A complete list lacks the object, and a GET confirmed that it does not exist."
    ),
    Reason.ORPHAN_GONE: ReasonRow(
        Group.REMOVED, "The record is ours, no object requests it, and its resource no longer exists."
    ),
    Reason.ORPHAN_UNCLAIMED: ReasonRow(
        Group.REMOVED,
        "The record is ours and no object requests it, but its resource may still exist. The delete is held, "
        "unless a saved state shows that an earlier pass had the same settings.",
        is_held=True,
        event_when=EventWhen.HELD,
        event="Held",
        next_step=_REVIEW,
    ),
    Reason.UNRESOLVED_EXPIRED: ReasonRow(
        Group.REMOVED, "The claim has been unresolved for longer than --unresolved-timeout."
    ),
    Reason.REPLACED: ReasonRow(
        Group.REMOVED,
        "The same object now requests another record that cannot coexist with this one. Both change together.",
    ),
    Reason.IN_GRACE: ReasonRow(
        Group.UNCHANGED,
        "There is evidence for the delete. The record is deleted once it has lasted for --delete-grace-period, but "
        "not before it is known who leads, what the saved state contains and which cluster this is.",
        log=LogLevel.INFO,
    ),
    Reason.HELD: ReasonRow(
        Group.UNCHANGED,
        "The delete waits for approval, because the deletes of a namespace, of the zone or of all zones exceeded a "
        "budget, or because the evidence was insufficient. It stays held until it is approved, or an object requests "
        "the record, or the record is gone.",
        is_held=True,
        event_when=EventWhen.HELD,
        event="Held",
        next_step=_REVIEW,
    ),
    Reason.OTHER_CLUSTER: ReasonRow(
        Group.UNCHANGED,
        "The saved state belongs to another cluster than the objects. Updates and deletes are held until a person "
        "accepts this cluster: extdns accept-cluster.",
        is_held=True,
    ),
    Reason.NO_ADDRESS: ReasonRow(
        Group.UNCHANGED,
        "The status of the object holds no address yet. An existing record is retained.",
        category=Category.UNRESOLVED,
        event_when=EventWhen.RETAINED,
        event="Retained",
        log=LogLevel.INFO,
    ),
    Reason.NOT_ACCEPTED: ReasonRow(
        Group.UNCHANGED,
        "The parent of the object, such as its Gateway, has not accepted it. An existing record is retained.",
        category=Category.UNRESOLVED,
        event_when=EventWhen.RETAINED,
        event="Retained",
        log=LogLevel.INFO,
    ),
    Reason.ABSENCE_UNCONFIRMED: ReasonRow(
        Group.UNCHANGED,
        "A list lacks the resource of the record, but the API server has not confirmed that it does not exist. "
        "The record stays.",
        category=Category.UNDECIDED,
        log=LogLevel.INFO,
    ),
    Reason.OBJECT_FAILED: ReasonRow(
        Group.UNCHANGED,
        "The claims of the object could not be computed. Its existing records stay.",
        category=Category.UNDECIDED,
        fails=True,
    ),
    Reason.SOURCE_DOWN: ReasonRow(
        Group.UNCHANGED, "The kind of the resource cannot be listed. The record stays.", category=Category.UNDECIDED
    ),
    Reason.POLICY_KEEPS: ReasonRow(Group.UNCHANGED, "--policy does not allow this change.", log=LogLevel.INFO),
    Reason.POLICY_KEEPS_TYPE: ReasonRow(
        Group.UNCHANGED, "The requested record cannot coexist with the current one, which --policy keeps.", fails=True
    ),
    Reason.INVALID_NAME: ReasonRow(
        Group.OBJECT,
        "The object requests a name that is not a valid DNS name. Until that is corrected, records that the object "
        "requested before stay: the invalid name may stand for one of them.",
        category=Category.UNRESOLVED,
        event_when=EventWhen.ALWAYS,
    ),
    Reason.INVALID_TARGET: ReasonRow(
        Group.OBJECT, "A target is not valid data for the record type.", category=Category.UNRESOLVED, fails=True
    ),
    Reason.INVALID_TTL: ReasonRow(
        Group.OBJECT,
        "The ttl annotation is not a valid TTL. The record is published with the default TTL.",
        event_when=EventWhen.ALWAYS,
    ),
    Reason.INVALID_ENDPOINT: ReasonRow(
        Group.OBJECT,
        "Name, type and targets do not make a valid record, such as an A record with a host name as its target.",
        category=Category.UNRESOLVED,
        event_when=EventWhen.ALWAYS,
    ),
    Reason.INVALID_ANNOTATION: ReasonRow(
        Group.OBJECT,
        "An annotation has an invalid value, or a key that the object also has under a newer prefix. It is treated as "
        "absent.",
        event_when=EventWhen.ALWAYS,
    ),
    Reason.IGNORED_ANNOTATION: ReasonRow(
        Group.OBJECT,
        "An annotation is ignored, because its key is misspelled, or has an older prefix than other annotations of the "
        "object. Until that is corrected, records that the object requested before stay.",
        category=Category.UNRESOLVED,
        event_when=EventWhen.ALWAYS,
    ),
    Reason.INVALID_OBJECT: ReasonRow(
        Group.OBJECT,
        "A field of the object has an invalid value. Existing records stay.",
        category=Category.UNRESOLVED,
        event_when=EventWhen.ALWAYS,
    ),
    Reason.FORGED_OWNERSHIP: ReasonRow(
        Group.OBJECT,
        "The object requests a TXT record whose text reads as an ownership record. It is not published, because "
        "it could claim records of others as ours.",
        keeps_replaced=True,
        fails=True,
    ),
    Reason.DOMAIN_FILTERED: ReasonRow(
        Group.CONFIGURATION, "The domain filters exclude the name.", category=Category.EXCLUDED, log=LogLevel.NOTHING
    ),
    Reason.TYPE_UNMANAGED: ReasonRow(
        Group.CONFIGURATION,
        "The record type is not in --managed-record-types.",
        category=Category.EXCLUDED,
        log=LogLevel.NOTHING,
    ),
    Reason.TARGETS_FILTERED: ReasonRow(Group.CONFIGURATION, "The target network filters exclude every target."),
    Reason.NO_ZONE: ReasonRow(Group.CONFIGURATION, "No zone can hold the name."),
    Reason.ZONES_UNKNOWN: ReasonRow(
        Group.CONFIGURATION,
        "The zones of an account cannot be listed, so the right zone is unknown. New names wait.",
        category=Category.UNREAD,
    ),
    Reason.ZONE_UNREAD: ReasonRow(
        Group.CONFIGURATION, "The zone has not been fully read yet.", category=Category.UNREAD, log=LogLevel.NOTHING
    ),
    Reason.ZONE_GONE: ReasonRow(Group.CONFIGURATION, "The service no longer lists the zone."),
    Reason.ZONE_MOVED: ReasonRow(
        Group.CONFIGURATION, "The name belongs to another zone now. The record in this zone stays."
    ),
    Reason.RECORD_UNREADABLE: ReasonRow(
        Group.CONFIGURATION,
        "A record at the name, or at the name of an ownership record for it, cannot be parsed. Nothing is changed "
        "there until it is corrected.",
        category=Category.UNDECIDED,
        fails=True,
    ),
    Reason.OWNED_BY_OTHER: ReasonRow(
        Group.CONFLICT,
        "The ownership record of the name names another owner.",
        category=Category.FOREIGN,
        keeps_replaced=True,
        event_when=EventWhen.ALWAYS,
    ),
    Reason.FOREIGN_RECORD: ReasonRow(
        Group.CONFLICT,
        "A record without our ownership TXT already exists.",
        category=Category.FOREIGN,
        keeps_replaced=True,
        event_when=EventWhen.ALWAYS,
    ),
    Reason.OWNERSHIP_RECORD_UNREADABLE: ReasonRow(
        Group.CONFLICT,
        "A TXT record that may be the ownership record is encrypted with another key, so the record does not "
        "count as ours. It is left alone.",
        category=Category.FOREIGN,
        keeps_replaced=True,
        event_when=EventWhen.ALWAYS,
    ),
    Reason.REQUESTED_BY_OTHER: ReasonRow(
        Group.CONFLICT,
        "Another object requests the same name and has precedence.",
        category=Category.REJECTED,
        event_when=EventWhen.ALWAYS,
        log=LogLevel.INFO,
    ),
    Reason.MERGED_BEFORE: ReasonRow(
        Group.CONFLICT,
        "The record equals what external-dns merged from objects in several namespaces. It stays until one of "
        "them changes; then only the objects of the namespace that has the name count.",
        category=Category.IN_SYNC,
    ),
    Reason.CONTENDED: ReasonRow(
        Group.CONFLICT,
        "Another writer changed the record back three times within ten minutes. extdns waits before it tries "
        "again: first five minutes, then longer.",
        fails=True,
    ),
    Reason.INCOMPATIBLE_TYPE: ReasonRow(
        Group.CONFLICT,
        "Objects request the name as a CNAME and as another type. These cannot coexist, and the CNAME is not "
        "published.",
        category=Category.REJECTED,
        event_when=EventWhen.ALWAYS,
    ),
    Reason.INCOMPATIBLE_RECORD: ReasonRow(
        Group.CONFLICT,
        "The record cannot coexist with another one that is requested or not ours: a CNAME excludes all other "
        "types, and records of one type are all simple or all have the same routing policy.",
        fails=True,
    ),
    Reason.NO_OWNERSHIP_NAME: ReasonRow(
        Group.CONFLICT,
        "No ownership record can be written for it: the name would be too long, is outside the zone, or is taken "
        "by a record that is not ours. Without one, nothing is created.",
        fails=True,
    ),
    Reason.DUPLICATE_OWNERSHIP_NAME: ReasonRow(
        Group.CONFLICT, "Its ownership record would have the same name as that of another record.", fails=True
    ),
    Reason.UNSUPPORTED: ReasonRow(
        Group.PROVIDER,
        "The DNS service does not support such a record.",
        keeps_replaced=True,
        fails=True,
        event=RECORD_ERROR,
    ),
    Reason.TOO_LARGE: ReasonRow(
        Group.PROVIDER, "The change is larger than one API call allows.", fails=True, event=RECORD_ERROR
    ),
    Reason.REFUSED: ReasonRow(
        Group.PROVIDER,
        "The DNS service rejected the change. extdns retries with back-off.",
        fails=True,
        event=RECORD_ERROR,
    ),
    Reason.ZONE_FORBIDDEN: ReasonRow(
        Group.PROVIDER, "The permission to change this zone is missing.", fails=True, event=RECORD_ERROR
    ),
    Reason.WRITE_CONFLICT: ReasonRow(
        Group.PROVIDER,
        "The record is not what was read: somebody else changed it first. It is read and planned again.",
        transient=True,
    ),
    Reason.TRY_LATER: ReasonRow(
        Group.PROVIDER, "The DNS service is busy. The change is sent again.", fails=True, transient=True
    ),
    Reason.NO_ANSWER: ReasonRow(
        Group.PROVIDER,
        "The DNS service did not answer. The zone is read to see whether the change was made.",
        fails=True,
        transient=True,
    ),
}

MEANINGS: Final[Mapping[str, str]] = {reason: row.text for reason, row in ROWS.items()}


def select_reasons(category: Category) -> frozenset[Reason]:
    """Return the reasons of *category*."""
    return frozenset(reason for reason, row in ROWS.items() if row.category is category)


def find_meaning(code: str) -> str:
    """Return the text of the reason *code*; "" for an unknown code, as a process of another version may send."""
    return MEANINGS.get(code, "")
