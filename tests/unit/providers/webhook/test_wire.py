"""The JSON of the webhook protocol (docs/spec/plan.md 6.2.2): what is read, what is written, and what is refused."""

from __future__ import annotations

from threading import Event, Lock, Semaphore, Thread
from types import TracebackType

import pytest
from msgspec.structs import replace

from extdns.errors import RetryableError
from extdns.model.dns_name import DnsName
from extdns.model.record import RecordKey
from extdns.model.zone import Zone
from providers.common.zone_contents import ZoneContents
from providers.webhook import wire
from providers.webhook.record_cache import RecordCache
from providers.webhook.records import parse_records
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
        "many endpoints",
        "deep",
        "deep where nothing is read",
    ],
)
def test_a_body_that_is_no_list_of_endpoints_or_is_too_large_is_refused_with_a_short_message(body: bytes) -> None:
    with pytest.raises(WireError, match="a list of endpoints") as refused:
        wire.decode_endpoints(body)
    assert len(str(refused.value)) < 1000


@pytest.mark.parametrize(
    "large",
    [
        pytest.param(replace(WEB, targets=("192.0.2.1",) * (wire.MAX_TARGETS + 1)), id="targets"),
        pytest.param(replace(WEB, targets=("x" * (wire.MAX_TEXT_CHARACTERS + 1),)), id="long target"),
        pytest.param(replace(WEB, set_identifier="x" * (wire.MAX_IDENTIFIER_CHARACTERS + 1)), id="set identifier"),
        pytest.param(replace(WEB, labels={str(n): "" for n in range(wire.MAX_LABELS + 1)}), id="labels"),
        pytest.param(
            replace(WEB, provider_specific=(Property(name="x", value="y"),) * (wire.MAX_PROPERTIES + 1)),
            id="properties",
        ),
        pytest.param(
            replace(WEB, provider_specific=(Property(name="x" * (wire.MAX_IDENTIFIER_CHARACTERS + 1)),)),
            id="long property",
        ),
    ],
)
def test_a_record_that_is_larger_in_the_list_than_may_be_sent_is_read(large: Endpoint) -> None:
    assert wire.find_problem(large)
    assert wire.decode_endpoints(wire.encode_endpoints([WEB, large])) == (WEB, large)


def test_a_filter_has_either_domains_or_patterns_and_an_empty_filter_matches_everything() -> None:
    assert wire.decode_filter(b"{}") == FilterDocument()
    assert wire.decode_filter(b'{"include":["example.com"],"exclude":null}').include == ("example.com",)
    with pytest.raises(WireError, match="cannot have both domain list and regex"):
        wire.decode_filter(b'{"include":["example.com"],"regexExclude":"x"}')


# The conversion of the endpoints of a webhook to records (docs/design/webhook.md)


WEB_NAME = DnsName("web.example.org")


def endpoint(*targets: str, rtype: str = "A", dns_name: str = "web.example.org", identifier: str = "") -> Endpoint:
    return Endpoint(dns_name=dns_name, targets=targets, record_type=rtype, record_ttl=60, set_identifier=identifier)


def test_endpoints_of_one_record_are_one_record_with_the_targets_of_all() -> None:
    found = parse_records([endpoint("192.0.2.2"), endpoint("192.0.2.1", dns_name="WEB.example.org.")])
    (record,) = found[WEB_NAME]
    assert record.targets == ("192.0.2.1", "192.0.2.2")
    assert record.ttl_s == 60


def test_a_record_has_a_ttl_if_its_endpoint_states_one() -> None:
    unstated = Endpoint(dns_name="no-ttl.example.org", targets=("192.0.2.1",), record_type="A")
    found = parse_records([endpoint("192.0.2.1"), unstated])
    assert [(one.ttl_s, one.has_ttl) for records in found.values() for one in records] == [(60, True), (0, False)]


def test_endpoints_with_different_types_or_set_identifiers_are_records_of_their_own_in_order() -> None:
    found = parse_records(
        [
            endpoint("192.0.2.2", identifier="b"),
            endpoint("2001:db8::1", rtype="AAAA"),
            endpoint("192.0.2.1", identifier="a"),
        ]
    )
    assert [record.key for record in found[WEB_NAME]] == sorted(
        [RecordKey(WEB_NAME, "a", "A"), RecordKey(WEB_NAME, "b", "A"), RecordKey(WEB_NAME, "", "AAAA")]
    )


def test_endpoints_without_a_type_of_an_soa_record_or_at_an_invalid_name_are_left_out() -> None:
    assert (
        parse_records([endpoint("x", rtype=""), endpoint("x", rtype="SOA"), endpoint("192.0.2.1", dns_name="a..b")])
        == {}
    )


def test_an_endpoint_that_a_record_cannot_express_is_kept_exactly() -> None:
    plain, odd = endpoint("192.0.2.1"), endpoint("192.0.2.1", dns_name="odd.example.org")
    odd = Endpoint(
        dns_name=odd.dns_name,
        targets=odd.targets,
        record_type=odd.record_type,
        record_ttl=-5,
        provider_specific=(Property(name="alias", value="false"),),
    )
    found = parse_records([plain, odd])
    assert not found[WEB_NAME][0].exact
    assert found[DnsName("odd.example.org")][0].exact


# One read of all records can serve several callers


ZONE = Zone(name=DnsName("example.org"), id="example.org")


class CountedLock:
    """A lock that counts who tries to enter it."""

    def __init__(self) -> None:
        self.entered = Semaphore(0)
        self._lock = Lock()

    def __enter__(self) -> None:
        self.entered.release()
        self._lock.acquire()

    def __exit__(
        self, kind: type[BaseException] | None, exc: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._lock.release()


@pytest.mark.parametrize("fails", [False, True], ids=["read", "failed"])
def test_one_read_serves_all_callers_that_requested_it_before_it_began(fails: bool) -> None:
    reads: list[int] = []
    can_end = Event()

    def read() -> bytes:
        reads.append(len(reads))
        can_end.wait()
        if fails:
            raise RetryableError("no")
        return b""

    cache = RecordCache(read, lambda _: {})
    cache._read_lock = lock = CountedLock()  # type: ignore[assignment]
    failed: list[RetryableError] = []

    def get() -> None:
        try:
            cache.get(ZONE)
        except RetryableError as exc:
            failed.append(exc)

    threads = [Thread(target=get) for _ in range(8)]
    for thread in threads:
        thread.start()
    for _ in threads:
        lock.entered.acquire()
    can_end.set()
    for thread in threads:
        thread.join()
    assert len(reads) <= 2  # the first, and one for all who came while it ran
    assert len(failed) == (8 if fails else 0)


def test_a_response_equal_to_the_last_one_is_not_converted_again_until_the_zones_change() -> None:
    converted: list[bytes] = []

    def convert(body: bytes) -> dict[str, ZoneContents]:
        converted.append(body)
        return {}

    cache = RecordCache(lambda: b"same", convert)
    cache.get(ZONE)
    cache.get(ZONE)
    assert converted == [b"same"]
    cache.forget()
    cache.get(ZONE)
    assert converted == [b"same", b"same"]
