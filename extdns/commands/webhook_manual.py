"""The help of the commands about webhook providers, a part of `manual_pages`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from extdns.commands.manual import CommandHelp, Option, output_option

WEBHOOK_PAGES: Final[Mapping[str, CommandHelp]] = {
    "webhook-check": CommandHelp(
        summary="check a webhook provider against the protocol",
        usage=("webhook-check URL --zone=ZONE [options]",),
        text="""
            Sends a webhook provider the requests that external-dns sends, and requests that providers often handle
            wrongly, and compares the answers and the records with what the protocol says. Records are made only below
            one random label of ZONE, and deleted at the end. Use a zone for tests all the same: a defect of the
            provider may change other records.

            Record types, set identifiers and properties that the provider refuses as a whole are skipped.
        """,
        options=(
            Option(form="--zone=ZONE", text="the zone for tests; the provider must manage it"),
            Option(
                form="--timeout=DURATION",
                text="time limit of each request to the provider; default 15s, as in external-dns",
            ),
            Option(form="--records=N", text="how many records one large request has; default 5000"),
            Option(
                form="--property=NAME=VALUE",
                text="a property that the provider stores, such as webhook/proxied=true, to check with; repeatable",
            ),
            output_option("text", "junit"),
        ),
        examples=(
            "extdns webhook-check http://localhost:8888 --zone=scratch.example.org",
            "extdns webhook-check http://localhost:8888 --zone=scratch.example.org --output=junit > webhook.xml",
        ),
        exit_codes="0, or 1 if a check failed, a record could not be deleted or an argument is wrong.",
        takes_run_flags=False,
    ),
}
