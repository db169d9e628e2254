"""What the service says of a change that it did not make, as an outcome (guide "Error messages").

There is one complaint for each thing that is wrong. Most name the part of the request that they are
about: `entity.change.additions[6].rrdata[0]` is of the seventh addition; in newer answers the brackets
hold the record set's name, and its type in further ones.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final

from extdns.model.name import DnsName
from extdns.model.outcome import Conflict, Outcome, Refused, TryLater
from providers.google.wire import RecordSet
from providers.remote.failure import CallFailedError, as_outcome
from providers.remote.names import parsed

_CONFLICTS: Final = re.compile(
    r"\balready exists|Precondition not met|'?entity\.change\.deletions\b.* does not exist", re.ASCII
)
_PART: Final = re.compile(r"entity\.change\.(additions|deletions)\[([^\]]+)\]", re.ASCII)
_ZONE: Final = re.compile(r"'parameters\.(?:managedZone|project)'", re.ASCII)


def outcome(failed: CallFailedError, additions: Sequence[RecordSet], deletions: Sequence[RecordSet]) -> Outcome:
    """What became of a change whose call *failed*."""
    sent = {"additions": additions, "deletions": deletions}
    return as_outcome(failed, lambda: _refusal(failed, sent))


def _refusal(failed: CallFailedError, sent: Mapping[str, Sequence[RecordSet]]) -> Outcome:
    message = str(failed)
    complaints = failed.parts or (failed.words,)
    if any(_ZONE.search(complaint) for complaint in complaints):  # the list of zones will tell
        return TryLater(message=message)
    surprises = [complaint for complaint in complaints if _CONFLICTS.search(complaint)]
    if surprises:
        return Conflict(message=message, culprits=_culprits(surprises, sent))
    return Refused(message=message, culprits=_culprits(complaints, sent))


def _culprits(complaints: Sequence[str], sent: Mapping[str, Sequence[RecordSet]]) -> tuple[DnsName, ...]:
    """The names that *complaints* speak of, sorted; () if one of them names none, since anything may be meant."""
    found: set[DnsName] = set()
    for complaint in complaints:
        name = _named(complaint, sent)
        if name is None:
            return ()
        found.add(name)
    return tuple(sorted(found))


def _named(complaint: str, sent: Mapping[str, Sequence[RecordSet]]) -> DnsName | None:
    part = _PART.search(complaint)
    if part is None:
        return None
    sets, where = sent[part[1]], part[2]
    if where.isdecimal():
        return parsed(sets[int(where)].name) if int(where) < len(sets) else None
    return next((parsed(one.name) for one in sets if one.name.rstrip(".") == where.rstrip(".").lower()), None)
