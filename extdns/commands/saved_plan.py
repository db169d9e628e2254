"""Read the plan that `extdns apply` applies, compare it with the current one, and write only its changes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final

import msgspec

from extdns import __version__
from extdns.documents.document import format_json
from extdns.documents.plan import (
    PassResult,
    PlanDocument,
    PlanEntry,
    build_entry,
    build_plan_document,
    build_plan_row,
    format_table,
    with_checksum,
)
from extdns.documents.text import join_targets
from extdns.engine.engine import Engine
from extdns.errors import UsageError, escape_unprintable, sanitize
from extdns.flags.usage_errors import usage_error
from extdns.model.change import Batch, Change, ChangeSet, Outcome, Refused
from extdns.model.dns_name import DnsName
from extdns.model.reason import Reason, look_up_meaning
from extdns.model.record import RecordKey
from extdns.model.value import format_count
from extdns.model.zone import Zone
from extdns.ports import ZoneWriter

_MAKE: Final = "to make a plan: extdns plan --output=json [flags] > plan.json"
_PLAN_AGAIN: Final = "to see the current plan: extdns plan [flags]"
_NOT_WRITTEN: Final = f"nothing was written; {_PLAN_AGAIN}"
_MAX_DIFFERENCES: Final = 5
_MAX_LENGTH: Final = 300
_Key = tuple[str, str, str, str]
_ChangeSetIdentity = tuple["Zone", "DnsName", "tuple[Change, ...]"]


def require_same_plan(stored: PlanDocument, result: PassResult) -> None:
    """Check that the *stored* plan equals the plan of the pass with *result*."""
    if result.missing:
        raise usage_error(
            "the plan cannot be compared with the current one", *map(sanitize, result.missing), _NOT_WRITTEN
        )
    fresh = build_plan_document(result)
    if fresh != stored:
        raise usage_error("the plan is out of date", *list_differences(stored, fresh), _NOT_WRITTEN)


def find_deletes(stored: PlanDocument) -> Iterator[tuple[str, RecordKey]]:
    """Yield the records that the plan deletes, each with the id of its zone."""
    for one in stored.changes:
        if one.action == "delete" and one.zone:
            key = RecordKey(name=DnsName(one.name), set_identifier=one.set_identifier, type=one.type)
            yield one.zone.id, key


def find_unmade(engine: Engine, stored: PlanDocument) -> tuple[PlanEntry, ...]:
    """Return the changes of the plan that were not made, with the current reason."""
    planned = {one.key for one in stored.changes}
    entries = (build_entry(decision) for decision in engine.decisions if decision.reason is not Reason.PUBLISHED)
    return tuple(one for one in entries if one.key in planned)


def format_result(unmade: Sequence[PlanEntry], stored: PlanDocument) -> Iterator[str]:
    """Yield the changes that were not made, with the reason, then the summary."""
    if unmade:
        yield "Not made, and why"
        yield from format_table(map(build_plan_row, unmade))
        yield ""
    if stored.summary.held:
        yield f"{format_count(stored.summary.held, 'delete')} held, as in the plan."
    made = len(stored.changes) - len(unmade)
    yield (
        f"{made} of {format_count(len(stored.changes), 'change')} made."
        if stored.changes
        else "The plan has no changes."
    )


class ApprovedPlanWriter:
    """A `ZoneWriter` that refuses every batch with a change set that is not in the approved plan."""

    def __init__(self, writer: ZoneWriter) -> None:
        """Write with *writer*. Until `approve` is called, everything is refused."""
        self._writer = writer
        self._approved: frozenset[_ChangeSetIdentity] = frozenset()

    def approve(self, engine: Engine) -> None:
        """Approve the change sets that are in the write queues of *engine*."""
        self._approved = frozenset(
            _identify(change_set)
            for zone_state in engine.zones
            for change_sets in zone_state.queue.queued.values()
            for change_set in change_sets
        )

    def submit(self, zone: Zone, batch: Batch) -> Outcome:
        """Submit *batch*, or refuse it if a change set in it was not approved."""
        others = {change_set.name for change_set in batch.change_sets if _identify(change_set) not in self._approved}
        if others:
            return Refused(message="not in the plan that is applied", offending_names=tuple(sorted(others)))
        return self._writer.submit(zone, batch)


def _identify(change_set: ChangeSet) -> _ChangeSetIdentity:
    """Return what identifies a change set.

    Its writes are left out, because encrypted ownership records differ each time.
    """
    return (change_set.zone, change_set.name, change_set.changes)


class _BasisVersion(msgspec.Struct):
    version: str


class _PlanVersion(msgspec.Struct):
    basis: _BasisVersion


def read_plan(path: str) -> PlanDocument:
    """Read the plan from the file at *path*."""
    flag = f"--plan={escape_unprintable(path)}"
    try:
        content = Path(path).read_bytes()
    except (OSError, ValueError) as exc:
        reason = exc.strerror if isinstance(exc, OSError) else "no file has such a name"
        raise usage_error(f"{flag} cannot be read: {reason}", _MAKE) from exc
    try:
        found = msgspec.json.decode(content, type=_PlanVersion)
    except msgspec.DecodeError as exc:
        raise usage_error(f"{flag} is not a plan", _MAKE) from exc
    if found.basis.version != __version__:
        raise usage_error(
            f"{flag} was made by extdns {sanitize(found.basis.version)}, and this is {__version__}", _PLAN_AGAIN
        )
    try:
        document = msgspec.json.decode(content, type=PlanDocument)
    except msgspec.DecodeError as exc:
        raise _edited_error(flag) from exc
    if content != format_json(with_checksum(document)).encode():
        raise _edited_error(flag)
    return document


def _edited_error(flag: str) -> UsageError:
    return usage_error(
        f"{flag} was changed after extdns plan printed it", "apply the plan as it was printed, or make a new one", _MAKE
    )


def list_differences(stored: PlanDocument, fresh: PlanDocument) -> Iterator[str]:
    """Yield clauses about the differences between two plans, at most five of each sort; nothing if they are equal."""
    yield from _compare_lists("setting", stored.basis.settings, fresh.basis.settings)
    yield from _compare_lists("zone", (one.id for one in stored.zones), (one.id for one in fresh.zones))
    before, after = ({one.key: one for one in (*plan.changes, *plan.unfulfilled)} for plan in (stored, fresh))
    changed = [key for key in sorted(before | after) if before.get(key) != after.get(key)]
    for key in changed[:_MAX_DIFFERENCES]:
        yield sanitize(_describe_difference(key, before.get(key), after.get(key)), _MAX_LENGTH)
    if len(changed) > _MAX_DIFFERENCES:
        yield f"and {len(changed) - _MAX_DIFFERENCES} more"
    if not changed and stored != fresh:
        yield "records, ownership records or objects that the plan is based on have changed"


def _compare_lists(what: str, stored: Iterable[str], fresh: Iterable[str]) -> Iterator[str]:
    before, after = dict.fromkeys(stored), dict.fromkeys(fresh)
    removed, added = [one for one in before if one not in after], [one for one in after if one not in before]
    yield from (f"the {what} {sanitize(one)} is only in the plan" for one in removed[:_MAX_DIFFERENCES])
    yield from (f"the {what} {sanitize(one)} is not in the plan" for one in added[:_MAX_DIFFERENCES])


def _describe_difference(key: _Key, stored: PlanEntry | None, fresh: PlanEntry | None) -> str:
    _, name, identifier, rtype = key
    what = f"{rtype} {name}{f' ({identifier})' if identifier else ''}".strip()
    planned, now = _describe_entry(stored), _describe_entry(fresh)
    if planned == now:
        return f"{what}: {now}, as in the plan, but objects, data or ownership records differ"
    return f"{what}: {planned} in the plan; now {now}"


def _describe_entry(one: PlanEntry | None) -> str:
    if one is None:
        return "nothing"
    evidence = () if one.evidence == (look_up_meaning(one.reason),) else one.evidence
    data = (join_targets(one.after.targets),) if one.action == "create" and one.after else ()
    return ", ".join((f"{one.action} [{one.reason}]", *data, *evidence))
