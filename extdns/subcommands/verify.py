"""`extdns verify`: check that the name servers of a zone serve what objects request."""

from __future__ import annotations

from typing import Any

import click

from extdns.command import OUTPUT, command, option
from extdns.flags.duration import DURATION


@command(
    examples=(
        "extdns verify @extdns.flags",
        "extdns verify web.shop.example @extdns.flags --nameserver=127.0.0.1:5353",
    ),
    exit_codes="0 if every record is served, 2 if not, 1 if a flag is wrong or something could not be read.",
)
@click.argument("names", metavar="[NAME...]", nargs=-1)
@option("--wait", is_flag=True, help="repeats the check until everything is served, at most for --timeout")
@option("--timeout", kind=DURATION, default="5m", help="how long --wait waits; default 5m")
@option(
    "--nameserver",
    metavar="ADDRESS[:PORT]",
    multiple=True,
    help="queries this server instead of those of the zone; repeatable; can be a resolver, for example for a private "
    "zone",
)
@OUTPUT
def main(*arguments: Any, **options: Any) -> int:
    r"""Ask every authoritative name server of the zones for the records that objects request.

    \b
    Each record is
      served       by all name servers,
      published    in the zone, but not served by all name servers yet,
      pending      not in the zone as requested yet,
      unpublished  for the reason that is shown, or
      unknown      if no name server of the zone is known.

    For served records it shows until when caches may answer with older data. Without NAME, all requested names are
    checked, except those that a filter excludes. Nothing is written.
    """
    from extdns.commands.verify import main as run

    return run(*arguments, **options)
