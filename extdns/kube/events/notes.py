"""What there is to say to those who look at an object (design 5, "Events on objects"; spec sources 10)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Final, NamedTuple

from extdns.errors import shown
from extdns.model.change import Delete
from extdns.model.claim import Invalid, Notice, Wanted
from extdns.model.cluster import Kind, ObjectKey, ObjectRef
from extdns.model.decision import Decision, Verdict
from extdns.model.reason import MEANINGS, SOMEBODY_ELSES, Reason

if TYPE_CHECKING:
    from extdns.model.change import Batch
    from extdns.model.claim import Claim
    from extdns.model.held import Held
    from extdns.model.ownership import Owned
    from extdns.model.record import Endpoint, Record
    from extdns.model.zone import Zone

READY: Final = "RecordReady"
DELETED: Final = "RecordDeleted"
ERROR: Final = "RecordError"

_WRONG: Final = SOMEBODY_ELSES | frozenset(
    {
        Reason.CONFLICT_LOST,
        Reason.FOUGHT_OVER,
        Reason.TYPE_CONFLICT,
        Reason.ROUTING_CONFLICT,
        Reason.NO_OWNERSHIP_NAME,
        Reason.MARK_CLASH,
        Reason.RECORD_UNREADABLE,
        Reason.INVALID_NAME,
        Reason.INVALID_TARGET,
        Reason.INVALID_ENDPOINT,
        Reason.INVALID_OBJECT,
        Reason.OBJECT_FAILED,
    }
)
_FAILED: Final = frozenset({Reason.REFUSED, Reason.ZONE_FORBIDDEN, Reason.UNSUPPORTED, Reason.TOO_LARGE})
_STALE: Final = frozenset({Reason.NO_ADDRESS, Reason.NOT_ACCEPTED})
_DONE: Final = {Verdict.CREATE: "Created", Verdict.UPDATE: "Updated"}
_MOST_NAMES: Final = 5


class Note(NamedTuple):
    """One thing to say of one object.

    Attributes:
        about: the object; of a key, only as long as there is such an object.
        source: as `--source` spells it, else the kind.
        reason: one word, by which Events are told apart.
        action: what was or would have been done.
    """

    about: ObjectRef | ObjectKey
    source: str
    reason: str
    action: str
    text: str
    warns: bool = True


class Notes:
    """Writes notes. What is on its way is remembered, since only its coming is told."""

    def __init__(self, *, owner: str, kinds: Mapping[str, Kind], chosen: Iterable[str], problems: bool) -> None:
        """Write those of the reasons *chosen*, of the three that the reference has, and *problems*.

        Args:
            owner: our owner id.
            kinds: by the first part of a `resource` label.
            chosen: what `--events-emit` says.
            problems: whether problems are told.
        """
        self._owner = owner
        self._kinds = kinds
        self._chosen = frozenset(chosen)
        self._problems = problems
        self._coming: dict[tuple[str, str, str, str], Decision] = {}

    def of_decisions(self, decisions: Iterable[Decision]) -> Iterator[Note]:
        """What new decisions mean for the objects that ask."""
        for decision in decisions:
            if self._problems:
                yield from _problem(decision)
            if READY in self._chosen:
                yield from self._ready(decision)

    def of_mistakes(self, claims: Iterable[Claim]) -> Iterator[Note]:
        """What is wrong on the object that makes *claims*."""
        if not self._problems:
            return
        for claim in claims:
            match claim:
                case Invalid(provenance=where, reason=reason, value=value, allowed=allowed):
                    wrong: tuple[Notice, ...] = (
                        Notice(reason=reason, field=where.field, value=value, allowed=allowed),
                    )
                case Wanted(provenance=where, notices=notices):
                    wrong = notices
                case _:
                    continue
            for one in wrong:
                text = f"{one.field}: {shown(one.value)!r} is not valid; allowed: {one.allowed} [{one.reason}]"
                yield Note(where.ref, where.source, _camel(one.reason), "Publish", text)

    def of_failure(self, key: ObjectKey, message: str) -> Iterator[Note]:
        """That what the object asks for cannot be computed."""
        if self._problems:
            text = f"{MEANINGS[Reason.OBJECT_FAILED]} {shown(message, 600)} [{Reason.OBJECT_FAILED}]"
            yield Note(key, key.kind.label, _camel(Reason.OBJECT_FAILED), "Publish", text)

    def of_batch(self, batch: Batch) -> Iterator[Note]:
        """What a batch that was applied has deleted."""
        if DELETED not in self._chosen:
            return
        for change in (change for change_set in batch.sets for change in change_set.changes):
            if isinstance(change, Delete) and (key := self._object(change.held)):
                text = self._record_text(change.held.record)
                yield Note(key, key.kind.label, DELETED, "Deleted", text, warns=False)

    def of_held(self, zone: Zone, code: str, held: Iterable[Held]) -> Iterator[Note]:
        """What waits for a person in *zone*, one note an object."""
        if not self._problems or not code:
            return
        by_object: defaultdict[ObjectKey, list[str]] = defaultdict(list)
        for one in held:
            if key := self._object(one.owned):
                by_object[key].append(f"{shown(one.owned.record.name)} {one.owned.record.type} [{one.evidence}]")
        for key, records in sorted(by_object.items()):
            more = ["..."] if len(records) > _MOST_NAMES else []
            text = (
                f"Deletes are HELD in zone {shown(zone.name)}, among them {', '.join(records[:_MOST_NAMES] + more)}. "
                f"Look: extdns status. Release: extdns release {code} [{Reason.HELD}]"
            )
            yield Note(key, key.kind.label, _camel(Reason.HELD), "Delete", text)

    def _ready(self, decision: Decision) -> Iterator[Note]:
        before = self._coming.pop(decision.key, None)
        if decision.verdict in _DONE:
            self._coming[decision.key] = decision
        elif before and decision.reason is Reason.PROGRAMMED and decision.wanted:
            text = self._record_text(decision.held.record if decision.held else decision.wanted)
            for asked in before.asked_by:
                yield Note(asked.ref, asked.source, READY, _DONE[before.verdict], text, warns=False)

    def _record_text(self, record: Record | Endpoint) -> str:
        """As the reference writes it (spec sources 10.4)."""
        return (
            f"(external-dns) record:{record.name},owner:{self._owner},type:{record.type},"
            f"ttl:{record.ttl_s},targets:{','.join(record.targets)}"
        )

    def _object(self, owned: Owned) -> ObjectKey | None:
        label, _, place = owned.resource.partition("/")
        kind = self._kinds.get(label)
        namespace, _, name = place.rpartition("/")
        return ObjectKey(kind, namespace, name) if kind and name and bool(namespace) is kind.namespaced else None


def _problem(decision: Decision) -> Iterator[Note]:
    stays = decision.verdict is Verdict.KEEP and decision.held is not None and decision.held.ours
    if decision.reason in _FAILED:
        reason = ERROR
    elif decision.reason in _WRONG:
        reason = _camel(decision.reason)
    elif decision.reason in _STALE and stays:
        reason = _camel(Reason.STALE)
    else:
        return
    record = f"{decision.name} {decision.type}".strip()
    detail = f" {shown(decision.detail, 600)}" if decision.detail else ""
    text = f"{record}: {MEANINGS[decision.reason]}{detail} [{decision.reason}]"
    for asked in decision.asked_by:
        yield Note(asked.ref, asked.source, reason, "Publish", text)


def _camel(reason: Reason) -> str:
    """`ConflictLost`, as reasons of Events are spelled."""
    return "".join(word.capitalize() for word in reason.value.split("-"))
