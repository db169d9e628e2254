"""An object: the names that it requests, and the decision about each, as JSON and as text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from datetime import datetime
from itertools import groupby
from typing import Final

from extdns.config import Config
from extdns.documents.document import (
    AnswerDocument,
    Document,
    OriginDocument,
    ProblemDocument,
    RecordData,
    build_origin,
    build_problem,
    build_record_data,
    describe_process,
    format_command,
)
from extdns.documents.explanation import describe_outcome
from extdns.documents.name import ExcludedObject, build_excluded
from extdns.documents.names import NameState, find_state, find_worst
from extdns.documents.records import OutcomeDocument, build_outcome
from extdns.documents.scope_warnings import explain_requests
from extdns.documents.snapshot import EngineSnapshot, ProcessSnapshot
from extdns.documents.text import (
    describe_origin,
    describe_record,
    describe_value,
    escape_lines,
    explain_exclusion,
    format_missing,
    suggest_for_exclusion,
)
from extdns.errors import find_similar, sanitize
from extdns.flags.sources import map_kinds_to_sources
from extdns.flags.usage_errors import usage_error
from extdns.model.change import Decision
from extdns.model.claim import ExcludedClaim, find_problems
from extdns.model.kind import Kind, ObjectKey
from extdns.model.origin import Origin
from extdns.model.value import format_count

_SHORT_NAMES: Final = {"services": "svc", "ingresses": "ing", "nodes": "no", "pods": "po"}


class ObjectNameDocument(Document, frozen=True):
    """One record that the object requests. `requested` is null if the claim is unresolved."""

    name: str
    type: str
    set_identifier: str
    requested: RecordData | None
    outcome: OutcomeDocument


class ObjectDocument(AnswerDocument, frozen=True, tag="ObjectExplanation"):
    """An object. `failure` is why its claims could not be computed, "" if they were.

    `origin` is what set it, null if the object does not say so.
    `requests` is how objects that its source reads request a name.
    `process` is the process that answered, `at` the time of the answer; null if this command made one pass.
    """

    at: datetime | None
    object: str
    answer: str
    origin: OriginDocument | None
    names: tuple[ObjectNameDocument, ...]
    excluded: tuple[ExcludedObject, ...]
    problems: tuple[ProblemDocument, ...]
    failure: str
    missing: tuple[str, ...]
    requests: str


def build_object(
    seen: EngineSnapshot,
    text: str,
    config: Config,
    missing: tuple[str, ...],
    live: ProcessSnapshot | None = None,
    *,
    find_origin: Callable[[ObjectKey], Origin] = Origin.unknown,
) -> ObjectDocument:
    """Describe the object that *text* names, as `service/shop/web` or `node/n1`.

    *live* is the running process that *seen* belongs to, None for a single pass. *find_origin* returns what set an
    object.
    """
    key = _find_object(seen, text, config, missing)
    claims = [claim for other, found in seen.claims.objects() if other == key for claim in found]
    about = [one for one in seen.decisions if any(request.ref.key == key for request in one.requested_by)]
    filtered = [claim for claim in claims if isinstance(claim, ExcludedClaim)]
    described = f"{key.kind.name} {_name_object(key)}"
    failure = seen.claims.find_failure(key)
    return ObjectDocument(
        at=live.at if live else None,
        object=described,
        answer=f"{described} {_build_answer(about, failure, filtered, complete=not missing)}",
        origin=build_origin(find_origin(key)),
        names=tuple(
            ObjectNameDocument(
                name=one.name,
                type=one.type,
                set_identifier=one.set_identifier,
                requested=build_record_data(one.desired) if one.desired else None,
                outcome=build_outcome(seen, live, one),
            )
            for one in about
        ),
        excluded=tuple(map(build_excluded, filtered)),
        problems=tuple(build_problem(key, problem) for problem in find_problems(claims)),
        failure=failure,
        missing=missing,
        requests=explain_requests(
            config, [source for source, other in seen.claims.list_sources_and_objects() if other == key]
        ),
    )


def _find_object(seen: EngineSnapshot, text: str, config: Config, missing: tuple[str, ...]) -> ObjectKey:
    """Return the object that *text* names.

    Before the slash, *text* has the kind, its plural, its short name in kubectl, or its form in ownership records.
    If something is *missing*, the message about an unknown object says that it may still exist.
    """
    kind, _, where = text.partition("/")
    keys = sorted({key for key, _ in seen.claims.objects()})
    for key in keys:
        if _is_called(key.kind, kind) and where == _name_object(key):
            return key
    near = find_similar(text.lower(), (f"{key.kind.name.lower()}/{_name_object(key)}" for key in keys))
    kinds = sorted({key.kind.name.lower() for key in keys})
    raise usage_error(
        f"no object {sanitize(text)} is read{', as far as could be read' if missing else ''}",
        *format_missing(missing),
        "" if any(_is_called(key.kind, kind) for key in keys) else _suggest_source(kind, config),
        f"closest: {near}" if near else "",
        f"kinds whose objects are read, by --source and --namespace: {', '.join(kinds) or 'none'}",
    )


def _is_called(kind: Kind, text: str) -> bool:
    return text.lower() in {kind.name.lower(), kind.plural, kind.resource, kind.label, _SHORT_NAMES.get(kind.plural)}


def _suggest_source(text: str, config: Config) -> str:
    """Return which source reads the kind *text*, "" if one of `--source` does, or none of ours."""
    found = {source: kind for kind, source in map_kinds_to_sources(config.sources).items() if _is_called(kind, text)}
    if not found or not found.keys().isdisjoint(config.sources.names):
        return ""
    add = " or ".join(f"--source={source}" for source in found)
    return f"no --source reads kind {next(iter(found.values())).name}; to read it, add {add}"


def _name_object(key: ObjectKey) -> str:
    return f"{key.namespace}/{key.name}" if key.namespace else key.name


def _build_answer(about: list[Decision], failure: str, excluded: list[ExcludedClaim], *, complete: bool) -> str:
    if failure:
        return f"could not be read: {sanitize(failure)}"
    if not about:
        return f"publishes nothing: {explain_exclusion(excluded[0].excluded_by)}." if excluded else "requests no name."
    by_name = groupby(about, key=lambda decision: decision.name)
    states = Counter(find_state(find_worst(tuple(decided))) for _, decided in by_name)
    total, unknown = states.total(), states[NameState.UNKNOWN]
    unsure = f", {unknown} not known" if unknown else "" if complete else ", as far as could be read"
    published = f"{states[NameState.PUBLISHED]} of {total} published as requested"
    return f"requests {format_count(total, 'name')}; {published}{unsure}."


@escape_lines
def format_object(document: ObjectDocument) -> Iterator[str]:
    """Yield the lines about one object, without line ends."""
    yield document.answer
    yield from describe_origin(document.origin)
    yield from format_missing(document.missing)
    if len(document.excluded) > 1 or document.names:
        yield from (f"  {one.name or 'other names'}: {explain_exclusion(one.by)}" for one in document.excluded)
    for one in document.names:
        yield ""
        identifier = f" (set identifier {one.set_identifier})" if one.set_identifier else ""
        record = describe_record(one.type, one.requested) if one.requested else "targets not known"
        yield f"  {one.name}{identifier}  {record}"
        yield from (f"    {line}" for line in describe_outcome(one.outcome, document.at))
    for problem in document.problems:
        yield ""
        yield f"  ! {describe_value(problem)}  [{problem.reason}]"
        yield f"    allowed: {problem.allowed}"
    yield ""
    yield f"Answered by {describe_process(document.process)}"
    yield ""
    yield f"Next: {_suggest_next_step(document)}"


def _suggest_next_step(document: ObjectDocument) -> str:
    if document.failure:
        return "correct the object, or what it refers to; extdns computes its names again when either changes"
    trace = f"explain {document.names[0].name}" if document.names else ""
    if document.problems:
        more = f". To trace one name: {format_command(trace, document.process)}" if trace else ""
        return f"correct what is marked with an exclamation mark{more}"
    if trace:
        return f"trace one name: {format_command(trace, document.process)}"
    if document.excluded:
        return suggest_for_exclusion(document.excluded[0].by)
    return "try again when everything can be read" if document.missing else document.requests
