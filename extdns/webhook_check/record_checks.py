"""Checks that records of each kind come back from `GET /records` as they were applied."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Final

from msgspec.structs import replace

from extdns.model import rrtype
from extdns.webhook_check.scratch import TTL_S, Scratch, UnsupportedError, ViolationError, describe
from providers.webhook.wire import ADJUST_PATH, APPLIED, RECORDS_PATH, Changes, Endpoint

_NEW_TTL_S: Final = 600
_LONG: Final = 300
"""Characters of an ownership record that needs more than one string of 255 bytes."""

REQUIRED: Final = {
    "AAAA": ("2001:db8::1",),
    "CNAME": ("target.example.com",),
    "TXT": ('"heritage=external-dns,external-dns/owner=extdns-check,external-dns/resource=service/shop/web"',),
}
"""Types that external-dns manages by default, and TXT for ownership records. The other checks use A."""

OPTIONAL: Final = {
    "MX": ("10 mail.example.com",),
    "SRV": ("10 20 5060 sip.example.com.",),
    "NS": ("ns1.example.com",),
    "NAPTR": ('100 10 "S" "SIP+D2U" "" _sip._udp.example.com.',),
    "PTR": ("host.example.com",),
    "DNAME": ("target.example.com",),
}
"""Types that a provider may refuse."""

_LABELS: Final = {rrtype.SRV: "_sip._tcp.type-srv"}


def check_create(scratch: Scratch) -> None:
    """Check that a created record is listed."""
    scratch.create(scratch.build("create", "A", "192.0.2.1"))


def check_apply_status(scratch: Scratch) -> None:
    """Check that the answer to `POST /records` has status 204."""
    answer = scratch.send_changes(Changes(create=scratch.adjust(scratch.build("status", "A", "192.0.2.1"))))
    if answer.status != APPLIED:
        raise ViolationError(f"{answer.describe()}, not {APPLIED}")


def check_no_changes(scratch: Scratch) -> None:
    """Check that `POST /records` without changes succeeds."""
    scratch.apply(Changes())


def check_several_targets(scratch: Scratch) -> None:
    """Check that a record with three targets is listed with all of them."""
    scratch.create(scratch.build("targets", "A", "192.0.2.1", "192.0.2.2", "192.0.2.3"))


def check_wildcard(scratch: Scratch) -> None:
    """Check that a record at a wildcard is listed under its name, with the `*`."""
    scratch.create(scratch.build("*.wildcard", "A", "192.0.2.1"))


def build_type_check(rtype: str) -> Callable[[Scratch], None]:
    """Return the check that records of *rtype* come back as they were applied."""
    return partial(_check_required_type if rtype in REQUIRED else _check_optional_type, rtype=rtype)


def _check_required_type(scratch: Scratch, rtype: str) -> None:
    record = _build_typed(scratch, rtype, REQUIRED[rtype])
    if rtype == rrtype.TXT:  # ownership records are not adjusted
        scratch.apply(Changes(create=(record,)))
        scratch.expect(record)
    else:
        scratch.create(record)


def _check_optional_type(scratch: Scratch, rtype: str) -> None:
    if rtype == rrtype.PTR and not scratch.zone.endswith(".arpa"):
        raise UnsupportedError("PTR records are checked in zones below arpa only")
    create_if_supported(scratch, _build_typed(scratch, rtype, OPTIONAL[rtype]))


def _build_typed(scratch: Scratch, rtype: str, targets: tuple[str, ...]) -> Endpoint:
    return scratch.build(_LABELS.get(rtype, f"type-{rtype.lower()}"), rtype, *targets)


def create_if_supported(scratch: Scratch, *endpoints: Endpoint) -> tuple[Endpoint, ...]:
    """Create records, one request each, and return them as they were adjusted.

    Raises:
        UnsupportedError: one was refused, and nothing of it was stored.
    """
    for endpoint in (adjusted := scratch.adjust(*endpoints)):
        answer = scratch.send_changes(Changes(create=(endpoint,)))
        if not answer.is_success:
            if endpoint.identity in scratch.list_own():
                raise ViolationError(f"{answer.describe()}, but {describe(endpoint)} is in GET {RECORDS_PATH}")
            raise UnsupportedError(
                f"{answer.describe()}; if POST {ADJUST_PATH} left out what cannot be stored, other changes would not "
                f"fail with it"
            )
    scratch.expect(*adjusted)
    return adjusted


def check_long_text(scratch: Scratch) -> None:
    """Check that an ownership record that is longer than one string of 255 bytes comes back complete."""
    text = f'"heritage=external-dns,external-dns/owner=extdns-check,external-dns/resource=service/shop/{"w" * _LONG}"'
    record = scratch.build("long-txt", "TXT", text)
    scratch.apply(Changes(create=(record,)))
    scratch.expect(record)


def check_ttl(scratch: Scratch) -> None:
    """Check that the TTL that was applied is listed."""
    (applied,) = scratch.create(scratch.build("ttl", "A", "192.0.2.1"))
    _expect_ttl(scratch, applied)


def check_ttl_update(scratch: Scratch) -> None:
    """Check that an update of the TTL alone is made."""
    record = scratch.build("ttl-update", "A", "192.0.2.1", ttl_s=TTL_S)
    scratch.create(record)
    (new,) = scratch.adjust(replace(record, record_ttl=_NEW_TTL_S))
    scratch.apply(Changes(update_old=scratch.read(record), update_new=(new,)))
    _expect_ttl(scratch, new)


def _expect_ttl(scratch: Scratch, applied: Endpoint) -> None:
    (listed,) = scratch.read(applied)
    if applied.record_ttl and listed.record_ttl != applied.record_ttl:
        raise ViolationError(
            f"{describe(applied)}: the TTL {applied.record_ttl} was applied, but GET {RECORDS_PATH} returns "
            f"{listed.record_ttl or 'none'}; a TTL that cannot be stored must be changed by POST {ADJUST_PATH}"
        )


def check_set_identifiers(scratch: Scratch) -> None:
    """Check that records of one name and type with different set identifiers are separate records."""
    create_if_supported(scratch, *build_sets(scratch, "sets"))


def build_sets(scratch: Scratch, labels: str) -> tuple[Endpoint, Endpoint]:
    """Return two records of one name and type that differ by their set identifier and targets."""
    one, other = scratch.build(labels, "A", "192.0.2.1"), scratch.build(labels, "A", "192.0.2.2")
    return (
        replace(one, set_identifier="one", provider_specific=scratch.properties),
        replace(other, set_identifier="two", provider_specific=scratch.properties),
    )
