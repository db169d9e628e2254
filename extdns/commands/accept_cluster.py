"""`extdns accept-cluster`: accept that the objects come from another cluster than before."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from extdns.commands.output import show
from extdns.commands.state_store import find_state_store
from extdns.errors import ExtdnsError, UsageError, sanitize
from extdns.flags.usage_errors import usage_error
from extdns.kube import state_document
from extdns.model.saved_state import Approval

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


def main(flags: Sequence[str], environ: Mapping[str, str], *, cluster: str) -> int:
    """Save the approval of the cluster with this id. Return the exit code.

    Raises:
        UsageError: an argument is wrong, or what it names cannot be used.
    """
    store = find_state_store(flags, environ)
    try:
        document = store.read()
        owners = [
            owner for owner, saved in state_document.list_owners(document or {}) if saved.other_cluster == cluster
        ]
        if owners:
            approval = Approval(code=cluster, claimed_user=store.find_user())
            store.update(partial(state_document.add_approvals, approvals=(approval,)))
    except UsageError:
        raise
    except ExtdnsError as exc:
        raise UsageError(str(exc)) from exc
    if not owners:
        raise usage_error(
            f"no extdns that saves its state in {store} waits until somebody accepts the cluster {cluster}"
        )
    ids = ", ".join(sanitize(owner) for owner in owners)
    show(f"Cluster {cluster} is accepted for owner id {ids}. The running extdns acts on it within ten seconds.\n")
    return 0
