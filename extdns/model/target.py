"""Targets: record data in text form, canonical for its type (spec plan 0.1-0.2, spec sources 1.2-1.3)."""

from __future__ import annotations

import ipaddress
import re
from functools import lru_cache
from typing import Final

from extdns.errors import InvalidValueError
from extdns.model import rrtype
from extdns.model.name import DnsName

Address = ipaddress.IPv4Address | ipaddress.IPv6Address

_OCTET: Final = r"(?:25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])"
_IPV4: Final = re.compile(rf"{_OCTET}(?:\.{_OCTET}){{3}}")
_UNTOUCHED: Final = frozenset({rrtype.TXT, rrtype.NAPTR, rrtype.SRV})


@lru_cache(maxsize=4096)
def address(text: str) -> Address | None:
    """The IP address that *text* spells, or None; leading zeros in IPv4 are not an address."""
    try:
        return ipaddress.ip_address(text)
    except ValueError:
        return None


def is_ipv4(text: str) -> bool:
    """Tell whether *text* is an IPv4 address, which has one spelling only; cheaper than to ask for the `address`."""
    return _IPV4.fullmatch(text) is not None


def suitable_type(target: str) -> str:
    """The record type that fits *target*: A, AAAA, or CNAME for whatever is no IP literal (spec sources 1.3)."""
    parsed = address(target)
    if parsed is None:
        return rrtype.CNAME
    return rrtype.A if parsed.version == 4 else rrtype.AAAA  # noqa: PLR2004 - the IP version


def typed(text: str) -> tuple[str, str]:
    """The record type that fits a target (as `suitable_type` tells it) and its canonical form.

    Raises:
        InvalidValueError: an address with a zone (fe80::1%eth0), which means something on one host
            only, or what is neither an address nor a name.
    """
    if is_ipv4(text):
        return rrtype.A, text
    parsed = address(text)
    if parsed is None:
        return rrtype.CNAME, DnsName.parse(text)
    if "%" in text:
        raise InvalidValueError(text, "an address without zone", "invalid-target")
    return rrtype.AAAA, _spelled(parsed)


def canonical(rtype: str, text: str) -> str:
    """The one spelling of *text* as record data of *rtype*.

    IP literals are compressed and lower-cased (RFC 5952), host names lose one trailing dot and are
    lower-cased; TXT, NAPTR and SRV stay as they are. Whether the data is valid for its type is
    asked elsewhere (`extdns.model.validity`).
    """
    if rtype in _UNTOUCHED or is_ipv4(text):
        return text
    parsed = address(text)
    if parsed is not None:
        return _spelled(parsed)
    if rtype == rrtype.MX:
        fields = " ".join(text.split()).lower()
        return fields if fields.endswith(" .") else fields.removesuffix(".")  # 0 . takes no mail (RFC 7505)
    return _host(text)


def _spelled(parsed: Address) -> str:
    """RFC 5952; of IPv4-mapped addresses section 5, which Python's text follows only from 3.13 on."""
    mapped = parsed.ipv4_mapped if parsed.version == 6 else None  # noqa: PLR2004 - the IP version
    return f"::ffff:{mapped}" if mapped else str(parsed)


def _host(text: str) -> str:
    try:
        return DnsName.parse(text)
    except InvalidValueError:
        return text.removesuffix(".")


def order_key(target: str) -> tuple[int, int, str]:
    """Sort key: IPv4, then IPv6, both by number, then everything else by text (spec plan 0.2)."""
    parsed = address(target)
    if parsed is None:
        return (2, 0, target)
    return (0 if parsed.version == 4 else 1, int(parsed), "")  # noqa: PLR2004 - the IP version
