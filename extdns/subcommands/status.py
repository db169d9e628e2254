"""`extdns status`: list held deletes."""

from __future__ import annotations

from typing import Any

from extdns.command import OUTPUT, STATE_FLAGS, command, option


@command(
    flags=STATE_FLAGS,
    examples=("extdns status --state-file=state.json", "extdns status --state-file=state.json --output=json"),
    exit_codes="0, or 1 if an argument is wrong, the saved state cannot be read or no process answers.",
)
@option(
    "--controller",
    metavar="URL",
    help="shows the deletes that a running extdns, at the address of its live page, holds now",
)
@OUTPUT
def main(*arguments: Any, **options: Any) -> int:
    """Show the held deletes with one command that approves them all.

    Also shown is how many deletes were made without approval in the last ten minutes, and how many are approved.

    Without flags, it asks the extdns that runs on this machine, or in this pod. With flags, if none answers, or if that
    is a standby, it reads the saved state, and says how old that is.
    """
    from extdns.commands.status import main as run

    return run(*arguments, **options)
