"""`extdns demo`: publish a small shop into zone files."""

from __future__ import annotations

from typing import Any

from extdns.command import NO_FLAGS, command, option


@command(
    flags=NO_FLAGS,
    examples=("extdns demo", "extdns demo --web-address=:8080"),
    exit_codes="0, or 1 if an argument is wrong, the examples are missing or the pass was interrupted.",
)
@option(
    "--web-address",
    metavar="HOST:PORT",
    help="address of the live page, also EXTERNAL_DNS_WEB_ADDRESS; a free port if its port is in use",
)
def main(*arguments: Any, **options: Any) -> int:
    """Publish the manifests in examples/demo into copies of the zone files in examples/zones.

    The copies are in .demo. In a terminal the demo runs until Ctrl-C, and shows what happens when you edit a manifest.
    Otherwise it makes one pass.
    """
    from extdns.commands.demo import main as run

    return run(*arguments, **options)
