"""A table of rule inputs whose number and size are bounded."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from extdns.rules.rule_input import count_characters

if TYPE_CHECKING:
    from extdns.rules.rule_input import RuleInput


class BoundedInputs:
    """Inputs in the order in which they were added, each with whether a policy is known to fail on it.

    The oldest are dropped if there are too many, or if they are too large together.
    """

    def __init__(self, *, max_count: int, max_characters: int) -> None:
        """Store at most *max_count* inputs, of together at most *max_characters* characters."""
        self._max_count = max_count
        self._max_characters = max_characters
        self._inputs: dict[RuleInput, bool] = {}
        self._characters = 0

    def __len__(self) -> int:
        return len(self._inputs)

    def __iter__(self) -> Iterator[RuleInput]:
        return iter(self._inputs)

    def add(self, item: RuleInput, *, is_failing: bool = False) -> bool:
        """Add *item*, or set its *is_failing* if it is in the table. Return whether an input was dropped for space."""
        if item not in self._inputs:
            self._characters += count_characters(item)
        self._inputs[item] = is_failing
        is_full = False
        while len(self._inputs) > self._max_count or self._characters > self._max_characters:
            self.remove(next(iter(self._inputs)))
            is_full = True
        return is_full

    def remove(self, item: RuleInput) -> None:
        """Remove *item*, if it is in the table."""
        if self._inputs.pop(item, None) is not None:
            self._characters -= count_characters(item)

    def is_failing(self, item: RuleInput) -> bool:
        """Return whether a policy is known to fail on *item*; False if *item* is not in the table."""
        return self._inputs.get(item, False)
