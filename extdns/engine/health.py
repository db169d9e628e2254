"""Messages about what is failing now, for people."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from itertools import islice
from typing import TYPE_CHECKING, Final, NamedTuple

from extdns.engine.state_sync import NO_SAVED_STATE
from extdns.errors import shorten
from extdns.model.cluster import Phase
from extdns.model.dns_name import MAX_LABEL_BYTES
from extdns.model.kind import ObjectRef
from extdns.model.reason import Reason
from extdns.model.value import format_count

if TYPE_CHECKING:
    from extdns.engine.engine import Engine
    from extdns.engine.zones import ZoneState
    from extdns.model.change import Decision


_SKIPPED_BY_REFERENCE: Final = tuple(reason for reason in Reason if reason.row.reference_skips)


MOST_SHOWN: Final = 50
"""As many objects and hostnames are shown as failing, unless all are asked for: tenants may have any number of them."""

_EXAMINED: Final = 1000


def find_failures(engine: Engine, most: int | None = None) -> tuple[str, ...]:
    """Return messages about the kinds, objects, zones and records that fail now, kinds first; () if none does.

    If there are more than *most* objects, manifests or hostnames that fail, the last message about them says so. Only
    the first 1,000 invalid hostnames are examined then.
    """
    found = [*find_unread(engine, most)]
    for zone_state in engine.zones:
        found += _unwritten(zone_state)
    unreadable = engine.decisions.reasons[Reason.RECORD_UNREADABLE]
    if failing := _count_failing(engine) - unreadable:
        found.append(f"{format_count(failing, 'record')} could not be published")
    if unreadable:
        records = format_count(unreadable, "record")
        found.append(f"{records} left alone: a record at the name or a related name cannot be read")
    return (*found, *_limit(_find_invalid_names(engine, most and _EXAMINED), most))


def _limit(messages: Iterable[str], most: int | None) -> list[str]:
    found = [*islice(messages, most)]
    return [*found, "there may be more like this one"] if len(found) == most else found


def find_unfinished(engine: Engine) -> tuple[str, ...]:
    """Return a message for each kind and zone that is still being read for the first time; () if none is."""
    problems = (*_find_unlisted_kinds(engine), *_find_unread_zones(engine))
    return tuple(one.message for one in problems if one.is_in_progress)


def find_blockers(engine: Engine) -> tuple[str, ...]:
    """Return a message for each failure that stops this process from acting for more than one object; () if none does.

    A failure of a single object, name or record is left out, and so are held deletes (docs/design/metrics.md, "What a
    sync means").
    """
    found = [one.message for one in (*_find_unlisted_kinds(engine), *_find_unread_zones(engine))]
    for zone_state in engine.zones:
        found += _find_stopped_writes(zone_state)
    if cluster := engine.delete_guard.cluster.other_id:
        found.append(f"updates and deletes are held: the objects come from another cluster, {cluster}")
    return tuple(found)


def find_unread(engine: Engine, most: int | None = None) -> tuple[str, ...]:
    """Return a message for each failure that makes a plan incomplete; () if it is complete.

    Such a failure is a source, an object or a zone that is not read, or rules that give no answer. *most*: see
    `find_failures`.
    """
    found = [one.message for one in _find_unlisted_kinds(engine)]
    if unavailable := engine.decisions.reasons[Reason.POLICY_UNAVAILABLE]:
        found.append(f"{format_count(unavailable, 'record')} left alone: the rules gave no answer")
    found += _limit((f"{ObjectRef(key=key)}: {failure}" for key, failure in engine.claims.failures()), most)
    found += _limit(engine.problems.messages(), most)
    if message := engine.adjustments.retry.message:
        found.append(f"desired records could not be shown to the DNS service: {message}")
    if failed := engine.adjustments.failed:
        message = next(iter(failed.values()))
        found.append(f"the DNS service could not adjust {format_count(len(failed), 'record')}, such as: {message}")
    return (*found, *(one.message for one in _find_unread_zones(engine)))


def find_state_failure(engine: Engine) -> str:
    """Return why the saved state could not be read or written, "" if it could, or if there is none yet."""
    return "" if engine.state_problem == NO_SAVED_STATE else engine.state_problem


def reference_fails(engine: Engine) -> bool:
    """Return whether external-dns would have failed in this situation; with `--compat`, the exit code then is 1.

    In a dry run it sends nothing that can be refused, so only failed reads and computations count.
    """
    if find_unread(engine):
        return True
    reasons = engine.decisions.reasons
    if not engine.settings.has_writer:
        return any(reasons[reason] for reason in (Reason.OBJECT_FAILED, Reason.RECORD_UNREADABLE))
    return (
        _count_failing(engine) > 0
        or any(_find_invalid_names(engine))
        or any(any(_unwritten(zone_state)) for zone_state in engine.zones)
    )


class _Unread(NamedTuple):
    """A kind, a zone or a list of zones that is not read: a message, and whether its first read is in progress."""

    message: str
    is_in_progress: bool


def _count_failing(engine: Engine) -> int:
    """Return how many decisions are failures; with `--compat`, of those that make external-dns fail."""
    reasons = engine.decisions.reasons
    if not engine.settings.plan.compat:
        return engine.decisions.failing
    skipped = sum(reasons[reason] for reason in _SKIPPED_BY_REFERENCE)
    if reasons[Reason.UNSUPPORTED]:
        skipped += sum(_count_untried(decisions) for _, decisions in engine.decisions.by_name())
    return engine.decisions.failing - skipped


def _count_untried(decisions: Collection[Decision]) -> int:
    """Return how many of the unsupported records among *decisions*, all of a name, external-dns would not try to write.

    It does not beside a foreign record, nor if another request for the record is published.
    """
    unsupported = [(one.zone, one.set_identifier, one.type) for one in decisions if one.reason is Reason.UNSUPPORTED]
    if not unsupported:
        return 0
    existing = [one for one in decisions if one.current]
    foreign = {(one.zone, one.set_identifier) for one in existing if one.current and not one.current.is_ours}
    published = {(one.zone, one.set_identifier, one.type) for one in existing if one.desired}
    return sum(key[:2] in foreign or key in published for key in unsupported)


def _find_unlisted_kinds(engine: Engine) -> Iterator[_Unread]:
    for kind, phase in engine.readiness.find_missing():
        yield _Unread(f"{kind} objects are {phase}", is_in_progress=phase is Phase.LISTING)


def _find_unread_zones(engine: Engine) -> Iterator[_Unread]:
    if engine.zones.retry.failures:
        yield _Unread(f"zones cannot be listed: {engine.zones.retry.message}", is_in_progress=False)
    elif not engine.zones.is_listed:
        yield _Unread("zones have not been listed yet", is_in_progress=True)
    for account in engine.zones.failed_accounts:
        yield _Unread(
            f"zones of {account.account or 'the account'} cannot be listed: {account.message}", is_in_progress=False
        )
    for zone_state in engine.zones:
        if zone_state.refresh.retry.failures:
            message = f"zone {zone_state.zone} cannot be read: {zone_state.refresh.retry.message}"
            yield _Unread(message, is_in_progress=False)
        elif not zone_state.cache.is_complete:
            yield _Unread(f"zone {zone_state.zone} has not been read yet", is_in_progress=True)


def _find_invalid_names(engine: Engine, examined: int | None = None) -> Iterator[str]:
    """Return a message for each of the first *examined* invalid hostnames that would belong to one of the zones.

    Hostnames with labels that are too long are ignored, as external-dns does (docs/spec/plan.md 0.1), and so are URLs,
    which external-dns sends to the service.
    """
    zones = tuple(f".{zone_state.zone.name}" for zone_state in engine.zones)
    for invalid in islice(engine.claims.invalid_names(), examined):
        name = invalid.value.strip().removesuffix(".").lower()
        if (
            name.endswith(zones)
            and "://" not in name
            and all(len(label.encode()) <= MAX_LABEL_BYTES for label in name.split("."))
        ):
            yield f"{invalid.provenance.ref}: {shorten(invalid.value)!r} is not a DNS name; allowed: {invalid.allowed}"


def _unwritten(zone_state: ZoneState) -> Iterator[str]:
    yield from _find_stopped_writes(zone_state)
    if contested := zone_state.queue.conflicting:
        names = format_count(contested, "name is", "names are")
        yield f"zone {zone_state.zone}: {names} changed by another writer again and again"


def _find_stopped_writes(zone_state: ZoneState) -> Iterator[str]:
    """Return a message for each problem that keeps all changes of a zone from being written."""
    if zone_state.queue.problem:
        yield f"zone {zone_state.zone}: {zone_state.queue.problem}"
    elif zone_state.queue.retry.failures and zone_state.queue.queued:
        waiting = format_count(len(zone_state.queue.queued), "name waits", "names wait")
        yield f"zone {zone_state.zone}: {waiting} for the service"
