"""Google Cloud DNS."""

from __future__ import annotations

from functools import partial
from typing import Final

from extdns.flags.duration import DURATION
from extdns.flags.flag import ABSENT, Flag
from extdns.flags.kind import NUMBER, choice, text

_flag = partial(Flag, providers=("google",), state=ABSENT)

FLAGS: Final = (
    _flag(name="google-project", kind=text("ID"), help="project of the zones; else the one the process runs in"),
    _flag(
        name="google-batch-change-size",
        kind=NUMBER,
        default=1000,
        help="most changes in one request; 0 is no limit",
    ),
    _flag(name="google-batch-change-interval", kind=DURATION, default=1.0, help="pause between two requests"),
    _flag(
        name="google-zone-visibility",
        kind=choice("a visibility", "", "public", "private", metavar="VISIBILITY"),
        help="manage only public or only private zones; empty is both",
    ),
)
