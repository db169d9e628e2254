"""Check the region that the environment sets. Route 53 works with any, and a mistake fails only at the first call."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final

from extdns.errors import find_similar, sanitize
from providers.common.provider_spec import EnvironmentProblem

_DIRECTIONS: Final = ("central", "north", "south", "east", "west", "northeast", "northwest", "southeast", "southwest")
_REGION: Final = re.compile(rf"[a-z]{{2}}(?:-[a-z]+)?-(?:{'|'.join(_DIRECTIONS)})-[0-9]")
_VARIABLES: Final = ("AWS_REGION", "AWS_DEFAULT_REGION")


def check_region(environ: Mapping[str, str]) -> Iterator[EnvironmentProblem]:
    """Report the region that *environ* sets, if AWS cannot have such a region."""
    name = next((name for name in _VARIABLES if environ.get(name)), "")
    if not name or _REGION.fullmatch(environ[name]):
        return
    area, _, rest = environ[name].rpartition("-")[0].rpartition("-")
    near = find_similar(rest, _DIRECTIONS)
    meant = f"{area}-{near}-{environ[name].rpartition('-')[2]}" if near else ""
    yield EnvironmentProblem(
        what=f"{name}={sanitize(environ[name])}",
        detail="AWS has no such region",
        remedy=f"did you mean: {meant}" if _REGION.fullmatch(meant) else "allowed: a region such as eu-central-1",
    )
