"""Host names and their addresses, seen as objects: what is computed from one follows its changes like any other's."""

from __future__ import annotations

from typing import Final

from extdns.model.cluster import Kind
from extdns.model.lean import Lean, ObjectMeta

HOST: Final = Kind("", "", "Host", "hosts", namespaced=False)


class Host(Lean, frozen=True, kw_only=True):
    """A host name, which `metadata.name` bears, as DNS answered last.

    Attributes:
        addresses: IPv4 and IPv6, sorted; () if there is none, or never was an answer.
        failure: why there never was an answer, "" if there was one.
    """

    metadata: ObjectMeta
    addresses: tuple[str, ...] = ()
    failure: str = ""
