"""The flags of the provider `google`."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

from extdns.flags.flag import FlagSection, flag
from extdns.flags.kind import NUMBER, URL, make_choice_kind, restrict
from extdns.flags.unchecked_kinds import TIME

_ENDPOINT: Final = re.compile(r"(?:https?://[^\s/?#@]+/?)?", re.ASCII)
ENDPOINT: Final = restrict(
    replace(URL, noun="an endpoint", allowed="https://HOST[:PORT], or http:// for an emulator"), _ENDPOINT.fullmatch
)


class GoogleFlags(FlagSection, topic="Provider google", providers=("google",)):
    """The flags of the provider `google`. A *google_batch_change_size* of 0 means the limit of the project."""

    google_project: str = flag(
        "project of the zones; by default that of the credentials or of the machine", metavar="ID"
    )
    google_batch_change_size: int = flag(
        "maximum of additions and deletions in one request; 0 is as many as the project may make",
        default=1000,
        kind=NUMBER,
    )
    google_batch_change_interval_s: float = flag(
        "minimum time between two batches; 0s uses only the API's own limits",
        default=0.0,
        compat=1.0,
        kind=TIME,
        in_plan=False,
    )
    google_zone_visibility: str = flag(
        "manage only public or only private zones; empty is both",
        kind=make_choice_kind("a visibility", "", "public", "private", metavar="VISIBILITY"),
    )
    google_api_endpoint: str = flag("address of the API; with http:// no credentials are sent", kind=ENDPOINT)


SECTION: Final = GoogleFlags
