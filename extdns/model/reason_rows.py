"""The rows of all reason codes, by code; reason_row.py describes their columns."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from extdns.model.reason_row import RECORD_ERROR, Category, EventWhen, Group, LogLevel, ReasonRow

_REVIEW: Final = "See and approve held deletes: extdns status"
_RULES: Final = "Change the object, or have the rule changed. See what each rule answers: extdns explain NAME"
_CHECK: Final = "What is missing or fails: extdns check"

ROWS: Final[Mapping[str, ReasonRow]] = {
    "published": ReasonRow(
        Group.PUBLISHED, "The zone holds what the object requests.", category=Category.IN_SYNC, log=LogLevel.NOTHING
    ),
    "requested": ReasonRow(
        Group.PUBLISHED, "An object requests the record, and nothing is in its way. It will be created."
    ),
    "changed": ReasonRow(
        Group.PUBLISHED, "The record is ours and differs from what the object requests. It will be updated."
    ),
    "drift-repaired": ReasonRow(
        Group.PUBLISHED, "Somebody else changed the record, which is ours. It will be changed back."
    ),
    "ownership-record-missing": ReasonRow(
        Group.PUBLISHED,
        "Only an ownership record in an older format shows that the record is ours. One in the newest format "
        "will be added.",
    ),
    "owner-migrated": ReasonRow(
        Group.PUBLISHED, "The record belonged to the owner in --migrate-from-txt-owner. It becomes ours."
    ),
    "object-deleted": ReasonRow(Group.REMOVED, "The object that requested the record was deleted."),
    "hostname-removed": ReasonRow(Group.REMOVED, "A newer version of the object no longer requests the record."),
    "filtered-out": ReasonRow(
        Group.REMOVED, "A filter, a class or the controller annotation no longer selects the object."
    ),
    "dependency-changed": ReasonRow(
        Group.REMOVED, "The object is unchanged, but the objects that it refers to no longer yield the name."
    ),
    "no-endpoints": ReasonRow(
        Group.REMOVED,
        "No ready endpoints: complete data about endpoints, pods or nodes has no target for the name.",
        log=LogLevel.INFO,
    ),
    "absent": ReasonRow(
        Group.REMOVED,
        "A complete list lacks the object, and a GET, or with manifests a second reading, confirmed that it does not "
        "exist.",
    ),
    "orphan-gone": ReasonRow(
        Group.REMOVED, "The record is ours, no object requests it, and its resource no longer exists."
    ),
    "orphan-unclaimed": ReasonRow(
        Group.REMOVED,
        "The record is ours and no object requests it, but its resource may still exist. The delete is held, "
        "unless the settings are those that were accepted before.",
        is_held=True,
        event_when=EventWhen.HELD,
        event="Held",
        next_step=_REVIEW,
    ),
    "unresolved-expired": ReasonRow(
        Group.REMOVED, "The claim has been unresolved for longer than --unresolved-timeout."
    ),
    "replaced": ReasonRow(
        Group.REMOVED,
        "The same object now requests another record that cannot coexist with this one, or AAAA instead of A or the "
        "reverse. Both change together.",
    ),
    "in-grace": ReasonRow(
        Group.UNCHANGED,
        "There is evidence for the delete. The record is deleted once the evidence has lasted for "
        "--delete-grace-period, but not before it is known who leads, what the saved state contains and which cluster "
        "this is.",
        log=LogLevel.INFO,
    ),
    "held": ReasonRow(
        Group.UNCHANGED,
        "The delete waits for approval, because the deletes of a namespace, of the zone or of all zones exceeded a "
        "budget, or because the evidence was insufficient. It stays held until it is approved, or an object requests "
        "the record, or the record is gone.",
        is_held=True,
        event_when=EventWhen.HELD,
        event="Held",
        next_step=_REVIEW,
    ),
    "other-cluster": ReasonRow(
        Group.UNCHANGED,
        "The saved state belongs to another cluster than the objects. Updates and deletes are held until a person "
        "accepts this cluster: extdns accept-cluster.",
        is_held=True,
    ),
    "no-address": ReasonRow(
        Group.UNCHANGED,
        "The status of the object holds no address yet. An existing record is retained.",
        category=Category.UNRESOLVED,
        event_when=EventWhen.RETAINED,
        event="Retained",
        log=LogLevel.INFO,
    ),
    "not-accepted": ReasonRow(
        Group.UNCHANGED,
        "The parent of the object, such as its Gateway, has not accepted it. An existing record is retained.",
        category=Category.UNRESOLVED,
        event_when=EventWhen.RETAINED,
        event="Retained",
        log=LogLevel.INFO,
    ),
    "absence-unconfirmed": ReasonRow(
        Group.UNCHANGED,
        "A list lacks the resource of the record, or another object that the record depends on, but no GET has "
        "confirmed that this object does not exist. The record stays.",
        category=Category.UNDECIDED,
        log=LogLevel.INFO,
    ),
    "object-failed": ReasonRow(
        Group.UNCHANGED,
        "The claims of the object, or of another one that may request the record, could not be computed, or planning "
        "the name failed with an error. Existing records stay.",
        category=Category.UNDECIDED,
        fails=True,
    ),
    "source-down": ReasonRow(
        Group.UNCHANGED,
        "A kind of object on which the record depends, such as that of its resource, cannot be listed. The record "
        "stays.",
        category=Category.UNDECIDED,
    ),
    "policy-keeps": ReasonRow(Group.UNCHANGED, "--policy does not allow this change.", log=LogLevel.INFO),
    "policy-keeps-type": ReasonRow(
        Group.UNCHANGED, "The requested record cannot coexist with the current one, which --policy keeps.", fails=True
    ),
    "policy-denied": ReasonRow(
        Group.UNCHANGED,
        "A rule denies the change. It is not made, and a published record stays as it is.",
        keeps_replaced=True,
        event_when=EventWhen.ALWAYS,
        next_step=_RULES,
    ),
    "policy-violation": ReasonRow(
        Group.REMOVED,
        "A rule denies a record that is published. The record stays, unless the rule says onViolation: delete; then it "
        "is deleted after the grace period and within the delete budget.",
        keeps_replaced=True,
        event_when=EventWhen.ALWAYS,
        next_step=_RULES,
    ),
    "policy-unavailable": ReasonRow(
        Group.UNCHANGED,
        "Whether the rules allow the record is unknown: a rule has no valid version, or the policy server does not "
        "answer. Nothing new is written, and what is published stays.",
        category=Category.UNDECIDED,
        keeps_replaced=True,
        event_when=EventWhen.ALWAYS,
        next_step=f"Correct the rule, or start the policy server. {_CHECK}",
    ),
    "invalid-name": ReasonRow(
        Group.OBJECT,
        "The object requests a name that is not a valid DNS name. Until that is corrected, records that the object "
        "requested before stay: the invalid name may stand for one of them.",
        category=Category.UNRESOLVED,
        event_when=EventWhen.ALWAYS,
    ),
    "invalid-target": ReasonRow(
        Group.OBJECT, "A target is not valid data for the record type.", category=Category.UNRESOLVED, fails=True
    ),
    "invalid-ttl": ReasonRow(
        Group.OBJECT,
        "The ttl annotation, or the recordTTL of a DNSEndpoint, is not a valid TTL. The record is published with the "
        "default TTL.",
        event_when=EventWhen.ALWAYS,
    ),
    "invalid-endpoint": ReasonRow(
        Group.OBJECT,
        "Name, type and targets do not make a valid record, such as an A record with a host name as its target.",
        category=Category.UNRESOLVED,
        event_when=EventWhen.ALWAYS,
    ),
    "invalid-annotation": ReasonRow(
        Group.OBJECT,
        "An annotation has an invalid value, or a key that the object also has under a newer prefix. It is treated as "
        "absent, or existing records stay as they are.",
        event_when=EventWhen.ALWAYS,
    ),
    "ignored-annotation": ReasonRow(
        Group.OBJECT,
        "An annotation is ignored, because its key is misspelled, or has an older prefix than other annotations of the "
        "object. Until that is corrected, records that the object requested before stay.",
        category=Category.UNRESOLVED,
        event_when=EventWhen.ALWAYS,
    ),
    "invalid-object": ReasonRow(
        Group.OBJECT,
        "A field of the object has an invalid value. Existing records stay.",
        category=Category.UNRESOLVED,
        event_when=EventWhen.ALWAYS,
    ),
    "forged-ownership": ReasonRow(
        Group.OBJECT,
        "The object requests a TXT record whose text reads as an ownership record, or a name whose first label is "
        "_extdns or begins with _extdns-, which only ownership records have. It is not published, because it could "
        "claim records of others as ours.",
        keeps_replaced=True,
        fails=True,
    ),
    "domain-filtered": ReasonRow(
        Group.CONFIGURATION, "The domain filters exclude the name.", category=Category.EXCLUDED, log=LogLevel.NOTHING
    ),
    "type-unmanaged": ReasonRow(
        Group.CONFIGURATION,
        "The record type is not in --managed-record-types.",
        category=Category.EXCLUDED,
        log=LogLevel.NOTHING,
    ),
    "targets-filtered": ReasonRow(Group.CONFIGURATION, "The target network filters exclude every target."),
    "no-zone": ReasonRow(Group.CONFIGURATION, "None of the zones that could be listed can hold the name."),
    "zones-unknown": ReasonRow(
        Group.CONFIGURATION,
        "The zones of an account cannot be listed, so the right zone is unknown. New names wait.",
        category=Category.UNREAD,
        next_step=_CHECK,
    ),
    "zone-unread": ReasonRow(
        Group.CONFIGURATION,
        "The zone has not been fully read yet.",
        category=Category.UNREAD,
        next_step=_CHECK,
        log=LogLevel.NOTHING,
    ),
    "zone-gone": ReasonRow(Group.CONFIGURATION, "The service no longer lists the zone."),
    "zone-moved": ReasonRow(
        Group.CONFIGURATION, "The name belongs to another zone now. The record in this zone stays."
    ),
    "record-unreadable": ReasonRow(
        Group.CONFIGURATION,
        "A record at the name, or at the name of an ownership record for it, cannot be parsed. Nothing is changed "
        "there until it is corrected.",
        category=Category.UNDECIDED,
        fails=True,
    ),
    "owned-by-other": ReasonRow(
        Group.CONFLICT,
        "The ownership record of the current record names another owner.",
        category=Category.FOREIGN,
        keeps_replaced=True,
        event_when=EventWhen.ALWAYS,
    ),
    "foreign-record": ReasonRow(
        Group.CONFLICT,
        "A record without our ownership TXT already exists.",
        category=Category.FOREIGN,
        keeps_replaced=True,
        event_when=EventWhen.ALWAYS,
    ),
    "ownership-record-unreadable": ReasonRow(
        Group.CONFLICT,
        "A TXT record that may be the ownership record of this record is encrypted with another key, so this record "
        "does not count as ours and is left alone.",
        category=Category.FOREIGN,
        keeps_replaced=True,
        event_when=EventWhen.ALWAYS,
    ),
    "requested-by-other": ReasonRow(
        Group.CONFLICT,
        "Another object requests the same name and has precedence.",
        category=Category.REJECTED,
        event_when=EventWhen.ALWAYS,
        log=LogLevel.INFO,
    ),
    "merged-before": ReasonRow(
        Group.CONFLICT,
        "The record equals what external-dns merged from objects in several namespaces. It stays until one of "
        "them changes; then only the objects of the namespace that has the name count.",
        category=Category.IN_SYNC,
    ),
    "contended": ReasonRow(
        Group.CONFLICT,
        "Another writer changed the record back three times within ten minutes. extdns waits before it tries "
        "again: first five minutes, then longer.",
        fails=True,
    ),
    "incompatible-type": ReasonRow(
        Group.CONFLICT,
        "Objects request the name as a CNAME and as another type. These cannot coexist, and the CNAME is not "
        "published.",
        category=Category.REJECTED,
        event_when=EventWhen.ALWAYS,
    ),
    "incompatible-record": ReasonRow(
        Group.CONFLICT,
        "The record cannot coexist with another one that is requested or not ours: a CNAME excludes all other "
        "types, and records of one type are all simple or all have the same routing policy.",
        fails=True,
    ),
    "no-ownership-name": ReasonRow(
        Group.CONFLICT,
        "No ownership record can be written for the record: its name would be too long, is taken by a record that is "
        "not ours, or would make a foreign record of another zone ours. Without one, nothing is created.",
        fails=True,
    ),
    "duplicate-ownership-name": ReasonRow(
        Group.CONFLICT, "The ownership records of this record and of another one would have the same name.", fails=True
    ),
    "unsupported": ReasonRow(
        Group.PROVIDER,
        "The DNS service does not support such a record, or the object requests a record without targets.",
        keeps_replaced=True,
        fails=True,
        event=RECORD_ERROR,
    ),
    "too-large": ReasonRow(
        Group.PROVIDER, "The change is larger than one API call allows.", fails=True, event=RECORD_ERROR
    ),
    "refused": ReasonRow(
        Group.PROVIDER,
        "The DNS service rejected the change. extdns retries with back-off.",
        fails=True,
        event=RECORD_ERROR,
    ),
    "zone-forbidden": ReasonRow(
        Group.PROVIDER,
        "The permission to change this zone is missing.",
        fails=True,
        event=RECORD_ERROR,
        next_step=f"Give the credentials the permission to change the zone. {_CHECK}",
    ),
    "write-conflict": ReasonRow(
        Group.PROVIDER,
        "The record is not what was read: somebody else changed it first. It is read and planned again.",
        transient=True,
    ),
    "try-later": ReasonRow(
        Group.PROVIDER,
        "The DNS service throttled the call, is busy or failed. The change is sent again.",
        fails=True,
        transient=True,
    ),
    "no-answer": ReasonRow(
        Group.PROVIDER,
        "The DNS service did not answer, so the change may have been made. It is sent again.",
        fails=True,
        transient=True,
    ),
}
