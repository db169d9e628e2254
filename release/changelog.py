"""The changelog: one heading for each version, with its date or `unreleased`."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

_HEADING: Final = re.compile(r"^## (?P<version>\d\S*) \((?P<date>[^)]*)\)\n", re.MULTILINE)
UNRELEASED: Final = "unreleased"


class Section(NamedTuple):
    """What the changelog says about one version. The date is `YYYY-MM-DD` or `unreleased`."""

    version: str
    date: str
    text: str


def parse_changelog(text: str) -> tuple[Section, ...]:
    """Return the sections in the order of the file, newest first."""
    headings = list(_HEADING.finditer(text))
    ends = [*(heading.start() for heading in headings[1:]), len(text)]
    return tuple(
        Section(heading["version"], heading["date"], text[heading.end() : end].strip())
        for heading, end in zip(headings, ends, strict=True)
    )
