"""`extdns snapshot`: write the objects of the cluster to a file, for plans without it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from extdns.command import command


@command(
    examples=(
        "extdns snapshot @extdns.flags > cluster.json",
        "extdns snapshot @extdns.flags --namespace=shop > shop.json",
    ),
    exit_codes="0, or 1 if the cluster cannot be read.",
)
def main(flags: Sequence[str], environ: Mapping[str, str]) -> int:
    """Write the objects that extdns reads, with their status, as JSON.

    `extdns plan --manifests=FOLDER --cluster-snapshot=FILE` completes manifests by it, without access to the cluster.
    It holds the fields that extdns reads, and with templates all fields; never Secrets.
    """
    from extdns.app.cluster_snapshot import take_snapshot
    from extdns.commands.one_pass import configure_pass
    from extdns.commands.output import show
    from extdns.documents.document import escape_json

    show(escape_json(take_snapshot(configure_pass(flags, environ)).decode()))
    return 0
