"""The webhook protocol: media type, and the JSON of endpoints, changes and domain filters (docs/spec/plan.md 6.2.2).

Everything that is decoded is bounded, because the other side is not trusted. Names and values are only bounded here;
whoever uses them parses them.
"""

from __future__ import annotations

from collections.abc import Iterable
from http import HTTPStatus
from typing import Annotated, Final, Self

import msgspec
from msgspec import Meta

from extdns.errors import InvalidValueError
from extdns.model.value import EMPTY_MAP, StringMap, Value

MEDIA_TYPE: Final = "application/external.dns.webhook+json;version=1"
"""The only media type; external-dns compares it as a text."""

RECORDS_PATH: Final = "/records"
ADJUST_PATH: Final = "/adjustendpoints"

RECORDS_READ: Final = HTTPStatus.OK
ADJUSTED: Final = HTTPStatus.OK
APPLIED: Final = HTTPStatus.NO_CONTENT

MAX_BODY_BYTES: Final = 32 * 1024 * 1024
"""The default of `--webhook-provider-max-body-size`; it bounds responses."""

HARD_LIMIT_BYTES: Final = 2**30
MAX_ENDPOINTS: Final = 500_000
MAX_TARGETS: Final = 1000
MAX_PROPERTIES: Final = 100
MAX_LABELS: Final = 100
MAX_FILTERS: Final = 10_000
MAX_NAME_CHARACTERS: Final = 1024  # a name of 253 bytes, each escaped
MAX_TYPE_CHARACTERS: Final = 16
MAX_IDENTIFIER_CHARACTERS: Final = 256
MAX_TEXT_CHARACTERS: Final = 65_536
MAX_PATTERN_CHARACTERS: Final = 4096

_Name = Annotated[str, Meta(max_length=MAX_NAME_CHARACTERS)]
_Type = Annotated[str, Meta(max_length=MAX_TYPE_CHARACTERS)]
_Identifier = Annotated[str, Meta(max_length=MAX_IDENTIFIER_CHARACTERS)]
_Text = Annotated[str, Meta(max_length=MAX_TEXT_CHARACTERS)]
_Ttl = Annotated[int, Meta(ge=-(2**63), le=2**63 - 1)]
_Pattern = Annotated[str, Meta(max_length=MAX_PATTERN_CHARACTERS)]


def limit_body(max_bytes: int) -> int:
    """Return how many bytes a body may have: *max_bytes*, but at most 1 GiB; 1 GiB if *max_bytes* is not positive."""
    return min(max_bytes, HARD_LIMIT_BYTES) if max_bytes > 0 else HARD_LIMIT_BYTES


class Property(Value, frozen=True, kw_only=True, omit_defaults=True):
    """One provider-specific property of an endpoint."""

    name: str = ""
    value: str = ""


class Endpoint(Value, frozen=True, kw_only=True, omit_defaults=True, rename="camel"):
    """One record as the protocol has it. Fields may be missing; all but name and type may be null, which means empty.

    What is read is bounded by its body only. Webhooks add properties, and prefixes and escapes to texts: with the
    limits of what is sent, one record at a limit would keep all from being read.

    Attributes:
        record_ttl: seconds; 0 or less if no TTL is configured.
        provider_specific: the properties, in the order of the JSON.
    """

    dns_name: _Name = ""
    targets: tuple[str, ...] | None = None
    record_type: _Type = ""
    set_identifier: str | None = ""
    record_ttl: _Ttl | None = msgspec.field(name="recordTTL", default=0)
    labels: dict[str, str] | None = None
    provider_specific: tuple[Property, ...] | None = None

    @property
    def identity(self) -> tuple[str, str, str]:
        """The name, the type and the set identifier, which identify an endpoint in external-dns."""
        return self.dns_name, self.record_type, self.set_identifier or ""

    @property
    def properties(self) -> StringMap:
        """The provider-specific properties as a map. If a name occurs twice, the last value wins."""
        if not self.provider_specific:
            return EMPTY_MAP
        return StringMap.from_items((one.name, one.value) for one in self.provider_specific)


class _SentProperty(Property, frozen=True, kw_only=True):
    name: _Identifier = ""
    value: _Text = ""


class _SentEndpoint(Endpoint, frozen=True, kw_only=True, rename="camel"):
    """An endpoint with the limits of what is sent."""

    targets: Annotated[tuple[_Text, ...], Meta(max_length=MAX_TARGETS)] | None = None
    set_identifier: _Identifier | None = ""
    labels: Annotated[dict[_Identifier, _Text], Meta(max_length=MAX_LABELS)] | None = None
    provider_specific: Annotated[tuple[_SentProperty, ...], Meta(max_length=MAX_PROPERTIES)] | None = None


class Changes(Value, frozen=True, kw_only=True, omit_defaults=True, rename="camel"):
    """What `POST /records` requests. The endpoints at one position of `update_old` and `update_new` are one update."""

    create: tuple[Endpoint, ...] = ()
    update_old: tuple[Endpoint, ...] = ()
    update_new: tuple[Endpoint, ...] = ()
    delete: tuple[Endpoint, ...] = ()

    def __len__(self) -> int:
        return len(self.create) + len(self.update_old) + len(self.update_new) + len(self.delete)


class FilterDocument(Value, frozen=True, kw_only=True, omit_defaults=True, rename="camel"):
    """The domain filter that negotiation returns: lists of suffixes, or patterns in the syntax of RE2.

    The empty document matches every name.
    """

    include: Annotated[tuple[_Name, ...], Meta(max_length=MAX_FILTERS)] | None = None
    exclude: Annotated[tuple[_Name, ...], Meta(max_length=MAX_FILTERS)] | None = None
    regex_include: _Pattern = ""
    regex_exclude: _Pattern = ""


class WireError(InvalidValueError):
    """A body that is not what the protocol requires, or exceeds a bound. The message says where and why."""

    @classmethod
    def from_cause(cls, what: str, cause: object) -> Self:
        """Build the error for a body that *what* names; *cause* says what is wrong in it."""
        return cls(str(cause)[:500], f"{what} as the webhook protocol defines it", "invalid-value")


_Endpoints = Annotated[tuple[Endpoint, ...], Meta(max_length=MAX_ENDPOINTS)]
_ENDPOINTS: Final = msgspec.json.Decoder(_Endpoints | None)
_SENT_ENDPOINT: Final = msgspec.json.Decoder(_SentEndpoint)
_FILTER: Final = msgspec.json.Decoder(FilterDocument)
_ENCODER: Final = msgspec.json.Encoder(enc_hook=str)  # names and targets may be a `DnsName`


def decode_endpoints(body: bytes) -> tuple[Endpoint, ...]:
    """Decode the answer of `GET /records` or `POST /adjustendpoints`; null gives ().

    Raises:
        WireError: the body is not a list of endpoints, or exceeds a bound.
    """
    try:
        return _ENDPOINTS.decode(body) or ()
    except (msgspec.MsgspecError, RecursionError, UnicodeError) as exc:
        raise WireError.from_cause("a list of endpoints", exc) from exc


def find_problem(endpoint: Endpoint) -> str:
    """Return why *endpoint* is too large to be sent, "" if it is not."""
    try:
        _SENT_ENDPOINT.decode(_ENCODER.encode(endpoint))
    except msgspec.MsgspecError as exc:
        return str(exc)
    return ""


def encode_endpoints(endpoints: Iterable[Endpoint]) -> bytes:
    """Encode *endpoints* as a list."""
    return _ENCODER.encode(tuple(endpoints))


def encode_changes(changes: Changes) -> bytes:
    """Encode *changes*; empty lists are left out."""
    return _ENCODER.encode(changes)


def decode_filter(body: bytes) -> FilterDocument:
    """Decode the answer of the negotiation. The patterns are not compiled.

    Raises:
        WireError: the body is not a domain filter, exceeds a bound, or has both lists and patterns.
    """
    try:
        found = _FILTER.decode(body)
    except (msgspec.MsgspecError, RecursionError, UnicodeError) as exc:
        raise WireError.from_cause("a domain filter", exc) from exc
    if (found.include or found.exclude) and (found.regex_include or found.regex_exclude):
        raise WireError.from_cause("a domain filter", "cannot have both domain list and regex")
    return found
