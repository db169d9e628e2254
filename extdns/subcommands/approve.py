"""`extdns approve`: approve held deletes."""

from __future__ import annotations

from typing import Any

import click

from extdns.command import STATE_FLAGS, command


@command(
    flags=STATE_FLAGS,
    examples=(
        "extdns approve 7f3a-91c2 --state-file=state.json",
        "extdns approve 7f3a-91c2 0b1c-44de --state-file=state.json",
    ),
    exit_codes="0, or 1 if an argument is wrong or no held deletes have one of the codes.",
)
@click.argument("codes", metavar="CODE...", nargs=-1)
def main(*arguments: Any, **options: Any) -> int:
    """Approve the held deletes that are shown under CODE, as far as they are still held, for 24 hours.

    The running extdns reads the approval within ten seconds; if none runs, the next one does. `extdns status`, the log
    and the Events of the objects show the code.
    """
    from extdns.commands.approve import main as run

    return run(*arguments, **options)
