"""Convert words of a zone file, and data from the wire, to names, types, TTLs and targets, and back.

Names are text: absolute, in presentation format, as `www.example.org.`. Targets have the form of
`extdns.model.record`. What is invalid, or too long, is an `InvalidValueError`.

Addresses, host names and short texts, which most targets are, are converted without dnspython. Reading one takes 4 to
9 instead of 23 to 63 µs, writing one less than 1 (python -m tests.bench.zonefile).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
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
from extdns.model.cache import cache_short
from extdns.model.dns_name import DnsName
from extdns.model.reason import Reason
from extdns.model.record import canonicalize, choose_record_type, is_ipv4
from providers.common import scan

ROOT: Final = "."
MAX_GENERATED: Final = 65536  # records of one $GENERATE line: the addresses of a /16
_RDATA_BYTES: Final = 65535
_NAME_ALLOWED: Final = "a domain name of at most 255 bytes, with labels of at most 63 bytes"
_GENERATE_ALLOWED: Final = f"start-stop[/step], owner, [ttl], [class], type and data, at most {MAX_GENERATED} records"
_ALLOWED: Final = {
    rrtype.A: "an IPv4 address",
    rrtype.AAAA: "an IPv6 address",
    rrtype.MX: "a preference and a host name, such as 10 mail.example.org",
    rrtype.SRV: "priority, weight, port and host, such as 0 5 443 web.example.org.",
    rrtype.NAPTR: 'order, preference, flags, service, regexp, name, such as 10 100 "s" "SIP+D2U" "" _sip.example.org.',
} | dict.fromkeys(rrtype.HOSTS, "a host name")
_PLAIN = re.compile(r"[A-Za-z0-9_*.-]+")
# BIND reads a label that begins with `\[` as a bit string (RFC 2673), which it no longer supports.
_ESCAPES: Final = {code: f"\\{code:03d}" for code in range(0x100)} | {
    code: chr(code) if chr(code).isalnum() or chr(code) in "-_*" else f"\\{chr(code)}"
    for code in range(0x21, 0x7F)
    if chr(code) != "["
}
# Targets that match are written to a file unchanged, except for the dot after a host name.
_HOST: Final = re.compile(r"(?=.{1,253}\Z)(?:[a-z0-9_-]{1,63}\.)*[a-z0-9_-]{1,63}")
_TEXT: Final = re.compile(r'"[ !#-\[\]-~]{0,255}"')
_GENERIC: Final = ("\\#",)  # RFC 3597 section 5
_NOT_ASCII = re.compile(r"\\[^\x80-\xff]|\\?[\x80-\xff]", re.DOTALL)
_WIDE = re.compile(r"\{[^},]*,\d{4}")


class GeneratedRecord(NamedTuple):
    """One record of a $GENERATE line."""

    owner: str
    type: str
    ttl_s: int
    target: str


@cache_short(maxsize=256)
def find_type(text: str) -> str | None:
    """Return the record type *text* in upper case; None if it is not one, or one that no zone holds, such as ANY."""
    try:
        found = dns.rdatatype.from_text(text)
    except Exception:  # noqa: BLE001 - dnspython's parsers can raise any exception for invalid input
        return None
    return None if dns.rdatatype.is_metatype(found) else dns.rdatatype.to_text(found)


def parse_ttl(text: str) -> int:
    """Return the seconds in *text*, such as 300 or 1h30m."""
    with _translate_errors(text, "a TTL, such as 300 or 1h30m", Reason.INVALID_TTL):
        return dns.ttl.from_text(text)


@cache_short(maxsize=4096)
def make_absolute(text: str, origin: str) -> str:
    """Return the name *text*, with *origin* appended if it is relative."""
    if _PLAIN.fullmatch(text):
        name = text if text.endswith(ROOT) else f"{text}.{origin.removeprefix(ROOT)}"
        if name == ROOT:
            return name
        try:
            DnsName.parse(name)
        except InvalidValueError as exc:
            raise InvalidValueError(text, exc.allowed, exc.reason) from exc
        return name
    with _translate_errors(text, _NAME_ALLOWED, Reason.INVALID_NAME):
        if text.startswith('"'):
            raise InvalidValueError(text, "a name without quotes", Reason.INVALID_NAME)
        return _escape_name(dns.name.from_text(_escape_bytes(text), _parse_name(origin)))


@cache_short(maxsize=4096)
def to_dns_name(owner: str) -> DnsName | None:
    """Return the absolute name *owner* as a `DnsName`; None if it is the root, or no `DnsName` can hold it."""
    if _PLAIN.fullmatch(owner):
        return None if owner == ROOT else DnsName.parse(owner)
    labels = tuple(label.decode("latin-1").lower() for label in _parse_name(owner).labels[:-1])
    try:
        name = DnsName.parse(".".join(labels))
    except InvalidValueError:
        return None
    return name if name.labels == labels else None


def format_name(name: DnsName) -> str:
    """Return *name* as an absolute name in a zone file."""
    if _PLAIN.fullmatch(name):
        return f"{name}."
    return _escape_name(dns.name.Name((*(label.encode("ascii") for label in name.labels), b"")))


def build_name(name: DnsName) -> dns.name.Name:
    """Return *name* as an absolute name for the wire."""
    return _parse_name(format_name(name))


def parse_target(rtype: str, words: tuple[str, ...], origin: str) -> str:
    """Return the target for *words*, the data of a record of type *rtype*."""
    if rtype == rrtype.TXT and words and words[:1] != _GENERIC:
        return build_txt_target([parse_string(word) for word in words])
    if len(words) == 1 and rtype in rrtype.HOSTS:
        return canonicalize(rtype, make_absolute(words[0], origin))
    plain = len(words) == 1 and rtype in rrtype.ADDRESSES and "%" not in words[0]
    if plain and choose_record_type(words[0]) == rtype:
        return canonicalize(rtype, words[0])
    text = " ".join(words)
    return convert_rdata(rtype, _parse_rdata(rtype, _escape_bytes(text), origin, text))


def convert_rdata(rtype: str, data: dns.rdata.Rdata) -> str:
    """Return the target for *data*, whose names are absolute."""
    if isinstance(data, dns.rdtypes.ANY.TXT.TXT):
        return build_txt_target(data.strings)
    return canonicalize(rtype, data.to_text())


def build_rdata(rtype: str, target: str) -> dns.rdata.Rdata:
    """Return the data of *target* for the wire."""
    return _parse_rdata(rtype, format_data(rtype, target), ROOT, target)


def normalize_target(rtype: str, target: str) -> str:
    """Return *target* as it will be read back from a file."""
    return (
        target
        if _is_plain_target(rtype, target)
        else parse_target(rtype, scan.split_words(format_data(rtype, target)) or (), ROOT)
    )


def parse_minimum_ttl(words: tuple[str, ...], origin: str) -> int:
    """Return the last field of the SOA data *words*, in seconds."""
    text = " ".join(words)
    parsed = _parse_rdata(rrtype.SOA, _escape_bytes(text), origin, text)
    if words[:1] == _GENERIC or not isinstance(parsed, dns.rdtypes.ANY.SOA.SOA):
        raise InvalidValueError(text, "SOA data in its usual form", Reason.INVALID_TARGET)
    return parsed.minimum


def format_data(rtype: str, target: str) -> str:
    """Return *target* as record data in a zone file; it does not depend on the origin."""
    if _is_plain_target(rtype, target):
        return f"{target}{ROOT}" if rtype in rrtype.HOSTS else target
    words = _build_words(rtype, target)
    if scan.split_words(words) is None:
        raise InvalidValueError(target, _ALLOWED.get(rtype, f"{rtype} data"), Reason.INVALID_TARGET)
    parsed = _parse_rdata(rtype, words, ROOT, target)
    with _translate_errors(target, f"at most {_RDATA_BYTES} bytes", Reason.INVALID_TARGET):
        if len(parsed.to_wire() or b"") > _RDATA_BYTES:
            raise InvalidValueError(target, f"at most {_RDATA_BYTES} bytes", Reason.INVALID_TARGET)
    if rtype == rrtype.TXT:
        return words
    front, blank, last = parsed.to_text().rpartition(" ")
    return front + blank + (last if rtype in rrtype.ADDRESSES else _escape_name(_parse_name(last)))


def expand_generate(words: tuple[str, ...], origin: str, ttl_s: int) -> tuple[GeneratedRecord, ...]:
    """Return the records of a $GENERATE line (BIND 9 manual); *words* start with the directive."""
    text = " ".join(words)
    with _translate_errors(text, _GENERATE_ALLOWED, Reason.INVALID_OBJECT):
        start, stop, step = dns.grange.from_text(words[1])
        if (stop - start) // step >= MAX_GENERATED or _WIDE.search(text):
            raise InvalidValueError(text, _GENERATE_ALLOWED, Reason.INVALID_OBJECT)
        zone = dns.zone.from_text(
            f"$ORIGIN {origin}\n$TTL {ttl_s}\n{_escape_bytes(text)}\n",
            origin=ROOT,
            relativize=False,
            check_origin=False,
        )
        return tuple(
            GeneratedRecord(
                name.to_text(), rtype, ttl, parse_target(rtype, scan.split_words(data.to_text()) or (), ROOT)
            )
            for name, ttl, data in zone.iterate_rdatas()
            for rtype in [dns.rdatatype.to_text(data.rdtype)]
        )


def _is_plain_target(rtype: str, target: str) -> bool:
    """Return whether *target* can be written unchanged, except for the dot after a host name."""
    if rtype == rrtype.A:
        return is_ipv4(target)
    if rtype == rrtype.TXT:
        return _TEXT.fullmatch(target) is not None
    return rtype in rrtype.HOSTS and _HOST.fullmatch(target) is not None


def _build_words(rtype: str, target: str) -> str:
    if rtype == rrtype.TXT:
        return format_txt(target)
    if rtype in rrtype.HOSTS:
        return _format_host(target)
    if rtype == rrtype.MX:
        preference, _, host = target.partition(" ")
        return f"{preference} {_format_host(host)}"
    return _escape_bytes(target.encode("utf-8", "replace").decode("latin-1"))


def _format_host(text: str) -> str:
    try:
        return format_name(DnsName.parse(text))
    except InvalidValueError:
        return text.removesuffix(ROOT) + ROOT


def _parse_rdata(rtype: str, text: str, origin: str, value: str) -> dns.rdata.Rdata:
    with _translate_errors(value, _ALLOWED.get(rtype, f"{rtype} data"), Reason.INVALID_TARGET):
        return dns.rdata.from_text(dns.rdataclass.IN, rtype, text, origin=_parse_name(origin), relativize=False)


def _escape_name(name: dns.name.Name) -> str:
    """Return *name* with all special characters escaped; unlike other servers, Knot requires that even for `!`."""
    return ".".join(label.decode("latin-1").translate(_ESCAPES) for label in name.labels) or ROOT


@cache_short(maxsize=4096)
def _parse_name(text: str) -> dns.name.Name:
    return dns.name.from_text(text)


def _escape_bytes(text: str) -> str:
    """Return *text* with each byte above 127 as a decimal escape, which dnspython reads as that byte."""
    if text.isascii():
        return text
    return _NOT_ASCII.sub(lambda found: _escape_byte(found.group()), text)


def _escape_byte(text: str) -> str:
    return text if text.isascii() else f"\\{ord(text[-1]):03d}"


@contextmanager
def _translate_errors(value: str, allowed: str, reason: Reason) -> Iterator[None]:
    try:
        yield
    except InvalidValueError:
        raise
    except Exception as exc:  # dnspython's parsers can raise any exception for invalid input
        raise InvalidValueError(value, allowed, reason) from exc


MAX_STRING_BYTES: Final = 255
_TXT_ALLOWED: Final = 'text, or strings that are each in double quotes, with \\" and \\\\ for those two characters'
_ESCAPE_ALLOWED: Final = "a backslash before a character, or before three digits from 000 to 255"
_ESCAPE = re.compile(r"\\(\d{3}|\D|)", re.DOTALL)
_STRING_ESCAPES: Final = {code: f"\\{code:03d}" for code in (*range(0x20), *range(0x7F, 0x100))} | {
    ord('"'): '\\"',
    ord("\\"): "\\\\",
}


def parse_string(word: str) -> bytes:
    """Return the bytes of one character-string in a file, quoted or not; *word* was decoded as Latin-1."""
    found = _unescape(word)
    if len(found) > MAX_STRING_BYTES:
        raise InvalidValueError(word, f"strings of at most {MAX_STRING_BYTES} bytes", Reason.INVALID_TARGET)
    return found


def build_txt_target(strings: Iterable[bytes]) -> str:
    """Return the TXT target for *strings*.

    The target has one quoted text for each string. A string that follows one of 255 bytes is joined to it, because
    `format_txt` splits longer texts after 255 bytes.
    """
    joined: list[bytes] = []
    full = False
    for string in strings:
        if full:
            joined[-1] += string
        else:
            joined.append(string)
        full = len(string) == MAX_STRING_BYTES
    return " ".join(_format_string(string) for string in joined)


def format_txt(target: str) -> str:
    """Return the TXT *target* as quoted strings for a file. A target without quotes is one text."""
    return " ".join(_format_string(part) for string in _split_texts(target) for part in _split_string(string))


def _split_texts(target: str) -> list[bytes]:
    text = target.encode("utf-8", "replace")
    if not target.startswith('"'):
        return [text]
    words = scan.split_words(text.decode("latin-1"))
    if words is None or not all(word.startswith('"') for word in words):
        raise InvalidValueError(target, _TXT_ALLOWED, Reason.INVALID_TARGET)
    return [_unescape(word) for word in words]


def _split_string(string: bytes) -> Iterator[bytes]:
    for start in range(0, len(string) or 1, MAX_STRING_BYTES):
        yield string[start : start + MAX_STRING_BYTES]


def _format_string(string: bytes) -> str:
    return f'"{string.decode("latin-1").translate(_STRING_ESCAPES)}"'


def _unescape(word: str) -> bytes:
    text = word[1:-1] if word.startswith('"') else word
    try:
        return _ESCAPE.sub(_parse_escape, text).encode("latin-1")
    except ValueError as exc:
        raise InvalidValueError(word, _ESCAPE_ALLOWED, Reason.INVALID_TARGET) from exc


def _parse_escape(escape: re.Match[str]) -> str:
    code = escape.group(1)
    return code if len(code) == 1 else bytes([int(code)]).decode("latin-1")
