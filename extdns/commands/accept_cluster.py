"""`extdns accept-cluster`: accept that the objects come from another cluster than before."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

import click

from extdns.command import BY, STATE_FLAGS, command
from extdns.commands.output import show
from extdns.errors import sanitize
from extdns.flags.parser import KindType
from extdns.flags.records import CLUSTER_ID
from extdns.flags.usage_errors import usage_error


@command(
    flags=STATE_FLAGS,
    examples=(
        "extdns accept-cluster 7f3a-91c2 --state-file=state.json",
        "extdns accept-cluster 7f3a-91c2 --state-configmap=dns/extdns-state",
    ),
    exit_codes="0, or 1 if an argument is wrong or no extdns waits until somebody accepts the cluster ID.",
)
@click.argument("cluster", metavar="ID", type=KindType(CLUSTER_ID))
@BY
def main(flags: Sequence[str], environ: Mapping[str, str], *, cluster: str, by: str | None) -> int:
    """Accept that the objects come from another cluster than the one that the saved state names.

    Until then extdns creates records, but updates and deletes none. First check that extdns does not run with the
    kubeconfig of a wrong cluster.

    `extdns status` and the decisions with the reason other-cluster show the ID.
    """
    from extdns.commands.state_store import find_approver, find_state_store
    from extdns.kube import state_document
    from extdns.model.saved_state import Approval

    store = find_state_store(flags, environ)
    document = store.read() or {}
    owners = [owner for owner, saved in state_document.list_owners(document) if saved.other_cluster == cluster]
    if not owners:
        raise usage_error(
            f"no extdns that saves its state in {store} waits until somebody accepts the cluster {cluster}"
        )
    approval = Approval(code=cluster, claimed_user=find_approver(store, by))
    store.update(partial(state_document.add_approvals, approvals=(approval,)))
    ids = ", ".join(sanitize(owner) for owner in owners)
    show(f"Cluster {cluster} is accepted for owner id {ids}. The running extdns acts on it within ten seconds.\n")
    return 0
