"""Reason codes: why something was decided (law 7). Explain, Events, metrics, page and logs share them."""

from __future__ import annotations

from enum import StrEnum
from typing import Final


class Reason(StrEnum):
    """One code for each way in which a claim, a name or a change can end."""

    # published, or about to be
    PROGRAMMED = "programmed"
    WANTED = "wanted"
    CHANGED = "changed"
    DRIFT_REPAIRED = "drift-repaired"
    MARK_MISSING = "mark-missing"
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
    STALE = "stale"
    REPLACED = "replaced"
    # kept as it is
    IN_GRACE = "in-grace"
    HELD = "held"
    NO_ADDRESS = "no-address"
    NOT_ACCEPTED = "not-accepted"
    OBJECT_FAILED = "object-failed"
    SOURCE_DOWN = "source-down"
    POLICY_KEEPS = "policy-keeps"
    POLICY_KEEPS_TYPE = "policy-keeps-type"
    # the object is wrong
    INVALID_NAME = "invalid-name"
    INVALID_TARGET = "invalid-target"
    INVALID_TTL = "invalid-ttl"
    INVALID_ENDPOINT = "invalid-endpoint"
    INVALID_ANNOTATION = "invalid-annotation"
    INVALID_OBJECT = "invalid-object"
    # left out by configuration
    DOMAIN_FILTERED = "domain-filtered"
    TYPE_UNMANAGED = "type-unmanaged"
    TARGETS_FILTERED = "targets-filtered"
    NO_ZONE = "no-zone"
    ZONES_UNKNOWN = "zones-unknown"
    ZONE_UNREAD = "zone-unread"
    ZONE_GONE = "zone-gone"
    ZONE_MOVED = "zone-moved"
    RECORD_UNREADABLE = "record-unreadable"
    # somebody else has it
    OWNED_BY_OTHER = "owned-by-other"
    FOREIGN_RECORD = "foreign-record"
    MARK_UNREADABLE = "mark-unreadable"
    CONFLICT_LOST = "conflict-lost"
    MERGED_BEFORE = "merged-before"
    FOUGHT_OVER = "fought-over"
    TYPE_CONFLICT = "type-conflict"
    ROUTING_CONFLICT = "routing-conflict"
    NO_OWNERSHIP_NAME = "no-ownership-name"
    MARK_CLASH = "mark-clash"
    # the service does not take it
    UNSUPPORTED = "unsupported"
    TOO_LARGE = "too-large"
    REFUSED = "refused"
    ZONE_FORBIDDEN = "zone-forbidden"
    CHANGED_MEANWHILE = "changed-meanwhile"
    TRY_LATER = "try-later"
    NO_ANSWER = "no-answer"


MEANINGS: Final[dict[Reason, str]] = {
    Reason.PROGRAMMED: "The record is in its zone as the object asks for it.",
    Reason.WANTED: "An object asks for the record and no record of a managed type is in its way; it is to be created.",
    Reason.CHANGED: "The record is ours and differs from what the object asks for; it is updated.",
    Reason.DRIFT_REPAIRED: "Somebody else changed the record, which is ours; it is set right again.",
    Reason.MARK_MISSING: "The record is ours by an older mark; a mark in today's naming is added.",
    Reason.OWNER_MIGRATED: "The record belonged to the owner given by --migrate-from-txt-owner and is taken over.",
    Reason.OBJECT_DELETED: "The object that asked for the record was seen to be deleted.",
    Reason.HOSTNAME_REMOVED: "A newer version of the object no longer asks for the name.",
    Reason.FILTERED_OUT: "The object is not selected by a filter, a class or its controller annotation.",
    Reason.DEPENDENCY_CHANGED: "The object is unchanged, but what it refers to no longer yields the name.",
    Reason.NO_ENDPOINTS: "Complete endpoint, pod or node data yields no target for the name.",
    Reason.ABSENT: "A complete list lacks the object, and asking for it confirmed that it is gone.",
    Reason.ORPHAN_GONE: "The record is ours, nobody asks for it, and the object it was made for is gone.",
    Reason.ORPHAN_UNCLAIMED: "The record is ours and nobody asks for it, but nothing shows that its object is gone; "
    "it is kept until a person releases it.",
    Reason.STALE: "The object has not been able to say its target for longer than --stale-hold.",
    Reason.REPLACED: "The same claim asks for the name in another form; old and new are exchanged together.",
    Reason.IN_GRACE: "There is evidence that the record may go; it goes when the evidence has held for "
    "--delete-grace-period.",
    Reason.HELD: "More of the zone's records would go than --max-delete-count and --max-delete-percent allow; "
    "none goes until a person releases them.",
    Reason.NO_ADDRESS: "The object asks for the name, but its status holds no address yet; what is published stays.",
    Reason.NOT_ACCEPTED: "What the object is attached to has not, or not yet, accepted it; what is published stays.",
    Reason.OBJECT_FAILED: "What the object asks for could not be computed; what is published for it stays.",
    Reason.SOURCE_DOWN: "The kind of object behind the record is not listed; what is published stays.",
    Reason.POLICY_KEEPS: "--policy does not allow this change.",
    Reason.POLICY_KEEPS_TYPE: "The new form cannot stand beside the old one, which --policy keeps.",
    Reason.INVALID_NAME: "What the object asks for is not a domain name.",
    Reason.INVALID_TARGET: "A target is not valid record data for its type.",
    Reason.INVALID_TTL: "The ttl annotation is no TTL; the record is published without one.",
    Reason.INVALID_ENDPOINT: "Name, type and targets do not make a valid record.",
    Reason.INVALID_ANNOTATION: "An annotation has a value that means nothing; it is treated as absent.",
    Reason.INVALID_OBJECT: "A field of the object has a value that has no meaning; what is published stays.",
    Reason.DOMAIN_FILTERED: "The name is outside the domain filters.",
    Reason.TYPE_UNMANAGED: "The record type is not among the managed record types.",
    Reason.TARGETS_FILTERED: "No target is left after the target network filters.",
    Reason.NO_ZONE: "No zone holds the name.",
    Reason.ZONES_UNKNOWN: "An account's zones cannot be listed, so the right zone is unknown; new names wait.",
    Reason.ZONE_UNREAD: "The zone has not been read whole yet.",
    Reason.ZONE_GONE: "The zone is no longer listed.",
    Reason.ZONE_MOVED: "The name belongs to another zone now; what was published in this one stays.",
    Reason.RECORD_UNREADABLE: "A record at the name, or at one where its marks may stand, cannot be read; "
    "nothing is changed there until it is set right.",
    Reason.OWNED_BY_OTHER: "The name is marked as belonging to another owner.",
    Reason.FOREIGN_RECORD: "A record that nothing proves to be ours is in the way.",
    Reason.MARK_UNREADABLE: "What looks like the ownership record is encrypted with another key, so nothing proves the "
    "record to be ours; it is left alone.",
    Reason.CONFLICT_LOST: "Another object asks for the same name and was first.",
    Reason.MERGED_BEFORE: "Objects of several namespaces ask for the name, and the record already holds the targets of "
    "all; it stays so, but the next change of any of them ends that.",
    Reason.FOUGHT_OVER: "The same was written three times within ten minutes, and somebody changed it back each time; "
    "the name is left as it is for a while, first for five minutes.",
    Reason.TYPE_CONFLICT: "The name is wanted in two forms that exclude each other. A CNAME yields to any other type; "
    "where both addresses and an alias are wanted, one claim decides which it is.",
    Reason.ROUTING_CONFLICT: "The name is wanted, or somebody else has it, as a simple record and also with set "
    "identifiers, or as a CNAME and as another type under two of them; the two cannot stand side by side.",
    Reason.NO_OWNERSHIP_NAME: "No ownership record can be made for it: its name is too long, lies outside the zone, or "
    "is taken by a record that is not ours. Without a mark nothing is created.",
    Reason.MARK_CLASH: "Its ownership record would have the name of another record's mark.",
    Reason.UNSUPPORTED: "The DNS service cannot hold such a record.",
    Reason.TOO_LARGE: "The change is larger than the service takes in one call.",
    Reason.REFUSED: "The DNS service refused the change; it is tried again with growing pauses.",
    Reason.ZONE_FORBIDDEN: "The right to change this zone is missing.",
    Reason.CHANGED_MEANWHILE: "Somebody else changed the record first; it is read again.",
    Reason.TRY_LATER: "The DNS service is busy; the change is sent again.",
    Reason.NO_ANSWER: "The DNS service did not answer; the zone is asked what happened.",
}

SOMEBODY_ELSES: Final = frozenset({Reason.OWNED_BY_OTHER, Reason.FOREIGN_RECORD, Reason.MARK_UNREADABLE})
"""A record stands that nothing proves to be ours."""

UNREAD: Final = frozenset({Reason.ZONE_UNREAD, Reason.ZONES_UNKNOWN})
"""What stands is not known."""

WITHHELD: Final = frozenset(
    {
        Reason.NO_ADDRESS,
        Reason.NOT_ACCEPTED,
        Reason.INVALID_TARGET,
        Reason.INVALID_ENDPOINT,
        Reason.INVALID_OBJECT,
    }
)
"""An object asks for the name and does not say what it should hold; a record that stays for it may be stale."""

_OF_CODES: Final = {reason.value: text for reason, text in MEANINGS.items()}


def meaning(code: str) -> str:
    """What the reason *code* means; "" of one that is unknown here, which a process of another version may tell."""
    return _OF_CODES.get(code, "")
