"""A state store in memory that outlives the engines of a test."""

from __future__ import annotations

from dataclasses import dataclass, field

from msgspec.structs import replace

from extdns.errors import ForbiddenError
from extdns.model.saved_state import Approval, Saved


@dataclass(kw_only=True)
class MemoryStateStore:
    """A `StateStore` in memory.

    Attributes:
        saved: the saved state.
        codes: the codes that a person approved.
        forbidden: whether the permission to read and write is missing.
    """

    saved: Saved = field(default_factory=Saved)
    codes: tuple[str, ...] = ()
    forbidden: bool = False

    def load(self) -> Saved:
        self._check()
        return replace(self.saved, approvals=self.load_approvals())

    def save(self, saved: Saved) -> None:
        self._check()
        self.saved = saved

    def load_approvals(self) -> tuple[Approval, ...]:
        self._check()
        return tuple(Approval(code=code) for code in self.codes)

    def _check(self) -> None:
        if self.forbidden:
            raise ForbiddenError("configmaps is forbidden")
