"""Reason codes: why a decision was made (law 7).

`extdns explain`, Events, metrics, logs and the web server show them. All classification reads the row of a code, and
docs, metrics and schemas are generated from the rows.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum, StrEnum
from typing import Final, Self

from extdns.model.value import Value


class Group(StrEnum):
    """The sections of docs/reference/reasons.md. The value is the heading."""

    PUBLISHED = "Published, or about to be"
    REMOVED = "Removed"
    UNCHANGED = "Left unchanged"
    OBJECT = "Invalid values on the object"
    CONFIGURATION = "Excluded by the configuration, or in no readable zone"
    CONFLICT = "Not ours, or incompatible with another record"
    PROVIDER = "Refused by the DNS service"


class EventWhen(Enum):
    """When the objects that request the record get an Event; for `HELD`, only the resource of the record gets one."""

    NEVER = "never"
    RETAINED = "retained"  # if a record of ours is retained
    ALWAYS = "always"
    HELD = "held"  # the resource of the record, while its delete is held


class LogLevel(Enum):
    """The level at which a decision without a change is logged."""

    NOTHING = "nothing"
    INFO = "info"
    WARNING = "warning"


class Category(Enum):
    """The classes of reasons, by what they state about the claim or the record of a decision."""

    IN_SYNC = "the record is as it should be"
    EXCLUDED = "the configuration excludes the claim"
    FOREIGN = "the current record is not ours"
    REJECTED = "another claim of the name is used instead"
    UNRESOLVED = "the claim is unresolved; a record that is kept for it is a retained record"
    UNDECIDED = "the record is kept until more is known"
    UNREAD = "the current record is unknown"
    OTHER = "none of these"


RECORD_ERROR: Final = "RecordError"
"""The `reason` that external-dns gives Events about a refused change."""


_INVALID: Final = "is not valid"


class ReasonRow(Value, frozen=True):
    """The meaning of a reason code, and how decisions with it are classified.

    Attributes:
        code: its spelling for users.
        group: its section of the reference page.
        text: its meaning, in sentences.
        category: what it states about the claim or the record.
        fails: whether it is a failure: the run counts as failed, and `--once` exits with 1.
        fails_pass: whether `--once` exits with 1 for the cause, such as a source or a zone, which is reported once and
            not for each record.
        reference_skips: whether external-dns only warns about it. With `--compat` it is not a failure.
        transient: whether it passes without action by a person, so that it needs no Event.
        is_held: whether a record kept for this reason waits for approval; `--once` exits with 3.
        is_invalid: whether it states that a value on the object is invalid: then a DNSEndpoint is not valid.
        hides_request: whether the value may stand for a name that the object requests, so that its records stay.
        verdict: what messages say about the value on the object, before what is allowed.
        event_when: when objects get an Event; None means for every failure that is not transient.
        event: the `reason` of that Event, "" if it is the code in camel case.
        next_step: what a person can do about it, as a clause; "" if that depends on the case.
        see: the command that shows more, after what it shows; "" if there is none.
        log: the level at which a decision without a change is logged.
    """

    code: str
    group: Group
    text: str
    category: Category = Category.OTHER
    fails: bool = False
    fails_pass: bool = False
    reference_skips: bool = False
    transient: bool = False
    is_held: bool = False
    is_invalid: bool = False
    hides_request: bool = False
    verdict: str = _INVALID
    event_when: EventWhen | None = None
    event: str = ""
    next_step: str = ""
    see: str = ""
    log: LogLevel = LogLevel.WARNING

    @property
    def event_rule(self) -> EventWhen:
        """When the objects that request the record get an Event."""
        if self.event_when is not None:
            return self.event_when
        return EventWhen.ALWAYS if self.fails and not self.transient else EventWhen.NEVER

    @property
    def is_remark(self) -> bool:
        """Whether it is about a value that is not invalid: the record is published with it, or without it."""
        return self.verdict != _INVALID

    @property
    def exit_code(self) -> int:
        """The exit code of `--once`, unless another decision has a worse one."""
        return 1 if self.fails or self.fails_pass else 3 if self.is_held else 0


_REVIEW: Final = "See and approve held deletes: extdns status"
_RULES: Final = "See what each rule answers: extdns explain NAME"
CHECK: Final = "What is missing or fails: extdns check"
_CHANGE_RULE: Final = "change the object, or have the rule changed"
_AFTERWARDS: Final = "; until then the record stays as it is, afterwards extdns makes it as the object requests"
_CORRECT_VALUE: Final = f"correct the hostname or annotation{_AFTERWARDS}"
_ANOTHER_POLICY: Final = "to allow the change, give another --policy: sync makes all changes"


class Reason(StrEnum):
    """Why a decision was made: one code for each outcome of a claim, a record or a change, with its row."""

    _value_: str
    row: ReasonRow

    def __new__(cls, row: ReasonRow) -> Self:
        """Return the code of *row*."""
        member = str.__new__(cls, row.code)
        member._value_ = row.code
        member.row = row
        return member

    @property
    def event(self) -> str:
        """The `reason` of Events: from the row, by default the code in camel case, as `RequestedByOther`."""
        return self.row.event or "".join(word.capitalize() for word in self.value.split("-"))

    PUBLISHED = ReasonRow(
        "published",
        Group.PUBLISHED,
        "The zone holds what the object requests.",
        category=Category.IN_SYNC,
        log=LogLevel.NOTHING,
    )
    REQUESTED = ReasonRow(
        "requested", Group.PUBLISHED, "An object requests the record, and nothing is in its way. It will be created."
    )
    CHANGED = ReasonRow(
        "changed", Group.PUBLISHED, "The record is ours and differs from what the object requests. It will be updated."
    )
    DRIFT_REPAIRED = ReasonRow(
        "drift-repaired",
        Group.PUBLISHED,
        "Somebody else changed or removed the record, which is ours, in the DNS service. It will be as requested "
        "again.",
    )
    OWNERSHIP_RECORD_MISSING = ReasonRow(
        "ownership-record-missing",
        Group.PUBLISHED,
        "Only an ownership record in an older format shows that the record is ours. One in the newest format "
        "will be added.",
    )
    OWNER_MIGRATED = ReasonRow(
        "owner-migrated",
        Group.PUBLISHED,
        "The record belonged to the owner in --migrate-from-txt-owner. It becomes ours.",
    )
    OBJECT_DELETED = ReasonRow("object-deleted", Group.REMOVED, "The object that requested the record was deleted.")
    HOSTNAME_REMOVED = ReasonRow(
        "hostname-removed", Group.REMOVED, "A newer version of the object no longer requests the record."
    )
    FILTERED_OUT = ReasonRow(
        "filtered-out",
        Group.REMOVED,
        "A filter, a class, an annotation or a field of the object excludes the name.",
    )
    DEPENDENCY_CHANGED = ReasonRow(
        "dependency-changed",
        Group.REMOVED,
        "The object is unchanged, but the objects that it refers to no longer yield the name.",
    )
    NO_ENDPOINTS = ReasonRow(
        "no-endpoints",
        Group.REMOVED,
        "No ready endpoints: complete data about endpoints, pods or nodes has no target for the name.",
        log=LogLevel.INFO,
    )
    ABSENT = ReasonRow(
        "absent",
        Group.REMOVED,
        "A complete list lacks the object, and a GET, or with manifests a second reading, confirmed that it does not "
        "exist.",
    )
    ORPHAN_GONE = ReasonRow(
        "orphan-gone", Group.REMOVED, "The record is ours, no object requests it, and its resource no longer exists."
    )
    ORPHAN_UNCLAIMED = ReasonRow(
        "orphan-unclaimed",
        Group.REMOVED,
        "The record is ours and no object requests it, but its resource may still exist. The delete is held, "
        "unless the settings are those that were accepted before.",
        is_held=True,
        event_when=EventWhen.HELD,
        event="Held",
        see=_REVIEW,
    )
    UNRESOLVED_EXPIRED = ReasonRow(
        "unresolved-expired", Group.REMOVED, "The claim has been unresolved for longer than --unresolved-timeout."
    )
    REPLACED = ReasonRow(
        "replaced",
        Group.REMOVED,
        "The same object now requests another record that cannot coexist with this one, or AAAA instead of A or the "
        "reverse. Both change together.",
    )
    IN_GRACE = ReasonRow(
        "in-grace",
        Group.UNCHANGED,
        "There is evidence for the delete. The record is deleted once the evidence has lasted for "
        "--delete-grace-period, but not before it is known who leads, what the saved state contains and which cluster "
        "this is.",
        log=LogLevel.INFO,
    )
    HELD = ReasonRow(
        "held",
        Group.UNCHANGED,
        "The delete waits for approval, because the deletes of a namespace, of the zone or of all zones exceeded a "
        "budget, or because the evidence was insufficient. It stays held until it is approved, or an object of "
        "its namespace requests the record, or the record is gone.",
        is_held=True,
        event_when=EventWhen.HELD,
        event="Held",
        see=_REVIEW,
        log=LogLevel.INFO,  # one warning for all of a scope has the command that approves them
    )
    OTHER_CLUSTER = ReasonRow(
        "other-cluster",
        Group.UNCHANGED,
        "The saved state belongs to another cluster than the objects. Updates and deletes are held until a person "
        "accepts this cluster: extdns accept-cluster.",
        is_held=True,
    )
    NO_ADDRESS = ReasonRow(
        "no-address",
        Group.UNCHANGED,
        "The status of the object holds no address yet. An existing record is retained.",
        category=Category.UNRESOLVED,
        event_when=EventWhen.RETAINED,
        event="Retained",
        log=LogLevel.INFO,
    )
    NOT_ACCEPTED = ReasonRow(
        "not-accepted",
        Group.UNCHANGED,
        "The parent of the object, such as its Gateway, has not accepted it. An existing record is retained.",
        category=Category.UNRESOLVED,
        event_when=EventWhen.RETAINED,
        event="Retained",
        log=LogLevel.INFO,
    )
    ABSENCE_UNCONFIRMED = ReasonRow(
        "absence-unconfirmed",
        Group.UNCHANGED,
        "A list lacks the resource of the record, or another object that the record depends on, but no GET has "
        "confirmed that this object does not exist. The record stays.",
        category=Category.UNDECIDED,
        log=LogLevel.INFO,
        next_step="let the service account get objects of the kind; extdns asks again from time to time",
        see=CHECK,
    )
    OBJECT_FAILED = ReasonRow(
        "object-failed",
        Group.UNCHANGED,
        "The claims of the object, or of another one that may request the record, could not be computed, or planning "
        "the record or its name failed with an error. Existing records stay.",
        category=Category.UNDECIDED,
        fails=True,
        is_invalid=True,
        next_step="correct the object, or what it refers to; extdns computes its names again when either changes",
    )
    SOURCE_DOWN = ReasonRow(
        "source-down",
        Group.UNCHANGED,
        "A kind of object on which the record depends, such as that of its resource, cannot be listed. The record "
        "stays.",
        category=Category.UNDECIDED,
        next_step="let the service account list and watch the kind, or install the kind in the cluster",
        see=CHECK,
        fails_pass=True,
    )
    POLICY_KEEPS = ReasonRow(
        "policy-keeps",
        Group.UNCHANGED,
        "--policy does not allow this change.",
        log=LogLevel.INFO,
        next_step=_ANOTHER_POLICY,
    )
    POLICY_KEEPS_TYPE = ReasonRow(
        "policy-keeps-type",
        Group.UNCHANGED,
        "The requested record cannot coexist with the current one, which --policy keeps.",
        fails=True,
        next_step=_ANOTHER_POLICY,
    )
    POLICY_DENIED = ReasonRow(
        "policy-denied",
        Group.UNCHANGED,
        "A rule denies the change. It is not made, and a published record stays as it is.",
        event_when=EventWhen.ALWAYS,
        next_step=_CHANGE_RULE,
        see=_RULES,
    )
    POLICY_VIOLATION = ReasonRow(
        "policy-violation",
        Group.REMOVED,
        "A rule denies a record that is published. The record stays, unless the rule says onViolation: delete; then it "
        "is deleted after the grace period and within the delete budget.",
        event_when=EventWhen.ALWAYS,
        next_step=_CHANGE_RULE,
        see=_RULES,
    )
    POLICY_UNAVAILABLE = ReasonRow(
        "policy-unavailable",
        Group.UNCHANGED,
        "Whether the rules allow the record is unknown: a rule has no valid version, or the policy server does not "
        "answer. Nothing new is written, and what is published stays.",
        category=Category.UNDECIDED,
        event_when=EventWhen.ALWAYS,
        next_step="correct the rule, or start the policy server",
        see=CHECK,
        fails_pass=True,
    )
    INVALID_NAME = ReasonRow(
        "invalid-name",
        Group.OBJECT,
        "The object requests a name that is not a valid DNS name. Until that is corrected, records that the object "
        "requested before stay: the invalid name may stand for one of them.",
        category=Category.UNRESOLVED,
        event_when=EventWhen.ALWAYS,
        next_step=_CORRECT_VALUE,
        hides_request=True,
        is_invalid=True,
        fails=True,
    )
    INVALID_TARGET = ReasonRow(
        "invalid-target",
        Group.OBJECT,
        "A target is not valid data for the record type, or points to the name itself. An existing record stays.",
        category=Category.UNRESOLVED,
        fails=True,
        is_invalid=True,
        next_step=f"correct the target{_AFTERWARDS}",
    )
    INVALID_TTL = ReasonRow(
        "invalid-ttl",
        Group.OBJECT,
        "The ttl annotation, or the recordTTL of a DNSEndpoint, is not a valid TTL. The record is published with the "
        "default TTL.",
        event_when=EventWhen.ALWAYS,
        is_invalid=True,
    )
    INVALID_ENDPOINT = ReasonRow(
        "invalid-endpoint",
        Group.OBJECT,
        "Name, type and targets do not make a valid record, such as an A record with a host name as its target.",
        category=Category.UNRESOLVED,
        event_when=EventWhen.ALWAYS,
        hides_request=True,
        is_invalid=True,
        next_step=f"correct the endpoint of the object{_AFTERWARDS}",
        fails=True,
        reference_skips=True,
    )
    INVALID_ANNOTATION = ReasonRow(
        "invalid-annotation",
        Group.OBJECT,
        "An annotation has an invalid value, or a key that the object also has under a newer prefix. It is treated as "
        "absent, or existing records stay as they are.",
        event_when=EventWhen.ALWAYS,
    )
    IGNORED_ANNOTATION = ReasonRow(
        "ignored-annotation",
        Group.OBJECT,
        "An annotation is ignored, because its key is misspelled, or has an older prefix than other annotations of the "
        "object. Until that is corrected, records that the object requested before stay.",
        category=Category.UNRESOLVED,
        event_when=EventWhen.ALWAYS,
        next_step=_CORRECT_VALUE,
        hides_request=True,
    )
    PROPERTY_IGNORED = ReasonRow(
        "property-ignored",
        Group.OBJECT,
        "The object sets a property that the DNS service of --provider does not have, or that extdns cannot set there, "
        "or a value that the property cannot have. The record is published without it.",
        event_when=EventWhen.ALWAYS,
        verdict="is ignored",
        next_step="correct or remove the property on the object, or choose a provider that has it: "
        "docs/reference/provider-ways.md",
    )
    CLUSTER_TARGET = ReasonRow(
        "cluster-target",
        Group.OBJECT,
        "A target is a name in cluster.local, which only the DNS of a cluster answers. The record is published, but "
        "clients outside the cluster cannot resolve it.",
        event_when=EventWhen.ALWAYS,
        verdict="is published, but only the DNS of a cluster answers it",
    )
    NOT_A_HOST_NAME = ReasonRow(
        "not-a-host-name",
        Group.OBJECT,
        "An address record has a name that is not a host name. If the record is ours, it stays managed; if not, it is "
        "not created.",
        event_when=EventWhen.ALWAYS,
        verdict="is not a host name",
    )
    INVALID_OBJECT = ReasonRow(
        "invalid-object",
        Group.OBJECT,
        "A field of the object has an invalid value, or an address record would get a name that is not a host name. "
        "Existing records stay.",
        category=Category.UNRESOLVED,
        event_when=EventWhen.ALWAYS,
        next_step=f"correct the name or the field of the object{_AFTERWARDS}",
        fails=True,
        reference_skips=True,
    )
    FORGED_OWNERSHIP = ReasonRow(
        "forged-ownership",
        Group.OBJECT,
        "The object requests a TXT record whose text reads as an ownership record, or a name whose first label is "
        "_extdns or begins with _extdns-, which only ownership records have. It is not published, because it could "
        "claim records of others as ours.",
        fails=True,
        next_step="give the record of the object another text or name",
    )
    DOMAIN_FILTERED = ReasonRow(
        "domain-filtered",
        Group.CONFIGURATION,
        "The domain filters exclude the name.",
        category=Category.EXCLUDED,
        log=LogLevel.NOTHING,
        next_step="check the filters of domains, such as --domain-filter, or request a name that they do not exclude",
    )
    TYPE_UNMANAGED = ReasonRow(
        "type-unmanaged",
        Group.CONFIGURATION,
        "The record type is not in --managed-record-types.",
        category=Category.EXCLUDED,
        log=LogLevel.NOTHING,
    )
    TARGETS_FILTERED = ReasonRow(
        "targets-filtered",
        Group.CONFIGURATION,
        "The target network filters exclude every target.",
    )
    NO_ZONE = ReasonRow("no-zone", Group.CONFIGURATION, "None of the zones that could be listed can hold the name.")
    NO_GATEWAY = ReasonRow(
        "no-gateway",
        Group.CONFIGURATION,
        "The Gateway or ListenerSet that the object refers to does not exist, or is not among the manifests. Until it "
        "does, the object requests nothing.",
        log=LogLevel.INFO,
        next_step="create the Gateway, or correct the reference; with --manifests, give its manifest, too",
    )
    AMBIGUOUS_ADDRESS = ReasonRow(
        "ambiguous-address",
        Group.CONFIGURATION,
        "Services of several namespaces have the selector of the Gateway, so its address is not known. An existing "
        "record is retained, also after --unresolved-timeout.",
        event_when=EventWhen.RETAINED,
        event="Retained",
        log=LogLevel.INFO,
        next_step="set the annotation target or ingress on the Gateway",
    )
    ZONES_UNKNOWN = ReasonRow(
        "zones-unknown",
        Group.CONFIGURATION,
        "The zones of an account cannot be listed, so the right zone is unknown. New names wait.",
        category=Category.UNREAD,
        see=CHECK,
        fails_pass=True,
    )
    ZONE_UNREAD = ReasonRow(
        "zone-unread",
        Group.CONFIGURATION,
        "The zone has not been fully read yet.",
        category=Category.UNREAD,
        see=CHECK,
        log=LogLevel.NOTHING,
        fails_pass=True,
    )
    ZONE_GONE = ReasonRow(
        "zone-gone",
        Group.CONFIGURATION,
        "The service no longer lists the zone.",
        next_step="nothing to do if the zone was deleted; if not, let the credentials and the filters of zones find it",
    )
    ZONE_MOVED = ReasonRow(
        "zone-moved",
        Group.CONFIGURATION,
        "The name belongs to another zone now. The record in this zone stays.",
        next_step="delete the record in this zone by hand if nobody needs it; extdns changes it no more",
    )
    RECORD_UNREADABLE = ReasonRow(
        "record-unreadable",
        Group.CONFIGURATION,
        "A record at the name, or a TXT record at the name of an ownership record for it, cannot be parsed. Nothing is "
        "changed there until it is corrected.",
        category=Category.UNDECIDED,
        fails=True,
        next_step="correct the record in the zone, or delete it",
    )
    OWNED_BY_OTHER = ReasonRow(
        "owned-by-other",
        Group.CONFLICT,
        "The ownership record of the current record names another owner.",
        category=Category.FOREIGN,
        event_when=EventWhen.ALWAYS,
    )
    FOREIGN_RECORD = ReasonRow(
        "foreign-record",
        Group.CONFLICT,
        "A record without our ownership TXT already exists.",
        category=Category.FOREIGN,
        event_when=EventWhen.ALWAYS,
    )
    OWNERSHIP_RECORD_UNREADABLE = ReasonRow(
        "ownership-record-unreadable",
        Group.CONFLICT,
        "A TXT record that may be the ownership record of this record is encrypted with another key, so this record "
        "does not count as ours and is left alone.",
        category=Category.FOREIGN,
        event_when=EventWhen.ALWAYS,
        next_step="give the key that encrypted the ownership record as another --txt-encrypt-aes-key",
    )
    REQUESTED_BY_OTHER = ReasonRow(
        "requested-by-other",
        Group.CONFLICT,
        "Another object requests the same name and has precedence.",
        category=Category.REJECTED,
        event_when=EventWhen.ALWAYS,
        log=LogLevel.INFO,
        next_step="remove the name from the other object, or from this one",
    )
    MERGED_BEFORE = ReasonRow(
        "merged-before",
        Group.CONFLICT,
        "The record equals what external-dns merged from objects in several namespaces. It stays until one of "
        "them changes; then only the objects of the namespace that has the name count.",
        category=Category.IN_SYNC,
    )
    CONTENDED = ReasonRow(
        "contended",
        Group.CONFLICT,
        "Another writer changed the record back three times within ten minutes, or the DNS service accepted it as "
        "often and does not keep it. extdns waits before it tries again: first five minutes, then longer.",
        fails=True,
        next_step="find the other writer, and let only one manage the name; or see why the service drops the record",
    )
    INCOMPATIBLE_TYPE = ReasonRow(
        "incompatible-type",
        Group.CONFLICT,
        "Objects request the name as a CNAME and as another type. These cannot coexist, and the CNAME is not "
        "published.",
        category=Category.REJECTED,
        event_when=EventWhen.ALWAYS,
        next_step="request the name either as a CNAME or as another type, not both",
    )
    INCOMPATIBLE_RECORD = ReasonRow(
        "incompatible-record",
        Group.CONFLICT,
        "The record cannot coexist with another one that is requested or not ours: a CNAME excludes all other "
        "types, and records of one type are all simple or all have the same routing policy.",
        fails=True,
        next_step="remove one of the two records, or change it so that both can coexist",
    )
    NO_OWNERSHIP_NAME = ReasonRow(
        "no-ownership-name",
        Group.CONFLICT,
        "No ownership record can be written for the record: its name would be too long, is taken by a record that is "
        "not ours, or would make a foreign record of another zone ours. Without one, nothing is created.",
        fails=True,
        next_step="request a shorter name, or remove the record that has the name of the ownership record",
    )
    DUPLICATE_OWNERSHIP_NAME = ReasonRow(
        "duplicate-ownership-name",
        Group.CONFLICT,
        "The ownership records of this record and of another one would have the same name.",
        fails=True,
        next_step="rename one of the two names",
    )
    UNSUPPORTED = ReasonRow(
        "unsupported",
        Group.PROVIDER,
        "The DNS service does not support such a record, or the object requests a record without targets.",
        fails=True,
        event=RECORD_ERROR,
        next_step="change the object so that the DNS service can hold the record",
    )
    TOO_LARGE = ReasonRow(
        "too-large",
        Group.PROVIDER,
        "The change is larger than one batch may be.",
        fails=True,
        event=RECORD_ERROR,
        next_step="request fewer or shorter targets",
        reference_skips=True,
    )
    REFUSED = ReasonRow(
        "refused",
        Group.PROVIDER,
        "The DNS service rejected the change. extdns retries with back-off.",
        fails=True,
        event=RECORD_ERROR,
        next_step="change the object so that the DNS service accepts the record; extdns also tries again from time to "
        "time",
    )
    ZONE_FORBIDDEN = ReasonRow(
        "zone-forbidden",
        Group.PROVIDER,
        "The permission to change this zone is missing.",
        fails=True,
        event=RECORD_ERROR,
        next_step="give the credentials the permission to change the zone",
        see=CHECK,
    )
    WRITE_CONFLICT = ReasonRow(
        "write-conflict",
        Group.PROVIDER,
        "The record is not what was read: somebody else changed it first. It is read and planned again.",
        transient=True,
        fails_pass=True,
    )
    TRY_LATER = ReasonRow(
        "try-later",
        Group.PROVIDER,
        "The DNS service throttled the call, is busy or failed, or its zone file cannot be read or replaced. The "
        "change is sent again.",
        fails=True,
        transient=True,
        next_step="correct what the message says, unless the DNS service is only busy; extdns sends the change again",
    )
    NO_ANSWER = ReasonRow(
        "no-answer",
        Group.PROVIDER,
        "The DNS service did not answer, or made only a part of a batch, so the change may have been made. What is "
        "missing is sent again.",
        fails=True,
        transient=True,
    )


REASONS: Final[Mapping[str, Reason]] = {reason.value: reason for reason in Reason}
"""The reasons by code."""


def select_reasons(category: Category) -> frozenset[Reason]:
    """Return the reasons of *category*."""
    return frozenset(reason for reason in Reason if reason.row.category is category)


def look_up_verdict(code: str) -> str:
    """Return what messages say about a value on an object that has the problem *code*."""
    return REASONS.get(code, Reason.INVALID_OBJECT).row.verdict


def look_up_meaning(code: str) -> str:
    """Return the text of the reason *code*; "" for an unknown code, as a process of another version may send."""
    reason = REASONS.get(code)
    return reason.row.text if reason else ""
