"""Copies of the state of rules at one moment: which there are, and what is wrong with them (docs/design/rules.md)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from extdns.model.value import Value

if TYPE_CHECKING:
    from extdns.cel.policy_index import PolicyState
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
