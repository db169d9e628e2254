"""`extdns status`: list held deletes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from extdns.command import OUTPUT, STATE_FLAGS, command, option
from extdns.commands.output import show_document

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from extdns.ports import Clock


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
def main(
    flags: Sequence[str],
    environ: Mapping[str, str],
    *,
    controller: str | None,
    output: str,
    clock: Clock | None = None,
) -> int:
    """Show the held deletes with one command that approves them all.

    Also shown is how many deletes were made without approval in the last ten minutes, and how many are approved.

    Without flags, it asks the extdns that runs on this machine, or in this pod. With flags, if none answers, or if that
    is a standby, it reads the saved state, and says how old that is.
    """
    from extdns.commands import running_process
    from extdns.commands.state_store import find_state_store
    from extdns.config import parse_state_flags
    from extdns.controller.clock import SystemClock
    from extdns.documents.held import (
        UNKNOWN,
        HeldDocument,
        build_saved_state,
        format_held,
        format_saved_state,
        list_state_flags,
    )
    from extdns.kube import state_document

    held = running_process.find_document(controller, flags, "held", HeldDocument)
    if held is not None and (controller or held.process.role != "standby"):  # which does not know every held delete
        show_document(held, format_held(held), output)
        return 0
    state_flags = tuple(list_state_flags(*parse_state_flags(flags, environ)))
    store, now = find_state_store(flags, environ), (clock or SystemClock()).now()
    found = store.read()
    saved = found or {}
    document = build_saved_state(
        state_document.list_owners(saved),
        now.timestamp(),
        store=str(store),
        approvals=(one.code for one in state_document.read_approvals(saved)),
        unreadable=state_document.find_unreadable_values(saved),
    )
    nothing = (f"Nothing is saved in {store} yet. {UNKNOWN}",)
    show_document(document, nothing if found is None else format_saved_state(document, now, state_flags), output)
    return 0
