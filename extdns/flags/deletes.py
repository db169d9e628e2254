"""When a delete may happen."""

from __future__ import annotations

from typing import Final

from extdns.flags.duration import DURATION
from extdns.flags.flag import Flag, Implemented
from extdns.flags.kind import number, text

FLAGS: Final = (
    Flag(
        name="delete-grace-period",
        kind=DURATION,
        default=60.0,
        reference_default=0.0,
        help="how long the evidence for a delete must hold",
    ),
    Flag(
        name="stale-hold",
        kind=DURATION,
        default=None,
        reference_default=0.0,
        help="how long a record is kept while its object cannot say its target; without limit when not given",
    ),
    Flag(
        name="max-delete-percent",
        kind=number(0),
        default=30,
        reference_default=100,
        help="share of a zone's records that may be deleted within ten minutes; 100 switches the budget off",
    ),
    Flag(
        name="max-delete-count",
        kind=number(0),
        default=10,
        help="number of a zone's records that may be deleted within ten minutes whatever their share",
    ),
    Flag(
        name="release",
        kind=text("CODE"),
        default=(),
        repeatable=True,
        state=Implemented(says="counts at every start; remove it once the deletes are made"),
        help="release the held deletes that show this code",
    ),
    Flag(
        name="state-configmap",
        kind=text("NAME"),
        default="extdns-state",
        reference_default="",
        help="ConfigMap in which accepted settings, budgets and releases are kept, in the pod's namespace or, "
        "as NAMESPACE/NAME, in another; empty keeps none",
    ),
    Flag(
        name="state-file",
        kind=text("PATH"),
        help="file that takes the place of --state-configmap; with --manifests nothing is kept without it",
    ),
)
