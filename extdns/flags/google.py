"""Google Cloud DNS."""

from __future__ import annotations

import re
from functools import partial
from typing import Final

from extdns.flags.duration import DURATION
from extdns.flags.flag import Flag
from extdns.flags.kind import NUMBER, Kind, choice, text

_URL: Final = re.compile(r"https?://[^\s/?#@]+/?", re.ASCII)


def _read_endpoint(text: str) -> str:
    if text and not _URL.fullmatch(text):
        raise ValueError
    return text


ENDPOINT: Final[Kind[str]] = Kind(
    noun="an endpoint",
    metavar="URL",
    allowed="https://HOST[:PORT], or http:// for an emulator",
    read=_read_endpoint,
    write=str,
)
_flag = partial(Flag, providers=("google",))

FLAGS: Final = (
    _flag(name="google-project", kind=text("ID"), help="project of the zones; else the one the process runs in"),
    _flag(
        name="google-batch-change-size",
        kind=NUMBER,
        default=1000,
        help="most additions and deletions in one request; 0 is as many as the project may make",
    ),
    _flag(
        name="google-batch-change-interval",
        kind=DURATION,
        default=0.0,
        reference_default=1.0,
        help="least time between two batches; without it only the API's own limits count",
    ),
    _flag(
        name="google-zone-visibility",
        kind=choice("a visibility", "", "public", "private", metavar="VISIBILITY"),
        help="manage only public or only private zones; empty is both",
    ),
    _flag(
        name="google-api-endpoint",
        kind=ENDPOINT,
        help="where the API is; to http:// no credentials are sent",
    ),
)
