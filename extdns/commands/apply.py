"""`extdns apply`: makes the changes of a stored plan, those and no others."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from extdns.app import assembly
from extdns.app.services import service
from extdns.commands.approval import Approval
from extdns.commands.onepass import Pass, seen, single_pass
from extdns.commands.options import value_of
from extdns.commands.output import show_lines
from extdns.commands.planfacts import plan_facts
from extdns.commands.planfile import differences, stored_plan
from extdns.commands.plantext import row, table
from extdns.controller.ending import DONE, FAILED, HELD
from extdns.controller.stopsignals import StopSignals
from extdns.errors import shown
from extdns.facts.plan import entry
from extdns.flags.mistakes import mistake
from extdns.model.quantity import count
from extdns.model.reason import Reason

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from extdns.commands.planfacts import PlanFacts
    from extdns.engine.engine import Engine
    from extdns.facts.plan import Entry

HELP: Final = """\
Usage: extdns apply --plan=FILE [flags]

Makes the changes of a plan that `extdns plan --output=json` printed, those and no others. One pass is made with the
flags, which are those that the plan was made with. If it does not come to the very same plan, because records, their
ownership records, objects, settings, zones or the version of extdns are not those of then, nothing is written.

Each change is conditional, too: what somebody else changes while it is being written stays as it is. Events and the
status of objects are left to the extdns that runs.

The exit code is 0 if all changes of the plan were made, 3 if so but deletes are held, and 1 if the plan was refused or
a change of it was not made.
"""
_AGAIN: Final = "nothing was written; look at what is planned now: extdns plan [flags]"


def main(arguments: Sequence[str], environ: Mapping[str, str]) -> int:
    """Apply the plan; returns the exit code.

    Raises:
        UsageError: a flag is wrong, or the plan does not count any more; nothing was written.
    """
    path, flags = value_of(arguments, "--plan", allowed="the file of a plan")
    if path is None:
        raise mistake("extdns apply needs a plan", "as in: extdns apply --plan=plan.json [flags]")
    stored = stored_plan(path)
    if stored.missing:
        raise mistake("the plan is incomplete, so it cannot be applied", *map(shown, stored.missing))
    if stored.base:
        raise mistake("the plan is that of a difference, so it cannot be applied", "leave --base out when it is made")
    config = single_pass(flags, environ)
    reader, writer = service(config)
    if writer is None:
        raise mistake("extdns apply writes, and --dry-run forbids it", "without writing: extdns plan [flags]")
    approval = Approval(writer)
    with StopSignals() as signals:
        running = assembly.assemble(config, service=(reader, approval), asks=True)
        signals.deliver_to(running.controller.stop)

        def approve() -> None:
            _compare(stored, seen(config, running.engine))
            approval.approve(running.engine)

        running.controller.run(once=True, approve=approve)
    unmade = tuple(_unmade(running.engine, stored))
    show_lines(_ending(unmade, stored))
    if unmade or not running.controller.complete:
        return FAILED
    return HELD if stored.summary.held else DONE


def _compare(stored: PlanFacts, made: Pass) -> None:
    """Go on only if the pass that was *made* comes to the *stored* plan."""
    if made.missing:
        raise mistake("the plan cannot be compared with what is planned now", *map(shown, made.missing), _AGAIN)
    fresh = plan_facts(made)
    if fresh != stored:
        raise mistake("the plan does not hold any more", *differences(stored, fresh), _AGAIN)


def _unmade(engine: Engine, stored: PlanFacts) -> Iterator[Entry]:
    """What of the plan is not as it should be now."""
    wanted = {one.key for one in stored.changes}
    unlike = (entry(decision) for decision in engine.decisions if decision.reason is not Reason.PROGRAMMED)
    yield from (one for one in unlike if one.key in wanted)


def _ending(unmade: Sequence[Entry], stored: PlanFacts) -> Iterator[str]:
    """What became of the plan; first what was not made, and why."""
    if unmade:
        yield "Not made, and why"
        yield from table(map(row, unmade))
        yield ""
    if stored.summary.held:
        yield f"{count(stored.summary.held, 'delete')} held, as the plan says."
    made = len(stored.changes) - len(unmade)
    yield f"{made} of {count(len(stored.changes), 'change')} made." if stored.changes else "Nothing was to be done."
