"""A place for state, which outlives the processes of a test."""

from __future__ import annotations

from dataclasses import dataclass, field

from msgspec.structs import replace

from extdns.errors import ForbiddenError
from extdns.model.saved import Saved


@dataclass(kw_only=True)
class Shelf:
    """Where state is kept; implements `State`.

    Attributes:
        codes: what a person released.
        forbidden: whether the right to it is missing.
    """

    saved: Saved = field(default_factory=Saved)
    codes: tuple[str, ...] = ()
    forbidden: bool = False

    def load(self) -> Saved:
        self._check()
        return replace(self.saved, released=self.codes)

    def save(self, saved: Saved) -> None:
        self._check()
        self.saved = saved

    def released(self) -> tuple[str, ...]:
        self._check()
        return self.codes

    def _check(self) -> None:
        if self.forbidden:
            raise ForbiddenError("configmaps is forbidden")
