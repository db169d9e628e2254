"""Whether name, type and targets of an endpoint make a valid record (spec sources 1.6, spec plan 0.4)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final

from extdns.model import rrtype
from extdns.model.record import ALIAS, Endpoint
from extdns.model.target import address, is_ipv4
from extdns.model.value import Value

_ALIASABLE: Final = rrtype.ADDRESSES | {rrtype.CNAME}
_REVERSE: Final = (".in-addr.arpa", ".ip6.arpa")
_MAX_UINT16: Final = "65535"


class Flaw(Value, frozen=True, kw_only=True):
    """What is wrong with an endpoint.

    Attributes:
        value: the offending text: a target, a name or a property.
        allowed: what would have been right, as a noun phrase.
    """

    value: str
    allowed: str


def flaw(endpoint: Endpoint) -> Flaw | None:
    """The first thing that makes *endpoint* invalid, None if nothing does.

    One bad target spoils the whole endpoint. CNAME, DNAME, TXT, NS, NAPTR and unknown types are
    always valid, as is everything but PTR without targets.
    """
    rtype = endpoint.type
    if rtype in rrtype.ADDRESSES:
        return None if endpoint.is_alias else _first(endpoint.targets, *_FAMILIES[rtype])
    if rtype not in _ALIASABLE and endpoint.properties.has(ALIAS):
        return Flaw(value=f"alias on {rtype}", allowed="alias on A, AAAA and CNAME only")
    if rtype == rrtype.PTR:
        return _pointer_flaw(endpoint)
    if rtype == rrtype.MX:
        return _first(endpoint.targets, _is_mx, "a preference from 0 to 65535 and a host")
    if rtype == rrtype.SRV:
        return _first(endpoint.targets, _is_srv, "priority, weight and port from 0 to 65535, and a host ending in '.'")
    return None


def _first(targets: Iterable[str], is_valid: Callable[[str], bool], allowed: str) -> Flaw | None:
    wrong = next((target for target in targets if not is_valid(target)), None)
    return None if wrong is None else Flaw(value=wrong, allowed=allowed)


def _is_ipv6(target: str) -> bool:
    parsed = address(target)
    # A zone suffix (fe80::1%eth0) means something on one host only; record data has no room for it.
    return parsed is not None and parsed.version == 6 and "%" not in target  # noqa: PLR2004 - the IP version


_FAMILIES: Final = {rrtype.A: (is_ipv4, "IPv4 addresses"), rrtype.AAAA: (_is_ipv6, "IPv6 addresses without zone")}


def _is_mx(target: str) -> bool:
    return _has_numbers(target.split(), 1)


def _is_srv(target: str) -> bool:
    return _has_numbers(target.split(), 3) and target.rstrip().endswith(".")


def _has_numbers(fields: list[str], count: int) -> bool:
    """Tell whether *count* 16-bit numbers and one host are all there is."""
    return len(fields) == count + 1 and all(_is_uint16(field) for field in fields[:count])


def _is_uint16(field: str) -> bool:
    if not (field.isascii() and field.isdigit()):
        return False
    digits = field.lstrip("0")
    return (len(digits), digits) <= (len(_MAX_UINT16), _MAX_UINT16)


def _pointer_flaw(endpoint: Endpoint) -> Flaw | None:
    prefix = next((endpoint.name.removesuffix(tree) for tree in _REVERSE if endpoint.name.endswith(tree)), "")
    if not prefix or prefix.startswith("."):
        return Flaw(value=endpoint.name, allowed="a name below in-addr.arpa or ip6.arpa")
    if not endpoint.targets:
        return Flaw(value="no target", allowed="at least one host name")
    return _first(endpoint.targets, _is_pointed_at, "host names, not addresses")


def _is_pointed_at(target: str) -> bool:
    return bool(target.strip()) and address(target) is None
