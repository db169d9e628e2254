"""A plan: what happens to each record and why, as JSON, text and Markdown; made by one pass or a running process."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime
from itertools import groupby
from typing import TYPE_CHECKING, Final, Literal, NamedTuple

from msgspec.structs import asdict, replace

from extdns import __version__
from extdns.config import Config, list_settings
from extdns.documents.document import (
    UNKNOWN_PROCESS,
    Document,
    ObjectReference,
    ProblemDocument,
    ProcessReference,
    RecordData,
    RootDocument,
    ZoneDocument,
    ZoneReference,
    build_object_reference,
    build_record_data,
    build_zone_reference,
    describe_process,
    encode_json,
)
from extdns.documents.held import HeldSetDocument, build_held_set, describe_scope
from extdns.documents.rules import NO_RULES, RuleSnapshot, ViolationDocument, describe_violation, list_violations
from extdns.documents.scope_warnings import ScopeWarning, find_plan_warnings
from extdns.documents.snapshot import EngineSnapshot, ProcessSnapshot, RecordCounts, count_records
from extdns.documents.text import (
    SWITCHES_TO_SET,
    describe_details,
    describe_object,
    describe_value,
    escape_line,
    find_reportable,
    finish_text,
    format_missing,
    join_first,
    join_targets,
    list_problems,
    shorten_field,
)
from extdns.engine.decisions import CHANGING, is_held_decision
from extdns.engine.health import find_unread
from extdns.model.change import Action, Decision
from extdns.model.claim import ExcludedClaim
from extdns.model.evidence import Evidence
from extdns.model.kind import ObjectKey, ObjectRef
from extdns.model.origin import Origin
from extdns.model.reason import Category, Reason, look_up_meaning, select_reasons
from extdns.model.value import format_count
from extdns.model.zone import Zone

if TYPE_CHECKING:
    from extdns.engine.engine import Engine

_DIGEST_BYTES: Final = 16


class PassResult(NamedTuple):
    """The result of one pass.

    Attributes:
        missing: one sentence for each thing that could not be read; if there are any, the plan is incomplete.
        decisions: the decisions that a plan reports, in the order of the plan.
        problems: invalid values on objects, sorted by object.
        base: the folder or revision that the pass was compared with, "" if with none.
        completed: the objects of manifests whose status is that of a cluster snapshot, sorted.
    """

    config: Config
    engine: Engine
    missing: tuple[str, ...]
    decisions: tuple[Decision, ...]
    problems: tuple[ProblemDocument, ...]
    base: str = ""
    rules: RuleSnapshot = NO_RULES
    completed: tuple[ObjectKey, ...] = ()
    find_origin: Callable[[ObjectKey], Origin] = Origin.unknown


def summarize_pass(
    config: Config, engine: Engine, missing: Iterable[str] = (), rules: RuleSnapshot = NO_RULES
) -> PassResult:
    """Return the result of a pass that *engine* has made; *missing* is added to what the engine could not read."""
    return PassResult(
        config=config,
        engine=engine,
        missing=(*find_unread(engine), *missing),
        decisions=tuple(find_reportable(engine.decisions)),
        problems=tuple(list_problems(engine.claims.objects())),
        rules=rules,
    )


class PlanEntry(Document, frozen=True):
    """One record, with the action and the reason.

    `zone` is null if no zone holds the name; `type` is "" while the claim is unresolved. `before` is the current
    record, `after` the desired one. `evidence` lists what differs or what prevents the change; otherwise it is the
    meaning of the reason. `resource` is the object that the ownership record names.
    """

    zone: ZoneReference | None
    name: str
    type: str
    set_identifier: str
    action: Literal["create", "update", "delete", "keep", "none"]
    reason: str
    evidence: tuple[str, ...]
    objects: tuple[ObjectReference, ...]
    resource: str
    owner: str | None
    before: RecordData | None
    after: RecordData | None

    @property
    def key(self) -> tuple[str, str, str, str]:
        """The identity of the record: zone, name, set identifier, type."""
        return (self.zone.id if self.zone else "", self.name, self.set_identifier, self.type)


class PlanSummary(Document, frozen=True):
    """How many records have which action. Held deletes are among the `unfulfilled`.

    `invalid` counts the `problems`, except for values that are only ignored or do not work everywhere.
    """

    create: int
    update: int
    delete: int
    unfulfilled: int
    not_published: int
    held: int
    invalid: int = 0


class PlanContent(RootDocument, frozen=True):
    """What is planned.

    `unfulfilled` are records that are kept although something else, or nothing, is requested, and names that are not
    published. `violations` are the rules that deny a record or warn about it. `excluded` is how many objects each flag
    or annotation excludes. `missing` says what could not be read; if it is not empty, the plan is incomplete.
    `warnings` say where what was read does not fit the settings, as when a filter matches no zone. `statusFromCluster`
    are the objects of manifests that have the status of the same object in the cluster.
    """

    provider: str
    owner: str
    policy: str
    zones: tuple[ZoneDocument, ...]
    changes: tuple[PlanEntry, ...]
    unfulfilled: tuple[PlanEntry, ...]
    held: tuple[HeldSetDocument, ...]
    problems: tuple[ProblemDocument, ...]
    excluded: dict[str, int]
    violations: tuple[ViolationDocument, ...]
    missing: tuple[str, ...]
    warnings: tuple[ScopeWarning, ...]
    status_from_cluster: tuple[str, ...]
    summary: PlanSummary


class PlanBasis(Document, frozen=True):
    """What a plan is based on; `extdns apply` refuses a plan whose basis has changed.

    `version` is the version of extdns. `settings` are the flags that differ from their defaults, with secrets masked,
    without those that say how extdns runs, and where it reads and writes. `state` is a digest of all our records, their
    ownership records and all requests.
    """

    version: str
    settings: tuple[str, ...]
    state: str


class PlanDocument(PlanContent, frozen=True, tag="Plan"):
    """The plan of one pass, which `extdns apply` can apply.

    `base` is the folder or revision that the plan was compared with, "" if with none. `checksum` is a digest of all
    other fields; it detects accidental edits, not forgery.
    """

    base: str
    basis: PlanBasis
    checksum: str = ""


class RunningPlanDocument(PlanContent, frozen=True, tag="RunningPlan"):
    """What a running process has planned but not yet written, and what it keeps or holds.

    Unlike the plan of one pass, it counts grace periods, and `extdns apply` cannot apply it. `process` is the process
    that answered; `at` is the time of the answer.
    """

    at: datetime
    process: ProcessReference = UNKNOWN_PROCESS


def build_plan(
    seen: EngineSnapshot,
    config: Config,
    decisions: Sequence[Decision],
    problems: tuple[ProblemDocument, ...],
    missing: tuple[str, ...],
    completed: Iterable[ObjectKey] = (),
) -> PlanContent:
    """Build a plan with *decisions* and *problems* in the given order.

    *missing* says what could not be read; *completed* are the objects of manifests with the status of the cluster.
    """
    concerned = {decision.zone for decision in decisions if is_held_decision(decision)}
    return PlanContent(
        provider=config.control.provider,
        owner=config.registry.txt_owner_id,
        policy=config.control.policy,
        zones=tuple(build_zone(zone, counts) for zone, counts in sorted(count_records(seen).items())),
        changes=tuple(build_entry(decision) for decision in decisions if decision.action in CHANGING),
        unfulfilled=tuple(build_entry(decision) for decision in decisions if decision.action not in CHANGING),
        held=tuple(
            build_held_set(one, config)
            for one in seen.held_sets
            if one.code and concerned & {record.zone for record in one.held}
        ),
        problems=problems,
        excluded=_count_excluded(seen),
        violations=tuple(list_violations(seen.decisions)),
        missing=missing,
        warnings=find_plan_warnings(config, seen.scope),
        status_from_cluster=tuple(str(ObjectRef(key=key)) for key in completed),
        summary=replace(count_actions(decisions), invalid=sum(one.reason not in _REMARKS for one in problems)),
    )


def _count_excluded(seen: EngineSnapshot) -> dict[str, int]:
    """Return how many objects each flag or annotation excludes, sorted by flag.

    Excluded single names count only if a switch excludes them because it is not set.
    """
    found = {
        (key, claim.excluded_by)
        for key, claims in seen.claims.objects()
        for claim in claims
        if isinstance(claim, ExcludedClaim) and (claim.name is None or claim.excluded_by in SWITCHES_TO_SET)
    }
    return dict(sorted(Counter(flag for _, flag in found).items()))


def build_plan_content(result: PassResult) -> PlanContent:
    """Build the plan of one pass, without the basis and checksum that `extdns apply` needs."""
    seen = EngineSnapshot(result.engine)
    return build_plan(seen, result.config, result.decisions, result.problems, result.missing, result.completed)


def build_plan_document(result: PassResult) -> PlanDocument:
    """Build the plan of one pass, with its basis and checksum."""
    basis = _build_basis(result.config, result.engine)
    return with_checksum(PlanDocument(base=result.base, basis=basis, **asdict(build_plan_content(result))))


def with_checksum(document: PlanDocument) -> PlanDocument:
    """Return *document* with the checksum of its content."""
    return replace(document, checksum=_compute_digest(encode_json(replace(document, checksum=""))))


def _build_basis(config: Config, engine: Engine) -> PlanBasis:
    settings = tuple(
        argument
        for flag, value in list_settings(config)
        if flag.in_plan and value != flag.default
        for argument in flag.format_arguments(value, masked=True)
    )
    decisions = "\n".join(repr(decision) for decision in engine.decisions if decision.is_relevant)
    return PlanBasis(version=__version__, settings=settings, state=_compute_digest(decisions.encode()))


def _compute_digest(content: bytes) -> str:
    return hashlib.blake2b(content, digest_size=_DIGEST_BYTES).hexdigest()


def build_running_plan(live: ProcessSnapshot, config: Config) -> RunningPlanDocument:
    """Build the plan of a running process."""
    seen = live.engine
    missing = seen.missing if live.synced else (*seen.missing, "the first full pass has not ended yet")
    problems = tuple(list_problems(seen.claims.objects()))
    plan = build_plan(seen, config, find_reportable(seen.decisions), problems, missing)
    return RunningPlanDocument(at=live.at, **asdict(plan))


def count_actions(decisions: Sequence[Decision]) -> PlanSummary:
    """Count the decisions by action, and the held ones."""
    actions = Counter(decision.action for decision in decisions)
    return PlanSummary(
        create=actions[Action.CREATE],
        update=actions[Action.UPDATE],
        delete=actions[Action.DELETE],
        unfulfilled=actions[Action.KEEP],
        not_published=actions[Action.NONE],
        held=sum(map(is_held_decision, decisions)),
    )


def build_zone(zone: Zone, counts: RecordCounts) -> ZoneDocument:
    """Describe a zone and how many records it holds."""
    return ZoneDocument(
        name=zone.name,
        id=zone.id,
        account=zone.account,
        private=zone.private,
        records=counts.records,
        ours=counts.ours,
    )


def build_entry(decision: Decision) -> PlanEntry:
    """Describe *decision*."""
    current, desired = decision.current, decision.desired
    return PlanEntry(
        zone=build_zone_reference(decision.zone) if decision.zone else None,
        name=decision.name,
        type=decision.type,
        set_identifier=decision.set_identifier,
        action=decision.action.value,
        reason=decision.reason.value,
        evidence=tuple(describe_details(decision)) or (decision.reason.row.text,),
        objects=tuple(map(build_object_reference, decision.requested_by)),
        resource=current.resource if current else "",
        owner=current.owner if current else None,
        before=build_record_data(current.record) if current else None,
        after=build_record_data(desired) if desired else None,
    )


_SYMBOLS: Final = {"create": "+", "update": "~", "delete": "-", "keep": "!", "none": "!"}
PLAIN: Final = frozenset({Reason.REQUESTED, Reason.CHANGED, Reason.PUBLISHED})
"""Reasons that the text of a plan omits, because the symbol of the line already implies them."""
_UNREAD: Final = select_reasons(Category.UNREAD)
UP_TO_DATE: Final = "All records are already up to date"
NOTHING_PLANNED: Final = "Nothing to plan"
_ORPHANS: Final = frozenset({Reason.ORPHAN_GONE, Reason.ORPHAN_UNCLAIMED})
_MAX_OBJECTS: Final = 2
_WIDEST: Final = (1, 10, 60, 45, 50)
"""The maximum width of each column. A longer cell does not widen its column."""


class PlanRow(NamedTuple):
    """One decision as table cells, and the lines below it."""

    symbol: str
    type: str
    name: str
    data: str
    who: str
    reason: str
    below: tuple[str, ...]


def format_plan(
    plan: PlanContent, nothing: str = UP_TO_DATE, width: int | None = None, process: ProcessReference | None = None
) -> Iterator[str]:
    """Yield the lines of *plan*, without line ends, for a terminal of *width* columns, or for a pipe if that is None.

    The order is: entries by zone, remarks on the whole plan, who answers, the summary. For an empty plan, the summary
    is *nothing*. *process* is the command that made the plan; a running process is named in its plan.
    """
    for title, rows in group_by_zone(_list_entries(plan), plan.zones, plan.provider):
        yield title
        yield ""
        yield from format_table(rows, width)
        yield ""
    remarks = list(_list_remarks(plan))
    if any(one.reason not in PLAIN for one in (*plan.changes, *plan.unfulfilled)):
        remarks.append(("To explain a code in brackets: extdns explain CODE",))
    if answering := plan.process if isinstance(plan, RunningPlanDocument) else process:
        remarks.append((escape_line(f"Answered by {describe_process(answering)}"),))
    for paragraph in remarks:
        yield from paragraph
        yield ""
    yield _summarize_plan(plan, nothing)


def _list_entries(plan: PlanContent) -> Iterator[PlanEntry]:
    """Yield all entries, without what the remark about the held deletes of a scope says of all of them."""
    yield from plan.changes
    causes = {(record.cause,) for one in plan.held for record in one.records}
    meaning = (look_up_meaning(Reason.HELD),)
    for one in plan.unfulfilled:
        yield replace(one, evidence=meaning) if one.reason == Reason.HELD and one.evidence in causes else one


def group_by_zone(
    entries: Iterable[PlanEntry], zones: Iterable[ZoneDocument], provider: str
) -> Iterator[tuple[str, Iterator[PlanRow]]]:
    """Yield the heading of each zone that has *entries*, and their rows."""
    known = {(one.name, one.id): one for one in zones}  # the zone of a record may no longer be listed
    for zone, group in groupby(sorted(entries, key=_sort_key), key=lambda one: one.zone):
        found = known.get((zone.name, zone.id), zone) if zone else None
        yield _describe_zone(found, provider), map(build_plan_row, group)


def _sort_key(one: PlanEntry) -> tuple[bool, str, str, str, str, str]:
    name, id_ = (one.zone.name, one.zone.id) if one.zone else ("", "")
    return (one.zone is None, name, id_, one.name, one.set_identifier, one.type)


_REMARKS: Final = frozenset(reason for reason in Reason if reason.row.is_remark)


def _list_remarks(plan: PlanContent) -> Iterator[tuple[str, ...]]:
    """Yield the remarks on the whole plan: for each a tuple of lines, safe for a terminal."""
    invalid = [one for one in plan.problems if one.reason not in _REMARKS]
    for title, problems in {
        "Invalid objects (other records unaffected)": invalid,
        "Ignored values, and values that do not work everywhere": [one for one in plan.problems if one not in invalid],
    }.items():
        if problems:
            yield (title, *(line for problem in problems for line in describe_problem(problem)))
    if plan.violations:
        yield ("Violations of rules", *map(describe_violation, plan.violations))
    if plan.held:
        yield (
            *(escape_line(line) for one in plan.held for line in _describe_held_set(one)),
            *([] if isinstance(plan, RunningPlanDocument) else _explain_absence(plan.held)),
        )
    if plan.excluded:
        yield tuple(escape_line(_describe_excluded(*one)) for one in plan.excluded.items())
    if plan.status_from_cluster:
        yield (escape_line(f"Status from the cluster: {', '.join(plan.status_from_cluster)}"),)
    if plan.owner and (orphans := sum(one.reason in _ORPHANS for one in (*plan.changes, *plan.unfulfilled))):
        yield _describe_orphans(orphans, plan.owner)
    yield from ((escape_line(f"WARNING: {one.text}"), escape_line(f"  {one.next}")) for one in plan.warnings)
    if plan.missing:
        yield tuple(format_missing(plan.missing))


def _describe_excluded(flag: str, count: int) -> str:
    if flag in SWITCHES_TO_SET:
        requests = format_count(count, "object requests", "objects request")
        return f"{requests} a name, but {flag} is not set"
    return f"{format_count(count, 'object')} excluded by {flag}"


def _describe_orphans(orphans: int, owner: str) -> tuple[str, str]:
    are, them = format_count(orphans, "record is", "records are"), "it" if orphans == 1 else "them"
    advice = "both clusters use this owner id: give each its own --txt-owner-id."
    return (
        escape_line(f'{are} of our owner id "{owner}", and no object requests {them}.'),
        f"  If objects of another cluster request {them}, {advice}",
    )


def _describe_held_set(one: HeldSetDocument) -> Iterator[str]:
    deletes = format_count(len(one.records), "delete is", "deletes are")
    them = "it" if len(one.records) == 1 else "them"
    yield f"{deletes} HELD in {describe_scope(one)}. To approve {them}: {one.command}"
    yield from (f"  {cause}" for cause in dict.fromkeys(record.cause for record in one.records) if cause)


def _explain_absence(held: Iterable[HeldSetDocument]) -> Iterator[str]:
    """Explain that a running process may have better evidence for held deletes by absence than one pass has."""
    codes = {Evidence(record.evidence) for one in held for record in one.records}
    if absent := sorted(code for code in codes if code.is_by_absence):
        yield f"The evidence is [{'], ['.join(absent)}]: such deletes have a smaller budget, or need approval."
        yield "A running extdns may have better evidence, because it observes when objects are deleted or changed."
        yield "To see its plan: extdns plan --controller=URL"


def _summarize_plan(plan: PlanContent, nothing: str) -> str:
    """Return how many records have which action as one sentence; *nothing* if the plan has no entries.

    For a plan without entries that has warnings or is incomplete, `NOTHING_PLANNED` replaces `UP_TO_DATE`.
    """
    if not (plan.changes or plan.unfulfilled or plan.problems):
        is_known = nothing != UP_TO_DATE or not (plan.warnings or plan.missing)
        return finish_text(nothing if is_known else NOTHING_PLANNED, plan.missing)
    counts, unknown = plan.summary, sum(map(_is_unknown, plan.unfulfilled))
    parts = [f"{counts.create} to create", f"{counts.update} to update", f"{counts.delete} to delete"]
    rest = {"kept": counts.unfulfilled, "not published": counts.not_published - unknown, "not known": unknown}
    parts += [f"{number} {what}" for what, number in rest.items() if number]
    parts += [format_count(counts.invalid, "invalid value")] if counts.invalid else []
    return f"{', '.join(parts)}."


def _describe_zone(zone: ZoneReference | None, provider: str) -> str:
    if zone is None:
        return "In no zone"
    account = zone.account if isinstance(zone, ZoneDocument) else ""
    known = ", ".join(dict.fromkeys(part for part in (zone.id, account, provider) if part not in {"", zone.name}))
    named = escape_line(f"Zone {zone.name} ({known})")
    if not isinstance(zone, ZoneDocument):
        return named
    return f"{named}  {format_count(zone.records, 'record')}, {zone.ours} ours"


def format_table(rows: Iterable[PlanRow], width: int | None = None) -> Iterator[str]:
    """Yield *rows* as a table. If *width* is too small, objects go to a line of their own."""
    cells = tuple(rows)
    lines = tuple(_format_rows(cells)) if cells else ()
    if width is not None and any(len(line) > width for line in lines):
        moved = [one._replace(who="", below=tuple(filter(None, (one.who, *one.below)))) for one in cells]
        lines = tuple(_format_rows(moved))
    return iter(lines)


def _format_rows(rows: Sequence[PlanRow]) -> Iterator[str]:
    columns = zip(*(one[: len(_WIDEST)] for one in rows), strict=True)
    widths = [min(widest, max(map(len, cells))) for widest, cells in zip(_WIDEST, columns, strict=True)]
    line = "  %-{}s %-{}s  %-{}s  %-{}s  %-{}s  %s".format(*widths)
    indent = " " * (2 + widths[0] + 1 + widths[1] + 2)
    for one in rows:
        yield (line % one[: len(_WIDEST) + 1]).rstrip()
        yield from (f"{indent}{text}" for text in one.below)


def build_plan_row(one: PlanEntry) -> PlanRow:
    """Build the row of an entry, each cell safe for a terminal."""
    identifier = f" ({one.set_identifier})" if one.set_identifier else ""
    return PlanRow(
        symbol="·" if one.reason == Reason.PUBLISHED else _SYMBOLS[one.action],
        type=escape_line(one.type),
        name=escape_line(f"{one.name}{identifier}"),
        data=escape_line(_describe_data(one)),
        who=escape_line(_describe_requesters(one)),
        reason="" if one.reason in PLAIN else escape_line(f"[{one.reason}]"),
        below=() if one.evidence == (look_up_meaning(one.reason),) else tuple(map(escape_line, one.evidence)),
    )


def _describe_data(one: PlanEntry) -> str:
    if one.action == "none":
        return "not known" if _is_unknown(one) else "not published"
    if one.action == "keep" and one.reason != Reason.PUBLISHED:
        return "kept"
    record = one.after or one.before
    return join_targets(record.targets) if record else ""


def _is_unknown(one: PlanEntry) -> bool:
    return one.action == "none" and one.reason in _UNREAD


def _describe_requesters(one: PlanEntry) -> str:
    if not one.objects:
        return f"resource {one.resource}" if one.resource else ""
    requests = [
        f"{describe_object(it)}: {shorten_field(it.field)}" + (f" ({it.derived})" if it.derived else "")
        for it in one.objects
    ]
    return join_first(requests, _MAX_OBJECTS)


def describe_problem(problem: ProblemDocument) -> tuple[str, str]:
    """Return two lines, safe for a terminal: an invalid value, and what is allowed."""
    what = f"{describe_object(problem)}: {describe_value(problem)}"
    return f"  ! {escape_line(what)}  [{problem.reason}]", f"    allowed: {escape_line(problem.allowed)}"


_HEAD: Final = ("| | Name | Type | Change | Object | Reason |", "|---|---|---|---|---|---|")
_ESCAPES: Final = str.maketrans({"`": r"\x60", "|": r"\x7c"})


def format_plan_markdown(plan: PlanContent, nothing: str = UP_TO_DATE) -> Iterator[str]:
    """Yield *plan* as Markdown: a table for each zone, then remarks and the summary as in `format_plan`."""
    for title, rows in group_by_zone(_list_entries(plan), plan.zones, plan.provider):
        yield f"**{_format_code_span(title)}**"
        yield ""
        yield from _HEAD
        yield from map(_format_markdown_row, rows)
        yield ""
    for line in (line for paragraph in _list_remarks(plan) for line in paragraph):
        yield f"{'  ' if line.startswith('  ') else ''}- {_format_code_span(line)}"
    if isinstance(plan, RunningPlanDocument):
        yield f"- {_format_code_span(f'Answered by {describe_process(plan.process)}')}"
    yield ""
    yield _summarize_plan(plan, nothing)


def _format_markdown_row(one: PlanRow) -> str:
    change = "<br>".join(_format_code_span(text) for text in (one.data, *one.below) if text)
    before, after = map(_format_code_span, (one.symbol, one.name, one.type)), map(_format_code_span, one[4:6])
    return f"| {' | '.join((*before, change, *after))} |"


def _format_code_span(text: str) -> str:
    """Return *text* as a code span of Markdown, with its special characters escaped."""
    safe = escape_line(text).translate(_ESCAPES).strip()
    return f"`{safe}`" if safe else ""
