"""What a webhook answers is not trusted: a wrong answer is an error of that call, within its limits."""

from __future__ import annotations

import socket

import pytest

from extdns.errors import ProviderError
from extdns.model import rrtype
from extdns.model.change import Unknown
from extdns.model.dns_name import DnsName
from extdns.model.zone import Zone
from providers.webhook.wire import MEDIA_TYPE
from tests.conformance.provider import build_batch, build_desired, create
from tests.fakes.service.faults import Replace
from tests.fakes.service.raw import drip, serve_bytes
from tests.fakes.webhook.server import Action, WebhookServer
from tests.unit.providers.webhook.setting import build_webhook

ZONE = Zone(name=DnsName("example.org"), id="example.org")
HEAD = f"HTTP/1.1 200 OK\r\nContent-Type: {MEDIA_TYPE}\r\n".encode()


def pour(connection: socket.socket) -> None:
    """Send a body without an end."""
    connection.sendall(HEAD + b"Connection: close\r\n\r\n")
    while True:
        connection.sendall(b"[" * 65536)


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        pytest.param(b"", "RemoteDisconnected", id="nothing"),
        pytest.param(b"SSH-2.0-x\r\n", "BadStatusLine", id="another protocol"),
        pytest.param(HEAD + b"Content-Length: 100\r\n\r\n{}", "98 bytes early", id="early end"),
        pytest.param(HEAD + b"Transfer-Encoding: chunked\r\n\r\nzz\r\n", "IncompleteRead|ValueError", id="bad chunk"),
        pytest.param(HEAD + b"X: y\r\n" * 200 + b"\r\n", "more than 100 headers", id="many headers"),
        pytest.param(HEAD + b"X: " + b"y" * 100_000 + b"\r\n\r\n", "more than 65536 bytes", id="long header"),
        pytest.param(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}", "wrong content type", id="no media type"),
        pytest.param(
            b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}",
            "'application/json' is not 'application/external.dns.webhook",
            id="another media type",
        ),
        pytest.param(HEAD + b"Content-Length: 2\r\n\r\n[]", "a domain filter", id="another document"),
        pytest.param(
            HEAD + b'Content-Length: 26\r\n\r\n{"regexInclude":"(a+)+$","' + b"",
            "a domain filter",
            id="broken document",
        ),
        pytest.param(
            b"HTTP/1.1 302 Found\r\nLocation: http://192.0.2.1/\r\nContent-Length: 0\r\n\r\n",
            "status 302",
            id="redirect",
        ),
        pytest.param(
            b"HTTP/1.1 500 x\r\nContent-Length: 4\r\n\r\n\x1b[2J", r"status 500: \\x1b\[2J", id="control characters"
        ),
    ],
)
def test_an_answer_that_breaks_the_protocol_fails_the_call_with_a_short_message_of_one_line(
    answer: bytes, message: str
) -> None:
    with serve_bytes(lambda connection: connection.sendall(answer)) as url:
        reader, _ = build_webhook(url)
        with pytest.raises(ProviderError, match=message) as failed:
            reader.list_zones()
    assert len(str(failed.value)) < 1000
    assert str(failed.value).isprintable()


def test_an_answer_without_end_is_read_only_up_to_the_size_limit() -> None:
    with serve_bytes(pour) as url:
        reader, _ = build_webhook(url, max_body_bytes=100_000)
        with pytest.raises(ProviderError, match="more than 100000 bytes"):
            reader.list_zones()


def test_an_answer_that_arrives_too_slowly_ends_at_the_time_limit() -> None:
    with serve_bytes(drip(HEAD)) as url:
        reader, _ = build_webhook(url, timeout_s=0.3)
        with pytest.raises(ProviderError, match="no complete answer within"):
            reader.list_zones()


def test_a_write_without_a_complete_answer_has_an_unknown_outcome() -> None:
    with WebhookServer("example.org") as fake:
        reader, writer = build_webhook(fake.url)
        reader.list_zones()
        fake.faults.arm(Replace("", 200), action=Action.APPLY)
        outcome = writer.submit(ZONE, build_batch(ZONE, [create("www.example.org", "A", "192.0.2.1")]))
        assert isinstance(outcome, Unknown)


@pytest.mark.parametrize("pattern", ["(", "(a{1000}){1000}"], ids=["open", "many"])
def test_a_regular_expression_of_the_webhook_that_is_invalid_or_too_large_is_refused(pattern: str) -> None:
    with WebhookServer("example.org") as fake:
        fake.faults.arm(Replace(f'{{"regexInclude":"{pattern}"}}'), action=Action.NEGOTIATE)
        reader, _ = build_webhook(fake.url, domains=("example.org",))
        with pytest.raises(ProviderError, match="regexInclude"):
            reader.list_zones()


def test_an_adjusted_type_with_control_characters_is_refused_with_a_printable_text() -> None:
    body = '[{"dnsName":"web.example.org","recordType":"A\\u001b[31m","targets":["192.0.2.1"]}]'
    with WebhookServer("example.org") as fake:
        reader, _ = build_webhook(fake.url)
        reader.list_zones()
        desired = [build_desired("web.example.org", "A", "192.0.2.1")]
        fake.faults.arm(Replace(body), action=Action.ADJUST)
        reader.load_adjustments(desired)
        (refused,) = reader.adjust(desired, ZONE).refused
    assert refused.detail.startswith(r"the webhook makes it invalid: A\x1b[31m is not among the types of webhooks: A, ")


def test_records_outside_the_zones_are_ignored_and_invalid_texts_are_unreadable() -> None:
    with WebhookServer("example.org") as fake:
        reader, _ = build_webhook(fake.url)
        reader.list_zones()
        fake.put("www.example.org", "A", "192.0.2.1")
        fake.put("www.example.com", "A", "192.0.2.1")
        fake.put("example.org.evil.test", "A", "192.0.2.1")
        fake.put("a b.example.org", "A", "192.0.2.1")
        fake.put("faß.example.org", "A", "192.0.2.1")
        fake.put("x." * 200 + "example.org", "A", "192.0.2.1")
        fake.put("bad.example.org", "A", "not an\x1b address")
        fake.put("text.example.org", "TXT", '"cut')
        fake.put("odd.example.org", "a b", "x")
        fake.put("none.example.org", "", "x")
        read = {record.name: record for record in reader.read_page(ZONE, None).records}
    assert {name: record.type for name, record in read.items()} == {
        "www.example.org": "A",
        "bad.example.org": "A",
        "text.example.org": "?TXT",
        "odd.example.org": rrtype.UNREADABLE,
    }
    assert read[DnsName("bad.example.org")].targets == (r"not an\x1b address",)
