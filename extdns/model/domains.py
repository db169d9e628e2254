"""Domain filters: which names are in scope (spec plan 7.3)."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from extdns.errors import InvalidValueError
from extdns.model.name import DnsName


@dataclass(frozen=True, slots=True, kw_only=True)
class DomainFilter:
    """Suffixes or, if either pattern is given, patterns alone; the empty filter lets all names pass.

    Attributes:
        include: suffixes in canonical form; one that starts with a dot spares the domain itself.
        exclude: likewise; exclusion wins.
        include_pattern: searched, not matched, in the Unicode form of the name.
        exclude_pattern: likewise; tested first.
    """

    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    include_pattern: re.Pattern[str] | None = None
    exclude_pattern: re.Pattern[str] | None = None

    def passes(self, name: DnsName) -> bool:
        """Tell whether *name* is in scope."""
        if self.include_pattern or self.exclude_pattern:
            return self._passes_patterns(name.to_unicode())
        if self.include and not any(_covers(suffix, name) for suffix in self.include):
            return False
        return not (self.exclude and any(_covers(suffix, name) for suffix in self.exclude))

    def _passes_patterns(self, text: str) -> bool:
        if self.exclude_pattern and self.exclude_pattern.search(text):
            return False
        return self.include_pattern is None or self.include_pattern.search(text) is not None


def suffixes(texts: Iterable[str]) -> tuple[str, ...]:
    """Domain filter values in canonical form; blank ones are left out (spec plan 7.3)."""
    return tuple(suffix for suffix in (_suffix(text) for text in texts) if suffix)


def _suffix(text: str) -> str:
    text = text.strip()
    if text in {"", "."}:
        return ""
    dot = "." if text.startswith(".") else ""
    try:
        return dot + DnsName.parse(text.removeprefix("."))
    except InvalidValueError:
        return text.lower()  # no name can equal it, as with `a.test,b.test`


def _covers(suffix: str, name: DnsName) -> bool:
    return name.endswith(suffix) if suffix.startswith(".") else name.within(suffix)
