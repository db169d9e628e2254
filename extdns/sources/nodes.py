"""Addresses of nodes (spec sources 3.5, 3.6, 6.1, 6.2)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from extdns.model import rrtype
from extdns.model.objects import Node
from extdns.model.target import suitable_type

EXTERNAL: Final = "ExternalIP"
INTERNAL: Final = "InternalIP"


def addresses(nodes: Iterable[Node], kind: str) -> list[str]:
    """All addresses of type *kind*, in the order of *nodes*."""
    return [found.address for node in nodes for found in node.status.addresses or () if found.type == kind]


def public(nodes: Iterable[Node], *, expose_internal_ipv6: bool) -> list[str]:
    """External addresses and, if they are to be exposed, internal IPv6 ones."""
    nodes = tuple(nodes)
    internal = addresses(nodes, INTERNAL) if expose_internal_ipv6 else []
    return addresses(nodes, EXTERNAL) + [text for text in internal if suitable_type(text) == rrtype.AAAA]
