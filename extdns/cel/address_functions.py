"""Functions of CEL for IP addresses and networks, with the names and semantics of Kubernetes.

An address and a network are texts in canonical form, so equal ones are equal texts, and `string()` returns them
unchanged. As in Kubernetes, an address has no zone, and IPv4 addresses are not written as IPv6 addresses.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from ipaddress import IPv4Address, IPv4Interface, IPv6Address, IPv6Interface, ip_address, ip_interface, ip_network
from typing import Final

from extdns.errors import shorten
from extdns.model.cache import cache_short

_CACHED: Final = 1024


def _list_range(network: str) -> range:
    found = ip_network(network)
    return range(int(found.network_address), int(found.broadcast_address) + 1)


# IANA's registries of special-purpose addresses (RFC 6890), without the documentation ranges, which examples use: those
# that are not globally reachable, multicast, and the deprecated fec0::/10, IPv4-compatible and IPv4-translated ones.
_NOT_GLOBAL: Final = {
    4: [
        _list_range(text)
        for text in """
        0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.168.0.0/16
        198.18.0.0/15 224.0.0.0/4 240.0.0.0/4
        """.split()  # noqa: SIM905 - a long list
    ],
    6: [
        _list_range(text)
        for text in """
        ::/96 64:ff9b:1::/48 100::/64 100:0:0:1::/64 2001::/32 2001:2::/48 2001:10::/28 5f00::/16 fc00::/7 fe80::/10
        fec0::/10 ff00::/8 ::ffff:0:0:0/96
        """.split()  # noqa: SIM905
    ],
}
_NAT64: Final = ip_network("64:ff9b::/96")
_OCTETS: Final = {str(number): number for number in range(256)}
_LINK_LOCAL_MULTICAST: Final = ip_network("224.0.0.0/24")
_BROADCAST: Final = IPv4Address("255.255.255.255")
_SECOND_BYTE_SHIFT: Final = 112
_LINK_LOCAL_SCOPE: Final = 0x2


@cache_short(maxsize=_CACHED)
def parse_address(text: object) -> IPv4Address | IPv6Address:
    """Parse the address *text*, or the address part of a network. Raises `ValueError`."""
    if isinstance(text, str) and "%" not in text:
        try:
            found = _parse_network(text) if "/" in text else _parse_ip(text)
        except ValueError:
            pass
        else:
            address = found.ip if isinstance(found, IPv4Interface | IPv6Interface) else found
            if isinstance(address, IPv4Address) or address.ipv4_mapped is None:
                return address
    raise ValueError(f"{_describe(text)} is not an IP address")


@cache_short(maxsize=_CACHED)
def _parse_network(text: object) -> IPv4Interface | IPv6Interface:
    """Parse the network *text*, which may have host bits. Raises `ValueError`."""
    if isinstance(text, str) and "%" not in text:
        address, slash, length = text.partition("/")
        if slash and length.isascii() and length.isdecimal() and str(int(length)) == length:
            try:
                found = ip_interface(text)
            except ValueError:
                pass
            else:
                if address and (isinstance(found, IPv4Interface) or found.ip.ipv4_mapped is None):
                    return found
    raise ValueError(f"{_describe(text)} is not a network in CIDR notation")


def _parse_ip(text: str) -> IPv4Address | IPv6Address:
    """Parse an address as `ip_address` does, but IPv4, which most are, in a third of the time. Raises `ValueError`."""
    try:
        first, second, third, fourth = text.split(".")
        number = _OCTETS[first] << 24 | _OCTETS[second] << 16 | _OCTETS[third] << 8 | _OCTETS[fourth]
    except (ValueError, KeyError):
        return ip_address(text)
    return IPv4Address(number)


def _describe(text: object) -> str:
    return f'"{shorten(text)}"' if isinstance(text, str) else f"a value that is not a string ({type(text).__name__})"


def convert_address(text: str) -> str:
    """Return the address *text* in canonical form; for a network, the address in it."""
    found = parse_address(text)
    return text if isinstance(found, IPv4Address) and "/" not in text else str(found)  # IPv4 has no other form


def is_address(text: str) -> bool:
    """Return whether *text* is an IP address without zone and prefix length, and not an IPv4-mapped one."""
    try:
        parse_address(text)
    except ValueError:
        return False
    return "/" not in text


@cache_short(maxsize=_CACHED)
def convert_network(text: str) -> str:
    """Return the network *text*, with its address in canonical form."""
    return str(_parse_network(text))


def is_network(text: str) -> bool:
    """Return whether *text* is a network in CIDR notation."""
    try:
        _parse_network(text)
    except ValueError:
        return False
    return True


def contains_network(network: str, other: str) -> bool:
    """Return whether all addresses of *other* are in *network*."""
    outer, inner = _parse_network(network).network, _parse_network(other).network
    return inner.network_address in outer and inner.prefixlen >= outer.prefixlen


def is_link_local_multicast(address: str) -> bool:
    """Return whether *address* is in 224.0.0.0/24, or an IPv6 multicast address of link-local scope."""
    found = parse_address(address)
    if isinstance(found, IPv4Address):
        return found in _LINK_LOCAL_MULTICAST
    return found.is_multicast and (int(found) >> _SECOND_BYTE_SHIFT) & 0xF == _LINK_LOCAL_SCOPE


def is_global_unicast(address: str) -> bool:
    """Return whether *address* is none of unspecified, loopback, multicast, link-local and broadcast.

    As in Kubernetes, private addresses are global unicast addresses.
    """
    found = parse_address(address)
    excluded = found.is_unspecified or found.is_loopback or found.is_multicast or found.is_link_local
    return not excluded and found != _BROADCAST


def is_global(address: str) -> bool:
    """Return whether *address* is globally reachable, by IANA's registries. Kubernetes has no such function.

    Unlike the other functions it takes IPv4-mapped IPv6 addresses. The IPv4 address in these, and in those of NAT64
    (64:ff9b::/96) and 6to4 (2002::/16), decides. Raises `ValueError` if *address* is not an address.
    """
    try:
        found = ip_address(address)
    except ValueError:
        raise ValueError(f"{_describe(address)} is not an IP address") from None
    if isinstance(found, IPv6Address):
        embedded = found.ipv4_mapped or found.sixtofour
        found = embedded or (IPv4Address(int(found) & 0xFFFFFFFF) if found in _NAT64 else found)
    number = int(found)
    return not any(number in addresses for addresses in _NOT_GLOBAL[found.version])


ADDRESS_FUNCTIONS: Final[Mapping[str, Callable[..., object]]] = {
    "ip": convert_address,
    "isIP": is_address,
    "ip.isCanonical": lambda text: str(parse_address(text)) == text,
    "family": lambda address: parse_address(address).version,
    "isUnspecified": lambda address: parse_address(address).is_unspecified,
    "isLoopback": lambda address: parse_address(address).is_loopback,
    "isLinkLocalUnicast": lambda address: parse_address(address).is_link_local,
    "isLinkLocalMulticast": is_link_local_multicast,
    "isGlobalUnicast": is_global_unicast,
    "isGlobal": is_global,
    "cidr": convert_network,
    "isCIDR": is_network,
    "containsIP": lambda network, address: parse_address(address) in _parse_network(network).network,
    "containsCIDR": contains_network,
    "masked": lambda network: str(_parse_network(network).network),
    "prefixLength": lambda network: _parse_network(network).network.prefixlen,
}
