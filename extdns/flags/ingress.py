"""Ingresses."""

from __future__ import annotations

from typing import Final

from extdns.flags.flag import Flag
from extdns.flags.kind import BOOLEAN, text

_INGRESS: Final = ("ingress",)

FLAGS: Final = (
    Flag(
        name="ingress-class",
        kind=text("NAME"),
        default=(),
        repeatable=True,
        sources=_INGRESS,
        help="read only Ingresses of this class",
    ),
    Flag(
        name="ignore-ingress-rules-spec",
        kind=BOOLEAN,
        default=False,
        sources=_INGRESS,
        help="take no names from spec.rules",
    ),
    Flag(
        name="ignore-ingress-tls-spec",
        kind=BOOLEAN,
        default=False,
        sources=_INGRESS,
        help="take no names from spec.tls",
    ),
)
