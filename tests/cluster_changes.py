"""Summaries of the changes that a cluster reports, for comparison, and builders of the expected ones."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from pathlib import Path
from typing import NamedTuple

from extdns.model.cluster import (
    ClusterChange,
    ClusterIdentity,
    IdentityRead,
    KindChange,
    ObjectChange,
    ObjectProblem,
    Phase,
    Sighting,
)
from extdns.model.kind import Kind, ObjectKey


class Step(StrEnum):
    """What happened to an object."""

    ADDED = "added"
    EDITED = "edited"
    REMOVED = "removed"


class ObjectSummary(NamedTuple):
    """What happened to an object, and how that was observed."""

    step: Step
    key: ObjectKey
    seen: Sighting = Sighting.PRESENT


class PhaseSummary(NamedTuple):
    """The new phase of a kind."""

    kind: Kind
    phase: Phase


class ProblemSummary(NamedTuple):
    """A problem of an object; the message is "" once it is solved.

    Attributes:
        location: without the folder, if it is a file.
        name: the name of the object, "" if that is unknown.
    """

    location: str
    name: str
    message: str


Summary = ObjectSummary | PhaseSummary | ProblemSummary | ClusterIdentity


def added(kind: Kind, location: str) -> ObjectSummary:
    """Build the summary of the first version of the object *location*, as `shop/web`."""
    return ObjectSummary(Step.ADDED, _build_key(kind, location))


def edited(kind: Kind, location: str) -> ObjectSummary:
    """Build the summary of another version of the object *location*."""
    return ObjectSummary(Step.EDITED, _build_key(kind, location))


def removed(kind: Kind, location: str, seen: Sighting = Sighting.DELETED) -> ObjectSummary:
    """Build the summary of the end of the object *location*, which was observed as *seen*."""
    return ObjectSummary(Step.REMOVED, _build_key(kind, location), seen)


def synced(kind: Kind) -> PhaseSummary:
    """Build the summary that *kind* is synced."""
    return PhaseSummary(kind, Phase.SYNCED)


def _build_key(kind: Kind, location: str) -> ObjectKey:
    namespace, _, name = location.rpartition("/")
    return ObjectKey(kind, namespace, name)


def summarize_changes(changes: Iterable[ClusterChange]) -> list[Summary]:
    """Return the summary of each change in order."""
    return [_summarize(change) for change in changes]


def _summarize(change: ClusterChange) -> Summary:
    match change:
        case ObjectChange(key=key, old=old, new=new, seen=seen):
            return ObjectSummary(Step.ADDED if old is None else Step.REMOVED if new is None else Step.EDITED, key, seen)
        case KindChange(state=state):
            return PhaseSummary(state.kind, state.phase)
        case IdentityRead(identity=identity):
            return identity
        case ObjectProblem(location=location, key=at, message=message):
            where = Path(location).name if Path(location).is_absolute() else location
            return ProblemSummary(where, at.name if at else "", message)


def list_removed(changes: Iterable[ClusterChange]) -> list[ObjectSummary]:
    """Return the summaries of the objects that ended, in order."""
    found = summarize_changes(changes)
    return [one for one in found if isinstance(one, ObjectSummary) and one.step is Step.REMOVED]


def list_phases(changes: Iterable[ClusterChange]) -> list[Phase]:
    """Return the phases of all kinds, in order."""
    return [change.state.phase for change in changes if isinstance(change, KindChange)]
