"""What a decision can wait for."""

from __future__ import annotations

from enum import StrEnum
from typing import Final, NamedTuple

from extdns.model.kind import Kind, ObjectKey


class Awaited(StrEnum):
    """The kinds of things that a decision can wait for. The comment of each says what `Wait.about` contains."""

    ANSWER = "answer"  # whether the object at this key exists
    OBJECT = "object"  # another version of the object at this key, or its deletion
    COMPUTED = "computed"  # "": the claims of all objects can be computed
    SYNC = "sync"  # a complete list of this kind
    GRACE = "grace"  # "": the delete guard grants a delete whose time has come
    APPROVAL = "approval"  # "": a person approves a held delete or accepts another cluster
    RETRY = "retry"  # "": a pause ends, names are read again, or a batch gets its outcome
    ADJUSTMENT = "adjustment"  # "": the service shows what it makes of desired records
    ZONE = "zone"  # zone id: the zone is read, or read again
    ZONES = "zones"  # "": another list of zones
    RULES = "rules"  # "": an answer of the policy server
    PLAN = "plan"  # "": planning the name raised; it is planned again after a pause


class Wait(NamedTuple):
    """One thing that a decision waits for: what it is, and the object, kind or zone that it is about; "" if none."""

    what: Awaited
    about: ObjectKey | Kind | str = ""


ADJUSTMENT: Final = Wait(Awaited.ADJUSTMENT)
APPROVAL: Final = Wait(Awaited.APPROVAL)
COMPUTED: Final = Wait(Awaited.COMPUTED)
GRACE: Final = Wait(Awaited.GRACE)
PLAN: Final = Wait(Awaited.PLAN)
RETRY: Final = Wait(Awaited.RETRY)
RULES: Final = Wait(Awaited.RULES)
ZONES: Final = Wait(Awaited.ZONES)
