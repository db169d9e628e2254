"""Rules: their state at one moment, their answers about records, and the document about them (docs/design/rules.md)."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator
from datetime import datetime
from operator import attrgetter
from typing import TYPE_CHECKING, Final, Literal

from msgspec import field
from msgspec.structs import asdict

from extdns.documents.document import (
    Document,
    LiveDocument,
    ObjectReference,
    ZoneReference,
    build_object_reference,
    build_zone_reference,
)
from extdns.documents.names import Level, State
from extdns.documents.text import escape_line
from extdns.masking import mask_url
from extdns.model.change import RuleAction
from extdns.model.reason import Reason
from extdns.model.value import Value

if TYPE_CHECKING:
    from extdns.cel.policy_index import PolicyState
    from extdns.config import Config
    from extdns.documents.snapshot import ProcessSnapshot
    from extdns.model.change import Decision, Violation
    from extdns.rules.policy_server import LoadedPolicy, PolicyProblem


class LocalRulesSnapshot(Value, frozen=True, kw_only=True):
    """The rules in CEL.

    Attributes:
        revision: the revision of the rules in use, "" before the first were read.
        policies: the state of each DNSPolicy, grouped by origin (the cluster or files), each group sorted by name.
        problems: a message for each DNSPolicy that is not valid, each file of DNSPolicies that cannot be read, and each
            failure to list DNSPolicies; sorted.
    """

    revision: str = ""
    policies: tuple[PolicyState, ...] = ()
    problems: tuple[str, ...] = ()


class PolicyServerSnapshot(Value, frozen=True, kw_only=True):
    """The policy server.

    Attributes:
        revision: the revision of its policies; "" before the revision was read.
        policies: its policies in the package that is queried, sorted by id.
        problem: why the server does not answer, "" if it answers or was not queried yet.
        policy_problems: what is wrong with its policies, each named by its id.
        answered_at_s: when it last answered a query about records (monotonic seconds), None before the first answer.
        waiting: the number of records about which a query has still to be sent.
    """

    revision: str = ""
    policies: tuple[LoadedPolicy, ...] = ()
    problem: str = ""
    policy_problems: tuple[PolicyProblem, ...] = ()
    answered_at_s: float | None = None
    waiting: int = 0


class RuleSnapshot(Value, frozen=True, kw_only=True):
    """The rules of a process: `local` is None without `--policy-rules`, `server` without `--opa-url`."""

    local: LocalRulesSnapshot | None = None
    server: PolicyServerSnapshot | None = None

    def list_failures(self) -> Iterator[str]:
        """Yield everything that is wrong with rules, one message each."""
        if self.local:
            yield from (f"rules: {problem}" for problem in self.local.problems)
        if self.server:
            if self.server.problem:
                yield f"the policy server does not answer: {self.server.problem}"
            yield from (f"policy server: {one.policy}: {one.message}" for one in self.server.policy_problems)


NO_RULES: Final = RuleSnapshot()

ALLOWED: Final = "allowed"
"""The result of a rule that matches a record and is not violated."""

RuleResult = Literal["allowed", "deny", "warn", "audit"]
FAIL_ON: Final = ("deny", "warn")
"""The values of `extdns plan --fail-on`."""

_VERBS: Final = {"allowed": "allows it", "deny": "DENIES it", "warn": "warns", "audit": "counts it (audit)"}


class RuleDocument(Document, frozen=True):
    """The answer of one rule that matches a record.

    `values` has the variables of the rule, as text. `reason` is the `reason` of the validation that the record fails,
    such as `Forbidden`; "" if there is none.
    """

    rule: str
    result: RuleResult
    message: str = ""
    reason: str = ""
    values: dict[str, str] = field(default_factory=dict)


class ViolationDocument(RuleDocument, frozen=True, kw_only=True):
    """A record or change that violates a rule. `zone` is null if no zone holds the name."""

    zone: ZoneReference | None
    name: str
    type: str
    objects: tuple[ObjectReference, ...]


def count_rule_results(decisions: Iterable[Decision]) -> Counter[tuple[str, str]]:
    """Count the records that a rule matches, by pair of rule and result."""
    found: Counter[tuple[str, str]] = Counter()
    allowed: Counter[tuple[str, ...]] = Counter()  # most records that the same rules match violate none of them
    for decision in decisions:
        if decision.violations:
            results = {one.rule: one.action.value for one in decision.violations}
            found.update((dict.fromkeys(decision.rules, ALLOWED) | results).items())
        else:
            allowed[decision.rules] += 1
    for rules, count in allowed.items():
        for rule in rules:
            found[rule, ALLOWED] += count
    return found


def list_rules(decision: Decision) -> tuple[RuleDocument, ...]:
    """Return the known answers of the rules that match the record of *decision*, violated rules first."""
    violated = {one.rule for one in decision.violations}
    allowed = (
        RuleDocument(rule=rule, result=ALLOWED)
        for rule in decision.rules
        if rule not in violated and decision.reason is not Reason.POLICY_UNAVAILABLE
    )
    return (*map(_build_rule, decision.violations), *allowed)


def _build_rule(violation: Violation) -> RuleDocument:
    return RuleDocument(
        rule=violation.rule,
        result=violation.action.value,
        message=violation.message,
        reason=violation.reason,
        values=dict(violation.values),
    )


def list_violations(decisions: Iterable[Decision]) -> Iterator[ViolationDocument]:
    """Yield the violations that a plan shows, in the order of *decisions*: those that deny or warn."""
    for decision in decisions:
        for one in decision.violations:
            if one.action is not RuleAction.AUDIT:
                yield ViolationDocument(
                    **asdict(_build_rule(one)),
                    zone=build_zone_reference(decision.zone) if decision.zone else None,
                    name=decision.name,
                    type=decision.type,
                    objects=tuple(map(build_object_reference, decision.requested_by)),
                )


def describe_rule(one: RuleDocument) -> list[str]:
    """Describe the answer of a rule, with the values of its variables on further lines."""
    message = f": {one.message}" if one.message else ""
    return [
        f"rule {one.rule} {_VERBS[one.result]}{message}",
        *(f"  {name} = {value}" for name, value in sorted(one.values.items())),
    ]


def describe_violation(one: ViolationDocument) -> str:
    """Describe a violation in one line, safe for a terminal."""
    who = f" ({one.objects[0].kind} {one.objects[0].namespace}/{one.objects[0].name})" if one.objects else ""
    return escape_line(f"  {one.result} {one.name} {one.type}{who}: rule {one.rule}: {one.message}")


class PolicyCondition(State):
    """Which version of a DNSPolicy is used, or whether a policy of the policy server fails, the worst first."""

    UNUSABLE = "unusable", Level.FAILING  # none, so what it may match has no answer
    FAILING = "failing", Level.FAILING  # of the policy server, without a valid answer for some records
    FORMER_VERSION = "former-version", Level.FAILING  # the last valid one, because the last one has problems
    USED = "used", Level.GOOD  # the last one


class ServerCondition(State):
    """Whether the policy server answers."""

    FAILING = "failing", Level.FAILING
    NOT_QUERIED = "not-queried", Level.NEUTRAL
    ANSWERING = "answering", Level.GOOD


class RuleStatus(Document, frozen=True):
    """One rule: a DNSPolicy, a policy that the policy server has, or a rule in one that a record violates now.

    `file` is "" if the rule comes from elsewhere. `action` is null if no version of the rule is used. `matched` counts
    the records that the rule matches, and is null for those of the policy server, because that names only violated
    rules. `violations` counts the records that violate it.

    `revision` is that of a policy of the policy server, else "". Such a policy has no action. Its `violations` are 0
    while no record violates a rule of the package. Then they are null: the violated rules, which have items of their
    own, are known, but not the policies that have them.
    """

    name: str
    origin: Literal["file", "cluster", "policy-server"]
    state: PolicyCondition
    violations: int | None
    file: str = ""
    revision: str = ""
    action: Literal["deny", "warn", "audit"] | None = None
    matched: int | None = None
    problems: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


class PolicyServerDocument(Document, frozen=True):
    """The policy server. `onFailure` is the value of `--opa-failure`.

    `policies` counts its policies in the package that is queried; `policyProblems` is what is wrong with policies.
    `answeredAt` is when it last answered a query, null before the first answer; `waiting` counts the records that wait
    to be asked about.
    """

    url: str
    path: str
    on_failure: Literal["keep", "allow"]
    state: ServerCondition
    problem: str
    revision: str
    policies: int
    policy_problems: tuple[str, ...]
    answered_at: datetime | None
    waiting: int


class PoliciesDocument(LiveDocument, frozen=True, tag="Policies"):
    """One page of the rules about who may publish what; `items` is empty and `policyServer` null without any.

    `total` counts the rules on all pages; `after` is the cursor of the next page, null on the last. Rules of one name
    are on one page, even if it becomes longer than requested.

    `revision` is that of the rules in CEL, and `evaluatedAt` when they were last evaluated on a record. `problems` is
    what is wrong with these, with their files, and with the list of DNSPolicies. `denied` counts the records that are
    not changed because rules deny the change, `violating` the published records that rules deny, and `waiting` those
    that are not changed because there is no answer.
    """

    revision: str
    evaluated_at: datetime | None
    problems: tuple[str, ...]
    denied: int
    violating: int
    waiting: int
    total: int
    after: str | None
    items: tuple[RuleStatus, ...]
    policy_server: PolicyServerDocument | None


def build_policies(live: ProcessSnapshot, config: Config, after: str, limit: int) -> PoliciesDocument:
    """Describe a page of about *limit* rules from the first name after the cursor *after*, sorted by name."""
    local, server, reasons = live.rules.local or LocalRulesSnapshot(), live.rules.server, live.engine.decisions.reasons
    rules = sorted(_list_rules(live, local, server), key=lambda one: (one.name, one.file))
    start = bisect_right(rules, after, key=attrgetter("name")) if after else 0
    end = min(start + limit, len(rules))
    while start < end < len(rules) and rules[end].name == rules[end - 1].name:
        end += 1
    evaluated_at_s = live.engine.rules_evaluated_at_s if live.rules.local else None
    return PoliciesDocument(
        at=live.at,
        revision=local.revision,
        evaluated_at=None if evaluated_at_s is None else live.time_of(evaluated_at_s),
        problems=local.problems,
        denied=reasons[Reason.POLICY_DENIED],
        violating=reasons[Reason.POLICY_VIOLATION],
        waiting=reasons[Reason.POLICY_UNAVAILABLE],
        total=len(rules),
        after=rules[end - 1].name if end < len(rules) else None,
        items=tuple(rules[start:end]),
        policy_server=_build_server(live, server, config) if server else None,
    )


def _list_rules(
    live: ProcessSnapshot, local: LocalRulesSnapshot, server: PolicyServerSnapshot | None
) -> Iterator[RuleStatus]:
    counts: dict[str, Counter[str]] = {}
    for (rule, result), count in live.rule_results.items():
        counts.setdefault(rule, Counter())[result] = count
    for policy in local.policies:
        yield _build_policy(policy, counts.get(policy.key.name, Counter()))
    if server is None:
        return
    violated = counts.keys() - {policy.key.name for policy in local.policies}
    problems = {one.policy: one.message for one in server.policy_problems}
    for loaded in server.policies:
        yield RuleStatus(
            name=loaded.id,
            origin="policy-server",
            revision=loaded.revision,
            state=PolicyCondition.FAILING if loaded.id in problems else PolicyCondition.USED,
            violations=None if violated else 0,
            problems=(problems[loaded.id],) if loaded.id in problems else (),
        )
    for rule in violated:
        yield RuleStatus(
            name=rule,
            origin="policy-server",
            action=next((action.value for action in RuleAction if counts[rule][action.value]), None),
            state=PolicyCondition.USED,
            violations=_count_violations(counts[rule]),
        )


def _build_policy(policy: PolicyState, counts: Counter[str]) -> RuleStatus:
    used = PolicyCondition.FORMER_VERSION if policy.is_former else PolicyCondition.USED
    return RuleStatus(
        name=policy.key.name,
        origin="file" if policy.file else "cluster",
        file=policy.file,
        action=policy.action.value if policy.action else None,
        state=used if policy.is_used else PolicyCondition.UNUSABLE,
        matched=counts.total(),
        violations=_count_violations(counts),
        problems=policy.problems,
        warnings=policy.warnings,
    )


def _count_violations(counts: Counter[str]) -> int:
    return counts.total() - counts[ALLOWED]


def _build_server(live: ProcessSnapshot, server: PolicyServerSnapshot, config: Config) -> PolicyServerDocument:
    is_answering = server.revision or server.answered_at_s is not None
    state = ServerCondition.ANSWERING if is_answering else ServerCondition.NOT_QUERIED
    return PolicyServerDocument(
        url=mask_url(config.rules.opa_url),
        path=config.rules.opa_path,
        on_failure="allow" if config.rules.opa_failure == "allow" else "keep",
        state=ServerCondition.FAILING if server.problem else state,
        problem=server.problem,
        revision=server.revision,
        policies=len(server.policies),
        policy_problems=tuple(f"{one.policy}: {one.message}" for one in server.policy_problems),
        answered_at=None if server.answered_at_s is None else live.time_of(server.answered_at_s),
        waiting=server.waiting,
    )
