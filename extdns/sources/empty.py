"""The `empty` source: nothing at all, to see everything go or to try a start (spec sources 6.7)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from extdns.model.claim import Claim
from extdns.model.cluster import Kind
from extdns.model.objects import KubernetesObject
from extdns.ports import View

_NAME: Final = "empty"

EMPTY: Final = Kind("", "", "Empty", "empties")


@dataclass(frozen=True, slots=True, kw_only=True)
class EmptySource:
    """Asks for nothing; of its kind there are no objects."""

    name = _NAME
    kind = EMPTY

    def claims(self, obj: KubernetesObject, view: View) -> tuple[Claim, ...]:  # noqa: ARG002 - it reads nothing
        """Nothing, whatever *obj* is."""
        return ()
