"""Targets inside and outside given networks (spec sources 8.4)."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterable
from dataclasses import dataclass

from msgspec.structs import replace

from extdns.model.claim import Filtered, Wanted
from extdns.model.target import Address, address

Network = ipaddress.IPv4Network | ipaddress.IPv6Network


def networks(texts: Iterable[str]) -> tuple[tuple[Network, ...], tuple[str, ...]]:
    """Read `--target-net-filter` or `--exclude-target-net`: the networks, and the texts that are none.

    The latter are to be warned about and otherwise ignored; a bare address is none. Bits beyond the
    prefix do not matter.
    """
    read = [(text, _network(text)) for text in texts]
    return tuple(net for _, net in read if net is not None), tuple(text for text, net in read if net is None)


def _network(text: str) -> Network | None:
    bits = text.strip().partition("/")[2]
    try:
        return ipaddress.ip_network(text.strip(), strict=False) if bits.isascii() and bits.isdigit() else None
    except ValueError:
        return None


@dataclass(frozen=True, slots=True, kw_only=True)
class TargetNets:
    """A stage that keeps the targets inside any of *include* (or everywhere, if empty) and in none of *exclude*.

    Host names are in no network: they pass only where nothing is included by name.
    """

    include: tuple[Network, ...] = ()
    exclude: tuple[Network, ...] = ()

    def __call__(self, wanted: Wanted) -> tuple[Wanted | Filtered]:
        """*wanted* with the targets that pass; `Filtered` if none does."""
        if not (self.include or self.exclude):
            return (wanted,)
        endpoint = wanted.endpoint
        targets = tuple(target for target in endpoint.targets if self._passes(target))
        if not targets:
            by = "--target-net-filter" if self.include else "--exclude-target-net"
            return (Filtered(ref=wanted.provenance.ref, by=by, name=endpoint.name),)
        if len(targets) == len(endpoint.targets):
            return (wanted,)
        return (replace(wanted, endpoint=replace(endpoint, targets=targets)),)

    def _passes(self, target: str) -> bool:
        parsed = address(target)
        if parsed is None:
            return not self.include
        ip = parsed.ipv4_mapped or parsed if parsed.version == 6 else parsed  # noqa: PLR2004 - the IP version
        return (not self.include or _within(ip, self.include)) and not _within(ip, self.exclude)


def _within(ip: Address, networks: Iterable[Network]) -> bool:
    return any(ip in net for net in networks)
