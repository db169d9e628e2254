"""Write to Cloud DNS: the `ZoneWriter` port, and outcomes of refused changes.

An error response lists a problem for each part of the change that is wrong (guide "Error messages"). Most state the
part: `entity.change.additions[6].rrdata[0]` is in the seventh addition. Newer responses have the name of the record set
in the brackets, and its type in further ones.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

from extdns.model.change import Applied, Batch, Outcome, Refused, TryLater, WriteConflict
from extdns.model.dns_name import DnsName
from extdns.model.zone import Zone
from providers.common.api_calls import CallFailedError, convert_to_outcome, parse_service_name
from providers.google.record_sets import CloudDnsRecordSet, build_record, build_record_set

if TYPE_CHECKING:
    from providers.google.client import CloudDnsApi


class CloudDnsWriter:
    """Sends batches to Cloud DNS. Each batch is one change, which is never repeated."""

    def __init__(self, api: CloudDnsApi) -> None:
        """Create a writer that calls *api*."""
        self._api = api

    def submit(self, zone: Zone, batch: Batch) -> Outcome:
        """Make all writes of *batch* in one change, which counts as applied even while its status is `pending`."""
        writes = batch.writes
        if not writes:
            return Applied(records=())
        routed = sorted({write.new.name for write in writes if write.new and write.new.set_identifier})
        if routed:
            return Refused(message="Cloud DNS does not support set identifiers", offending_names=tuple(routed))
        deletions = [build_record_set(write.old) for write in writes if write.old]
        additions = [build_record_set(write.new) for write in writes if write.new]
        try:
            change_id = self._api.create_change(zone.id, f"zone {zone}", additions, deletions)
        except CallFailedError as exc:
            return build_outcome(exc, additions, deletions)
        records = map(build_record, additions)
        return Applied(records=tuple(record for record in records if record is not None), change_id=change_id)


_CONFLICTS: Final = re.compile(
    r"\balready exists|Precondition not met|'?entity\.change\.deletions\b.* does not exist", re.ASCII
)
_PART: Final = re.compile(r"entity\.change\.(additions|deletions)\[([^\]]+)\]", re.ASCII)
_ZONE: Final = re.compile(r"'parameters\.(?:managedZone|project)'", re.ASCII)


def build_outcome(
    failed: CallFailedError, additions: Sequence[CloudDnsRecordSet], deletions: Sequence[CloudDnsRecordSet]
) -> Outcome:
    """Return the outcome of a change whose call *failed*."""
    sent = {"additions": additions, "deletions": deletions}
    return convert_to_outcome(failed, lambda: _build_refusal(failed, sent))


def _build_refusal(failed: CallFailedError, sent: Mapping[str, Sequence[CloudDnsRecordSet]]) -> Outcome:
    message = str(failed)
    problems = failed.messages or (failed.detail,)
    if any(_ZONE.search(problem) for problem in problems):  # the next listing of zones shows what happened
        return TryLater(message=message)
    conflicts = [problem for problem in problems if _CONFLICTS.search(problem)]
    if conflicts:
        return WriteConflict(message=message, offending_names=_find_names(conflicts, sent))
    return Refused(message=message, offending_names=_find_names(problems, sent))


def _find_names(problems: Sequence[str], sent: Mapping[str, Sequence[CloudDnsRecordSet]]) -> tuple[DnsName, ...]:
    """Return the names that caused *problems*, sorted; () if a problem states no name, since any can have caused it."""
    found: set[DnsName] = set()
    for problem in problems:
        name = _find_name(problem, sent)
        if name is None:
            return ()
        found.add(name)
    return tuple(sorted(found))


def _find_name(problem: str, sent: Mapping[str, Sequence[CloudDnsRecordSet]]) -> DnsName | None:
    part = _PART.search(problem)
    if part is None:
        return None
    sets, index = sent[part[1]], part[2]
    if index.isdecimal():
        return parse_service_name(sets[int(index)].name) if int(index) < len(sets) else None
    name = index.rstrip(".").lower()
    return next((parse_service_name(one.name) for one in sets if one.name.rstrip(".") == name), None)
