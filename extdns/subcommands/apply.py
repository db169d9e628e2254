"""`extdns apply`: apply the changes of a saved plan, and no others."""

from __future__ import annotations

from typing import Any

from extdns.command import command, option


@command(
    examples=("extdns plan @extdns.flags --output=json > plan.json", "extdns apply @extdns.flags --plan=plan.json"),
    exit_codes=(
        "0 if all changes were made, 3 if all were made but deletes are held, 1 if the plan was refused or a change "
        "was not made."
    ),
)
@option("--plan", metavar="FILE", required=True, help="the plan to apply")
def main(*arguments: Any, **options: Any) -> int:
    """Make exactly the changes of a plan that `extdns plan --output=json` printed.

    Give the flags that the plan was made with. extdns plans again; if the new plan differs from the stored one, because
    objects, records, ownership records, settings, zones or the version of extdns have changed, nothing is written.

    Applying a plan approves its deletes: they need no other approval and do not count in the delete budget. Deletes
    that the plan shows as held stay held.

    Where the DNS service has conditional writes, a record that somebody else changes in the meantime is left alone.
    Events and the status of objects are written only by the running extdns.
    """
    from extdns.commands.apply import main as run

    return run(*arguments, **options)
