"""`extdns approve`: approve held deletes."""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING

import click

from extdns.command import BY, STATE_FLAGS, command
from extdns.commands.output import show
from extdns.errors import UsageError, sanitize
from extdns.flags.records import CODE
from extdns.flags.usage_errors import usage_error

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from extdns.documents.held import SavedHeldSummary


@command(
    flags=STATE_FLAGS,
    examples=(
        "extdns approve 7f3a-91c2 --state-file=state.json",
        "extdns approve 7f3a-91c2 0b1c-44de --state-file=state.json --by=alice",
    ),
    exit_codes="0, or 1 if an argument is wrong or no held deletes have one of the codes.",
)
@click.argument("codes", metavar="CODE...", nargs=-1)
@BY
def main(flags: Sequence[str], environ: Mapping[str, str], *, codes: Sequence[str], by: str | None) -> int:
    """Approve the held deletes that are shown under CODE, as far as they are still held, for 24 hours.

    The running extdns reads the approval within ten seconds; if none runs, the next one does. `extdns status`, the log
    and the Events of the objects show the code.
    """
    from extdns.commands.state_store import find_approver, find_state_store
    from extdns.documents.held import summarize_held_sets
    from extdns.kube import state_document
    from extdns.model.saved_state import Approval

    codes = tuple(dict.fromkeys(codes))
    if invalid := next((code for code in codes if not re.fullmatch(CODE.pattern, code)), None):
        raise usage_error(
            f"{sanitize(invalid)} is not an approval code",
            "allowed: a code that extdns status shows, such as 7f3a-91c2",
        )
    try:
        store = find_state_store(flags, environ)
    except UsageError as exc:
        if codes or flags:
            raise
        raise usage_error(
            "extdns approve needs a code",
            "as in: extdns approve 7f3a-91c2",
            "to see the codes, and the whole command for each: extdns status --controller=URL",
        ) from exc
    sets = summarize_held_sets(state_document.list_owners(store.read() or {}))
    known = [one for one in sets if one.code in codes]
    if known:
        user = find_approver(store, by)
        approvals = [Approval(code=code, claimed_user=user) for code in dict.fromkeys(one.code for one in known)]
        store.update(partial(state_document.add_approvals, approvals=approvals))
    show("".join(map(_describe, known)))
    unknown = [code for code in codes if code not in {one.code for one in known}]
    if unknown or not codes:
        problem = (
            f"no held deletes have the code {', '.join(unknown)} in {store}"
            if unknown
            else "extdns approve needs a code"
        )
        raise usage_error(problem, *_list_choices(sets))
    return 0


def _describe(one: SavedHeldSummary) -> str:
    if one.approved == one.deletes:
        return f"Already approved: {one}.\n"
    now = (
        ""
        if one.now
        else " The held deletes have changed since: approved ones that are still held will be made, new ones stay held."
    )
    return f"Approved: {one}.{now}\n"


def _list_choices(sets: Iterable[SavedHeldSummary]) -> tuple[str, ...]:
    held = tuple(f"held now: {one.code} ({one})" for one in sets if one.now)
    return held or ("nothing is held now",)
