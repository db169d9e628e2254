"""What the service says of a batch that it did not apply, as an outcome (design 4, "Outcome of a batch").

A refused batch comes back with one sentence for each thing that is wrong, all in one text; each
names the record set it is about, in one of a few ways. What was expected and is not there is a
conflict, anything else a refusal.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
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
# What is wrong with a record set, and what of one it may be.
_DATA: Final[tuple[tuple[re.Pattern[str], Callable[[RecordSet], Collection[str]]], ...]] = (
    (re.compile(r"encountered with '(.*?)'+$"), lambda one: (*one.values, one.name)),
    (re.compile(r"alias that targets ([^\s,]+),"), lambda one: (one.alias.name,) if one.alias else ()),
    (re.compile(r"(?i:health check) .*\bID: (\S+)$"), lambda one: (one.health_check_id,)),
    (re.compile(r"^Duplicate Resource Record: '(.*)'$"), lambda one: one.values),
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
    for pattern, data in _DATA:
        if found := pattern.search(sentence):
            wrong = {found[1], found[1].removesuffix(".")}
            holders = (one.name for one in sent if not wrong.isdisjoint(data(one)))
            yield from filter(None, map(names.parsed, holders))
            return
