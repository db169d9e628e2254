"""Violations of rules (docs/design/rules.md)."""

from __future__ import annotations

from enum import StrEnum

from extdns.model.value import EMPTY_MAP, StringMap, Value


class RuleAction(StrEnum):
    """What follows from a violation."""

    DENY = "deny"  # the change is not made
    WARN = "warn"  # the change is made, and the object gets an Event
    AUDIT = "audit"  # the change is made, and the violation is counted and logged


class Violation(Value, frozen=True, kw_only=True, order=True):
    """One rule that a record or a change violates. Violations sort by rule and message.

    Attributes:
        rule: the name of the rule: that of its DNSPolicy, or the package of a Rego policy.
        message: what is wrong, for people; at most 500 characters, without control characters.
        reason: the `reason` of the validation, as `Forbidden`, "" if it states none.
        deletes: whether a published record that violates the rule is deleted (`onViolation: delete`).
        values: the variables of the rule, with their values as text, each at most 200 characters.
    """

    rule: str
    action: RuleAction
    message: str
    reason: str = ""
    deletes: bool = False
    values: StringMap = EMPTY_MAP
