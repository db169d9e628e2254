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

_BATCH: Final = "InvalidChangeBatch"  # the only refusal that may come in several sentences
_CONFLICT: Final = re.compile(
    r"Tried to (?:create|delete) resource record set \[.*\] (?:but it already exists|but it was not found"
    r"|but the values provided do not match the current values)\.?",
    re.ASCII,
)
# Where one sentence ends and the next begins: only there does a comma stand before one of these words.
_SENTENCES: Final = re.compile(
    r", (?=Tried to |RRSet |The request |Invalid |FATAL |Duplicate |Alias |InvalidChange|Resource record set "
    r"|Exceeded limit )"
)
# Where the service repeats what we sent.
_REPEATED: Final = ("'{}'", "SetIdentifier {}")
# Each from the beginning of the sentence: further on, tenants' words may follow.
_NAMED: Final = (
    re.compile(r"(?:Tried to \w+ r|R)esource record set \[name='([^']+)'"),
    re.compile(r"RRSet\b[^,']*?\bDNS name '?([^\s,'\]]+)"),
    re.compile(
        r"The request contains an invalid set of changes for a resource record set "
        r"'?(?:CREATE|DELETE|UPSERT)? ?[A-Z0-9]+ ([^\s,'\]]+)"
    ),
    re.compile(r"Exceeded limit on number of [\w ]+ RRSets for ([^\s,]+),"),
)
# What is wrong with a record set, and what of one it may be.
_DATA: Final[tuple[tuple[re.Pattern[str], Callable[[RecordSet], Collection[str]]], ...]] = (
    (re.compile(r"[^']*'?FATAL problem: .*?\bencountered with '(.*?)'+"), lambda one: (*one.values, one.name)),
    (
        re.compile(r"Tried to create an alias that targets ([^\s,]+),.*"),
        lambda one: (one.alias.name,) if one.alias else (),
    ),
    (re.compile(r"[^:]*(?i:health check)[^:]*\bID: (.*)"), lambda one: (one.health_check_id,)),
    (re.compile(r"Duplicate Resource Record: '(.*)'"), lambda one: one.values),
)
_CHANGED_ZONE: Final = frozenset({"NoSuchHostedZone"})


def outcome(failed: CallFailedError, sent: Iterable[RecordSet]) -> Outcome:
    """What became of a batch whose call *failed*; *sent* is all that it held."""
    return as_outcome(failed, lambda: _refusal(failed, sent))


def _refusal(failed: CallFailedError, sent: Iterable[RecordSet]) -> Outcome:
    message = str(failed)
    if failed.code in _CHANGED_ZONE:  # the list of zones will tell
        return TryLater(message=message)
    sets = tuple(sent)
    sentences = _sentences(failed, sets)
    surprises = [sentence for sentence in sentences if failed.code == _BATCH and _CONFLICT.fullmatch(sentence)]
    if surprises:
        return Conflict(message=message, culprits=_culprits(surprises, ()))
    return Refused(message=message, culprits=_culprits(sentences, sets))


def _sentences(failed: CallFailedError, sent: Sequence[RecordSet]) -> Sequence[str]:
    """What the service says, with what it repeats of what was *sent* without ends of sentences."""
    words = failed.words.removeprefix("[").removesuffix("]")
    if failed.code != _BATCH:
        return (_joined(words),)
    texts = {text for one in sent for text in (one.set_identifier, *one.values) if text != _joined(text)}
    for text in sorted(texts, key=len, reverse=True):  # a shorter one may be part of a longer one
        for place in _REPEATED:
            words = words.replace(place.format(text), place.format(_joined(text)))
    return _SENTENCES.split(words)


def _joined(text: str) -> str:
    """*text* with no place at which a sentence could end, and no blanks around it."""
    return text.strip().replace(", ", ",")


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
        if (found := pattern.match(sentence)) and (name := names.parsed(found[1])):
            yield name
            return


def _holding(sentence: str, sent: Sequence[RecordSet]) -> Iterator[DnsName]:
    """The names of what was *sent* with the value, alias target or health check that *sentence* finds fault with."""
    for pattern, data in _DATA:
        if found := pattern.fullmatch(sentence):
            wrong = {_joined(found[1]), _joined(found[1]).removesuffix(".")}
            holders = (one.name for one in sent if not wrong.isdisjoint(map(_joined, data(one))))
            yield from filter(None, map(names.parsed, holders))
            return
