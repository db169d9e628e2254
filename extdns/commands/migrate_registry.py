"""`extdns migrate-registry`: move the ownership of our records to another registry."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from extdns.command import command, option
from extdns.commands.output import show_lines
from extdns.errors import sanitize
from extdns.flags.usage_errors import usage_error


@command(
    examples=(
        "extdns migrate-registry @extdns.flags --registry=dynamodb --from=txt",
        "extdns migrate-registry @extdns.flags --registry=txt --from=dynamodb --yes",
    ),
    exit_codes=(
        "0 if nothing is left to move, 2 if something is, 1 if a flag is wrong, something could not be read, or "
        "something could not be moved."
    ),
)
@option("--from", "former", metavar="REGISTRY", required=True, help="the registry that has the ownership now")
@option("--yes", is_flag=True, help="moves it")
def main(flags: Sequence[str], environ: Mapping[str, str], *, former: str, yes: bool) -> int:
    """Move the ownership of our records from the registry --from to --registry, between txt, dynamodb and crd.

    Without --yes, it only lists what it would move. With --yes, it writes the new ownership of each record, and then
    removes the old one. Only TXT ownership records and rows of ours are written; no other record changes. Records that
    no object requests are moved, too. If it is interrupted, run it again.

    With --registry=dynamodb or crd, a running extdns uses TXT ownership records, too, until they are moved: switch it
    first, and move them then. Before you move the other way, stop it, and start it with --registry=txt afterwards.
    """
    from extdns.app.registry import has_rows
    from extdns.commands.one_pass import configure_pass
    from extdns.commands.registry_migration import migrate_registry
    from extdns.controller.exit_codes import DONE, FAILED, INCOMPLETE

    config = configure_pass(flags, environ)
    target = config.registry.name
    for name, flag in ((former, "--from"), (target, "--registry")):
        if name != "txt" and not has_rows(name):
            raise usage_error(f"{flag}={sanitize(name)} has no ownership to move", "allowed: txt, dynamodb, crd")
    if former == target:
        raise usage_error(f"--from={former} is --registry", "give the registry that has the ownership now")
    if yes and config.control.dry_run:
        raise usage_error("--yes writes, and --dry-run forbids it", "leave one of them out")
    found = migrate_registry(config, former, writes=yes)
    verb, gone = ("Moved", "Removed") if yes else ("To move", "To remove")
    count = (
        f"{len(found.moved)} {verb.lower()}, {len(found.removed)} rows without a record, {len(found.failed)} failed."
    )
    lines = [
        *(f"{verb} from {former} to {target}: {one}" for one in found.moved),
        *(f"{gone}, as it has no record: the row of {one}" for one in found.removed),
        *(f"Failed: {one}" for one in found.failed),
    ]
    show_lines([*lines, count])
    if found.failed:
        return FAILED
    return INCOMPLETE if (found.moved or found.removed) and not yes else DONE
