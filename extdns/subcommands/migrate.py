"""`extdns migrate`: show what a switch from external-dns would change."""

from __future__ import annotations

from typing import Any

from extdns.command import OUTPUT, command


@command(
    examples=("extdns migrate @extdns.flags", "extdns migrate @extdns.flags --output=json"),
    exit_codes=(
        "0 if the first pass of extdns would change nothing, 2 if it would change something, 3 if deletes are held, 1 "
        "if a flag is wrong or something could not be read."
    ),
)
@OUTPUT
def main(*arguments: Any, **options: Any) -> int:
    """Show what a switch from external-dns to extdns would change.

    Give the flags and environment variables (EXTERNAL_DNS_*) that external-dns runs with. extdns reads the objects and
    zones, plans once by its own rules and once by those of external-dns (--compat), and compares the two plans. Nothing
    is written.

    The output separates changes that external-dns would make anyway from those that extdns makes because it differs on
    purpose.
    """
    from extdns.commands.migrate import main as run

    return run(*arguments, **options)
