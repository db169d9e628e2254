"""`extdns owners`: list the owners of the records in the zones."""

from __future__ import annotations

from typing import Any

from extdns.command import OUTPUT, command


@command(
    examples=("extdns owners @extdns.flags", "extdns owners @extdns.flags --output=json > zones.json"),
    exit_codes="0, or 1 if a flag is wrong or something could not be read.",
)
@OUTPUT
def main(*arguments: Any, **options: Any) -> int:
    """List for each zone the owners of its records, according to the ownership records.

    Also shown is when each owner last saved state; orphans (records of ours that no object requests); ownership records
    that cover no current record; and TXT records that read as ownership records but count as ordinary records. Nothing
    is written.

    The JSON output holds every record of every zone; `extdns plan --zone-snapshot` reads it instead of the zones.
    """
    from extdns.commands.owners import main as run

    return run(*arguments, **options)
