"""Which of several processes writes."""

from __future__ import annotations

from typing import Final

from extdns.flags.duration import DURATION
from extdns.flags.flag import Flag
from extdns.flags.kind import BOOLEAN, text

WRITE_S: Final = 12.0
"""What a write may take at most: no write begins with less of the Lease left."""

FLAGS: Final = (
    Flag(
        name="leader-elect",
        kind=BOOLEAN,
        default=False,
        help="let only one of several processes write, the one that holds a Lease; the others stand by",
    ),
    Flag(
        name="leader-elect-lease-duration",
        kind=DURATION,
        default=30.0,
        help="how long the Lease of a leader that is not heard of any more is left alone",
    ),
    Flag(
        name="leader-elect-renew-deadline",
        kind=DURATION,
        default=15.0,
        help="how long a leader goes on that cannot renew its Lease; at least 12s less than the Lease lasts",
    ),
    Flag(
        name="leader-elect-retry-period",
        kind=DURATION,
        default=2.0,
        help="time between two renewals, and between two looks at the Lease of another",
    ),
    Flag(
        name="leader-elect-resource-name",
        kind=text("NAME"),
        default="extdns",
        help="name of the Lease; processes that do different work need different ones",
    ),
    Flag(
        name="leader-elect-resource-namespace",
        kind=text("NAME"),
        help="namespace of the Lease; empty is the pod's own",
    ),
)
