"""Targets for endpoints that have none of their own, or for all (spec sources 8.2)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from msgspec.structs import replace

from extdns.errors import InvalidValueError, UsageError, shown
from extdns.model.claim import Wanted
from extdns.model.target import typed

_ALLOWED: Final = "an IP address without zone, or a host name"

Groups = tuple[tuple[str, tuple[str, ...]], ...]


def grouped(texts: Iterable[str]) -> Groups:
    """Read `--default-targets`: each record type with its canonical, sorted targets.

    Raises:
        UsageError: a text that is neither an address nor a host name.
    """
    groups: dict[str, set[str]] = {}
    for text in texts:
        try:
            rtype, target = typed(text)
        except InvalidValueError as exc:
            raise UsageError(f"--default-targets={shown(text)} is no target\n  allowed: {_ALLOWED}") from exc
        groups.setdefault(rtype, set()).add(target)
    return tuple((rtype, tuple(sorted(groups[rtype]))) for rtype in sorted(groups))


@dataclass(frozen=True, slots=True, kw_only=True)
class DefaultTargets:
    """A stage that gives endpoints without targets those of *groups*.

    Attributes:
        groups: as the function `grouped` gives them, at least one.
        force: replace the targets, and with them the type, of every other endpoint as well.
    """

    groups: Groups
    force: bool = False

    def __call__(self, wanted: Wanted) -> tuple[Wanted, ...]:
        """*wanted*, or one claim a type in its place, equal to it in all but type and targets."""
        if wanted.endpoint.targets and not self.force:
            return (wanted,)
        return tuple(
            replace(wanted, endpoint=replace(wanted.endpoint, type=rtype, targets=targets))
            for rtype, targets in self.groups
        )
