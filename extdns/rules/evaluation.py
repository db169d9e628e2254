"""The answer of rules about one input, and the interface of a set of rules."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, Self

from extdns.model.change import RuleAction, Violation
from extdns.model.value import Value
from extdns.rules.rule_input import RuleInput


class Evaluation(Value, frozen=True, kw_only=True):
    """What rules answer about one input; the order of the rules does not matter.

    Attributes:
        violations: sorted, without duplicates.
        matched: the names of the rules that match the input, violated or not, sorted.
        unavailable: why the answer is not known, "" if it is: a rule that may match has no valid version, or a server
            does not answer. Then the record stays as it is.
        is_awaited: whether no answer has arrived yet, and planning has to wait for it.
    """

    violations: tuple[Violation, ...] = ()
    matched: tuple[str, ...] = ()
    unavailable: str = ""
    is_awaited: bool = False

    @property
    def denials(self) -> tuple[Violation, ...]:
        """The violations of rules that deny."""
        if not self.violations:
            return ()
        return tuple([one for one in self.violations if one.action is RuleAction.DENY])

    @property
    def is_denying(self) -> bool:
        """Whether the evaluated change must not be made: a rule denies it, or the answer is not known."""
        return bool(self.unavailable or self.denials)

    @property
    def is_deleting(self) -> bool:
        """Whether a rule with `onViolation: delete` denies a published record; False while the answer is not known."""
        return not self.unavailable and any(one.deletes for one in self.denials)

    def merge(self, other: Self) -> Self:
        """Return what this and *other*, the answers of different rules or about different records, state together."""
        return type(self)(
            violations=tuple(sorted({*self.violations, *other.violations})),
            matched=tuple(sorted({*self.matched, *other.matched})),
            unavailable=min(filter(None, (self.unavailable, other.unavailable)), default=""),
            is_awaited=self.is_awaited or other.is_awaited,
        )


class RuleSet(Protocol):
    """Rules in their last valid version. Immutable: a change of the rules gives another object."""

    @property
    def revision(self) -> str:
        """Text that differs if the rules differ, such as a digest."""
        ...

    @property
    def needs_namespaces(self) -> bool:
        """Whether a rule reads labels or annotations of namespaces."""
        ...

    def evaluate(self, inputs: Sequence[RuleInput]) -> tuple[Evaluation, ...]:
        """Return one evaluation for each of *inputs*, in the same order. Never raises: evaluations state failures."""
        ...
