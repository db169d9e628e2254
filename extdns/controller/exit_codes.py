"""Exit codes of a single pass, and of the commands that make one.

See docs/design/delete-safety.md, "One pass and dry runs".
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from extdns.engine.decisions import is_held_decision
from extdns.engine.health import find_failures, reference_fails

if TYPE_CHECKING:
    from extdns.engine.engine import Engine

DONE = 0
FAILED = 1
INCOMPLETE = 2
"""Something is left to do: a command reports a difference that it does not remove, or it timed out."""

HELD = 3


def compute_exit_code(engine: Engine) -> int:
    """Return 1 if something failed, else 3 if a delete is held, else 0.

    Failed means: a source, an account or a zone; an object whose claims could not be computed; a name whose change was
    rejected, forbidden, or has an unknown outcome. With `--compat`, only what makes external-dns fail counts.
    """
    failed = reference_fails(engine) if engine.settings.plan.compat else any(find_failures(engine))
    if failed:
        return FAILED
    return HELD if any(is_held_decision(decision) for decision in engine.decisions) else DONE
