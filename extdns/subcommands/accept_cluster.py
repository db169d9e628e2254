"""`extdns accept-cluster`: accept that the objects come from another cluster than before."""

from __future__ import annotations

from typing import Any

import click

from extdns.command import STATE_FLAGS, command
from extdns.flags.parser import KindType
from extdns.flags.records import CLUSTER_ID


@command(
    flags=STATE_FLAGS,
    examples=(
        "extdns accept-cluster 7f3a-91c2 --state-file=state.json",
        "extdns accept-cluster 7f3a-91c2 --state-configmap=dns/extdns-state",
    ),
    exit_codes="0, or 1 if an argument is wrong or no extdns waits until somebody accepts the cluster ID.",
)
@click.argument("cluster", metavar="ID", type=KindType(CLUSTER_ID))
def main(*arguments: Any, **options: Any) -> int:
    """Accept that the objects come from another cluster than the one that the saved state names.

    Until then extdns creates records, but updates and deletes none. First check that extdns does not run with the
    kubeconfig of a wrong cluster.

    `extdns status` and the decisions with the reason other-cluster show the ID.
    """
    from extdns.commands.accept_cluster import main as run

    return run(*arguments, **options)
