"""Names and targets made from templates."""

from __future__ import annotations

from typing import Final

from extdns.flags.flag import Flag
from extdns.flags.kind import BOOLEAN, text

_TEMPLATE: Final = text("TEMPLATE")

FLAGS: Final = (
    Flag(
        name="fqdn-template",
        kind=_TEMPLATE,
        default=(),
        repeatable=True,
        help="Go template of the names of objects that name none themselves",
    ),
    Flag(
        name="target-template",
        kind=_TEMPLATE,
        default=(),
        repeatable=True,
        sources=("f5-transportserver", "f5-virtualserver", "gloo-proxy", "traefik-proxy", "unstructured"),
        help="Go template of targets",
    ),
    Flag(
        name="fqdn-target-template",
        kind=_TEMPLATE,
        default=(),
        repeatable=True,
        help="Go template of pairs, name:target",
    ),
    Flag(
        name="combine-fqdn-annotation",
        kind=BOOLEAN,
        default=False,
        help="use the templates for objects that name themselves too",
    ),
)
