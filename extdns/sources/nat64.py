"""IPv4 addresses that IPv6 addresses embed (spec sources 8.3; RFC 6052, for prefixes of 96 bits alone)."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from msgspec.structs import replace

from extdns.errors import UsageError, shown
from extdns.model import rrtype
from extdns.model.claim import Derivation, Wanted
from extdns.model.target import address

_PREFIX_BITS: Final = 96
_IPV4_MASK: Final = 0xFFFFFFFF


def nat64_networks(texts: Iterable[str]) -> tuple[ipaddress.IPv6Network, ...]:
    """Read `--nat64-networks`; bits beyond the prefix do not matter.

    Raises:
        UsageError: a text that is no IPv6 network of 96 bits.
    """
    return tuple(_prefix(text) for text in texts)


def _prefix(text: str) -> ipaddress.IPv6Network:
    try:
        found = ipaddress.IPv6Network(text, strict=False)
    except ValueError:
        found = None
    if found is None or found.prefixlen != _PREFIX_BITS:
        raise UsageError(
            f"--nat64-networks={shown(text)} is no NAT64 network\n"
            "  allowed: an IPv6 network of 96 bits, as 64:ff9b::/96"
        )
    return found


@dataclass(frozen=True, slots=True, kw_only=True)
class Nat64:
    """A stage that puts beside an AAAA inside *networks* the A it embeds."""

    networks: tuple[ipaddress.IPv6Network, ...]

    def __call__(self, wanted: Wanted) -> tuple[Wanted, ...]:
        """*wanted*, and the A if any of its targets embeds an address."""
        endpoint = wanted.endpoint
        embedded = tuple(sorted(set(self._embedded(endpoint.targets)))) if endpoint.type == rrtype.AAAA else ()
        if not embedded:
            return (wanted,)
        provenance = replace(wanted.provenance, derived=Derivation.NAT64)
        beside = replace(wanted, endpoint=replace(endpoint, type=rrtype.A, targets=embedded), provenance=provenance)
        return (wanted, beside)

    def _embedded(self, targets: Iterable[str]) -> Iterator[str]:
        for target in targets:
            parsed = address(target)
            if isinstance(parsed, ipaddress.IPv6Address) and any(parsed in network for network in self.networks):
                yield str(ipaddress.IPv4Address(int(parsed) & _IPV4_MASK))
