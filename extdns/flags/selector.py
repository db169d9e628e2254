"""Selectors as values of `--label-filter` and `--annotation-filter` (spec sources 2.7)."""

from __future__ import annotations

from typing import Final

from extdns.flags.kind import Kind
from extdns.model.selector import Selector, parse_annotation_selector, parse_label_selector

_FORMS: Final = "key, !key, key=value, key in (a,b), key notin (a,b)"


def _write(selector: Selector) -> str:
    return selector.text


LABEL_SELECTOR: Final[Kind[Selector]] = Kind(
    noun="a label selector",
    metavar="SELECTOR",
    allowed=f"{_FORMS}, key!=value, key>1, key<1; a comma is AND",
    read=parse_label_selector,
    write=_write,
)
ANNOTATION_SELECTOR: Final[Kind[Selector]] = Kind(
    noun="an annotation selector",
    metavar="SELECTOR",
    allowed=f"{_FORMS}; a comma is AND",
    read=parse_annotation_selector,
    write=_write,
)
