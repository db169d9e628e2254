"""Let octoDNS read a zone and apply plans to it, and classify how it fails (docs/design/octodns.md)."""

from __future__ import annotations

import re
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from octodns.provider import ProviderException
from octodns.provider.plan import Plan, UnsafePlan
from octodns.record import Create, Delete, Update
from octodns.record.exception import RecordException, ValidationError
from octodns.zone.exception import ZoneException

from extdns.errors import sanitize
from extdns.model.api_request import CallObserver
from extdns.model.change import ChangeSet, Write
from extdns.model.record import Record, RecordKey
from extdns.model.value import group_by
from providers.common.api_calls import CallFailedError, FailureKind, measure_call
from providers.common.plain_batches import build_record, get_written
from providers.common.zone_contents import ZoneContents
from providers.octodns.configuration import ConfiguredZone
from providers.octodns.record_sets import build_octodns_record, convert_record

_READ: Final = "Populate"
_WRITE: Final = "Apply"
_MAX_MESSAGE: Final = 300
_ANSWERS: Final = (ProviderException, RecordException, ValidationError, ZoneException, UnsafePlan)
_DENIED: Final = re.compile(r"unauthori[sz]ed|authenticat|forbidden|access.?denied", re.IGNORECASE)
_LIMITED: Final = re.compile(r"rate.?limit|throttl|too.?many.?requests", re.IGNORECASE)
_STATUSES: Final = {
    401: FailureKind.FORBIDDEN,
    403: FailureKind.FORBIDDEN,
    408: FailureKind.UNANSWERED,
    429: FailureKind.RETRYABLE,
}
_CLIENT_ERRORS: Final = range(400, 500)
_HTTP_STATUSES: Final = range(100, 600)


@dataclass(frozen=True, slots=True, kw_only=True)
class OctodnsSnapshot:
    """What one instance of a provider read.

    Attributes:
        provider: the instance, which can apply one batch.
        octodns_zone: octoDNS's container with all records.
        read_at_s: when the zone had been read, in monotonic seconds.
    """

    zone: ConfiguredZone
    provider: Any
    octodns_zone: Any
    contents: ZoneContents
    found: Mapping[RecordKey, Any]
    read_at_s: float


def read_zone(zone: ConfiguredZone, observe: CallObserver) -> OctodnsSnapshot:
    """Read all records of *zone* with a new instance of its provider.

    Raises:
        CallFailedError: it cannot be read, or does not exist.
    """
    octodns_zone = zone.build()
    with measure_call(observe, _READ):
        provider = _populate(zone, octodns_zone)
    converted = [(record, theirs) for theirs in octodns_zone.records if (record := convert_record(theirs)) is not None]
    by_name = group_by((record for record, _ in sorted(converted, key=_get_key)), lambda record: record.name)
    return OctodnsSnapshot(
        zone=zone,
        provider=provider,
        octodns_zone=octodns_zone,
        contents=ZoneContents({name: tuple(records) for name, records in by_name.items()}),
        found={record.key: theirs for record, theirs in converted},
        read_at_s=time.monotonic(),
    )


def _get_key(entry: tuple[Record, object]) -> tuple[RecordKey, tuple[str, ...]]:
    return entry[0].key, entry[0].targets


def _populate(zone: ConfiguredZone, octodns_zone: Any) -> Any:  # noqa: ANN401 - octoDNS has no types
    """Fill *octodns_zone* with the records of *zone*, and return the instance that read them."""
    try:
        provider = zone.target.build()
        exists = provider.populate(octodns_zone, target=True, lenient=True)
        is_missing = not exists and not octodns_zone.records and not _is_listed(provider, octodns_zone.name)
    except Exception as exc:
        raise convert_error(_READ, zone, exc) from exc
    if is_missing:
        detail = f"provider {zone.target.id} has no such zone, and extdns creates none"
        raise CallFailedError(FailureKind.RETRYABLE, _READ, zone.name, "NoZone", detail)
    return provider


def _is_listed(provider: Any, name: str) -> bool:  # noqa: ANN401 - octoDNS has no types
    return hasattr(provider, "list_zones") and name in provider.list_zones()


def build_plans(snapshot: OctodnsSnapshot, change_sets: Sequence[ChangeSet], min_ttl_s: int) -> list[Any]:
    """Return as few plans as make the writes of *change_sets* in the zone of *snapshot* in a safe order.

    The writes of a change set are in an order that never leaves a record without its ownership record. octoDNS sorts
    the changes of a plan: deletes, creates, updates. A change that it would move before an earlier one of its change
    set belongs to the next plan.

    Raises:
        InvalidValueError: octoDNS finds a record invalid.
        UnsafePlan: a plan exceeds a threshold of octoDNS.
    """
    stages: dict[int, list[Any]] = {}
    for change_set in change_sets:
        stage, last = 0, None
        for write in change_set.writes:
            change = _build_change(snapshot, write, min_ttl_s)
            if change is None:
                continue
            stage += last is not None and change < last
            stages.setdefault(stage, []).append(change)
            last = change
    plans: list[Any] = []
    existing = snapshot.octodns_zone
    for stage in sorted(stages):
        plans.append(_build_plan(snapshot.provider, existing, stages[stage]))
        existing = plans[-1].desired
    return plans


def _build_plan(provider: Any, existing: Any, changes: Sequence[Any]) -> Any:  # noqa: ANN401 - octoDNS has no types
    desired = existing.copy()
    desired.apply(changes)
    plan = Plan(
        existing,
        desired,
        changes,
        True,  # noqa: FBT003 - the zone exists, which octoDNS takes by position
        update_pcent_threshold=provider.update_pcent_threshold,
        delete_pcent_threshold=provider.delete_pcent_threshold,
    )
    plan.raise_if_unsafe()
    return plan


def _build_change(snapshot: OctodnsSnapshot, write: Write, min_ttl_s: int) -> Any:  # noqa: ANN401 - octoDNS has no types
    old = snapshot.found.get(write.key)
    if write.new is None:
        return Delete(old)
    if get_written(write, write.new, min_ttl_s) is write.old:
        return None
    record = build_record(write.new, min_ttl_s)
    new = build_octodns_record(snapshot.octodns_zone, record, {} if old is None else old.octodns)
    return Create(new) if old is None else Update(old, new)


def apply_plans(snapshot: OctodnsSnapshot, plans: Sequence[Any], observe: CallObserver) -> None:
    """Let the provider that took *snapshot* apply *plans*.

    Raises:
        CallFailedError: a plan failed. Unless its kind is `UNANSWERED`, some change was rejected; others may have been
            made.
    """
    for plan in plans:
        with measure_call(observe, _WRITE):
            try:
                snapshot.provider.apply(plan)
            except Exception as exc:
                raise convert_error(_WRITE, snapshot.zone, exc) from exc


def convert_error(action: str, zone: ConfiguredZone, exc: Exception) -> CallFailedError:
    """Return the error of the call *action* on *zone*, in which a package raised *exc*."""
    name = type(exc).__name__
    # after a write, the message can quote what was written
    kind = _classify(exc, name if action == _WRITE else f"{name} {exc}", zone)
    body = getattr(getattr(exc, "response", None), "text", "")
    detail = f"{exc}: {body.strip()}" if isinstance(body, str) and body.strip() else str(exc)
    on_one_line = " ".join(detail.split())
    return CallFailedError(kind, action, zone.name, name, sanitize(on_one_line, _MAX_MESSAGE))


def _classify(exc: Exception, text: str, zone: ConfiguredZone) -> FailureKind:
    status, package = _find_status(exc), zone.target.provider_class.__module__.partition(".")[0]
    if status in _STATUSES:
        return _STATUSES[status]
    if _DENIED.search(text):
        return FailureKind.FORBIDDEN
    if _LIMITED.search(text):
        return FailureKind.RETRYABLE
    is_answer = isinstance(exc, _ANSWERS) or type(exc).__module__.partition(".")[0] == package
    return FailureKind.REFUSED if status in _CLIENT_ERRORS or (is_answer and not status) else FailureKind.UNANSWERED


def _find_status(exc: Exception) -> int:
    """Return the HTTP status in the error of a client library, 0 if it has none."""
    for found in (
        getattr(getattr(exc, "response", None), "status_code", None),
        getattr(exc, "status_code", None),
        getattr(exc, "code", None),
    ):
        if isinstance(found, int) and found in _HTTP_STATUSES:
            return found
    return 0
