"""Checks of the negotiation, the domain filter and the list of records (docs/spec/plan.md 6.2.1 and 6.2.2)."""

from __future__ import annotations

from typing import Final

from extdns.errors import sanitize
from extdns.model.dns_name import DnsName
from extdns.model.selection import DomainFilter
from extdns.webhook_check.exchange import RawAnswer
from extdns.webhook_check.scratch import Scratch, ViolationError, decode, describe
from providers.webhook.filters import parse_filter
from providers.webhook.wire import (
    MEDIA_TYPE,
    RECORDS_PATH,
    RECORDS_READ,
    Changes,
    FilterDocument,
    WireError,
    decode_filter,
    is_media_type,
)

_ACCEPT: Final = {"Accept": MEDIA_TYPE}


def check_negotiation(scratch: Scratch) -> None:
    """Check that GET of the URL answers 2xx."""
    answer = _negotiate(scratch)
    if not answer.is_success:
        raise ViolationError(answer.describe())


def check_negotiated_media_type(scratch: Scratch) -> None:
    """Check that the answer to the negotiation has exactly the media type of the protocol."""
    require_media_type(_negotiate(scratch))


def check_filter(scratch: Scratch) -> None:
    """Check that the answer to the negotiation is a domain filter that external-dns can read."""
    _parse_filter(_read_filter(scratch))


def check_zone_in_filter(scratch: Scratch) -> None:
    """Check that the domain filter matches names in the zone."""
    document = _read_filter(scratch)
    if not _parse_filter(document).matches(DnsName.parse(scratch.domain)):
        raise ViolationError(
            f"the domain filter does not match {scratch.domain}: include {_join(document.include)}, exclude "
            f"{_join(document.exclude)}, regexInclude {sanitize(document.regex_include) or 'nothing'}, regexExclude "
            f"{sanitize(document.regex_exclude) or 'nothing'}; give a --zone that it matches"
        )


def check_records(scratch: Scratch) -> None:
    """Check that GET /records answers 200 and a list of endpoints, none of them below the domain of the kit.

    Store the endpoints in `Scratch.others`.
    """
    answer = _get_records(scratch)
    decode(answer)
    if answer.status != RECORDS_READ:
        raise ViolationError(answer.describe())
    if scratch.list_own():
        raise ViolationError(f"GET {RECORDS_PATH} lists records below {scratch.domain}, which nobody has created")
    scratch.others = scratch.list_others()


def check_records_media_type(scratch: Scratch) -> None:
    """Check that the answer of GET /records has exactly the media type of the protocol."""
    require_media_type(_get_records(scratch))


def check_record_form(scratch: Scratch) -> None:
    """Create a record, then check that the list of records can be decoded and its names have no trailing dot."""
    scratch.send_changes(Changes(create=scratch.adjust(scratch.build("form", "A", "192.0.2.1", "192.0.2.2"))))
    for endpoint in scratch.list_all():
        if not endpoint.dns_name or not endpoint.record_type:
            raise ViolationError(f"GET {RECORDS_PATH} lists an endpoint without dnsName or recordType")
        if endpoint.dns_name.endswith("."):
            raise ViolationError(f"GET {RECORDS_PATH} lists {describe(endpoint)} with a trailing dot in dnsName")


def check_unique_records(scratch: Scratch) -> None:
    """Check that no two listed endpoints have the same name, type and set identifier."""
    seen = set()
    for endpoint in scratch.list_all():
        if endpoint.identity in seen:
            raise ViolationError(
                f"GET {RECORDS_PATH} lists {describe(endpoint)} more than once; one endpoint has all targets"
            )
        seen.add(endpoint.identity)


def require_media_type(answer: RawAnswer) -> None:
    """Compare the media type of *answer* as external-dns does.

    Raises:
        ViolationError: it is not that of the protocol.
    """
    if not is_media_type(answer.media_type):
        found = f"Content-Type {sanitize(answer.media_type)}" if answer.media_type else "no Content-Type"
        raise ViolationError(f"{answer.request} answered {answer.status} with {found}, not {MEDIA_TYPE}")


def _negotiate(scratch: Scratch) -> RawAnswer:
    return scratch.server.send("GET", "", headers=_ACCEPT)


def _get_records(scratch: Scratch) -> RawAnswer:
    return scratch.server.send("GET", RECORDS_PATH, headers=_ACCEPT)


def _read_filter(scratch: Scratch) -> FilterDocument:
    answer = _negotiate(scratch)
    try:
        return decode_filter(answer.body)
    except WireError as exc:
        raise ViolationError(f"{answer.describe()}: no domain filter: {exc}") from exc


def _parse_filter(document: FilterDocument) -> DomainFilter:
    try:
        return parse_filter(document)
    except ValueError as exc:
        raise ViolationError(str(exc)) from exc


def _join(texts: tuple[str, ...] | None) -> str:
    return sanitize(", ".join(texts or ())) or "nothing"
