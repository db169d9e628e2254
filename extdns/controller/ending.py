"""How a single pass, or a command that made one, ended: exit codes (design 6, `--once`)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from extdns.engine.decisions import held
from extdns.engine.health import failures

if TYPE_CHECKING:
    from extdns.engine.engine import Engine

DONE = 0
FAILED = 1
LEFT = 2
"""Something is left to do: what a command shows and does not do, or waited for in vain."""

HELD = 3


def exit_code(engine: Engine) -> int:
    """1 if something failed, else 3 if something is held, else 0.

    Failed: a source, an account or a zone; an object whose claims could not be computed; a name that
    was refused by the service or by us in its place, forbidden, or left without an outcome.
    """
    if failures(engine):
        return FAILED
    return HELD if any(held(decision) for decision in engine.decisions) else DONE
