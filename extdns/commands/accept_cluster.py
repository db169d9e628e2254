"""`extdns accept-cluster ID`: accept that the objects come from another cluster than before."""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING, Final

from extdns.commands.output import show
from extdns.commands.state_store import find_state_store
from extdns.errors import ExtdnsError, UsageError, sanitize
from extdns.flags.usage_errors import usage_error
from extdns.kube import state_document
from extdns.model.saved_state import Approval

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


_ID: Final = re.compile(r"[0-9a-f]{4}-[0-9a-f]{4}")


def main(arguments: Sequence[str], environ: Mapping[str, str]) -> int:
    """Save the approval of the cluster whose id is in *arguments*. Return the exit code.

    The saved state belongs to another cluster, so extdns makes no updates and deletes until this approval.

    Raises:
        UsageError: no id is given, a flag is wrong, the saved state cannot be read or written, or it names no owner id
            whose objects come from this cluster and wait for it to be accepted.
    """
    if not arguments or not _ID.fullmatch(arguments[0]):
        problem = (
            f"{sanitize(arguments[0])} is not a cluster id" if arguments else "extdns accept-cluster needs a cluster id"
        )
        raise usage_error(problem, "allowed: the id that extdns status shows, such as 7f3a-91c2")
    store = find_state_store(arguments[1:], environ)
    try:
        document = store.read()
        owners = [
            owner for owner, saved in state_document.list_owners(document or {}) if saved.other_cluster == arguments[0]
        ]
        if owners:
            approval = Approval(code=arguments[0], claimed_user=store.find_user())
            store.update(partial(state_document.add_approvals, approvals=(approval,)))
    except UsageError:
        raise
    except ExtdnsError as exc:
        raise UsageError(str(exc)) from exc
    if not owners:
        raise usage_error(
            f"no extdns that saves its state in {store} waits until somebody accepts the cluster {arguments[0]}"
        )
    ids = ", ".join(sanitize(owner) for owner in owners)
    show(f"Cluster {arguments[0]} is accepted for owner id {ids}. The running extdns acts on it within ten seconds.\n")
    return 0
