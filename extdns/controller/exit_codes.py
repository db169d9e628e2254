"""Exit codes of a single pass, and of the commands that make one.

See docs/design/delete-safety.md, "One pass and dry runs".
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from extdns.engine.decisions import is_held_decision
from extdns.engine.health import find_failures, reference_fails
from extdns.model.reason import Reason

if TYPE_CHECKING:
    from extdns.engine.engine import Engine

DONE = 0
FAILED = 1
INCOMPLETE = 2
"""Something is left to do: a command reports a difference that it does not remove, or it timed out."""

HELD = 3
NOTHING_IN_SCOPE = 4
"""No zone or no object was read, or filters exclude every zone or every name (docs/design/messages.md)."""

VIOLATED = 5
"""`extdns plan --fail-on`: a rule is violated (docs/design/rules.md)."""

_FAILING: Final = tuple(reason for reason in Reason if reason.row.exit_code == FAILED)


def compute_exit_code(engine: Engine, *, leaves_nothing: bool = False) -> int:
    """Return 1 if something failed, else 3 if a delete is held, else 4 if *leaves_nothing*, else 0.

    What failed is what `find_failures` reports, such as a source or a zone, and each decision whose reason has the exit
    code 1 in its row. With `--compat`, only what makes external-dns fail counts, and there is no code 4.
    *leaves_nothing* is whether no name can be planned, because of a filter or because nothing was found.
    """
    compat, reasons = engine.settings.plan.compat, engine.decisions.reasons
    if reference_fails(engine) if compat else any(find_failures(engine)) or any(reasons[one] for one in _FAILING):
        return FAILED
    if any(is_held_decision(decision) for decision in engine.decisions):
        return HELD
    return NOTHING_IN_SCOPE if leaves_nothing and not compat else DONE
