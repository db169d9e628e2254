"""What the service says of a batch that it did not apply, as an outcome (design 4, "Outcome of a batch").

A refused batch comes back with one sentence for each thing that is wrong, all in one text; each
names the record set it is about, in one of a few ways. What was expected and is not there is a
conflict, anything else a refusal.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from extdns.model.name import DnsName
from extdns.model.outcome import Conflict, Outcome, Refused, TryLater
from providers.aws import names
from providers.aws.wire import RecordSet
from providers.remote.failure import CallFailedError, as_outcome

_CONFLICTS: Final = re.compile(
    r"but it already exists|but it was not found|but the values provided do not match the current values", re.ASCII
)
# Where one sentence ends and the next begins: only there does a comma stand before one of these words.
_SENTENCES: Final = re.compile(
    r", (?=Tried to |RRSet |The request |Invalid |FATAL |Duplicate |Alias |InvalidChange|Resource record set )"
)
_NAMED: Final = (
    re.compile(r"\bname='([^']+)'"),
    re.compile(r"\bDNS name '?([^\s,'\]]+)"),
    re.compile(r"set of changes for a resource record set '?(?:CREATE|DELETE|UPSERT)? ?(?:[A-Z0-9]+ )([^\s,'\]]+)"),
)
_DATA: Final = (
    re.compile(r"encountered with '(.*?)'+$"),
    re.compile(r"alias that targets ([^\s,]+),"),
    re.compile(r"(?i:health check) .*\bID: (\S+)$"),
    re.compile(r"^Duplicate Resource Record: '(.*)'$"),
)
_CHANGED_ZONE: Final = frozenset({"NoSuchHostedZone"})


def outcome(failed: CallFailedError, sent: Iterable[RecordSet]) -> Outcome:
    """What became of a batch whose call *failed*; *sent* is all that it held."""
    return as_outcome(failed, lambda: _refusal(failed, sent))


def _refusal(failed: CallFailedError, sent: Iterable[RecordSet]) -> Outcome:
    message = str(failed)
    if failed.code in _CHANGED_ZONE:  # the list of zones will tell
        return TryLater(message=message)
    sentences = _SENTENCES.split(failed.words.strip().removeprefix("[").removesuffix("]"))
    surprises = [sentence for sentence in sentences if _CONFLICTS.search(sentence)]
    if surprises:
        return Conflict(message=message, culprits=_culprits(surprises, ()))
    return Refused(message=message, culprits=_culprits(sentences, tuple(sent)))


def _culprits(sentences: Sequence[str], sent: Sequence[RecordSet]) -> tuple[DnsName, ...]:
    """The names that *sentences* speak of, sorted; () if one of them names none, since anything may be meant."""
    found: set[DnsName] = set()
    for sentence in sentences:
        named = set(_named(sentence)) or set(_holding(sentence, sent))
        if not named:
            return ()
        found |= named
    return tuple(sorted(found))


def _named(sentence: str) -> Iterator[DnsName]:
    for pattern in _NAMED:
        if (found := pattern.search(sentence)) and (name := names.parsed(found[1])):
            yield name
            return


def _holding(sentence: str, sent: Sequence[RecordSet]) -> Iterator[DnsName]:
    """The names of what was *sent* with the value, alias target or health check that *sentence* finds fault with."""
    found = next((match for pattern in _DATA if (match := pattern.search(sentence))), None)
    if found is None:
        return
    for one in sent:
        data = {*one.values, one.name, one.health_check_id, *((one.alias.name,) if one.alias else ())}
        if not data.isdisjoint({found[1], found[1].removesuffix(".")}) and (name := names.parsed(one.name)):
            yield name
