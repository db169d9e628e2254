"""Checks of `/adjustendpoints`, by which a provider says what it would store (docs/spec/plan.md 6.2.1)."""

from __future__ import annotations

from typing import Final

from msgspec.structs import replace

from extdns.errors import sanitize
from extdns.webhook_check.negotiation_checks import require_media_type
from extdns.webhook_check.record_checks import create_if_supported
from extdns.webhook_check.scratch import MEDIA_TYPE_HEADERS, Scratch, UnsupportedError, ViolationError, decode, describe
from providers.webhook.wire import (
    ADJUST_PATH,
    ADJUSTED,
    RECORDS_PATH,
    Endpoint,
    encode_endpoints,
)


def check_adjustment(scratch: Scratch) -> None:
    """Check that POST /adjustendpoints answers 200 and a list of endpoints."""
    answer = scratch.server.send("POST", ADJUST_PATH, encode_endpoints(_build_samples(scratch)), MEDIA_TYPE_HEADERS)
    decode(answer)
    if answer.status != ADJUSTED:
        raise ViolationError(answer.describe())


def check_adjusted_media_type(scratch: Scratch) -> None:
    """Check that the answer of POST /adjustendpoints has exactly the media type of the protocol."""
    body = encode_endpoints(_build_samples(scratch))
    require_media_type(scratch.server.send("POST", ADJUST_PATH, body, MEDIA_TYPE_HEADERS))


def check_empty_adjustment(scratch: Scratch) -> None:
    """Check that an empty list is adjusted to an empty list."""
    if found := scratch.request_adjustment(b"[]"):
        raise ViolationError(f"POST {ADJUST_PATH} returned {len(found)} endpoints for an empty list")


def check_adjusted_identity(scratch: Scratch) -> None:
    """Check that adjusted endpoints have the name, type and set identifier of an endpoint of the request.

    If so, later checks adjust their records, too.
    """
    samples = _build_samples(scratch)
    requested = {one.identity for one in samples}
    for one in scratch.request_adjustment(encode_endpoints(samples)):
        if one.identity not in requested:
            raise ViolationError(f"POST {ADJUST_PATH} returned {describe(one)}, which was not in the request")
    scratch.can_adjust = True


def check_adjusted_labels(scratch: Scratch) -> None:
    """Check that adjusted endpoints have the labels of the endpoints in the request."""
    samples = _build_samples(scratch)
    expected = {one.identity: one.labels for one in samples}
    for one in scratch.adjust(*samples):
        missing = (expected[one.identity] or {}).items() - (one.labels or {}).items()
        if missing:
            names = ", ".join(sorted(name for name, _ in missing))
            raise ViolationError(f"POST {ADJUST_PATH} returned {describe(one)} without the labels {names}")


def check_idempotent_adjustment(scratch: Scratch) -> None:
    """Check that adjusting an adjusted endpoint changes nothing."""
    once = scratch.adjust(*_build_samples(scratch))
    for before, after in zip(once, scratch.adjust(*once), strict=True):
        if changed := [field for field in _FIELDS if getattr(before, field) != getattr(after, field)]:
            raise ViolationError(
                f"{describe(before)}: the second POST {ADJUST_PATH} changes {', '.join(changed)} again"
            )


def check_pure_adjustment(scratch: Scratch) -> None:
    """Check that adjusting an endpoint does not make it a listed record."""
    sample = scratch.build("adjust-only", "A", "192.0.2.1")
    scratch.request_adjustment(encode_endpoints((sample,)))
    if sample.identity in scratch.list_own():
        raise ViolationError(f"POST {ADJUST_PATH} has created {describe(sample)}")


def check_properties(scratch: Scratch) -> None:
    """Check that a record is listed with exactly the properties that its adjusted endpoint has."""
    sample = replace(scratch.build("properties", "A", "192.0.2.1"), provider_specific=scratch.properties)
    (applied,) = create_if_supported(scratch, sample)
    (listed,) = scratch.read(applied)
    before, after = dict(applied.properties), dict(listed.properties)
    for name in sorted(before.keys() | after.keys()):
        if before.get(name) != after.get(name):
            raise ViolationError(
                f"{describe(applied)}: property {sanitize(name)} was {_quote(before.get(name))} after {ADJUST_PATH}, "
                f"and is {_quote(after.get(name))} in GET {RECORDS_PATH}"
            )
    if not applied.properties:
        raise UnsupportedError(f"{ADJUST_PATH} drops the properties; give --property=NAME=VALUE that the provider has")


_FIELDS: Final = ("targets", "record_ttl", "properties")


def _build_samples(scratch: Scratch) -> tuple[Endpoint, ...]:
    web = scratch.build("adjust", "A", "192.0.2.1")
    return web, replace(scratch.build("adjust-properties", "A", "192.0.2.1"), provider_specific=scratch.properties)


def _quote(value: str | None) -> str:
    return "missing" if value is None else repr(sanitize(value))
