"""The document about the rules of a running process: which there are, what they answer, and what is wrong with them."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator
from datetime import datetime
from operator import attrgetter
from typing import TYPE_CHECKING, Literal

from extdns.documents.document import Document, LiveDocument
from extdns.documents.names import Level, State
from extdns.documents.rules import ALLOWED, LocalRulesSnapshot, PolicyServerSnapshot
from extdns.masking import mask_url
from extdns.model.change import RuleAction
from extdns.model.reason import Reason

if TYPE_CHECKING:
    from extdns.cel.policy_index import PolicyState
    from extdns.config import Config
    from extdns.documents.snapshot import ProcessSnapshot


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
