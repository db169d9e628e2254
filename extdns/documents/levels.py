"""How severe a state is, which decides its color everywhere (docs/design/page.md, "One answer")."""

from __future__ import annotations

from enum import StrEnum
from typing import Final

from extdns.documents.names import NameState
from extdns.documents.timeline import TimelineEvent
from extdns.model.change import OutcomeWord
from extdns.model.cluster import Phase


class Level(StrEnum):
    """The severity of a state, the worst first."""

    FAILING = "failing"
    WAITING = "waiting"
    GOOD = "good"
    NEUTRAL = "neutral"


class ZoneCondition(StrEnum):
    """The condition of a zone, the worst first.

    Except `READING`, each can be the state of the worst name in the zone.
    """

    FAILING = "failing"
    READING = "reading"
    HELD = "held"
    CHANGING = "changing"
    NOT_PUBLISHED = "not-published"
    UNKNOWN = "unknown"
    OUT_OF_SYNC = "out-of-sync"
    PUBLISHED = "published"


class PolicyCondition(StrEnum):
    """Which version of a DNSPolicy is used, or whether a policy of the policy server fails, the worst first."""

    UNUSABLE = "unusable"  # none, so what it may match has no answer
    FAILING = "failing"  # of the policy server, without a valid answer for some records
    FORMER_VERSION = "former-version"  # the last valid one, because the last one has problems
    USED = "used"  # the last one


class ServerCondition(StrEnum):
    """Whether the policy server answers."""

    FAILING = "failing"
    NOT_QUERIED = "not-queried"
    ANSWERING = "answering"


NAME_LEVELS: Final[dict[NameState, Level]] = {
    NameState.FAILING: Level.FAILING,
    NameState.HELD: Level.WAITING,
    NameState.CHANGING: Level.WAITING,
    NameState.NOT_PUBLISHED: Level.WAITING,
    NameState.UNKNOWN: Level.WAITING,
    NameState.OUT_OF_SYNC: Level.WAITING,
    NameState.PUBLISHED: Level.GOOD,
    NameState.EXCLUDED: Level.NEUTRAL,
}
ZONE_LEVELS: Final[dict[ZoneCondition, Level]] = {
    ZoneCondition.READING: Level.WAITING,
    **{ZoneCondition(state.value): level for state, level in NAME_LEVELS.items() if state is not NameState.EXCLUDED},
}
KIND_LEVELS: Final[dict[Phase, Level]] = {
    Phase.FORBIDDEN: Level.FAILING,
    Phase.NOT_SERVED: Level.FAILING,
    Phase.FAILING: Level.FAILING,
    Phase.LISTING: Level.WAITING,
    Phase.SYNCED: Level.GOOD,
}
POLICY_LEVELS: Final[dict[PolicyCondition, Level]] = {
    PolicyCondition.UNUSABLE: Level.FAILING,
    PolicyCondition.FAILING: Level.FAILING,
    PolicyCondition.FORMER_VERSION: Level.FAILING,
    PolicyCondition.USED: Level.GOOD,
}
SERVER_LEVELS: Final[dict[ServerCondition, Level]] = {
    ServerCondition.FAILING: Level.FAILING,
    ServerCondition.NOT_QUERIED: Level.NEUTRAL,
    ServerCondition.ANSWERING: Level.GOOD,
}
OUTCOME_LEVELS: Final[dict[OutcomeWord, Level]] = {
    "applied": Level.GOOD,
    "conflict": Level.WAITING,
    "try-later": Level.WAITING,
    "refused": Level.FAILING,
    "forbidden": Level.FAILING,
    "unknown": Level.FAILING,
}
EVENT_LEVELS: Final[dict[TimelineEvent, Level]] = {
    "requested": Level.NEUTRAL,
    "created": Level.GOOD,
    "updated": Level.GOOD,
    "repaired": Level.GOOD,
    "deleted": Level.GOOD,
    "not-written": Level.FAILING,
    "held": Level.WAITING,
    "due": Level.WAITING,
}
_ORDER: Final = tuple(Level)


def find_worst_level(*levels: Level) -> Level:
    """Return the worst of *levels*; GOOD if there are none, or all are NEUTRAL."""
    return min((*levels, Level.GOOD), key=_ORDER.index)
