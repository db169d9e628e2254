"""Text that several documents share: differences between records, times, counts, and escaping."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from datetime import UTC, datetime
from functools import wraps
from typing import Final, ParamSpec

from extdns.documents.document import ObjectName, OriginDocument, ProblemDocument, RecordData, build_problem
from extdns.errors import sanitize, shorten
from extdns.model.change import Action, Decision
from extdns.model.claim import Claim, find_problems
from extdns.model.kind import ObjectKey
from extdns.model.reason import Reason, look_up_verdict
from extdns.model.rrtype import is_unreadable
from extdns.model.value import StringMap

_MAX_TARGETS: Final = 3
_MAX_LISTED_TARGETS: Final = 10
_MAX_TARGET: Final = 80


def find_reportable(decisions: Iterable[Decision]) -> list[Decision]:
    """Return the decisions that a plan reports, sorted: changes, and records that are not as requested."""
    reportable = [one for one in decisions if one.reason is not Reason.PUBLISHED and one.is_relevant]
    return sorted(reportable, key=lambda decision: (decision.zone is None, decision.sort_key))


def list_problems(objects: Iterable[tuple[ObjectKey, Iterable[Claim]]]) -> Iterator[ProblemDocument]:
    """Yield the invalid values on objects, sorted by object, once for each source that reads the object."""
    found = [(key, problems) for key, claims in objects if (problems := find_problems(claims))]
    found.sort(key=lambda one: (one[0], repr(one[1])))
    return (build_problem(key, warning) for key, problems in found for warning in problems)


def shorten_field(field: str) -> str:
    """Return *field* without the prefix of an annotation, as `annotation hostname`; other fields unchanged."""
    word, _, key = field.partition(" ")
    return f"{word} {key.rpartition('/')[2]}" if key and word == "annotation" else field


def describe_origin(origin: OriginDocument | None) -> Iterator[str]:
    """Yield a line about what set an object, if it says so."""
    if origin is not None:
        parts = {"set by": origin.set_by, "Argo CD": origin.argo_cd, "Flux": origin.flux, "plan": origin.plan}
        yield "; ".join(f"{what} {text}" for what, text in parts.items() if text)


def describe_value(problem: ProblemDocument) -> str:
    """Describe a value on an object that has a problem, as `annotation ttl: 'soon' is not valid`."""
    return f"{shorten_field(problem.field)}: {problem.value!r} {look_up_verdict(problem.reason)}"


def describe_details(decision: Decision) -> Iterator[str]:
    """Yield the differences that an update changes; for any other decision, its detail."""
    if decision.action is not Action.UPDATE:
        if decision.detail:
            yield decision.detail
    elif decision.current and decision.desired:
        current, desired = decision.current.record, decision.desired
        for difference in decision.detail.split(", "):
            match difference:
                case "targets":
                    yield from _describe_targets(current.targets, desired.targets)
                case "ttl":
                    before = f"{current.ttl_s} s" if current.has_ttl else "default"
                    yield f"ttl {before} → {desired.ttl_s} s"
                case "properties":
                    yield from _describe_properties(current.properties, desired.properties)
                case "owner":
                    yield f'owner "{decision.current.owner}" → ours'
                case _:
                    pass


def _describe_targets(current: Sequence[str], desired: Sequence[str]) -> Iterator[str]:
    if max(len(current), len(desired)) <= _MAX_TARGETS:
        yield f"target {join_targets(current)} → {join_targets(desired)}"
        return
    gone = [target for target in current if target not in desired]
    new = [target for target in desired if target not in current]
    if gone:
        yield f"{len(gone)} of {len(current)} targets are removed: {join_targets(gone)}"
    if new:
        yield f"{len(new)} of {len(desired)} targets are added: {join_targets(new)}"


def _describe_properties(current: StringMap, desired: StringMap) -> Iterator[str]:
    for key in sorted({key for key, _ in (*current, *desired)}):
        if current.get(key) != desired.get(key) or current.has(key) is not desired.has(key):
            yield f"{key} {_format_property(current, key)} → {_format_property(desired, key)}"


def _format_property(properties: StringMap, key: str) -> str:
    return (properties.get(key) or '""') if properties.has(key) else "none"


def describe_object(one: ObjectName) -> str:
    """Describe an object, as `Service shop/web`."""
    return f"{one.kind} {one.namespace}/{one.name}" if one.namespace else f"{one.kind} {one.name}"


def describe_record(rtype: str, record: RecordData) -> str:
    """Describe record data, as `A 192.0.2.1, TTL 300`."""
    if is_unreadable(rtype):
        return f"cannot be read: {'; '.join(record.targets)}"
    targets = join_first(record.targets, _MAX_LISTED_TARGETS)
    ttl = f"TTL {record.ttl_seconds}" if record.ttl_seconds is not None else "default TTL"
    properties = "".join(f", {key}={value}" for key, value in sorted(record.properties.items()))
    return f"{rtype} {targets}, {ttl}{properties}"


SWITCHES_TO_SET: Final = frozenset({"--publish-internal-services", "--gateway-listener-sets"})
"""Flags that exclude objects while they are not set; other flags exclude objects while they are."""


def explain_exclusion(cause: str) -> str:
    """Return why a name is excluded, as a clause. Here and below, *cause* is `ExcludedClaim.excluded_by`."""
    if cause in SWITCHES_TO_SET:
        return f"{cause} is not set"
    field, colon, problem = cause.partition(": ")
    return f"{problem} ({field})" if colon else f"{cause}{',' if ', ' in cause else ''} excludes it"


def describe_excluded(what: str, cause: str) -> str:
    """Return that *what* is excluded by *cause*, as a phrase."""
    return f"{what}: {explain_exclusion(cause)}" if ": " in cause else f"{what}, by {cause}"


def suggest_for_exclusion(cause: str) -> str:
    """Return what a person can do if *cause* excludes a name."""
    if cause in SWITCHES_TO_SET:
        return f"add {cause}"
    return f"correct {cause}" if ": " in cause else f"change {cause}, or the object"


def format_missing(missing: Iterable[str]) -> Iterator[str]:
    """Yield a line for each thing that could not be read, safe for a terminal."""
    return (f"INCOMPLETE: {escape_line(text)}" for text in missing)


def finish_text(text: str, missing: Collection[str]) -> str:
    """Return *text* with a full stop; with `, as far as could be read.` if *missing* is not empty."""
    return f"{text}, as far as could be read." if missing else f"{text}."


def join_targets(targets: Sequence[str]) -> str:
    """Join the first *targets*, each shortened, and append the number of the others."""
    return join_first([shorten(target, _MAX_TARGET) for target in targets], _MAX_TARGETS)


def join_first(texts: Sequence[str], most: int) -> str:
    """Join the first *most* of *texts*, and append the number of the others."""
    more = len(texts) - most
    return ", ".join(texts[:most]) + (f" and {more} more" if more > 0 else "")


_MAX_LENGTH = 500


def escape_line(text: str) -> str:
    """Return *text* as one line of limited length, with every unprintable character escaped."""
    return sanitize(text, _MAX_LENGTH)


P = ParamSpec("P")


def escape_lines(build: Callable[P, Iterator[str]]) -> Callable[P, Iterator[str]]:
    """Return *build* with each line that it yields safe for a terminal, as `escape_line` does."""

    @wraps(build)
    def build_escaped(*args: P.args, **kwargs: P.kwargs) -> Iterator[str]:
        return map(escape_line, build(*args, **kwargs))

    return build_escaped


_MINUTE_S: Final = 60
_HOUR_S: Final = 3600
_DAY_S: Final = 86400


def format_time(at: datetime) -> str:
    """Format a time in UTC as `2026-11-20 09:14:31 UTC`."""
    return f"{at:%Y-%m-%d %H:%M:%S} UTC"


def format_duration(seconds: float) -> str:
    """Format a duration as `42s`, `4m`, `3h` or `2d`; a negative one as `0s`."""
    for size_s, unit in ((_DAY_S, "d"), (_HOUR_S, "h"), (_MINUTE_S, "m")):
        if seconds >= size_s:
            return f"{int(seconds // size_s)}{unit}"
    return f"{max(0, int(seconds))}s"


def format_rfc3339(at_s: float | None) -> str:
    """Format seconds since the epoch as RFC 3339; "" for None, and for a time out of range."""
    try:
        return "" if at_s is None else f"{datetime.fromtimestamp(at_s, UTC):%Y-%m-%dT%H:%M:%SZ}"
    except (OverflowError, ValueError, OSError):
        return ""


def parse_time(text: str) -> datetime | None:
    """Parse an RFC 3339 time, in UTC; return None if *text* is not one."""
    try:
        at = datetime.fromisoformat(text)
        return at.astimezone(UTC) if at.tzinfo else None
    except (ValueError, OverflowError):
        return None


def format_age_of(text: str, now: datetime | None) -> str:
    """Format an RFC 3339 time as `format_age` does; return *text* unchanged if it is not a time."""
    at = parse_time(text)
    return text if at is None else format_age(at, now)


def format_age(at: datetime, now: datetime | None) -> str:
    """Format *at* with its age: `2026-11-20 09:14:31 UTC, 4m ago`; without the age if *now* is None."""
    return format_time(at) if now is None else f"{format_time(at)}, {format_duration((now - at).total_seconds())} ago"
