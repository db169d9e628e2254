"""Selectors as values of `--label-filter` and `--annotation-filter` (docs/spec/sources.md 2.7)."""

from __future__ import annotations

from typing import Final

from extdns.flags.kind import ValueKind
from extdns.model.selection import Selector, parse_annotation_selector, parse_label_selector

_SYNTAX: Final = "key, !key, key=value, key in (a,b), key notin (a,b)"


def _format_selector(selector: Selector) -> str:
    return selector.text


LABEL_SELECTOR: Final[ValueKind[Selector]] = ValueKind(
    noun="a label selector",
    metavar="SELECTOR",
    allowed=f"{_SYNTAX}, key!=value, key>1, key<1; a comma is AND",
    parse=parse_label_selector,
    format=_format_selector,
)
ANNOTATION_SELECTOR: Final[ValueKind[Selector]] = ValueKind(
    noun="an annotation selector",
    metavar="SELECTOR",
    allowed=f"{_SYNTAX}; a comma is AND",
    parse=parse_annotation_selector,
    format=_format_selector,
)
