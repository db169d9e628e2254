"""A provider answers the webhook protocol as external-dns needs it (docs/design/webhook-check.md).

The docstring of each test is what the protocol says. The first tests write nothing, and no other runs unless the
provider says that it manages the zone.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Final

import pytest
from msgspec.structs import replace

from extdns.errors import sanitize
from extdns.model.dns_name import DnsName
from extdns.model.selection import DomainFilter
from extdns.model.value import format_count
from providers.webhook.filters import parse_filter
from providers.webhook.wire import (
    ADJUST_PATH,
    APPLIED,
    MEDIA_TYPE,
    RECORDS_PATH,
    Changes,
    Endpoint,
    FilterDocument,
    WireError,
    decode_filter,
    encode_changes,
    encode_endpoints,
)
from tests.conformance.webhook.exchange import BrokenExchangeError, RawAnswer
from tests.conformance.webhook.scratch import (
    MEDIA_TYPE_HEADERS,
    TTL_S,
    Scratch,
    ViolationError,
    decode,
    describe,
    has_same_targets,
)

needs: Final = pytest.mark.needs.with_args

ACCEPT: Final = {"Accept": MEDIA_TYPE}
OK: Final = 200
CLIENT_ERRORS: Final = range(400, 500)
TEMPORARY: Final = range(500, 511)
CONCURRENT: Final = 8
PER_ADDRESS_BYTE: Final = 250
NEW_TTL_S: Final = 600
LONG: Final = 300
"""Characters of an ownership record that needs more than one string of 255 bytes."""

OWNERSHIP: Final = "heritage=external-dns,external-dns/owner=extdns-check,external-dns/resource=service/shop/web"

# Negotiation and domain filter


def negotiate(scratch: Scratch) -> RawAnswer:
    return scratch.server.send("GET", "", headers=ACCEPT)


def require_media_type(answer: RawAnswer) -> None:
    if answer.media_type != MEDIA_TYPE:
        found = f"Content-Type {sanitize(answer.media_type)}" if answer.media_type else "no Content-Type"
        raise ViolationError(f"{answer.request} answered {answer.status} with {found}, not {MEDIA_TYPE}")


def read_filter(scratch: Scratch) -> tuple[FilterDocument, DomainFilter]:
    answer = negotiate(scratch)
    try:
        document = decode_filter(answer.body)
        return document, parse_filter(document)
    except WireError as exc:
        raise ViolationError(f"{answer.describe()}: no domain filter: {exc}") from exc
    except ValueError as exc:
        raise ViolationError(str(exc)) from exc


def join(texts: tuple[str, ...] | None) -> str:
    return sanitize(", ".join(texts or ())) or "nothing"


def test_the_negotiation_succeeds(scratch: Scratch) -> None:
    """GET of the URL answers 2xx (docs/spec/plan.md 6.2.1)."""
    answer = negotiate(scratch)
    if not answer.is_success:
        raise ViolationError(answer.describe())


@needs(test_the_negotiation_succeeds)
def test_the_negotiation_has_the_media_type(scratch: Scratch) -> None:
    """The media type is compared as an exact string (docs/spec/plan.md 6.2.1)."""
    require_media_type(negotiate(scratch))


@needs(test_the_negotiation_succeeds)
def test_the_negotiation_returns_a_domain_filter(scratch: Scratch) -> None:
    """A domain filter has lists or patterns, not both; {} matches all (docs/spec/plan.md 6.2.2)."""
    read_filter(scratch)


@needs(test_the_negotiation_returns_a_domain_filter)
def test_the_domain_filter_matches_names_in_the_zone(scratch: Scratch) -> None:
    """External-dns manages only names that the domain filter matches (docs/spec/plan.md 6.2.1)."""
    document, domains = read_filter(scratch)
    if not domains.matches(DnsName.parse(scratch.domain)):
        raise ViolationError(
            f"the domain filter does not match {scratch.domain}: include {join(document.include)}, exclude "
            f"{join(document.exclude)}, regexInclude {sanitize(document.regex_include) or 'nothing'}, regexExclude "
            f"{sanitize(document.regex_exclude) or 'nothing'}; give a --webhook-zone that it matches"
        )


# The list of records, and what is adjusted


def get_records(scratch: Scratch) -> RawAnswer:
    return scratch.server.send("GET", RECORDS_PATH, headers=ACCEPT)


def build_samples(scratch: Scratch) -> tuple[Endpoint, ...]:
    web = scratch.build("adjust", "A", "192.0.2.1")
    return web, replace(scratch.build("adjust-properties", "A", "192.0.2.1"), provider_specific=scratch.properties)


def adjust_samples(scratch: Scratch) -> RawAnswer:
    return scratch.server.send("POST", ADJUST_PATH, encode_endpoints(build_samples(scratch)), MEDIA_TYPE_HEADERS)


@needs(test_the_domain_filter_matches_names_in_the_zone)
def test_records_are_a_list_of_endpoints(scratch: Scratch) -> None:
    """GET /records answers 200 and an array of Endpoint, or null (docs/spec/plan.md 6.2.1)."""
    answer = get_records(scratch)
    decode(answer)
    if answer.status != OK:
        raise ViolationError(answer.describe())
    if scratch.list_own():
        raise ViolationError(f"GET {RECORDS_PATH} lists records below {scratch.domain}, which nobody has created")
    scratch.others = scratch.list_others()


@needs(test_records_are_a_list_of_endpoints)
def test_records_have_the_media_type(scratch: Scratch) -> None:
    """The media type is compared as an exact string (docs/spec/plan.md 6.2.1)."""
    require_media_type(get_records(scratch))


@needs(test_the_domain_filter_matches_names_in_the_zone)
def test_adjusted_endpoints_are_a_list_of_endpoints(scratch: Scratch) -> None:
    """POST /adjustendpoints answers 200 and an array of Endpoint (docs/spec/plan.md 6.2.1)."""
    answer = adjust_samples(scratch)
    decode(answer)
    if answer.status != OK:
        raise ViolationError(answer.describe())


@needs(test_adjusted_endpoints_are_a_list_of_endpoints)
def test_adjusted_endpoints_have_the_media_type(scratch: Scratch) -> None:
    """The media type is compared as an exact string (docs/spec/plan.md 6.2.1)."""
    require_media_type(adjust_samples(scratch))


@needs(test_adjusted_endpoints_are_a_list_of_endpoints)
def test_an_empty_list_is_adjusted_to_an_empty_list(scratch: Scratch) -> None:
    """The list is empty if no object requests a name (docs/spec/plan.md 6.2.1)."""
    if found := scratch.request_adjustment(b"[]"):
        raise ViolationError(f"POST {ADJUST_PATH} returned {len(found)} endpoints for an empty list")


@needs(test_adjusted_endpoints_are_a_list_of_endpoints)
def test_adjusted_endpoints_keep_name_type_and_set_identifier(scratch: Scratch) -> None:
    """Adjusted endpoints are matched with the objects by name, type and set identifier (docs/spec/plan.md 6.2.1)."""
    samples = build_samples(scratch)
    requested = {one.identity for one in samples}
    for one in scratch.request_adjustment(encode_endpoints(samples)):
        if one.identity not in requested:
            raise ViolationError(f"POST {ADJUST_PATH} returned {describe(one)}, which was not in the request")
    scratch.can_adjust = True


@needs(test_adjusted_endpoints_keep_name_type_and_set_identifier)
def test_adjusted_endpoints_keep_their_labels(scratch: Scratch) -> None:
    """The labels of the adjusted endpoint become the ownership record (docs/spec/plan.md 2.6)."""
    samples = build_samples(scratch)
    expected = {one.identity: one.labels for one in samples}
    for one in scratch.adjust(*samples):
        missing = (expected[one.identity] or {}).items() - (one.labels or {}).items()
        if missing:
            names = ", ".join(sorted(name for name, _ in missing))
            raise ViolationError(f"POST {ADJUST_PATH} returned {describe(one)} without the labels {names}")


@needs(test_adjusted_endpoints_keep_name_type_and_set_identifier)
def test_adjusting_an_adjusted_endpoint_changes_nothing(scratch: Scratch) -> None:
    """Every loop adjusts the desired endpoints and compares them with the records (docs/spec/plan.md 1.2)."""
    once = scratch.adjust(*build_samples(scratch))
    for before, after in zip(once, scratch.adjust(*once), strict=True):
        fields = ("targets", "record_ttl", "properties")
        if changed := [field for field in fields if getattr(before, field) != getattr(after, field)]:
            raise ViolationError(
                f"{describe(before)}: the second POST {ADJUST_PATH} changes {', '.join(changed)} again"
            )


@needs(test_adjusted_endpoints_are_a_list_of_endpoints, test_records_are_a_list_of_endpoints)
def test_adjusting_creates_no_record(scratch: Scratch) -> None:
    """Only POST /records applies changes (docs/spec/plan.md 6.2.1)."""
    sample = scratch.build("adjust-only", "A", "192.0.2.1")
    scratch.request_adjustment(encode_endpoints((sample,)))
    if sample.identity in scratch.list_own():
        raise ViolationError(f"POST {ADJUST_PATH} has created {describe(sample)}")


@needs(test_records_are_a_list_of_endpoints)
def test_a_listed_endpoint_has_the_form_of_the_protocol(scratch: Scratch) -> None:
    """An Endpoint has the JSON of docs/spec/plan.md 0.1, or the list is not read at all; dnsName has no final dot."""
    scratch.send_changes(Changes(create=scratch.adjust(scratch.build("form", "A", "192.0.2.1", "192.0.2.2"))))
    for endpoint in scratch.list_all():
        if not endpoint.dns_name or not endpoint.record_type:
            raise ViolationError(f"GET {RECORDS_PATH} lists an endpoint without dnsName or recordType")
        if endpoint.dns_name.endswith("."):
            raise ViolationError(f"GET {RECORDS_PATH} lists {describe(endpoint)} with a trailing dot in dnsName")


@needs(test_a_listed_endpoint_has_the_form_of_the_protocol)
def test_a_record_is_one_endpoint_with_all_targets(scratch: Scratch) -> None:
    """Name, type and set identifier identify an Endpoint, which has all targets (docs/spec/plan.md 0.1)."""
    seen = set()
    for endpoint in scratch.list_all():
        if endpoint.identity in seen:
            raise ViolationError(
                f"GET {RECORDS_PATH} lists {describe(endpoint)} more than once; one endpoint has all targets"
            )
        seen.add(endpoint.identity)


# Creates come back as they were applied


def create_if_supported(scratch: Scratch, *endpoints: Endpoint) -> tuple[Endpoint, ...]:
    """Create records, one request each, and return them as they were adjusted.

    Skip the test if one is refused and nothing of it is stored, which the protocol allows.
    """
    for endpoint in (adjusted := scratch.adjust(*endpoints)):
        answer = scratch.send_changes(Changes(create=(endpoint,)))
        if not answer.is_success:
            if endpoint.identity in scratch.list_own():
                raise ViolationError(f"{answer.describe()}, but {describe(endpoint)} is in GET {RECORDS_PATH}")
            pytest.skip(
                f"{answer.describe()}; if POST {ADJUST_PATH} left out what cannot be stored, other changes would not "
                f"fail with it"
            )
    scratch.expect(*adjusted)
    return adjusted


@needs(test_a_listed_endpoint_has_the_form_of_the_protocol)
def test_a_created_record_is_listed(scratch: Scratch) -> None:
    """What 204 confirms is in the next GET /records, or the change is made in every loop (docs/spec/plan.md 2.5)."""
    scratch.create(scratch.build("create", "A", "192.0.2.1"))


@needs(test_a_created_record_is_listed)
def test_changes_are_answered_with_204(scratch: Scratch) -> None:
    """POST /records answers 204. At another status below 500 external-dns ends (docs/spec/plan.md 6.2.1)."""
    answer = scratch.send_changes(Changes(create=scratch.adjust(scratch.build("status", "A", "192.0.2.1"))))
    if answer.status != APPLIED:
        raise ViolationError(f"{answer.describe()}, not {APPLIED}")


@needs(test_records_are_a_list_of_endpoints)
def test_a_request_without_changes_succeeds(scratch: Scratch) -> None:
    """Empty lists are omitted: {} is no change (docs/spec/plan.md 6.2.2)."""
    scratch.apply(Changes())


@needs(test_a_created_record_is_listed, test_a_record_is_one_endpoint_with_all_targets)
def test_a_record_with_three_targets_is_listed_with_all(scratch: Scratch) -> None:
    """A record whose targets differ from the adjusted endpoint is updated in every loop (docs/spec/plan.md 2.6)."""
    scratch.create(scratch.build("targets", "A", "192.0.2.1", "192.0.2.2", "192.0.2.3"))


@needs(test_a_created_record_is_listed)
def test_a_wildcard_is_listed_with_its_asterisk(scratch: Scratch) -> None:
    """The dnsName is the name itself, with * in it (docs/spec/plan.md 0.1)."""
    scratch.create(scratch.build("*.wildcard", "A", "192.0.2.1"))


@needs(test_a_created_record_is_listed)
@pytest.mark.parametrize(("rtype", "target"), [("AAAA", "2001:db8::1"), ("CNAME", "target.example.com")])
def test_a_record_of_a_default_type_comes_back_unchanged(scratch: Scratch, rtype: str, target: str) -> None:
    """A record whose targets differ from the adjusted endpoint is updated in every loop (docs/spec/plan.md 2.6)."""
    scratch.create(scratch.build(f"type-{rtype.lower()}", rtype, target))


@needs(test_a_created_record_is_listed)
def test_an_ownership_record_comes_back_unchanged(scratch: Scratch) -> None:
    """An ownership record is a TXT record, and is not adjusted (docs/spec/plan.md 3.2.3)."""
    record = scratch.build("type-txt", "TXT", f'"{OWNERSHIP}"')
    scratch.apply(Changes(create=(record,)))
    scratch.expect(record)


@needs(test_an_ownership_record_comes_back_unchanged)
def test_a_long_ownership_record_comes_back_complete(scratch: Scratch) -> None:
    """The provider splits values into strings of 255 bytes, and joins them (docs/spec/plan.md 3.2.3)."""
    record = scratch.build("long-txt", "TXT", f'"{OWNERSHIP}{"w" * LONG}"')
    scratch.apply(Changes(create=(record,)))
    scratch.expect(record)


@needs(test_a_created_record_is_listed)
@pytest.mark.parametrize(
    ("rtype", "target", "labels"),
    [
        ("MX", "10 mail.example.com", "type-mx"),
        ("SRV", "10 20 5060 sip.example.com.", "_sip._tcp.type-srv"),
        ("NS", "ns1.example.com", "type-ns"),
        ("NAPTR", '100 10 "S" "SIP+D2U" "" _sip._udp.example.com.', "type-naptr"),
        ("PTR", "host.example.com", "type-ptr"),
        ("DNAME", "target.example.com", "type-dname"),
    ],
)
def test_a_record_of_another_type_is_refused_or_comes_back_unchanged(
    scratch: Scratch, rtype: str, target: str, labels: str
) -> None:
    """A provider may refuse the type. MX has two fields, SRV four, the last with a dot (docs/spec/plan.md 0.4)."""
    if rtype == "PTR" and not scratch.zone.endswith(".arpa"):
        pytest.skip("PTR records are checked in zones below arpa only")
    create_if_supported(scratch, scratch.build(labels, rtype, target))


def expect_ttl(scratch: Scratch, applied: Endpoint) -> None:
    (listed,) = scratch.read(applied)
    if applied.record_ttl and listed.record_ttl != applied.record_ttl:
        raise ViolationError(
            f"{describe(applied)}: the TTL {applied.record_ttl} was applied, but GET {RECORDS_PATH} returns "
            f"{listed.record_ttl or 'none'}; a TTL that cannot be stored must be changed by POST {ADJUST_PATH}"
        )


@needs(test_a_created_record_is_listed)
def test_a_record_is_listed_with_its_ttl(scratch: Scratch) -> None:
    """A record whose TTL differs from the adjusted endpoint is updated in every loop (docs/spec/plan.md 2.6)."""
    (applied,) = scratch.create(scratch.build("ttl", "A", "192.0.2.1"))
    expect_ttl(scratch, applied)


def build_sets(scratch: Scratch, labels: str) -> tuple[Endpoint, Endpoint]:
    """Return two records of one name and type that differ by their set identifier and targets."""
    one, other = scratch.build(labels, "A", "192.0.2.1"), scratch.build(labels, "A", "192.0.2.2")
    return (
        replace(one, set_identifier="one", provider_specific=scratch.properties),
        replace(other, set_identifier="two", provider_specific=scratch.properties),
    )


@needs(test_a_created_record_is_listed)
def test_records_with_different_set_identifiers_are_separate_records(scratch: Scratch) -> None:
    """Name, type and set identifier identify a record (docs/spec/plan.md 0.1)."""
    create_if_supported(scratch, *build_sets(scratch, "sets"))


@needs(test_a_created_record_is_listed)
def test_a_record_is_listed_with_the_properties_of_its_adjusted_endpoint(scratch: Scratch) -> None:
    """A desired property that is missing causes an update in every loop (docs/spec/plan.md 2.6)."""
    sample = replace(scratch.build("properties", "A", "192.0.2.1"), provider_specific=scratch.properties)
    (applied,) = create_if_supported(scratch, sample)
    (listed,) = scratch.read(applied)
    before, after = dict(applied.properties), dict(listed.properties)
    for name in sorted(before.keys() | after.keys()):
        if before.get(name) != after.get(name):
            found = [sanitize(repr(one[name])) if name in one else "missing" for one in (before, after)]
            raise ViolationError(
                f"{describe(applied)}: property {sanitize(name)} was {found[0]} after {ADJUST_PATH}, "
                f"and is {found[1]} in GET {RECORDS_PATH}"
            )
    if not applied.properties:
        pytest.skip(f"{ADJUST_PATH} drops the properties; give --webhook-property=NAME=VALUE that the provider has")


# Updates and deletes change exactly what they name


def update(scratch: Scratch, *desired: Endpoint) -> None:
    new = scratch.adjust(*desired)
    scratch.apply(Changes(update_old=scratch.read(*new), update_new=new))
    scratch.expect(*new)


def check_delete(scratch: Scratch, deleted: Endpoint, *others: Endpoint) -> None:
    """Create the records *deleted* and *others*, delete *deleted*, and check that *others* are listed unchanged."""
    created = scratch.create(deleted, *others)
    scratch.delete(deleted)
    own = scratch.list_own()
    if deleted.identity in own:
        raise ViolationError(f"{describe(deleted)} was deleted, but GET {RECORDS_PATH} still lists it")
    for one in created[1:]:
        found = own.get(one.identity)
        if found is None or not has_same_targets(one, found):
            raise ViolationError(f"the delete of {describe(deleted)} has changed or deleted {describe(one)}, too")


@needs(test_a_created_record_is_listed)
def test_an_update_replaces_the_targets(scratch: Scratch) -> None:
    """The record of updateNew replaces that of updateOld (docs/spec/plan.md 6.2.2)."""
    record = scratch.build("update", "A", "192.0.2.1")
    scratch.create(record)
    update(scratch, replace(record, targets=("192.0.2.2",)))


@needs(test_a_record_is_listed_with_its_ttl, test_an_update_replaces_the_targets)
def test_an_update_of_the_ttl_alone_is_made(scratch: Scratch) -> None:
    """A record whose TTL differs from the adjusted endpoint is updated in every loop (docs/spec/plan.md 2.6)."""
    record = scratch.build("ttl-update", "A", "192.0.2.1", ttl_s=TTL_S)
    scratch.create(record)
    (new,) = scratch.adjust(replace(record, record_ttl=NEW_TTL_S))
    scratch.apply(Changes(update_old=scratch.read(record), update_new=(new,)))
    expect_ttl(scratch, new)


@needs(test_an_update_replaces_the_targets)
def test_one_request_makes_several_updates(scratch: Scratch) -> None:
    """The lists updateOld and updateNew are paired by index; all pairs are made (docs/spec/plan.md 6.2.2)."""
    records = [scratch.build(f"update-{number}", "A", f"192.0.2.{number}") for number in range(1, 4)]
    scratch.create(*records)
    update(scratch, *(replace(one, targets=(f"198.51.100.{at}",)) for at, one in enumerate(records, 1)))


@needs(test_a_created_record_is_listed)
def test_a_deleted_record_is_not_listed(scratch: Scratch) -> None:
    """What 204 confirms is in the next GET /records, or the change is made in every loop (docs/spec/plan.md 2.5)."""
    check_delete(scratch, scratch.build("delete", "A", "192.0.2.1"))


@needs(test_a_deleted_record_is_not_listed, test_an_ownership_record_comes_back_unchanged)
def test_a_delete_leaves_the_other_types_at_the_name(scratch: Scratch) -> None:
    """The type is part of the identity of a record (docs/spec/plan.md 0.1)."""
    record = scratch.build("delete-type", "A", "192.0.2.1")
    check_delete(scratch, record, scratch.build("delete-type", "TXT", '"heritage=external-dns"'))


@needs(test_a_deleted_record_is_not_listed)
def test_a_delete_leaves_names_below_and_similar_names(scratch: Scratch) -> None:
    """The name is part of the identity of a record (docs/spec/plan.md 0.1)."""
    names = ("www.delete-name", "a-delete-name", "delete-name-a")
    check_delete(
        scratch,
        scratch.build("delete-name", "A", "192.0.2.1"),
        *(scratch.build(name, "A", "192.0.2.1") for name in names),
    )


@needs(test_a_deleted_record_is_not_listed, test_records_with_different_set_identifiers_are_separate_records)
def test_a_delete_leaves_the_other_set_identifiers(scratch: Scratch) -> None:
    """The set identifier is part of the identity of a record (docs/spec/plan.md 0.1)."""
    check_delete(scratch, *build_sets(scratch, "delete-sets"))


@needs(
    test_a_deleted_record_is_not_listed,
    test_a_record_of_a_default_type_comes_back_unchanged,
)
def test_one_request_replaces_a_record_by_one_of_another_type(scratch: Scratch) -> None:
    """A change of type is a delete and a create in one request (docs/spec/plan.md 2.7)."""
    before = scratch.build("type-change", "A", "192.0.2.1")
    scratch.create(before)
    after = scratch.adjust(scratch.build("type-change", "CNAME", "target.example.com"))
    scratch.apply(Changes(create=after, delete=scratch.read(before)))
    scratch.expect(*after)
    scratch.expect_absent(before)


@needs(test_an_update_replaces_the_targets, test_a_deleted_record_is_not_listed)
def test_one_request_creates_updates_and_deletes(scratch: Scratch) -> None:
    """One request may have creates, updates and deletes (docs/spec/plan.md 6.2.2)."""
    updated, deleted, created = (scratch.build(f"mixed-{verb}", "A", "192.0.2.1") for verb in ("new", "old", "more"))
    scratch.create(updated, deleted)
    new = scratch.adjust(replace(updated, targets=("192.0.2.2",)))
    added = scratch.adjust(created)
    scratch.apply(Changes(create=added, update_old=scratch.read(updated), update_new=new, delete=scratch.read(deleted)))
    scratch.expect(*new, *added)
    scratch.expect_absent(deleted)


@needs(test_a_created_record_is_listed)
def test_keys_of_changes_may_begin_with_a_capital_letter(scratch: Scratch) -> None:
    """Keys are decoded without regard to case; external-dns wrote capitals up to v0.15 (docs/spec/plan.md 6.2.2)."""
    record = scratch.build("key-case", "A", "192.0.2.1")
    body = encode_changes(Changes(create=(record,))).replace(b'"create"', b'"Create"', 1)
    answer = scratch.server.send("POST", RECORDS_PATH, body, MEDIA_TYPE_HEADERS)
    if not answer.is_success or record.identity not in scratch.list_own():
        raise ViolationError(
            f'{answer.describe()} to {{"Create": […]}}; expected: 2xx, and {describe(record)} in the next GET '
            f"{RECORDS_PATH}"
        )


# Invalid requests, failures, concurrent and large requests


def require_client_error(answer: RawAnswer, body: bytes | None) -> None:
    if answer.status not in CLIENT_ERRORS:
        sent = f" to the body {body.decode()}" if body else ""
        raise ViolationError(f"{answer.describe()}{sent}; external-dns answers 400")


@needs(test_adjusted_endpoints_are_a_list_of_endpoints)
def test_a_body_that_is_not_json_is_refused(scratch: Scratch) -> None:
    """A body that is not JSON is answered with 400 (docs/spec/plan.md 6.2.3)."""
    for path, body in ((RECORDS_PATH, b'{"create": ['), (RECORDS_PATH, b'"text"'), (ADJUST_PATH, b'{"a": ')):
        require_client_error(scratch.server.send("POST", path, body, MEDIA_TYPE_HEADERS), body)


@needs(test_records_are_a_list_of_endpoints)
def test_other_methods_are_refused(scratch: Scratch) -> None:
    """Other methods are answered with 400 (docs/spec/plan.md 6.2.3)."""
    for method, path in (("PUT", RECORDS_PATH), ("GET", ADJUST_PATH)):
        body = b"{}" if method == "PUT" else None
        require_client_error(scratch.server.send(method, path, body, MEDIA_TYPE_HEADERS), body)


@needs(test_a_created_record_is_listed)
def test_one_invalid_change_does_not_block_the_valid_change_of_its_request(scratch: Scratch) -> None:
    """204 confirms all changes; after 500 to 510, what is missing is tried again (docs/spec/plan.md 1.4)."""
    valid = scratch.build("partial", "A", "192.0.2.1")
    invalid = scratch.build("partial-invalid", "A", "not-an-address")
    answer = scratch.send_changes(Changes(create=(valid, invalid)))
    if answer.is_success:
        scratch.expect(valid, invalid)
        return
    if answer.status not in TEMPORARY:
        raise ViolationError(f"{answer.describe()}: external-dns ends at a status other than 500 to 510")
    if valid.identity not in scratch.list_own():
        retried = scratch.send_changes(Changes(create=(valid,)))
        if not retried.is_success:
            raise ViolationError(
                f"after a request that failed, {describe(valid)} cannot be created: {retried.describe()}"
            )
    scratch.expect(valid)


@needs(test_records_are_a_list_of_endpoints)
def test_a_connection_can_be_used_again_after_each_answer(scratch: Scratch) -> None:
    """An answer ends where HTTP says; 204 has no body (docs/spec/plan.md 6.2.1; RFC 9110 section 15.3.5)."""
    empty = encode_changes(Changes())
    with scratch.server.connect() as send:
        try:
            for method, path, body in (
                ("POST", RECORDS_PATH, empty),
                ("POST", ADJUST_PATH, encode_endpoints(())),
                ("GET", RECORDS_PATH, None),
            ):
                answer = send(method, path, body, MEDIA_TYPE_HEADERS)
                if answer.status == APPLIED and answer.length not in {"", "0"}:
                    raise ViolationError(f"{answer.request} answered {APPLIED} with a body of {answer.length} bytes")
                if answer.closes:
                    return
        except BrokenExchangeError as exc:
            raise ViolationError(f"a connection that was used before cannot be used again: {exc}") from exc


@needs(test_a_created_record_is_listed)
def test_requests_at_the_same_time_do_not_undo_each_other(scratch: Scratch) -> None:
    """What 204 confirms is in the next GET /records, or the change is made in every loop (docs/spec/plan.md 2.5)."""
    records = [scratch.build(f"concurrent-{number}", "A", f"192.0.2.{number}") for number in range(1, CONCURRENT + 1)]
    with ThreadPoolExecutor(CONCURRENT) as pool:
        answers = list(pool.map(lambda record: scratch.send_changes(Changes(create=(record,))), records))
    own = scratch.list_own()
    for record, answer in zip(records, answers, strict=True):
        if answer.is_success and record.identity not in own:
            raise ViolationError(
                f"{CONCURRENT} requests at once: the create of {describe(record)} was confirmed with {answer.status}, "
                f"but GET {RECORDS_PATH} does not list it"
            )
    if failed := [answer for answer in answers if not answer.is_success and answer.status not in TEMPORARY]:
        raise ViolationError(f"{CONCURRENT} requests at once: {failed[0].describe()}")


@needs(test_a_deleted_record_is_not_listed, test_a_record_is_one_endpoint_with_all_targets)
def test_many_records_are_created_listed_and_deleted_in_one_request_each(scratch: Scratch) -> None:
    """One request has all changes, one answer all records, each within 15 s and 32 MiB (docs/spec/plan.md 6.2.1)."""
    count = scratch.large_count
    desired = (
        scratch.build(f"n{number}.many", "A", f"198.18.{number // PER_ADDRESS_BYTE}.{number % PER_ADDRESS_BYTE + 1}")
        for number in range(count)
    )
    records = scratch.adjust(*desired)
    scratch.apply(Changes(create=records))
    own = scratch.list_own()
    missing = [one for one in records if (found := own.get(one.identity)) is None or not has_same_targets(one, found)]
    if missing:
        raise ViolationError(
            f"{format_count(count, 'record')} were created in one request, but GET {RECORDS_PATH} lacks {len(missing)} "
            f"of them, such as {describe(missing[0])}"
        )
    scratch.apply(Changes(delete=scratch.read(*records)))
    scratch.expect_absent(*records)


@needs(test_a_listed_endpoint_has_the_form_of_the_protocol)
def test_the_records_of_others_stay_as_they_were(scratch: Scratch) -> None:
    """Only the records of a request change (docs/spec/plan.md 6.2.2)."""
    now = scratch.list_others()
    for identity, before in scratch.others.items():
        found = now.get(identity)
        if found is None:
            raise ViolationError(f"{describe(before)} was deleted, although no request named it")
        if not has_same_targets(before, found) or before.record_ttl != found.record_ttl:
            raise ViolationError(f"{describe(before)} was changed, although no request named it")
    for identity in now.keys() - scratch.others.keys():
        raise ViolationError(f"{describe(now[identity])} was created, although no request named it")
