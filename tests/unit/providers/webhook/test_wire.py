"""The JSON of the webhook protocol (docs/spec/plan.md 6.2.2): what is read, what is written, and what is refused."""

from __future__ import annotations

import pytest

from providers.webhook import wire
from providers.webhook.wire import Changes, Endpoint, FilterDocument, Property, WireError

WEB = Endpoint(
    dns_name="test.example.com",
    targets=("1.2.3.4",),
    record_type="A",
    record_ttl=10,
    labels={"owner": "default"},
)
WEB_JSON = (
    b'{"dnsName":"test.example.com","targets":["1.2.3.4"],"recordType":"A","recordTTL":10,"labels":{"owner":"default"}}'
)


def test_changes_are_encoded_as_the_specification_shows_and_without_empty_lists() -> None:
    assert wire.encode_changes(Changes(create=(WEB,))) == b'{"create":[' + WEB_JSON + b"]}"


def test_lists_of_changes_may_be_in_any_case_and_unknown_lists_are_ignored() -> None:
    body = b'{"Create":[' + WEB_JSON + b'],"updateold":null,"other":{"deep":[1]}}'
    assert wire.decode_changes(body) == Changes(create=(WEB,))


def test_every_field_of_an_endpoint_is_encoded_and_decoded_unchanged() -> None:
    full = Endpoint(
        dns_name="a.example.org",
        targets=("192.0.2.1", "192.0.2.2"),
        record_type="A",
        set_identifier="blue",
        record_ttl=300,
        labels={"resource": "service/shop/web"},
        provider_specific=(Property(name="aws/weight", value="10"), Property(name="alias", value="true")),
    )
    changes = Changes(update_old=(WEB,), update_new=(full,), delete=(full,))
    assert wire.decode_changes(wire.encode_changes(changes)) == changes
    assert wire.decode_endpoints(wire.encode_endpoints([full])) == (full,)
    assert full.properties == (("alias", "true"), ("aws/weight", "10"))


@pytest.mark.parametrize(
    "body",
    [b"null", b"[]", b'[{"dnsName":"x","targets":null,"setIdentifier":null,"recordTTL":null,"labels":null,"new":[]}]'],
    ids=["null", "empty", "null fields"],
)
def test_null_and_missing_fields_of_an_endpoint_count_as_empty(body: bytes) -> None:
    assert all(not one.targets and not one.record_ttl for one in wire.decode_endpoints(body))


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{}",
        b"[null]",
        b'[{"dnsName":1}]',
        b'[{"dnsName":"\xff"}]',
        b'[{"recordTTL":1.5}]',
        b'[{"recordTTL":99999999999999999999}]',
        b'[{"dnsName":"' + b"a" * (wire.MAX_NAME_CHARACTERS + 1) + b'"}]',
        b'[{"targets":[' + b'"a",' * wire.MAX_TARGETS + b'"a"]}]',
        b"[" + b"{}," * wire.MAX_ENDPOINTS + b"{}]",
        b"[" * 100_000,
        b'[{"unknown":' + b"[" * 1_000_000,
    ],
    ids=[
        "nothing",
        "another document",
        "null endpoint",
        "another type",
        "no UTF-8",
        "fractional TTL",
        "endless TTL",
        "long name",
        "many targets",
        "many endpoints",
        "deep",
        "deep where nothing is read",
    ],
)
def test_a_body_that_is_no_list_of_endpoints_or_is_too_large_is_refused_with_a_short_message(body: bytes) -> None:
    with pytest.raises(WireError, match="a list of endpoints") as refused:
        wire.decode_endpoints(body)
    assert len(str(refused.value)) < 1000


def test_updates_with_unequal_numbers_of_old_and_new_records_are_refused() -> None:
    with pytest.raises(WireError, match="1 of updateOld and 0 of updateNew do not pair"):
        wire.decode_changes(b'{"updateOld":[' + WEB_JSON + b"]}")


def test_a_filter_has_either_domains_or_patterns_and_an_empty_filter_matches_everything() -> None:
    assert wire.decode_filter(b"{}") == FilterDocument()
    assert wire.decode_filter(b'{"include":["example.com"],"exclude":null}').include == ("example.com",)
    assert wire.encode_filter(FilterDocument(include=("example.com",))) == b'{"include":["example.com"]}'
    assert wire.encode_filter(FilterDocument(regex_include=r"\.org$")) == rb'{"regexInclude":"\\.org$"}'
    with pytest.raises(WireError, match="cannot have both domain list and regex"):
        wire.decode_filter(b'{"include":["example.com"],"regexExclude":"x"}')
