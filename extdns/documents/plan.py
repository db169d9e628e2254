"""Plans as JSON: what happens to each record and why, made by one pass or by a running process."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Final, Literal, NamedTuple

from msgspec.structs import asdict, replace

from extdns import __version__
from extdns.config import list_settings
from extdns.documents.document import (
    UNKNOWN_PROCESS,
    VERSION,
    Document,
    ObjectReference,
    ProblemDocument,
    ProcessReference,
    RecordData,
    Version,
    ZoneDocument,
    ZoneReference,
    build_object_reference,
    build_problem,
    build_record_data,
    build_zone_reference,
    encode_json,
)
from extdns.documents.held import HeldSetDocument, build_held_set
from extdns.documents.rule_snapshot import NO_RULES, RuleSnapshot
from extdns.documents.scope_warnings import ScopeWarning, find_scope_warnings
from extdns.documents.snapshot import EngineSnapshot, RecordCounts, count_records
from extdns.documents.text import describe_details, find_reportable, list_problems
from extdns.documents.violations import ViolationDocument, list_violations
from extdns.engine.decisions import CHANGING, is_held_decision
from extdns.engine.health import find_unread
from extdns.model.change import Action, Decision
from extdns.model.claim import ExcludedClaim
from extdns.model.zone import Zone

if TYPE_CHECKING:
    from extdns.config import Config
    from extdns.documents.snapshot import ProcessSnapshot
    from extdns.engine.engine import Engine
    from extdns.model.claim import ClaimWarning
    from extdns.model.kind import ObjectKey


_DIGEST_BYTES: Final = 16
_IGNORED_FLAGS: Final = frozenset(
    {
        "api-burst",
        "api-calls-per-second",
        "refresh-calls-per-minute",
        "max-refresh-interval",
        "audit-log",
        "audit-log-max-files",
        "audit-log-max-size",
        *(
            f"opa-{part}"
            for part in ("timeout", "tls-ca", "tls-client-cert", "tls-client-cert-key", "token-file", "url")
        ),
        "aws-api-retries",
        "aws-batch-change-interval",
        "dry-run",
        "events-emit",
        "google-batch-change-interval",
        "interval",
        "kube-api-request-timeout",
        "kubeconfig",
        "leader-elect",
        "leader-elect-lease-duration",
        "leader-elect-renew-deadline",
        "leader-elect-resource-name",
        "leader-elect-resource-namespace",
        "leader-elect-retry-period",
        "log-format",
        "log-level",
        "manifests",
        "metrics-address",
        "octodns-config",
        "once",
        "request-timeout",
        *(f"rfc2136-{part}" for part in ("host", "port", "insecure", "use-tls", "skip-tls-verify")),
        *(f"rfc2136-tsig-{part}" for part in ("keyname", "secret", "secret-file", "secret-alg", "axfr")),
        *("rfc2136-axfr", "rfc2136-load-balancing-strategy", "tls-ca", "tls-client-cert", "tls-client-cert-key"),
        "server",
        "state-configmap",
        "state-file",
        "web-address",
        "zonefile-dir",
    }
)
"""Flags that are not among the `settings` of `PlanBasis`: how extdns runs, and where it reads and writes."""


class PassResult(NamedTuple):
    """The result of one pass.

    Attributes:
        missing: one sentence for each thing that could not be read; if there are any, the plan is incomplete.
        decisions: the decisions that a plan reports, in the order of the plan.
        problems: invalid values on objects, by object.
        base: the folder or revision that the pass was compared with, "" if with none.
        rules: the state of the rules.
    """

    config: Config
    engine: Engine
    missing: tuple[str, ...]
    decisions: tuple[Decision, ...]
    problems: tuple[tuple[ObjectKey, ClaimWarning], ...]
    base: str = ""
    rules: RuleSnapshot = NO_RULES


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
    """How many records have which action. Held deletes are among the `unfulfilled`."""

    create: int
    update: int
    delete: int
    unfulfilled: int
    not_published: int
    held: int


class PlanContent(Document, frozen=True):
    """What is planned.

    `unfulfilled` are records that are kept although something else, or nothing, is requested, and names that are not
    published. `violations` are the rules that deny a record or warn about it. `excluded` is how many objects each flag
    or annotation excludes. `missing` says what could not be read; if it is not empty, the plan is incomplete.
    `warnings` say where what was read does not fit the settings, as when a filter matches no zone.
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


class PlanDocument(PlanContent, frozen=True):
    """The plan of one pass, which `extdns apply` can apply.

    `base` is the folder or revision that the plan was compared with, "" if with none. `checksum` is a digest of all
    other fields; it detects accidental edits, not forgery.
    """

    api_version: Version
    kind: Literal["Plan"]
    base: str
    basis: PlanBasis
    checksum: str


class RunningPlanDocument(PlanContent, frozen=True):
    """What a running process has planned but not yet written, and what it keeps or holds.

    Unlike the plan of one pass, it counts grace periods, and `extdns apply` cannot apply it. `process` is the process
    that answered; `at` is the time of the answer.
    """

    api_version: Version
    at: datetime
    kind: Literal["RunningPlan"]
    process: ProcessReference


def build_plan(
    seen: EngineSnapshot,
    config: Config,
    decisions: Sequence[Decision],
    problems: Iterable[tuple[ObjectKey, ClaimWarning]],
    missing: tuple[str, ...],
) -> PlanContent:
    """Build a plan.

    Args:
        seen: the state of the engine.
        config: the settings.
        decisions: the decisions to report, in order.
        problems: invalid values on objects, in order.
        missing: one sentence for each thing that could not be read.
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
        problems=tuple(build_problem(key, warning) for key, warning in problems),
        excluded=_count_excluded(seen),
        violations=tuple(list_violations(seen.decisions)),
        missing=missing,
        warnings=find_scope_warnings(config, seen.scope),
        summary=count_actions(decisions),
    )


def _count_excluded(seen: EngineSnapshot) -> dict[str, int]:
    """Return how many objects each flag or annotation excludes, sorted by flag. Excluded single names do not count."""
    found = {
        (key, claim.excluded_by)
        for key, claims in seen.claims.objects()
        for claim in claims
        if isinstance(claim, ExcludedClaim) and claim.name is None
    }
    return dict(sorted(Counter(flag for _, flag in found).items()))


def build_plan_content(result: PassResult) -> PlanContent:
    """Build the plan of one pass, without the basis and checksum that `extdns apply` needs."""
    return build_plan(EngineSnapshot(result.engine), result.config, result.decisions, result.problems, result.missing)


def build_plan_document(result: PassResult) -> PlanDocument:
    """Build the plan of one pass, with its basis and checksum."""
    document = PlanDocument(
        api_version=VERSION,
        kind="Plan",
        base=result.base,
        basis=_build_basis(result.config, result.engine),
        checksum="",
        **asdict(build_plan_content(result)),
    )
    return with_checksum(document)


def with_checksum(document: PlanDocument) -> PlanDocument:
    """Return *document* with the checksum of its content."""
    return replace(document, checksum=_compute_digest(encode_json(replace(document, checksum=""))))


def _build_basis(config: Config, engine: Engine) -> PlanBasis:
    settings = tuple(
        argument
        for flag, value in list_settings(config)
        if flag.name not in _IGNORED_FLAGS and value != flag.default
        for argument in flag.format_arguments(value, masked=True)
    )
    decisions = "\n".join(repr(decision) for decision in engine.decisions if decision.is_relevant)
    return PlanBasis(version=__version__, settings=settings, state=_compute_digest(decisions.encode()))


def _compute_digest(content: bytes) -> str:
    """Return a digest of *content*, 32 hexadecimal digits."""
    return hashlib.blake2b(content, digest_size=_DIGEST_BYTES).hexdigest()


def build_running_plan(live: ProcessSnapshot, config: Config) -> RunningPlanDocument:
    """Build the plan of a running process."""
    seen = live.engine
    missing = seen.missing if live.synced else (*seen.missing, "the first full pass has not ended yet")
    plan = build_plan(seen, config, find_reportable(seen.decisions), list_problems(seen.claims.objects()), missing)
    return RunningPlanDocument(
        api_version=VERSION, process=UNKNOWN_PROCESS, at=live.at, kind="RunningPlan", **asdict(plan)
    )


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
