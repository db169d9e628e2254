"""The row of a reason code: its meaning, and how decisions with the code are classified.

The rows themselves are in reason_rows.py.
"""

from __future__ import annotations

from enum import Enum, StrEnum
from typing import Final

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


class ReasonRow(Value, frozen=True):
    """The meaning of a reason code, and how decisions with it are classified.

    Attributes:
        group: its section of the reference page.
        text: its meaning, in sentences.
        category: what it states about the claim or the record.
        fails: whether it is a failure: the run counts as failed, and `--once` exits with 1.
        transient: whether it passes without action by a person, so that it needs no Event.
        keeps_replaced: whether a record of ours that a claim would replace stays if the claim is rejected for this
            reason.
        is_held: whether a record kept for this reason waits for approval; `--once` exits with 3.
        event_when: when objects get an Event; None means for every failure that is not transient.
        event: the `reason` of that Event, "" if it is the code in camel case.
        next_step: what a person can do about it, with the command; "" if that depends on the case.
        log: the level at which a decision without a change is logged.
    """

    group: Group
    text: str
    category: Category = Category.OTHER
    fails: bool = False
    transient: bool = False
    keeps_replaced: bool = False
    is_held: bool = False
    event_when: EventWhen | None = None
    event: str = ""
    next_step: str = ""
    log: LogLevel = LogLevel.WARNING

    @property
    def event_rule(self) -> EventWhen:
        """When the objects that request the record get an Event."""
        if self.event_when is not None:
            return self.event_when
        return EventWhen.ALWAYS if self.fails and not self.transient else EventWhen.NEVER

    @property
    def exit_code(self) -> int:
        """The exit code of `--once`, unless another decision has a worse one."""
        return 1 if self.fails else 3 if self.is_held else 0
