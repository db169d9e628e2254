"""`extdns plan`: what one pass would do, without anything that could do it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from extdns.commands.onepass import one_pass
from extdns.commands.options import JSON, MARKDOWN, TEXT, output_of
from extdns.commands.output import show
from extdns.commands.planfacts import held_sets, plan_facts
from extdns.commands.planmarkdown import plan_markdown
from extdns.commands.plantext import PLAIN, mistake_lines, plan_text, summary
from extdns.controller.census import outstanding
from extdns.engine.decisions import held
from extdns.facts.document import json_text
from extdns.facts.holding import holdings
from extdns.facts.printable import printable
from extdns.facts.words import mistaken, told

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from extdns.commands.onepass import Pass

_NOTHING: Final = 0
_FAILED: Final = 1
_CHANGES: Final = 2
_HELD: Final = 3
_HELP: Final = """\
Usage: extdns plan [flags] [--output=text|json|markdown]

Shows what one pass would do: every change with the object that asks for it and the evidence it rests on, and what is
kept, withheld or held, with the reason. Nothing is written: neither records, nor state, nor Events.

Flags and variables are those of extdns itself; --once and --dry-run go without saying. There is no grace: a delete
whose evidence is sufficient is shown as one. With --manifests=- the cluster is read from standard input.

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
    made = one_pass(flags, environ)
    match output:
        case "json":
            show(json_text(plan_facts(made)))
        case "markdown":
            show("".join(f"{line}\n" for line in _markdown(made)))
        case _:
            _show_text(made)
    return _exit_code(made)


def _exit_code(made: Pass) -> int:
    if made.missing:
        return _FAILED
    if any(held(decision) for decision in made.engine.decisions):
        return _HELD
    return _CHANGES if outstanding(made.engine) else _NOTHING


def _show_text(made: Pass) -> None:
    from extdns.commands.screen import Screen  # noqa: PLC0415 - programs have no use for what it brings along

    screen = Screen()
    notes = list(_notes(made))
    if any(decision.reason not in PLAIN for decision in told(made.engine.decisions)):
        notes.append("What a code in brackets means: extdns explain CODE")
    lines = plan_text(
        made.engine.decisions,
        holdings(made.engine),
        provider=made.config.control.provider,
        width=screen.width,
        notes=[*notes, ""] if notes else (),
    )
    screen.show_lines(lines)


def _markdown(made: Pass) -> Iterator[str]:
    shown = told(made.engine.decisions)
    return plan_markdown(
        shown, holdings(made.engine), _notes(made), summary(shown), provider=made.config.control.provider
    )


def _notes(made: Pass) -> Iterator[str]:
    """What is to be said of the whole: mistakes on objects, what is held and how it is released, what is missing."""
    wrong = tuple(mistaken(made.engine.claims.objects()))
    if wrong:
        yield "Mistakes on objects; each costs only itself"
    for key, mistake in wrong:
        yield from mistake_lines(key, mistake)
    keeps_state = bool(made.config.deletes.state_file) or not made.config.cluster.manifests
    for one in held_sets(made.engine):
        deletes = "1 delete is" if one.deletes == 1 else f"{one.deletes} deletes are"
        release = f"extdns release {one.release_code}" if keeps_state else f"--release={one.release_code}"
        what = f"{deletes} HELD in {one.zone.name}, where {one.owned} records are ours"
        yield printable(f"{what}. To let them go once extdns runs: {release}")
    for sentence in made.missing:
        yield f"INCOMPLETE: {printable(sentence)}"
