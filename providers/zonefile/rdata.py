"""Words of a master file into names and targets, and back; the one file that knows dnspython.

Names pass through here as text: absolute, in presentation format, as `www.example.org.`. Targets
have the form of `extdns.model.target`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from typing import Final, NamedTuple

import dns.grange
import dns.name
import dns.rdata
import dns.rdataclass
import dns.rdatatype
import dns.rdtypes.ANY.SOA
import dns.rdtypes.ANY.TXT
import dns.ttl
import dns.zone

from extdns.errors import InvalidValueError
from extdns.model import rrtype
from extdns.model.name import DnsName
from extdns.model.reason import Reason
from extdns.model.target import canonical, is_ipv4, suitable_type
from providers.zonefile import scan, strings

ROOT: Final = "."
MAX_GENERATED: Final = 65536  # records of one $GENERATE line; a /16
_RDATA_BYTES: Final = 65535
_NAME_ALLOWED: Final = "a domain name, labels of at most 63 and in all 255 bytes"
_GENERATE_ALLOWED: Final = f"start-stop[/step], owner, [ttl], [class], type and data, at most {MAX_GENERATED} records"
_ALLOWED: Final = {
    rrtype.A: "an IPv4 address",
    rrtype.AAAA: "an IPv6 address",
    rrtype.MX: "a preference and a host name, as 10 mail.example.org",
    rrtype.SRV: "priority, weight, port and host, as 0 5 443 web.example.org.",
    rrtype.NAPTR: 'order, preference, flags, service, regexp and name, as 10 100 "s" "SIP+D2U" "" _sip.example.org.',
} | dict.fromkeys(rrtype.HOSTS, "a host name")
_PLAIN = re.compile(r"[A-Za-z0-9_*.-]+")
_SPELLED: Final = {code: f"\\{code:03d}" for code in range(0x100)} | {
    code: chr(code) if chr(code).isalnum() or chr(code) in "-_*" else f"\\{chr(code)}" for code in range(0x21, 0x7F)
}
# What most targets are: the same in a file, but for the dot behind a host name.
_HOST: Final = re.compile(r"(?=.{1,253}\Z)(?:[a-z0-9_-]{1,63}\.)*[a-z0-9_-]{1,63}")
_TEXT: Final = re.compile(r'"[ !#-\[\]-~]{0,255}"')
_GENERIC: Final = ("\\#",)  # RFC 3597 section 5
_NOT_ASCII = re.compile(r"\\[^\x80-\xff]|\\?[\x80-\xff]", re.DOTALL)
_WIDE = re.compile(r"\{[^},]*,\d{4}")


class Generated(NamedTuple):
    """One record that a $GENERATE line stands for."""

    owner: str
    type: str
    ttl_s: int
    target: str


@lru_cache(maxsize=256)
def type_named(text: str) -> str | None:
    """The record type that *text* names, in capitals; None for unknown types and those of queries."""
    try:
        found = dns.rdatatype.from_text(text)
    except Exception:  # noqa: BLE001 - dnspython's parsers raise whatever their input provokes
        return None
    return None if dns.rdatatype.is_metatype(found) else dns.rdatatype.to_text(found)


def ttl_named(text: str) -> int:
    """The seconds that *text* names, as 300 or 1h30m.

    Raises:
        InvalidValueError: it is no TTL.
    """
    with _checked(text, "a TTL, as 300 or 1h30m", Reason.INVALID_TTL):
        return dns.ttl.from_text(text)


@lru_cache(maxsize=4096)
def absolute(text: str, origin: str) -> str:
    """The name *text*, completed with *origin* if it is relative.

    Raises:
        InvalidValueError: it is no name.
    """
    if _PLAIN.fullmatch(text):
        name = text if text.endswith(ROOT) else f"{text}.{origin.removeprefix(ROOT)}"
        if name == ROOT:
            return name
        try:
            DnsName.parse(name)
        except InvalidValueError as exc:
            raise InvalidValueError(text, exc.allowed, exc.reason) from exc
        return name
    with _checked(text, _NAME_ALLOWED, Reason.INVALID_NAME):
        if text.startswith('"'):
            raise InvalidValueError(text, "a name without quotes", Reason.INVALID_NAME)
        return _spelled(dns.name.from_text(_ascii(text), _name(origin)))


@lru_cache(maxsize=4096)
def published(owner: str) -> DnsName | None:
    """The absolute name *owner* as a value, None if it has characters that those do not take."""
    if _PLAIN.fullmatch(owner):
        return None if owner == ROOT else DnsName.parse(owner)
    labels = tuple(label.decode("latin-1").lower() for label in _name(owner).labels[:-1])
    try:
        name = DnsName.parse(".".join(labels))
    except InvalidValueError:
        return None
    return name if name.labels == labels else None


def spelled(name: DnsName) -> str:
    """The absolute name that *name* is in a file."""
    if _PLAIN.fullmatch(name):
        return f"{name}."
    return _spelled(dns.name.Name((*(label.encode("ascii") for label in name.labels), b"")))


def read(rtype: str, words: tuple[str, ...], origin: str) -> str:
    """The target that *words* are as data of type *rtype*.

    What most records are is read without dnspython, which takes several times as long.

    Raises:
        InvalidValueError: they are no such data.
    """
    if rtype == rrtype.TXT and words and words[:1] != _GENERIC:
        return strings.target_of([strings.octets(word) for word in words])
    if len(words) == 1 and rtype in rrtype.HOSTS:
        return canonical(rtype, absolute(words[0], origin))
    plain = len(words) == 1 and rtype in rrtype.ADDRESSES and "%" not in words[0]
    if plain and suitable_type(words[0]) == rtype:
        return canonical(rtype, words[0])
    text = " ".join(words)
    parsed = _parsed(rtype, _ascii(text), origin, text)
    if isinstance(parsed, dns.rdtypes.ANY.TXT.TXT):
        return strings.target_of(parsed.strings)
    return canonical(rtype, parsed.to_text())


def held(rtype: str, target: str) -> str:
    """*target* as it is read back once it is written.

    Raises:
        InvalidValueError: it is no data of type *rtype*.
    """
    return target if _usual(rtype, target) else read(rtype, scan.words(written(rtype, target)) or (), ROOT)


def minimum_s(words: tuple[str, ...], origin: str) -> int:
    """The last field of the SOA data *words*.

    Raises:
        InvalidValueError: it is no SOA data.
    """
    text = " ".join(words)
    parsed = _parsed(rrtype.SOA, _ascii(text), origin, text)
    if words[:1] == _GENERIC or not isinstance(parsed, dns.rdtypes.ANY.SOA.SOA):
        raise InvalidValueError(text, "SOA data in its usual form", Reason.INVALID_TARGET)
    return parsed.minimum


def written(rtype: str, target: str) -> str:
    """The words that stand for *target* in a file, whatever the origin there.

    Raises:
        InvalidValueError: *target* is no data of type *rtype*, or longer than 65535 bytes.
    """
    if _usual(rtype, target):
        return f"{target}{ROOT}" if rtype in rrtype.HOSTS else target
    words = _words(rtype, target)
    if scan.words(words) is None:
        raise InvalidValueError(target, _ALLOWED.get(rtype, f"{rtype} data"), Reason.INVALID_TARGET)
    parsed = _parsed(rtype, words, ROOT, target)
    with _checked(target, f"at most {_RDATA_BYTES} bytes", Reason.INVALID_TARGET):
        if len(parsed.to_wire() or b"") > _RDATA_BYTES:
            raise InvalidValueError(target, f"at most {_RDATA_BYTES} bytes", Reason.INVALID_TARGET)
    if rtype == rrtype.TXT:
        return words
    front, blank, last = parsed.to_text().rpartition(" ")
    return front + blank + (last if rtype in rrtype.ADDRESSES else _spelled(_name(last)))


def generated(words: tuple[str, ...], origin: str, ttl_s: int) -> tuple[Generated, ...]:
    """The records that a $GENERATE line of *words*, the directive included, stands for (BIND 9 manual).

    Raises:
        InvalidValueError: it is no such line, or stands for more than 65536 records.
    """
    text = " ".join(words)
    with _checked(text, _GENERATE_ALLOWED, Reason.INVALID_OBJECT):
        start, stop, step = dns.grange.from_text(words[1])
        if (stop - start) // step >= MAX_GENERATED or _WIDE.search(text):
            raise InvalidValueError(text, _GENERATE_ALLOWED, Reason.INVALID_OBJECT)
        zone = dns.zone.from_text(
            f"$ORIGIN {origin}\n$TTL {ttl_s}\n{_ascii(text)}\n", origin=ROOT, relativize=False, check_origin=False
        )
        return tuple(
            Generated(name.to_text(), rtype, ttl, read(rtype, scan.words(data.to_text()) or (), ROOT))
            for name, ttl, data in zone.iterate_rdatas()
            for rtype in [dns.rdatatype.to_text(data.rdtype)]
        )


def _usual(rtype: str, target: str) -> bool:
    """Tell whether *target* is what most are of its type, so that nothing about it is to be asked or changed."""
    if rtype == rrtype.A:
        return is_ipv4(target)
    if rtype == rrtype.TXT:
        return _TEXT.fullmatch(target) is not None
    return rtype in rrtype.HOSTS and _HOST.fullmatch(target) is not None


def _words(rtype: str, target: str) -> str:
    if rtype == rrtype.TXT:
        return strings.written(target)
    if rtype in rrtype.HOSTS:
        return _host(target)
    if rtype == rrtype.MX:
        preference, _, host = target.partition(" ")
        return f"{preference} {_host(host)}"
    return _ascii(target.encode("utf-8", "replace").decode("latin-1"))


def _host(text: str) -> str:
    try:
        return spelled(DnsName.parse(text))
    except InvalidValueError:
        return text.removesuffix(ROOT) + ROOT


def _parsed(rtype: str, text: str, origin: str, value: str) -> dns.rdata.Rdata:
    with _checked(value, _ALLOWED.get(rtype, f"{rtype} data"), Reason.INVALID_TARGET):
        return dns.rdata.from_text(dns.rdataclass.IN, rtype, text, origin=_name(origin), relativize=False)


def _spelled(name: dns.name.Name) -> str:
    """*name* with everything escaped that is not plain: Knot, unlike others, takes no bare `!` or the like."""
    return ".".join(label.decode("latin-1").translate(_SPELLED) for label in name.labels) or ROOT


@lru_cache(maxsize=4096)
def _name(text: str) -> dns.name.Name:
    return dns.name.from_text(text)


def _ascii(text: str) -> str:
    """*text* with every byte above 127 as a decimal escape, which dnspython takes for the byte it is."""
    if text.isascii():
        return text
    return _NOT_ASCII.sub(lambda found: _escaped(found.group()), text)


def _escaped(text: str) -> str:
    return text if text.isascii() else f"\\{ord(text[-1]):03d}"


@contextmanager
def _checked(value: str, allowed: str, reason: Reason) -> Iterator[None]:
    try:
        yield
    except InvalidValueError:
        raise
    except Exception as exc:  # dnspython's parsers raise whatever their input provokes
        raise InvalidValueError(value, allowed, reason) from exc
