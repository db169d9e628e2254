"""`extdns plan`: what one pass would do, without anything that could do it."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING, Final

from extdns.commands import running
from extdns.commands.base import difference
from extdns.commands.onepass import asked, look, single_pass
from extdns.commands.options import JSON, MARKDOWN, TEXT, output_of, switch_of, value_of
from extdns.commands.output import show
from extdns.commands.planfacts import held_sets, plan_facts
from extdns.commands.planmarkdown import plan_markdown
from extdns.commands.plantext import PLAIN, mistake_lines, plan_text, summary
from extdns.commands.runningplan import running_plan_text
from extdns.commands.storedzones import stored_zones
from extdns.engine.decisions import CHANGING, held
from extdns.errors import shown
from extdns.facts.document import json_text
from extdns.facts.holding import holdings
from extdns.facts.plan import RunningPlan
from extdns.facts.printable import printable
from extdns.flags.mistakes import mistake

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from extdns.commands.onepass import Pass

_NOTHING: Final = 0
_FAILED: Final = 1
_CHANGES: Final = 2
_HELD: Final = 3
_HELP: Final = """\
Usage: extdns plan [flags] [--output=text|json|markdown] [--held]
                   [--base=DIR_OR_REF] [--zone-snapshot=FILE]
       extdns plan --controller=URL [--output=text|json]

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
    if "--help" in arguments:
        show(_HELP)
        return 0
    output, flags = output_of(arguments, (TEXT, JSON, MARKDOWN))
    controller, flags = value_of(flags, "--controller", allowed=running.ALLOWED)
    if controller is not None:
        return _of_a_process(controller, output, flags)
    only_held, flags = switch_of(flags, "--held")
    snapshot, flags = value_of(flags, "--zone-snapshot", allowed="a file that extdns owners --output=json printed")
    base, flags = value_of(flags, "--base", allowed="a file, a folder, or a revision of git")
    config = single_pass(flags, environ)
    reader = partial(stored_zones, snapshot) if snapshot else asked
    made = look(config, reader) if base is None else difference(config, base, reader)
    shown = _held_alone(made) if only_held else made
    match output:
        case "json":
            show(json_text(plan_facts(shown)))
        case "markdown":
            show("".join(f"{line}\n" for line in _markdown(shown)))
        case _:
            _show_text(shown)
    return _exit_code(made)


def _of_a_process(controller: str, output: str, flags: Sequence[str]) -> int:
    """Show what a running process has planned; returns the exit code."""
    if flags or output == MARKDOWN:
        wrong = flags[0] if flags else f"--output={MARKDOWN}"
        raise mistake(f"{shown(wrong)} means nothing beside --controller", "leave one of the two out")
    plan = running.ask(controller, "plan", RunningPlan)
    if output == JSON:
        show(json_text(plan))
    else:
        from extdns.commands.screen import Screen  # noqa: PLC0415 - programs have no use for what it brings along

        screen = Screen()
        screen.show_lines(running_plan_text(plan, screen.width))
    if plan.missing:
        return _FAILED
    if plan.summary.held:
        return _HELD
    return _CHANGES if plan.changes else _NOTHING


def _held_alone(made: Pass) -> Pass:
    return made._replace(decisions=tuple(filter(held, made.decisions)), mistakes=())


def _exit_code(made: Pass) -> int:
    if made.missing:
        return _FAILED
    if any(held(decision) for decision in made.decisions):
        return _HELD
    return _CHANGES if any(decision.verdict in CHANGING for decision in made.decisions) else _NOTHING


def _show_text(made: Pass) -> None:
    from extdns.commands.screen import Screen  # noqa: PLC0415 - programs have no use for what it brings along

    screen = Screen()
    notes = list(_notes(made))
    if any(decision.reason not in PLAIN for decision in made.decisions):
        notes.append("What a code in brackets means: extdns explain CODE")
    lines = plan_text(
        made.decisions,
        holdings(made.engine),
        provider=made.config.control.provider,
        width=screen.width,
        notes=[*notes, ""] if notes else (),
    )
    screen.show_lines(lines)


def _markdown(made: Pass) -> Iterator[str]:
    provider = made.config.control.provider
    return plan_markdown(
        made.decisions, holdings(made.engine), _notes(made), summary(made.decisions), provider=provider
    )


def _notes(made: Pass) -> Iterator[str]:
    """What is to be said of the whole: mistakes on objects, what is held and how it is released, what is missing."""
    if made.mistakes:
        yield "Mistakes on objects; each costs only itself"
    for key, wrong in made.mistakes:
        yield from mistake_lines(key, wrong)
    keeps_state = bool(made.config.deletes.state_file) or not made.config.cluster.manifests
    for one in held_sets(made):
        deletes = "1 delete is" if one.deletes == 1 else f"{one.deletes} deletes are"
        release = f"extdns release {one.release_code}" if keeps_state else f"--release={one.release_code}"
        what = f"{deletes} HELD in {one.zone.name}, where {one.owned} records are ours"
        yield printable(f"{what}. To let them go once extdns runs: {release}")
    for sentence in made.missing:
        yield f"INCOMPLETE: {printable(sentence)}"
