"""`extdns plan`: what one pass would do, without anything that could do it."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from extdns.commands import running
from extdns.commands.base import difference
from extdns.commands.onepass import asked, look, single_pass
from extdns.commands.options import JSON, MARKDOWN, TEXT, output_of, switch_of, value_of
from extdns.commands.output import show, show_lines
from extdns.commands.planfacts import plan_facts, plan_of
from extdns.commands.planmarkdown import plan_markdown
from extdns.commands.plantext import UP_TO_DATE, plan_text
from extdns.commands.screen import Screen
from extdns.commands.storedzones import stored_zones
from extdns.controller.ending import DONE, FAILED, HELD, LEFT
from extdns.engine.decisions import held
from extdns.facts.document import json_text
from extdns.facts.plan import RunningPlan, summary_facts

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from extdns.commands.onepass import Pass
    from extdns.facts.plan import Planned, SummaryFacts

HELP: Final = """\
Usage: extdns plan [flags] [--output=text|json|markdown] [--held]
                   [--base=DIR_OR_REF] [--zone-snapshot=FILE]
       extdns plan --controller=URL [--output=text|json|markdown]

Shows what one pass would do: every change with the object that asks for it and the evidence it rests on, and what is
kept, withheld or held, with the reason. Nothing is written: neither records, nor state, nor Events.

Flags and variables are those of extdns itself; --once and --dry-run go without saying. There is no grace: a delete
whose evidence is sufficient is shown as one. With --manifests=- the cluster is read from standard input.

--zone-snapshot=FILE reads the zones as `extdns owners --output=json` printed them, and asks the DNS service nothing.
--base=DIR_OR_REF shows only what the manifests change against those of another folder or file, or of a revision of git:
what they would do to zones as the others would leave them. --held shows what is held alone; the exit code is that of
the whole plan.

--controller=URL asks a running extdns, at the address of its live page, what it has planned and not done, and what it
keeps or holds. That costs no call to a cluster or DNS service, counts graces, and is no plan for `extdns apply`.

  +  is created    ~  is updated    -  is deleted    !  is kept, or not published

The exit code is 0 if there is nothing to do, 2 if there are changes, 3 if deletes are held, and 1 if a flag is wrong or
something could not be read, so that the plan is not all.
"""


def main(arguments: Sequence[str], environ: Mapping[str, str]) -> int:
    """Show the plan; returns the exit code.

    Raises:
        UsageError: a flag is wrong, or something that it names cannot be used.
    """
    output, flags = output_of(arguments, (TEXT, JSON, MARKDOWN))
    controller, flags = running.controller_of(flags)
    if controller is not None:
        return _of_a_process(controller, output)
    only_held, flags = switch_of(flags, "--held")
    snapshot, flags = value_of(flags, "--zone-snapshot", allowed="a file that extdns owners --output=json printed")
    base, flags = value_of(flags, "--base", allowed="a file, a folder, or a revision of git")
    config = single_pass(flags, environ)
    reader = partial(stored_zones, snapshot) if snapshot else asked
    made = look(config, reader) if base is None else difference(config, base, reader)
    told = _held_alone(made) if only_held else made
    _show(plan_facts(told) if output == JSON else plan_of(told), output, _nothing(base, only_held=only_held))
    return _exit_code(made.missing, summary_facts(made.decisions))


def _of_a_process(controller: str, output: str) -> int:
    """Show what a running process has planned; returns the exit code."""
    plan = running.ask(controller, "plan", RunningPlan)
    _show(plan, output)
    return _exit_code(plan.missing, plan.summary)


def _nothing(base: str | None, *, only_held: bool) -> str:
    """What is said of a plan without entries."""
    if only_held:
        return "Nothing is held"
    return UP_TO_DATE if base is None else "The branch changes nothing"


def _show(plan: Planned, output: str, nothing: str = UP_TO_DATE) -> None:
    match output:
        case "json":
            show(json_text(plan))
        case "markdown":
            show_lines(plan_markdown(plan, nothing))
        case _:
            screen = Screen()
            screen.show_lines(plan_text(plan, nothing, screen.width))


def _held_alone(made: Pass) -> Pass:
    return made._replace(decisions=tuple(filter(held, made.decisions)), mistakes=())


def _exit_code(missing: Sequence[str], summary: SummaryFacts) -> int:
    if missing:
        return FAILED
    if summary.held:
        return HELD
    return LEFT if summary.create or summary.update or summary.delete else DONE
