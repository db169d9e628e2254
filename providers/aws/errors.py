"""Turn error responses of Route 53 into outcomes of a batch (docs/design/retries.md, "Outcomes of a batch").

The response to a refused batch has one text with a sentence for each problem. Most sentences name a record
set. If a record set is not as the batch expected, the outcome is a write conflict; if the zone does not exist, the
batch is tried later; else it is refused.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Final

from extdns.model.change import Outcome, Refused, TryLater, WriteConflict
from extdns.model.dns_name import DnsName
from providers.aws import record_sets
from providers.aws.record_sets import ChangeAction, RecordSetChange, Route53RecordSet
from providers.common.api_calls import CallFailedError, FailureKind, convert_to_outcome
from providers.common.refusals import join_names

_BATCH: Final = "InvalidChangeBatch"  # the only error whose text can have several sentences
_CONFLICT: Final = re.compile(
    r"Tried to (?:create|delete) resource record set \[.*\] (?:but it already exists|but it was not found"
    r"|but the values provided do not match the current values)\.?",
    re.ASCII,
)
_EXISTS: Final = re.compile(
    r"Tried to create resource record set \[name='([^']+)', type='([A-Z0-9]+)'(?:, set-identifier='(.*)')?\]"
    r" but it already exists\.?",
    re.ASCII,
)
# The end of a sentence: a comma, followed by a word with which sentences begin.
_PROBLEM_END: Final = re.compile(
    r", (?=Tried to |RRSet |The request |Invalid |FATAL |Duplicate |Alias |InvalidChange|Resource record set "
    r"|Exceeded limit )"
)
# The quotes that the service puts around text of the request.
_QUOTED_INPUT: Final = ("'{}'", "SetIdentifier {}")
# These patterns match from the start of a sentence only, because later parts can contain text of users.
_STATED_NAME: Final = (
    re.compile(r"(?:Tried to \w+ r|R)esource record set \[name='([^']+)'"),
    re.compile(r"RRSet\b[^,']*?\bDNS name '?([^\s,'\]]+)"),
    re.compile(
        r"The request contains an invalid set of changes for a resource record set "
        r"'?(?:CREATE|DELETE|UPSERT)? ?[A-Z0-9]+ ([^\s,'\]]+)"
    ),
    re.compile(r"Exceeded limit on number of [\w ]+ RRSets for ([^\s,]+),"),
)
# Sentences that quote a value, each with a function that lists the values of a record set.
_QUOTED_VALUE: Final[tuple[tuple[re.Pattern[str], Callable[[Route53RecordSet], Collection[str]]], ...]] = (
    (re.compile(r"[^']*'?FATAL problem: .*?\bencountered with '(.*?)'+"), lambda one: (*one.values, one.name)),
    (
        re.compile(r"Tried to create an alias that targets ([^\s,]+),.*"),
        lambda one: (one.alias.name,) if one.alias else (),
    ),
    (re.compile(r"[^:]*(?i:health check)[^:]*\bID: (.*)"), lambda one: (one.health_check_id,)),
    (re.compile(r"Duplicate Resource Record: '(.*)'"), lambda one: one.values),
)


def build_outcome(failed: CallFailedError, sent: Iterable[Route53RecordSet]) -> Outcome:
    """Return the outcome of a batch whose call *failed*; *sent* are its record sets."""
    return _build_refusal(failed, sent) if failed.kind is FailureKind.REFUSED else convert_to_outcome(failed)


def find_existing(failed: CallFailedError, changes: Sequence[RecordSetChange]) -> list[Route53RecordSet]:
    """Return the record sets that *changes* create and *failed* says exist; [] if it says anything else.

    A sentence without a set identifier means all sets of its name and type, because emulators leave it out.
    """
    if failed.code != _BATCH:
        return []
    existing: list[Route53RecordSet] = []
    for problem in _split_problems(failed, [change.record_set for change in changes]):
        stated = _EXISTS.fullmatch(problem)
        meant = [change.record_set for change in changes if stated and _is_created(change, *stated.groups())]
        if not meant:
            return []
        existing += meant
    return existing


def _is_created(change: RecordSetChange, name: str, rtype: str, set_identifier: str | None) -> bool:
    one = change.record_set
    return (
        change.action is ChangeAction.CREATE
        and (record_sets.parse_name(one.name), one.type) == (record_sets.parse_name(name), rtype)
        and set_identifier in {None, one.set_identifier}
    )


def _build_refusal(failed: CallFailedError, sent: Iterable[Route53RecordSet]) -> Outcome:
    message, sets = str(failed), tuple(sent)
    if failed.code == "NoSuchHostedZone" and not any(one.alias for one in sets):  # else it can be that of a target
        return TryLater(message=message)  # the next list of zones shows whether it was deleted
    problems = _split_problems(failed, sets)
    conflicts = [problem for problem in problems if failed.code == _BATCH and _CONFLICT.fullmatch(problem)]
    if conflicts:
        return WriteConflict(message=message, offending_names=_find_names(conflicts, ()))
    return Refused(message=message, offending_names=_find_names(problems, sets))


def _split_problems(failed: CallFailedError, sent: Sequence[Route53RecordSet]) -> Sequence[str]:
    """Split the message into its sentences, without splitting text that it quotes from *sent*."""
    text = failed.detail.removeprefix("[").removesuffix("]")
    if failed.code != _BATCH:
        return (text,)
    texts = {value for one in sent for value in (one.set_identifier, *one.values) if ", " in value}
    quoted = [span for value in texts for one in _QUOTED_INPUT for span in _find_all(one.format(value), text)]
    ends = [
        found.span()
        for found in _PROBLEM_END.finditer(text)
        if not any(start < found.start() < end for start, end in quoted)
    ]
    return [text[start:end] for (_, start), (end, _) in pairwise(((0, 0), *ends, (len(text), 0)))]


def _find_all(part: str, text: str) -> Iterator[tuple[int, int]]:
    """Yield where *part* starts and ends in *text*, also where it overlaps itself."""
    start = text.find(part)
    while start >= 0:
        yield start, start + len(part)
        start = text.find(part, start + 1)


def _find_names(problems: Iterable[str], sent: Sequence[Route53RecordSet]) -> tuple[DnsName, ...]:
    return join_names(
        set(_find_stated_name(problem)) or set(_find_names_with_value(problem, sent)) for problem in problems
    )


def _find_stated_name(problem: str) -> Iterator[DnsName]:
    for pattern in _STATED_NAME:
        if (found := pattern.match(problem)) and (name := record_sets.parse_name(found[1])):
            yield name
            return


def _find_names_with_value(problem: str, sent: Sequence[Route53RecordSet]) -> Iterator[DnsName]:
    """Yield the name of the record sets *sent* with the value, alias target or health check that *problem* quotes.

    If several names have it, yield none: which of them is wrong is not said.
    """
    for pattern, get_values in _QUOTED_VALUE:
        if found := pattern.fullmatch(problem):
            quoted = {found[1], found[1].removesuffix(".")}
            names = {record_sets.parse_name(one.name) for one in sent if not quoted.isdisjoint(get_values(one))}
            yield from filter(None, names if len(names) == 1 else ())
            return


PRIOR_REQUEST_NOT_COMPLETE: Final = "PriorRequestNotComplete"
"""The error code if another change of the same zone is in progress."""

RETRYABLE_CODES: Final = frozenset(
    {
        "Throttling",
        "ThrottlingException",
        "ThrottledException",
        "RequestThrottled",
        "RequestThrottledException",
        "ProvisionedThroughputExceededException",
        "TransactionInProgressException",
        "RequestLimitExceeded",
        "TooManyRequestsException",
        PRIOR_REQUEST_NOT_COMPLETE,
        "ServiceUnavailable",
        "RequestTimeout",
    }
)
"""The error codes after which nothing was changed and the call can be repeated later."""

CREDENTIAL_CODES: Final = frozenset(
    {
        "ExpiredToken",
        "ExpiredTokenException",
        "IncompleteSignature",
        "InvalidAccessKeyId",
        "InvalidClientTokenId",
        "InvalidIdentityToken",
        "InvalidSignatureException",
        "MissingAuthenticationToken",
        "OptInRequired",
        "RequestExpired",
        "SignatureDoesNotMatch",
        "UnrecognizedClientException",
    }
)
"""The error codes if AWS does not accept the credentials, or no longer does."""

FORBIDDEN_CODES: Final = frozenset({"AccessDenied", "AccessDeniedException"})
"""The error codes if a permission is missing; some services answer with status 400."""


def is_throttled(code: str) -> bool:
    """Return whether an error *code* says that the rate of calls was exceeded."""
    return "Thrott" in code or code in {"RequestLimitExceeded", "TooManyRequestsException"}
