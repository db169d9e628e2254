"""Check that a version can be released: `python -m release.check [TAG]`.

Without a tag, the date in the changelog may be missing. Each problem is one line of the error output.

    python -m release.check --notes     the text of the changelog about this version
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from extdns import __version__
from release.changelog import UNRELEASED, Section, parse_changelog

ROOT: Final = Path(__file__).parents[1]
_DATE: Final = re.compile(r"\d{4}-\d\d-\d\d")
_VERSIONS: Final = {
    "version": re.compile(r"^version: (\S+)$", re.MULTILINE),
    "appVersion": re.compile(r"^appVersion: (\S+)$", re.MULTILINE),
    "the image of artifacthub.io/images": re.compile(r"^ *image: \S+:(\S+)$", re.MULTILINE),
}
_BASE: Final = re.compile(r"^FROM (?:--platform=\S+ )?(\S+)", re.MULTILINE)
_PINNED: Final = re.compile(r"\S+:\S+@sha256:[0-9a-f]{64}")


def find_problems(root: Path, version: str, tag: str = "") -> Iterator[str]:
    """Yield what must be mended before *version* can be released as *tag*; "" while it is not released yet."""
    if tag and tag != f"v{version}":
        yield f"the tag is {tag}, extdns/__init__.py has version {version}: tag v{version}, or change __version__"
    chart = (root / "charts" / "extdns" / "Chart.yaml").read_text(encoding="utf-8")
    for name, pattern in _VERSIONS.items():
        if pattern.findall(chart) != [version]:
            yield f"charts/extdns/Chart.yaml: {name} is {' '.join(pattern.findall(chart))}, not {version}"
    newest = read_newest(root)
    if newest.version != version:
        yield f"CHANGELOG.md: the first heading is about {newest.version}, not {version}"
    elif not newest.text:
        yield f"CHANGELOG.md: nothing is said about {version}"
    elif not _DATE.fullmatch(newest.date) and (tag or newest.date != UNRELEASED):
        yield f"CHANGELOG.md: the heading has ({newest.date}), not the date of the release as (YYYY-MM-DD)"
    for base in _BASE.findall((root / "Dockerfile").read_text(encoding="utf-8")):
        if not _PINNED.fullmatch(base):
            yield f"Dockerfile: the base {base} is not pinned: write NAME:TAG@sha256:DIGEST"


def read_newest(root: Path) -> Section:
    """Return the first section of the changelog."""
    return parse_changelog((root / "CHANGELOG.md").read_text(encoding="utf-8"))[0]


def main(arguments: Sequence[str]) -> int:
    """Print the problems, or the notes of the release. Return 1 if there are problems."""
    if list(arguments) == ["--notes"]:
        sys.stdout.write(f"{read_newest(ROOT).text}\n")
        return 0
    problems = list(find_problems(ROOT, __version__, *arguments[:1]))
    sys.stderr.writelines(f"{problem}\n" for problem in problems)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
