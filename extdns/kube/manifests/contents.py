"""What one file holds: the objects found, and what is wrong in it."""

from __future__ import annotations

from extdns.model.cluster import ObjectKey
from extdns.model.objects import KubernetesObject
from extdns.model.value import Value


class Found(Value, frozen=True, kw_only=True):
    """An object and the line, from 1, at which its document or list item begins."""

    key: ObjectKey
    obj: KubernetesObject
    line: int


class Flaw(Value, frozen=True, kw_only=True):
    """Something that cannot be read.

    Attributes:
        line: from 1; 0 means the file as a whole.
        key: the object it would have been; None means any object of the file may hide behind it.
    """

    line: int
    key: ObjectKey | None
    message: str


class Contents(Value, frozen=True, kw_only=True):
    """All of one file, in its order; each key is found once."""

    found: tuple[Found, ...] = ()
    flaws: tuple[Flaw, ...] = ()

    @property
    def whole(self) -> bool:
        """Whether it is certain that no object but those found or named by a flaw is in the file."""
        return all(flaw.key is not None for flaw in self.flaws)
