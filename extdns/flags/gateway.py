"""Routes of the Gateway API."""

from __future__ import annotations

from typing import Final

from extdns.flags.flag import Flag
from extdns.flags.kind import BOOLEAN, text
from extdns.flags.sources import GATEWAY_SOURCES

FLAGS: Final = (
    Flag(
        name="gateway-name",
        kind=text("NAME"),
        sources=GATEWAY_SOURCES,
        help="read only routes of Gateways with this name",
    ),
    Flag(
        name="gateway-namespace",
        kind=text("NAME"),
        sources=GATEWAY_SOURCES,
        help="read only routes of Gateways in this namespace",
    ),
    Flag(
        name="gateway-label-filter",
        kind=text("SELECTOR"),  # the reference reads it when a gateway source is built, so a wrong one is harmless here
        sources=GATEWAY_SOURCES,
        help="read only routes of Gateways whose labels match",
    ),
    Flag(
        name="gateway-listener-sets",
        kind=BOOLEAN,
        default=False,
        sources=GATEWAY_SOURCES,
        help="read ListenerSets too",
    ),
)
