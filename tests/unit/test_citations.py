"""Every citation of a document in code and tests leads to a file in the repository and a heading in it.

A citation is `docs/spec/plan.md 3.2.5` for numbered sections, `docs/design/state.md` for a page,
`docs/design/state.md, "Format"` for a heading on it, and `law 3` for a law.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[2]
PACKAGES: Final = ("extdns", "providers", "registry", "release", "tests")
FILES: Final = sorted(path for package in PACKAGES for path in (ROOT / package).rglob("*.py") if path != Path(__file__))

NUMBER: Final = r"\d+(?:\.\d+)*"
PAGE: Final = re.compile(
    rf'(docs/[\w/-]+\.md)(?:((?:,? (?:and |to )?{NUMBER}(?:-{NUMBER})?)+)|,((?:(?: and)? "[^"]+",?)+))?'
)
LAW: Final = re.compile(r"\blaws? (\d+(?:(?:, | and | to |-)\d+)*)")
INVALID_CITATIONS: Final = re.compile(
    r"\b[Ss]pec (?:plan|sources)\b|\b[Dd]esign \d|\b[Hh]abit \d|\(issue \d|\bdeviation \d"
)
"""Citations without a path, or of documents that are not in the repository."""
HEADING: Final = re.compile(r"^#{1,6} +(.+?) *$", re.MULTILINE)


@cache
def headings(page: str) -> frozenset[str]:
    """Return the headings of *page*, and the section numbers at their beginning."""
    found = HEADING.findall((ROOT / page).read_text(encoding="utf-8"))
    numbers = (re.match(NUMBER, heading) for heading in found)
    return frozenset(found) | {number[0] for number in numbers if number}


def join_lines(source: str) -> str:
    """Return *source* as one line, since a citation may continue in the next line of a comment or docstring."""
    return re.sub(r"\s*\n\s*(?:# )?", " ", source)


def find_citations(source: str) -> Iterator[tuple[str, str]]:
    """Yield page and heading of each citation in *source*; the heading is "" if the whole page is cited."""
    text = join_lines(source)
    for page, numbers, titles in PAGE.findall(text):
        cited = re.findall(NUMBER, numbers) + re.findall(r'"([^"]+)"', titles)
        yield from ((page, heading) for heading in cited or [""])
    for numbers in LAW.findall(text):
        yield from (("docs/design/laws.md", number) for number in re.findall(NUMBER, numbers))


def is_resolved(page: str, heading: str) -> bool:
    """Return whether *page* is in the repository and has *heading*."""
    return (ROOT / page).is_file() and (not heading or heading in headings(page))


def find_broken(source: str) -> list[str]:
    """Return the citations in *source* whose page or heading does not exist."""
    return [f"{page} {heading}".rstrip() for page, heading in find_citations(source) if not is_resolved(page, heading)]


def test_every_cited_page_and_heading_exists() -> None:
    found = {str(path.relative_to(ROOT)): find_broken(path.read_text(encoding="utf-8")) for path in FILES}
    assert {path: broken for path, broken in found.items() if broken} == {}


def test_every_citation_of_a_document_contains_its_path() -> None:
    found = {
        str(path.relative_to(ROOT)): INVALID_CITATIONS.findall(join_lines(path.read_text(encoding="utf-8")))
        for path in FILES
    }
    assert {path: cited for path, cited in found.items() if cited} == {}


def test_the_search_for_citations_finds_the_most_cited_pages() -> None:
    cited = {page for path in FILES for page, _ in find_citations(path.read_text(encoding="utf-8"))}
    assert {"docs/spec/plan.md", "docs/spec/sources.md", "docs/design/laws.md", "docs/design/delete-safety.md"} <= cited
