"""`extdns webhook` as external-dns uses it (docs/spec/plan.md 6.2.3; docs/design/webhook.md, "The server")."""

from __future__ import annotations

import http.client
import json
import re
import threading
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from urllib.parse import urlsplit

import pytest

from extdns.app.webhook_service import WebhookService
from extdns.errors import RetryableError
from extdns.model.change import Batch, Forbidden, Outcome, Refused, TryLater, Unknown
from extdns.model.dns_name import DnsName
from extdns.model.record import Record
from extdns.model.selection import DomainFilter
from extdns.model.zone import AccountFailure, Zone, ZoneList
from providers.inmemory.provider import InMemoryProvider
from providers.webhook.wire import MAX_BODY_BYTES, MEDIA_TYPE, Changes, Endpoint
from tests.builders import ZONE, owned, ownership_record, record
from tests.fakes.careless import CarelessProvider
from tests.fakes.faulty import FaultyProvider
from tests.web_server import HANGS_S
from tests.webhook_service import serve

WEB = {"dnsName": "web.example.org", "targets": ["192.0.2.1"], "recordType": "A", "recordTTL": 300}
TEXT = {
    "dnsName": "a-web.example.org",
    "targets": ['"heritage=external-dns,external-dns/owner=me"'],
    "recordType": "TXT",
    "labels": {"ownedRecord": "web.example.org"},
}


class ExternalDns:
    """Calls the server as external-dns does: it ends at any status but 200, 204 and 500 to 510."""

    def __init__(
        self,
        provider: FaultyProvider | CarelessProvider,
        domains: DomainFilter | None = None,
        *,
        max_wait_s: float = 20.0,
    ) -> None:
        self.provider = provider
        self._url = urlsplit(serve(provider, provider, domains, max_wait_s=max_wait_s))

    def call(
        self, method: str, path: str, body: object = None, *, headers: dict[str, str] | None = None
    ) -> tuple[int, str, bytes]:
        connection = http.client.HTTPConnection(str(self._url.hostname), self._url.port)
        sent = body if isinstance(body, bytes) else json.dumps(body).encode() if body is not None else None
        usual = {"Accept": MEDIA_TYPE} | ({"Content-Type": MEDIA_TYPE} if body is not None else {})
        connection.request(method, path, sent, usual if headers is None else headers)
        answer = connection.getresponse()
        found = answer.status, answer.headers.get("Content-Type", ""), answer.read()
        connection.close()
        return found

    def read(self) -> list[dict[str, Any]]:
        status, content_type, body = self.call("GET", "/records")
        assert (status, content_type) == (200, MEDIA_TYPE)
        found: list[dict[str, Any]] = json.loads(body)
        return found

    def apply(self, **changes: object) -> tuple[int, str]:
        status, _, body = self.call("POST", "/records", changes)
        return status, body.decode()


def start(*records: Record, domains: DomainFilter | None = None) -> ExternalDns:
    """Serve a zone in memory that holds *records*."""
    return ExternalDns(FaultyProvider(inner=InMemoryProvider(seed={ZONE: records})), domains)


def list_records(server: ExternalDns) -> Iterable[str]:
    assert isinstance(server.provider, FaultyProvider)
    return sorted(f"{key.name} {key.type}" for key in server.provider.contents(ZONE))


@pytest.mark.parametrize("path", ["/", "/healthz", "/any"])
def test_negotiation_returns_the_zones_with_the_media_type_of_the_webhook_protocol(path: str) -> None:
    assert start().call("GET", path) == (200, MEDIA_TYPE, b'{"include":["example.org"]}')


@pytest.mark.parametrize(
    ("include", "expected"),
    [
        (("example.org",), ["example.org"]),
        (("sub.example.org", "other.test"), ["sub.example.org"]),
        ((".example.org",), ["example.org"]),
    ],
)
def test_negotiation_returns_the_part_of_the_zones_that_the_domain_filter_allows(
    include: tuple[str, ...], expected: list[str]
) -> None:
    server = start(domains=DomainFilter(include=include, exclude=("x.example.org",)))
    assert json.loads(server.call("GET", "/")[2]) == {"include": expected, "exclude": ["x.example.org"]}


def test_without_zones_negotiation_fails_because_an_empty_filter_means_all_names() -> None:
    status, _, body = start(domains=DomainFilter(include=("other.test",))).call("GET", "/")
    assert (status, b"no zone is managed" in body) == (500, True)
    failing = start()
    assert isinstance(failing.provider, FaultyProvider)
    failing.provider.failures.append(RetryableError("no zones today"))
    assert failing.call("GET", "/")[::2] == (500, b"no zones today\n")


def test_records_are_created_updated_and_deleted_over_the_webhook_protocol() -> None:
    server = start()
    assert server.read() == []
    assert server.apply(create=[WEB, TEXT]) == (204, "")
    assert [one["dnsName"] for one in server.read()] == ["a-web.example.org", "web.example.org"]
    changed = WEB | {"targets": ["192.0.2.2"]}
    assert server.apply(updateOld=[WEB], updateNew=[changed]) == (204, "")
    assert server.apply(delete=[changed, TEXT]) == (204, "")
    assert server.read() == []


def test_a_record_and_its_ownership_record_are_one_change_set() -> None:
    server = start()
    assert isinstance(server.provider, FaultyProvider)
    server.apply(create=[WEB, TEXT])
    (submission,) = server.provider.submissions
    assert len(submission.batch.change_sets) == 1


def test_a_record_changed_by_others_after_the_read_is_left_alone_and_other_changes_are_made() -> None:
    server = start(record("web", "192.0.2.1"))
    server.read()
    assert isinstance(server.provider, FaultyProvider)
    server.provider.put_records(ZONE, record("web", "192.0.2.99"))
    status, text = server.apply(
        updateOld=[WEB], updateNew=[WEB | {"targets": ["192.0.2.2"]}], create=[WEB | {"dnsName": "api.example.org"}]
    )
    assert status == 500
    assert "1 change(s) not made, the others were:" in text
    assert "web.example.org A has changed since it was read" in text
    assert {one["dnsName"]: one["targets"] for one in server.read()} == {
        "web.example.org": ["192.0.2.99"],
        "api.example.org": ["192.0.2.1"],
    }


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        pytest.param({"create": [WEB]}, "exists already", id="create"),
        pytest.param({"delete": [WEB | {"targets": ["192.0.2.7"]}]}, "has other targets", id="delete of another"),
        pytest.param({"delete": [WEB | {"dnsName": "gone.example.org"}]}, "is gone", id="delete of nothing"),
        pytest.param(
            {
                "updateOld": [WEB | {"dnsName": "gone.example.org"}],
                "updateNew": [WEB | {"dnsName": "gone.example.org"}],
            },
            "is gone",
            id="update of nothing",
        ),
        pytest.param({"create": [WEB | {"dnsName": "web.example.com"}]}, "no managed zone", id="other zone"),
        pytest.param({"create": [WEB | {"dnsName": "x.no.example.org"}]}, "domain filter excludes", id="filter"),
        pytest.param({"create": [WEB | {"dnsName": "a..b"}]}, "is not valid", id="name"),
        pytest.param({"create": [WEB | {"dnsName": "l.example.org", "recordType": "LOC"}]}, "LOC", id="type"),
    ],
)
def test_a_change_that_does_not_fit_the_zones_is_refused_with_a_reason_together_with_its_ownership_record(
    changes: dict[str, list[dict[str, Any]]], reason: str
) -> None:
    server = start(*owned("web", "192.0.2.1"), domains=DomainFilter(exclude=("no.example.org",)))
    server.read()
    (name,) = {one["dnsName"] for found in changes.values() for one in found}
    text = TEXT | {"dnsName": "txt.example.org", "labels": {"ownedRecord": name}}
    status, answer = server.apply(**{**changes, "create": [*changes.get("create", ()), text]})
    assert (status, reason in answer) == (500, True), answer
    assert list_records(server) == ["a-web.example.org TXT", "web.example.org A"]


@pytest.mark.parametrize(
    "domains",
    [DomainFilter(exclude=("no.example.org",)), DomainFilter(exclude_pattern=re.compile("no"))],
    ids=["list", "pattern"],
)
@pytest.mark.parametrize("rtype", ["A", "TXT"])
def test_neither_a_record_that_the_domain_filter_excludes_nor_its_ownership_record_is_deleted(
    domains: DomainFilter, rtype: str
) -> None:
    target = "192.0.2.1" if rtype == "A" else '"made by hand"'
    held = record("x.no", target, rtype=rtype), ownership_record("x.no")
    server = start(*held, domains=domains)
    server.read()
    excluded = WEB | {"dnsName": "x.no.example.org", "recordType": rtype, "targets": [target]}
    text = TEXT | {"dnsName": "a-x.no.example.org", "labels": {"ownedRecord": "x.no.example.org"}}
    for changes in ([excluded], [text], [excluded, text]):
        status, answer = server.apply(delete=changes)
        assert (status, "the domain filter excludes the name" in answer) == (500, True)
    assert list_records(server) == ["a-x.no.example.org TXT", f"x.no.example.org {rtype}"]


@pytest.mark.parametrize(("old", "new"), [("x.no", "web"), ("api", "web"), ("api", "new")])
def test_an_update_that_would_move_a_record_to_another_name_is_refused(old: str, new: str) -> None:
    held = [record("x.no", "192.0.2.1"), record("api", "192.0.2.1"), record("web", "192.0.2.7")]
    server = start(*held, domains=DomainFilter(exclude=("no.example.org",)))
    before = server.read()
    before_name, after_name = (WEB | {"dnsName": f"{label}.example.org"} for label in (old, new))
    status, answer = server.apply(updateOld=[before_name], updateNew=[after_name])
    assert (status, "cannot move a record" in answer) == (500, True)
    assert server.read() == before


@pytest.mark.parametrize("change", ["update", "delete"])
def test_a_txt_record_that_is_no_ownership_record_is_changed_only_if_its_text_is_as_the_request_states(
    change: str,
) -> None:
    server = start(record("web", '"Edited by hand"', rtype="TXT"))
    stated = {"dnsName": "web.example.org", "recordType": "TXT", "targets": ['"edited by hand"'], "recordTTL": 300}
    changes = {"delete": [stated]} if change == "delete" else {"updateOld": [stated], "updateNew": [stated]}
    status, answer = server.apply(**changes)
    assert (status, "has other targets" in answer) == (500, True)
    assert server.read()[0]["targets"] == ['"Edited by hand"']


@pytest.mark.parametrize(
    "outcome",
    [Forbidden(message="no right"), TryLater(message="slow down"), Unknown(message="no answer")],
    ids=["forbidden", "try later", "unknown"],
)
def test_every_failure_of_the_dns_service_is_answered_with_500_and_a_later_attempt_can_succeed(outcome: object) -> None:
    server = start()
    assert isinstance(server.provider, FaultyProvider)
    server.provider.answers.append(outcome)  # type: ignore[arg-type]
    status, text = server.apply(create=[WEB])
    assert (status, outcome.message in text) == (500, True)  # type: ignore[attr-defined]
    assert server.apply(create=[WEB]) == (204, "")


def test_after_a_lost_answer_to_a_change_of_one_of_two_zones_the_zone_is_read_again_before_its_next_change() -> None:
    other = Zone(name=DnsName("example.test"), id="example.test")
    provider = FaultyProvider(inner=InMemoryProvider(seed={ZONE: (), other: ()}))
    server = ExternalDns(provider)
    provider.answers.append(Unknown(message="no answer"))
    status, text = server.apply(create=[WEB, WEB | {"dnsName": "web.example.test"}])
    assert (status, "web.example.org: no answer" in text) == (500, True)
    provider.put_records(ZONE, record("web", "192.0.2.1"))
    assert server.apply(delete=[WEB]) == (204, "")


def test_a_refused_batch_without_an_offending_name_is_sent_again_name_by_name() -> None:
    server = start()
    assert isinstance(server.provider, FaultyProvider)
    server.provider.rule = lambda batch: (
        Refused(message="bad") if any(one.name == "bad.example.org" for one in batch.change_sets) else None
    )
    names = ("api.example.org", "bad.example.org", "web.example.org")
    status, text = server.apply(create=[WEB | {"dnsName": name} for name in names])
    assert status == 500
    assert "bad.example.org: bad" in text
    assert list_records(server) == ["api.example.org A", "web.example.org A"]


def test_without_conditional_writes_of_the_dns_service_records_are_compared_before_each_write() -> None:
    provider = CarelessProvider(["example.org"])
    server = ExternalDns(provider)
    server.apply(create=[WEB])
    server.read()
    zone = provider.list_zones().zones[0]
    provider._records[zone.id].put(record("web", "192.0.2.99"))
    status, text = server.apply(delete=[WEB])
    assert (status, "changed since the records were read" in text) == (500, True)


def test_adjusting_returns_unchanged_the_endpoints_that_the_provider_cannot_hold() -> None:
    strange = WEB | {"recordType": "LOC", "dnsName": "l.example.org"}
    elsewhere = WEB | {"dnsName": "web.example.com"}
    status, content_type, body = start().call("POST", "/adjustendpoints", [WEB, strange, elsewhere])
    assert (status, content_type, json.loads(body)) == (200, MEDIA_TYPE, [WEB, strange, elsewhere])


@pytest.mark.parametrize(
    ("method", "path", "body", "headers", "status"),
    [
        pytest.param("PUT", "/records", b"{}", None, 400, id="method of records"),
        pytest.param("GET", "/adjustendpoints", None, None, 400, id="method of adjust"),
        pytest.param("POST", "/records", b"{", None, 400, id="no JSON"),
        pytest.param("POST", "/adjustendpoints", b"{}", None, 400, id="another document"),
        pytest.param("POST", "/records", b"{}", {"Content-Type": "text/plain"}, 415, id="media type"),
        pytest.param(
            "POST",
            "/records",
            b"",
            {"Content-Type": MEDIA_TYPE, "Content-Length": str(MAX_BODY_BYTES + 1)},
            413,
            id="too large",
        ),
        pytest.param("POST", "/records", b"", {"Content-Type": MEDIA_TYPE, "Content-Length": "x"}, 411, id="length"),
    ],
)
def test_webhook_requests_with_a_wrong_method_body_media_type_or_length_are_refused(
    method: str, path: str, body: bytes | None, headers: dict[str, str] | None, status: int
) -> None:
    assert start().call(method, path, body, headers=headers)[0] == status


def test_a_delete_and_a_create_of_one_record_in_one_request_are_an_update() -> None:
    server = start(*owned("web", "192.0.2.1"))
    server.read()
    changed = WEB | {"dnsName": "WEB.example.org.", "targets": ["192.0.2.2"]}
    assert server.apply(create=[changed, TEXT], delete=[WEB, TEXT]) == (204, "")
    assert {one["dnsName"]: one["targets"] for one in server.read() if one["recordType"] == "A"} == {
        "web.example.org": ["192.0.2.2"]
    }
    assert list_records(server) == ["a-web.example.org TXT", "web.example.org A"]


def test_a_delete_and_a_create_of_one_record_are_refused_if_the_record_is_not_as_the_delete_states() -> None:
    server = start(*owned("web", "192.0.2.99"))
    server.read()
    status, answer = server.apply(create=[WEB | {"targets": ["192.0.2.2"]}], delete=[WEB])
    assert (status, "has other targets" in answer) == (500, True)


def test_a_record_that_was_deleted_can_be_created_again_without_reading() -> None:
    server = start(*owned("web", "192.0.2.1"))
    server.read()
    assert server.apply(delete=[WEB, TEXT]) == (204, "")
    assert server.apply(create=[WEB, TEXT]) == (204, "")


def test_records_are_not_returned_if_the_zones_of_one_account_cannot_be_listed() -> None:
    server = start(*owned("web", "192.0.2.1"))
    assert isinstance(server.provider, FaultyProvider)
    failed = AccountFailure(account="other", message="other: access denied")
    server.provider.zone_list = ZoneList(zones=(ZONE,), failed=(failed,))
    assert server.call("GET", "/records")[0::2] == (500, b"other: access denied\n")


@pytest.mark.parametrize("host", ["localhost:8888", "127.0.0.1", "[::1]:8888"])
def test_a_request_to_a_loopback_host_is_answered(host: str) -> None:
    assert start().call("GET", "/", headers={"Host": host})[0] == 200


def test_a_request_to_another_host_that_resolves_to_loopback_is_refused() -> None:
    status, _, body = start(*owned("web", "192.0.2.1")).call("GET", "/records", headers={"Host": "evil.test:8888"})
    message = b"evil.test:8888 is not served here; use localhost, 127.0.0.1, [::1] or --webhook-listen\n"
    assert (status, body) == (421, message)


def test_a_call_fails_if_the_call_before_it_takes_too_long_so_that_abandoned_calls_do_not_pile_up() -> None:
    began, may_end = threading.Event(), threading.Event()

    class SlowProvider(FaultyProvider):
        def list_zones(self) -> ZoneList:
            began.set()
            assert may_end.wait(HANGS_S)
            return super().list_zones()

    server = ExternalDns(SlowProvider(inner=InMemoryProvider(seed={ZONE: ()})), max_wait_s=0.0)
    with ThreadPoolExecutor(1) as pool:
        first = pool.submit(server.read)
        assert began.wait(HANGS_S)
        status, _, body = server.call("GET", "/records")
        assert (status, body) == (500, b"the call before this one takes more than 0s; try again later\n")
        may_end.set()
        assert first.result() == []
    assert server.read() == []


def test_the_end_of_the_process_waits_for_the_changes_that_are_being_written() -> None:
    began, may_end, order = threading.Event(), threading.Event(), list[str]()

    class SlowProvider(FaultyProvider):
        def submit(self, zone: Zone, batch: Batch) -> Outcome:
            began.set()
            assert may_end.wait(HANGS_S)
            order.append("written")
            return super().submit(zone, batch)

    def close() -> None:
        service.close(HANGS_S)
        order.append("closed")

    provider = SlowProvider(inner=InMemoryProvider(seed={ZONE: ()}))
    service = WebhookService(provider, provider, DomainFilter())
    with ThreadPoolExecutor(2) as pool:
        changes = Changes(create=(Endpoint(dns_name="web.example.org", record_type="A", targets=("192.0.2.1",)),))
        applied = pool.submit(service.apply, changes)
        assert began.wait(HANGS_S)
        closed = pool.submit(close)
        may_end.set()
        assert (applied.result(HANGS_S), closed.result(HANGS_S)) == (None, None)
    assert order == ["written", "closed"]
