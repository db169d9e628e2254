"""How a single pass ended, as an exit code (design 6, `--once`)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from extdns.engine.health import failures
from extdns.model.decision import Verdict
from extdns.model.reason import Reason

if TYPE_CHECKING:
    from extdns.engine.engine import Engine
    from extdns.model.decision import Decision

DONE = 0
FAILED = 1
HELD = 3

_HELD = frozenset({Reason.HELD, Reason.ORPHAN_UNCLAIMED})


def exit_code(engine: Engine) -> int:
    """1 if something failed, else 3 if something is held, else 0.

    Failed: a source, an account or a zone; an object whose claims could not be computed; a name that
    was refused by the service or by us in its place, forbidden, or left without an outcome.
    """
    if failures(engine):
        return FAILED
    return HELD if any(held(decision) for decision in engine.decisions) else DONE


def held(decision: Decision) -> bool:
    """Tell whether a delete waits for a person.

    A delete with the same reason is no hold: it may be planned in a dry run, or made under `--compat`.
    """
    return decision.verdict is Verdict.KEEP and decision.reason in _HELD
