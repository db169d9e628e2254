"""`extdns explain`: trace a name or an object, or explain a reason code."""

from __future__ import annotations

from typing import Any

import click

from extdns.command import OUTPUT, command, option


@command(
    examples=("extdns explain web.shop.example @extdns.flags", "extdns explain service/shop/web @extdns.flags"),
    exit_codes="0, or 1 if a flag is wrong, there is no such object or code, or something could not be read.",
)
@click.argument("topic", metavar="NAME|KIND/NAMESPACE/NAME|CODE")
@option(
    "--controller",
    metavar="URL",
    help="the running extdns with this address of the live page answers; this costs no call to the cluster or the DNS "
    "service",
)
@OUTPUT
def main(*arguments: Any, **options: Any) -> int:
    """Explain a name, an object or a reason code.

    For a name, show which objects request it and where on the object, which of them is used, the zone, the current
    records and their owners, and what extdns would do and why.

    For an object, such as service/shop/web, show the same for each of its names. Use KIND/NAME for objects without a
    namespace. For a reason code, show what it means.

    Without flags, the extdns that runs on this machine answers, if there is one. With the flags of a run, this command
    makes one pass over the objects and the zones; for a name, only over its zones. Nothing is written.
    """
    from extdns.commands.explain import main as run

    return run(*arguments, **options)
