"""What one file holds: the objects found, and what is wrong in it."""

from __future__ import annotations

from dataclasses import dataclass

from extdns.model.cluster import ObjectKey
from extdns.model.objects import KubernetesObject


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """An object and the line, from 1, at which its document or list item begins."""

    key: ObjectKey
    obj: KubernetesObject
    line: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Flaw:
    """Something that cannot be read.

    Attributes:
        line: from 1; 0 means the file as a whole.
        key: the object it would have been; None means any object of the file may hide behind it.
    """

    line: int
    key: ObjectKey | None
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Contents:
    """All of one file, in its order; each key is found once."""

    found: tuple[Found, ...] = ()
    flaws: tuple[Flaw, ...] = ()

    @property
    def whole(self) -> bool:
        """Whether it is certain that no object but those found or named by a flaw is in the file."""
        return all(flaw.key is not None for flaw in self.flaws)
