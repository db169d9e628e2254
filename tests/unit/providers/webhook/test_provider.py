"""The client of the webhook protocol in front of a fake webhook with state (docs/design/webhook.md)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace

from extdns.errors import ProviderError, RetryableError
from extdns.model.api_request import ApiCall
from extdns.model.change import Applied, Forbidden, Refused, TryLater, Unknown, WriteConflict
from extdns.model.dns_name import DnsName
from extdns.model.reason import Reason
from extdns.model.record import DesiredRecord
from extdns.model.value import StringMap
from extdns.model.zone import Zone
from providers.common.api_calls import CallOptions
from providers.webhook.provider import WebhookReader, WebhookWriter
from tests.conformance.provider import build_batch, build_desired, create, delete, update
from tests.fakes.service.answers import ApiError
from tests.fakes.service.faults import Drop, Fault, Meanwhile, Refuse, Replace, Stall
from tests.fakes.webhook.server import Action, WebhookServer
from tests.unit.providers.webhook.setting import build_webhook

ZONE = Zone(name=DnsName("example.org"), id="example.org")
WEB = DnsName("www.example.org")


@pytest.fixture
def fake() -> Iterator[WebhookServer]:
    with WebhookServer("example.org") as server:
        yield server


def start(fake: WebhookServer, **settings: object) -> tuple[WebhookReader, WebhookWriter]:
    reader, writer = build_webhook(fake.url, **settings)
    reader.list_zones()
    return reader, writer


@pytest.mark.parametrize(
    ("document", "domains", "zones"),
    [
        pytest.param('{"include":["b.test",".a.test"]}', ("x.test",), ["a.test", "b.test"], id="of the webhook"),
        pytest.param('{"include":["Faß.TEST."]}', (), ["fass.test"], id="in canonical form"),
        pytest.param("{}", ("a.test", ".b.test"), ["a.test", "b.test"], id="of --domain-filter"),
        pytest.param('{"regexInclude":"^(.+[.])?a[.]test$"}', ("a.test",), ["a.test"], id="beside a pattern"),
    ],
)
def test_zones_are_the_domains_of_the_webhook_or_if_it_has_none_those_of_the_domain_filter(
    fake: WebhookServer, document: str, domains: tuple[str, ...], zones: list[str]
) -> None:
    fake.faults.arm(Replace(document), action=Action.NEGOTIATE)
    reader, _ = build_webhook(fake.url, domains=domains)
    assert [zone.name for zone in reader.list_zones().zones] == zones


def test_without_any_domain_zones_cannot_be_listed_and_the_error_says_which_flag_to_set(fake: WebhookServer) -> None:
    fake.faults.arm(Replace("{}"), action=Action.NEGOTIATE)
    reader, _ = build_webhook(fake.url)
    with pytest.raises(ProviderError, match="name the zones with --domain-filter"):
        reader.list_zones()


def test_a_name_that_the_webhook_filter_excludes_is_refused_and_only_txt_records_there_are_read(
    fake: WebhookServer,
) -> None:
    fake.faults.arm(Replace('{"include":["example.org"],"exclude":["x.example.org"]}'), action=Action.NEGOTIATE)
    reader, _ = start(fake)
    fake.put("a.x.example.org", "A", "192.0.2.1")
    fake.put("a-a.x.example.org", "TXT", '"heritage=x"')
    (refusal,) = reader.adjust([build_desired("a.x.example.org", "A", "192.0.2.1")], ZONE).refused
    assert refusal.reason is Reason.UNSUPPORTED
    assert [record.type for record in reader.read_page(ZONE, None).records] == ["TXT"]


def test_a_name_in_capitals_is_read_in_lower_case_and_a_text_without_quotes_gets_quotes(fake: WebhookServer) -> None:
    reader, _ = start(fake)
    fake.put("www.example.org", "A", "192.0.2.2", "192.0.2.1", providerSpecific=[{"name": "p", "value": "v"}])
    fake.put("WWW.example.org.", "A", "192.0.2.3")
    fake.put("t.example.org", "TXT", "no quotes")
    by_name = {record.name: record for record in reader.read_page(ZONE, None).records}
    assert by_name[DnsName("t.example.org")].targets == ('"no quotes"',)
    assert by_name[WEB].targets == ("192.0.2.3",)


def test_what_becomes_of_a_record_is_unknown_until_the_webhook_has_adjusted_it(fake: WebhookServer) -> None:
    reader, _ = start(fake)
    desired = replace(
        build_desired("www.example.org", "A", "192.0.2.1"),
        labels=StringMap.from_items({"resource": "service/shop/web"}),
        properties=StringMap.from_items({"webhook/x": "1"}),
    )
    assert reader.adjust([desired], ZONE).unknown == (desired,)
    reader.load_adjustments([desired])
    assert reader.adjust([desired], ZONE).accepted == (desired,)
    assert b'"providerSpecific":[{"name":"webhook/x","value":"1"}]' in fake.calls[-1].body
    assert b'"labels":{"resource":"service/shop/web"}' in fake.calls[-1].body


def test_a_record_that_the_webhook_leaves_out_when_adjusting_is_refused(fake: WebhookServer) -> None:
    fake.unsupported = ("MX",)
    reader, _ = start(fake)
    records = [build_desired("www.example.org", "A", "192.0.2.1"), build_desired("m.example.org", "MX", "1 m.test")]
    reader.load_adjustments(records)
    adjusted = reader.adjust(records, ZONE)
    assert (adjusted.accepted, [one.desired for one in adjusted.refused]) == ((records[0],), [records[1]])


def test_a_request_to_adjust_records_has_at_most_one_record_of_each_name(fake: WebhookServer) -> None:
    reader, _ = start(fake)
    records = [build_desired("www.example.org", rtype, "192.0.2.1") for rtype in ("A", "TXT")]
    reader.load_adjustments([*records, build_desired("api.example.org", "A", "192.0.2.1")])
    assert [call.body.count(b"dnsName") for call in fake.calls if call.action == Action.ADJUST] == [2, 1]


def test_if_adjusting_fails_the_one_record_that_the_webhook_rejects_is_found(fake: WebhookServer) -> None:
    reader, _ = start(fake)
    records = [build_desired(f"n{number}.example.org", "A", "192.0.2.1") for number in range(4)]
    fake.faults.arm(Refuse(400, "", "bad one"), action=Action.ADJUST)  # all
    fake.faults.arm(Refuse(400, "", "bad one"), action=Action.ADJUST)  # the first half
    fake.faults.arm(Refuse(400, "", "bad one"), action=Action.ADJUST)  # n0
    reader.load_adjustments(records)
    adjusted = reader.adjust(records, ZONE)
    assert [one.desired for one in adjusted.refused] == records[:1]
    assert adjusted.accepted == tuple(records[1:])
    assert "bad one" in adjusted.refused[0].detail


ADDRESSES = tuple(f"192.0.2.{number}" for number in range(256))


@pytest.mark.parametrize(
    "fields",
    [
        {"targets": tuple(sorted(f"10.0.{high}.{low}" for high in range(5) for low in range(201)))},
        {"properties": StringMap.from_items({"p" * 257: "1"})},
        {"properties": StringMap.from_items({"p": "1" * 65_537})},
        {"properties": StringMap.from_items({f"p{number}": "1" for number in range(101)})},
        {"labels": StringMap.from_items({f"l{number}": "1" for number in range(101)})},
        {"set_identifier": "s" * 257},
    ],
    ids=["targets", "name of a property", "value of a property", "properties", "labels", "set identifier"],
)
def test_a_record_that_no_answer_may_contain_is_refused_and_neither_shown_nor_written(
    fake: WebhookServer, fields: dict[str, object]
) -> None:
    reader, writer = start(fake)
    web = build_desired(WEB, "A", "192.0.2.1")
    huge = replace(build_desired("huge.example.org", "A", "192.0.2.1"), **fields)
    assert reader.load_adjustments([huge, web]) == {}
    adjusted = reader.adjust([huge, web], ZONE)
    assert adjusted.accepted == (web,)
    assert [one.desired for one in adjusted.refused] == [huge]
    write = replace(create("huge.example.org", "A", "192.0.2.1"), new=huge)
    assert isinstance(writer.submit(ZONE, build_batch(ZONE, [write])), Refused)


def test_records_whose_answers_are_too_long_together_are_adjusted_in_parts(fake: WebhookServer) -> None:
    reader, _ = start(fake, max_body_bytes=8000)
    records = [build_desired(f"n{number}.example.org", "A", *ADDRESSES) for number in range(4)]
    assert reader.load_adjustments(records) == {}
    assert reader.adjust(records, ZONE).accepted == tuple(records)


def test_if_adjusting_fails_with_an_internal_error_the_one_record_that_causes_it_is_found(fake: WebhookServer) -> None:
    reader, _ = start(fake)
    records = [build_desired(f"n{number}.example.org", "A", "192.0.2.1") for number in range(100)]
    fake.failing_names.add("n17.example.org")
    (failed,) = reader.load_adjustments(records).items()
    assert failed == (records[17], "Webhook adjustendpoints: status 500: cannot adjust n17.example.org")
    assert reader.adjust(records, ZONE).unknown == (records[17],)
    assert sum(call.action == Action.ADJUST for call in fake.calls) <= 1 + 2 * 7


def test_the_search_for_records_that_a_webhook_cannot_adjust_ends_after_64_calls(fake: WebhookServer) -> None:
    reader, _ = start(fake)
    records = [build_desired(f"n{number}.example.org", "A", "192.0.2.1") for number in range(1000)]
    fake.failing_names.update(one.name for one in records[::10])
    assert reader.load_adjustments(records).keys() < set(records[::10])
    assert sum(call.action == Action.ADJUST for call in fake.calls) <= 64 + 10


def test_if_the_webhook_cannot_adjust_the_first_twenty_records_the_other_records_are_adjusted(
    fake: WebhookServer,
) -> None:
    reader, _ = start(fake)
    records = [build_desired(f"n{number}.example.org", "A", "192.0.2.1") for number in range(5000)]
    fake.failing_names.update(one.name for one in records[:20])
    assert tuple(reader.load_adjustments(records)) == tuple(records[:20])
    assert reader.adjust(records, ZONE).unknown == tuple(records[:20])


def test_a_record_that_changes_all_the_time_fills_no_memory_and_takes_no_answer_from_another_namespace(
    fake: WebhookServer,
) -> None:
    reader, _ = start(fake, max_body_bytes=10_000_000)
    web = build_desired(WEB, "A", "192.0.2.1")
    versions = [
        replace(
            build_desired("huge.example.org", "A", "192.0.2.1"),
            properties=StringMap.from_items({"webhook/x": f"{number:032000}"}),
            labels=StringMap.from_items({"resource": "crd/other/huge"}),
        )
        for number in range(1100)
    ]
    reader.load_adjustments([web])
    for at in range(0, len(versions), 100):
        reader.load_adjustments(versions[at : at + 100])
    assert reader.adjust([web, versions[-1]], ZONE).unknown == ()
    assert reader.adjust(versions, ZONE).unknown[:500] == tuple(versions[:500])


def test_records_of_one_namespace_that_fail_do_not_delay_those_of_another(fake: WebhookServer) -> None:
    reader, _ = start(fake)
    web, *bad = [
        replace(
            build_desired(f"n{number}.example.org", "A", "192.0.2.1"),
            labels=StringMap.from_items({"resource": f"service/{namespace}/n{number}"}),
        )
        for number, namespace in enumerate(["shop", *["other"] * 400])
    ]
    fake.failing_names.update(one.name for one in bad)
    reader.load_adjustments([*bad[:137], web, *bad[137:]])
    assert reader.adjust([web], ZONE).accepted == (web,)


def test_a_webhook_that_adjusts_an_earlier_record_again_does_not_fail_as_a_whole(fake: WebhookServer) -> None:
    reader, _ = start(fake)
    web, *bad = [build_desired(f"n{number}.example.org", "A", "192.0.2.1") for number in range(400)]
    reader.load_adjustments([web])
    fake.failing_names.update(one.name for one in bad)
    assert reader.load_adjustments(bad).keys() < set(bad)


def test_records_that_failed_alone_before_do_not_make_a_later_request_fail_as_a_whole(fake: WebhookServer) -> None:
    reader, _ = start(fake)
    records = [build_desired(f"n{number}.example.org", "A", "192.0.2.1") for number in range(3)]
    fake.failing_names.update(one.name for one in records[:2])
    assert tuple(reader.load_adjustments(records)) == tuple(records[:2])
    assert tuple(reader.load_adjustments(records[:2])) == tuple(records[:2])
    fake.failing_names.clear()
    assert reader.load_adjustments(records[:2]) == {}
    assert reader.adjust(records, ZONE).unknown == ()


@pytest.mark.parametrize("distance", [2, 20])
def test_each_search_for_records_that_a_webhook_cannot_adjust_continues_the_one_before(
    fake: WebhookServer, distance: int
) -> None:
    reader, _ = start(fake)
    records = [build_desired(f"n{number}.example.org", "A", "192.0.2.1") for number in range(400)]
    bad = tuple(records[::distance])
    fake.failing_names.update(one.name for one in bad)
    for _ in range(30):
        reader.load_adjustments(reader.adjust(records, ZONE).unknown)
    assert reader.adjust(records, ZONE).unknown == bad


@pytest.mark.parametrize(
    "fault", [Drop(), *[Refuse(status, "") for status in (302, 401, 404, 405, 408, 409, 429, 502, 503, 504)]]
)
def test_a_record_at_which_adjusting_fails_in_any_way_delays_no_other(fake: WebhookServer, fault: Fault) -> None:
    reader, _ = start(fake)
    records = [build_desired(f"n{number}.example.org", "A", "192.0.2.1") for number in range(40)]
    fake.failing_names.add("n17.example.org")
    fake.adjust_fault = fault
    for _ in range(3):
        reader.load_adjustments(reader.adjust(records, ZONE).unknown)
    assert reader.adjust(records, ZONE).unknown == (records[17],)
    assert tuple(reader.load_adjustments(records[17:18])) == (records[17],)
    assert reader.read_rate_limits()[0].throttle_count == 0
    fake.failing_names.clear()
    assert reader.load_adjustments(records[17:18]) == {}


def test_a_record_at_which_the_webhook_hangs_is_refused_at_the_time_limit(fake: WebhookServer) -> None:
    reader, _ = start(fake, timeout_s=0.3)
    fake.faults.arm(Stall(), action=Action.ADJUST)
    (message,) = reader.load_adjustments([build_desired("www.example.org", "A", "192.0.2.1")]).values()
    assert "no complete answer within 0.3s" in message


def build_namespaces(count: int) -> list[DesiredRecord]:
    """Return ten records of each of *count* namespaces."""
    resources = [StringMap.from_items({"resource": f"service/{number // 10}/x"}) for number in range(10 * count)]
    return [
        replace(build_desired(f"n{number}.example.org", "A", "192.0.2.1"), labels=labels)
        for number, labels in enumerate(resources)
    ]


@pytest.mark.parametrize(("status", "calls"), [(503, 40), (429, 3)])
def test_a_webhook_that_fails_altogether_is_called_a_few_times(fake: WebhookServer, status: int, calls: int) -> None:
    reader, _ = start(fake)
    records = build_namespaces(50)
    fake.faults.arm(Refuse(status, ""), action=Action.ADJUST, times=None)
    with pytest.raises(RetryableError, match=f"status {status}"):
        reader.load_adjustments(records)
    assert reader.adjust(records, ZONE).unknown == tuple(records)
    assert sum(call.action == Action.ADJUST for call in fake.calls) == calls


def test_a_webhook_that_does_not_listen_is_called_once() -> None:
    calls: list[ApiCall] = []
    with WebhookServer("example.org") as closed:
        reader, _ = build_webhook(closed.url, calls=CallOptions(on_call=calls.append))
    with pytest.raises(RetryableError, match="cannot connect"):
        reader.load_adjustments(build_namespaces(2))
    assert len(calls) == 1


def test_namespaces_at_whose_records_a_webhook_hangs_do_not_delay_others_again(fake: WebhookServer) -> None:
    reader, _ = start(fake)
    *bad, web = build_namespaces(5)[:41]
    fake.failing_names.update(one.name for one in bad)
    fake.adjust_fault = Refuse(429, "")
    for _ in range(2):
        with pytest.raises(RetryableError):  # nothing shows yet that the webhook works
            reader.load_adjustments([*bad, web])
    for _ in range(40):
        reader.load_adjustments(reader.adjust([*bad, web], ZONE).unknown)
        assert reader.adjust([web], ZONE).accepted == (web,)
    assert tuple(reader.load_adjustments(bad)) == tuple(bad)
    fake.calls.clear()
    changed = [replace(one, targets=("192.0.2.2",)) for one in (*bad[:2], web)]
    assert reader.load_adjustments(changed) == {}
    assert reader.adjust(changed, ZONE).accepted == (changed[2],)
    assert len(fake.calls) == 1


def test_a_batch_is_one_request_that_states_the_old_records_exactly_as_they_were_read(fake: WebhookServer) -> None:
    reader, writer = start(fake)
    fake.put("www.example.org", "CNAME", "LB.example.net.", recordTTL=60, labels={"owner": "x"})
    (held,) = reader.read_names(ZONE, [WEB])
    outcome = writer.submit(ZONE, build_batch(ZONE, [update(held, "lb2.example.net")]))
    assert outcome == Applied(records=(replace(held, targets=("lb2.example.net",), exact=None),), unconditional=True)
    assert fake.calls[-1].body == (
        b'{"updateOld":[{"dnsName":"www.example.org","targets":["LB.example.net."],"recordType":"CNAME","recordTTL":60,'
        b'"labels":{"owner":"x"}}],"updateNew":[{"dnsName":"www.example.org","targets":["lb2.example.net"],'
        b'"recordType":"CNAME","recordTTL":60}]}'
    )


WRITE = create("www.example.org", "A", "192.0.2.1", ttl_s=60)


@pytest.mark.parametrize(
    ("fault", "expected"),
    [
        pytest.param(Refuse(400, "", "bad name"), Refused, id="400"),
        pytest.param(Refuse(401, ""), Forbidden, id="401"),
        pytest.param(Refuse(403, ""), Forbidden, id="403"),
        pytest.param(Refuse(413, ""), Refused, id="413"),
        pytest.param(Refuse(429, ""), TryLater, id="429"),
        pytest.param(Refuse(500, "", "bad record"), Refused, id="500 and nothing changed"),
        pytest.param(Replace("partly failed", 500), Applied, id="500 and everything changed"),
        pytest.param(Replace("partly failed", 200), Unknown, id="200"),
        pytest.param(Refuse(502, ""), Unknown, id="502"),
        pytest.param(Refuse(503, ""), Unknown, id="503"),
        pytest.param(Refuse(504, ""), Unknown, id="504"),
        pytest.param(Drop(), Unknown, id="cut before"),
        pytest.param(Drop(worked=True), Unknown, id="cut after"),
    ],
)
def test_the_outcome_of_a_write_depends_on_the_status_and_after_a_500_on_the_records_read(
    fake: WebhookServer, fault: Fault, expected: type[object]
) -> None:
    _, writer = start(fake)
    fake.faults.arm(fault, action=Action.APPLY)
    assert isinstance(writer.submit(ZONE, build_batch(ZONE, [WRITE])), expected)


def test_a_write_is_not_sent_to_the_webhook_by_a_process_that_is_not_the_leader(fake: WebhookServer) -> None:
    _, writer = start(fake, calls=CallOptions(can_write=lambda: False))
    assert isinstance(writer.submit(ZONE, build_batch(ZONE, [WRITE])), TryLater)
    assert [call.action for call in fake.calls] == [Action.NEGOTIATE]


def test_a_call_that_fails_does_not_raise_the_rate_of_a_webhook_that_throttled(fake: WebhookServer) -> None:
    reader, writer = start(fake)
    for status in (429, 503, 400):
        fake.faults.arm(Refuse(status, ""), action=Action.APPLY)
    writer.submit(ZONE, build_batch(ZONE, [WRITE]))
    slowed = reader.read_rate_limits()[0].per_s
    for _ in range(2):
        writer.submit(ZONE, build_batch(ZONE, [WRITE]))
        assert reader.read_rate_limits()[0].per_s == slowed
    writer.submit(ZONE, build_batch(ZONE, [WRITE]))
    assert reader.read_rate_limits()[0].per_s > slowed


def test_after_a_500_a_record_that_others_changed_is_a_write_conflict(fake: WebhookServer) -> None:
    _, writer = start(fake)

    def edit() -> None:
        fake.put("www.example.org", "A", "192.0.2.99")
        raise ApiError(500, "", "conflict")

    fake.faults.arm(Meanwhile(edit), action=Action.APPLY)
    outcome = writer.submit(ZONE, build_batch(ZONE, [WRITE]))
    assert isinstance(outcome, WriteConflict)
    assert outcome.offending_names == (WEB,)


def test_after_a_500_a_batch_that_was_made_in_part_counts_as_refused(fake: WebhookServer) -> None:
    _, writer = start(fake)

    def edit() -> None:
        fake.put("www.example.org", "A", "192.0.2.1", recordTTL=60)
        raise ApiError(500, "", "the second one failed")

    fake.faults.arm(Meanwhile(edit), action=Action.APPLY)
    outcome = writer.submit(ZONE, build_batch(ZONE, [WRITE, create("x.example.org", "A", "192.0.2.1")]))
    assert isinstance(outcome, Refused)
    assert outcome.offending_names == ()
    assert "the second one failed" in outcome.message


def test_after_a_500_the_outcome_is_unknown_if_the_records_cannot_be_read(fake: WebhookServer) -> None:
    _, writer = start(fake)
    fake.faults.arm(Refuse(500, ""), times=2)
    assert isinstance(writer.submit(ZONE, build_batch(ZONE, [WRITE])), Unknown)


def test_a_write_to_a_webhook_that_cannot_be_reached_is_tried_later(fake: WebhookServer) -> None:
    _, writer = start(fake)
    fake.kill()
    outcome = writer.submit(ZONE, build_batch(ZONE, [WRITE]))
    assert isinstance(outcome, TryLater)
    assert outcome.message.endswith(f": cannot connect to {fake.url.removeprefix('http://')}: Connection refused")


@pytest.mark.parametrize("text", [pytest.param(None, id="absent"), pytest.param("x", id="no certificate")])
def test_a_webhook_over_tls_fails_each_call_while_the_trusted_certificates_cannot_be_read(
    text: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bundle = tmp_path / "ca.pem"
    if text is not None:
        bundle.write_text(text)
    monkeypatch.setenv("SSL_CERT_FILE", str(bundle))
    monkeypatch.delenv("SSL_CERT_DIR", raising=False)
    reader, _ = build_webhook("https://127.0.0.1:1")
    for _ in range(2):
        with pytest.raises(ProviderError, match=f"cannot read trusted certificates from {re.escape(str(bundle))}: "):
            reader.list_zones()


def test_a_page_is_taken_from_a_recent_read_unless_something_was_written_since(fake: WebhookServer) -> None:
    reader, writer = start(fake, reuse_s=3600.0)
    reader.read_page(ZONE, None)
    reader.read_page(ZONE, None)
    assert sum(call.action == Action.RECORDS for call in fake.calls) == 1
    (made,) = writer.submit(ZONE, build_batch(ZONE, [WRITE])).records  # type: ignore[union-attr]
    assert made in reader.read_page(ZONE, None).records
    writer.submit(ZONE, build_batch(ZONE, [delete(made)]))
    assert reader.read_page(ZONE, None).records == ()


def test_the_password_in_the_webhook_address_is_not_shown_in_errors(fake: WebhookServer) -> None:
    fake.faults.arm(Refuse(401, ""), action=Action.NEGOTIATE)
    reader, _ = build_webhook(fake.url.replace("http://", "http://me:geheim@"))
    with pytest.raises(ProviderError, match="status 401") as failed:
        reader.list_zones()
    assert "geheim" not in str(failed.value)
