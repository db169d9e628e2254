"""The namespaces that objects are read in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from extdns.model.cluster import Kind, ObjectKey


@dataclass(frozen=True, slots=True, kw_only=True)
class Namespaces:
    """Where each kind is read.

    Attributes:
        usual: where all kinds are read but those of `elsewhere`; () is everywhere.
        elsewhere: where these are read instead, likewise.
    """

    usual: Sequence[str] = ()
    elsewhere: Mapping[Kind, Sequence[str]] = field(default_factory=dict[Kind, Sequence[str]])

    def of(self, kind: Kind) -> tuple[str, ...]:
        """Those of *kind*, each once; () is everywhere, and where a kind without namespaces is."""
        return tuple(dict.fromkeys(self.elsewhere.get(kind, self.usual))) if kind.namespaced else ()

    def include(self, key: ObjectKey) -> bool:
        """Whether the object of *key* is in one of them."""
        where = self.of(key.kind)
        return not where or key.namespace in where
