"""What a policy server answers: values, and the interface that the controller calls (docs/design/opa.md)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Protocol

from extdns.model.value import Value
from extdns.rules.evaluation import Evaluation
from extdns.rules.rule_input import RuleInput

MAX_QUERY: Final = 500
"""The most inputs of one query."""


class PolicyProblem(Value, frozen=True, kw_only=True):
    """Why the policies of a policy server gave no valid answer.

    Attributes:
        message: what is wrong with the policies, for people, without control characters.
        policy: the id of the policy, as `namespace/configmap/key` if kube-mgmt loaded it; "" if it is not known.
    """

    message: str
    policy: str = ""


class PolicyAnswers(Value, frozen=True, kw_only=True):
    """What a policy server answered to one query about several inputs.

    Attributes:
        evaluations: one for each input, in the order of the inputs.
        policy_problems: what is wrong with the policies of the server.
        failed: the positions of the inputs for which a policy is known to give no valid answer.
    """

    evaluations: tuple[Evaluation, ...]
    problem: str = ""
    policy_problems: tuple[PolicyProblem, ...] = ()
    failed: frozenset[int] = frozenset()


class LoadedPolicy(Value, frozen=True, kw_only=True):
    """A policy that a policy server has: its id, and a digest of its text."""

    id: str
    revision: str


class PolicyRevision(Value, frozen=True, kw_only=True):
    """Which policies a policy server has.

    Attributes:
        revision: a digest of all policies and bundles; "" if they could not be read.
        label: the revisions of the bundles, for people; "" without bundles.
        policies: the policies in the package that is queried, sorted by id.
        problem: why the policies or bundles could not be read, "" if they could.
    """

    revision: str = ""
    label: str = ""
    policies: tuple[LoadedPolicy, ...] = ()
    problem: str = ""


class PolicyClient(Protocol):
    """Calls a policy server; used by one thread. Methods never raise: what they return states a failure."""

    def evaluate(self, inputs: Sequence[RuleInput]) -> PolicyAnswers:
        """Query the server about up to `MAX_QUERY` *inputs*, and return what it answered about each."""
        ...

    def read_version(self) -> PolicyRevision:
        """Return which policies the server has."""
        ...

    def close(self) -> None:
        """Close the connection. Calling it again has no effect."""
        ...
