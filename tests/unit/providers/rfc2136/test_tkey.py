"""Negotiation of a key with a server whose answers are malformed, forged, huge or without end (RFC 2930, RFC 3645)."""

from __future__ import annotations

import hmac
import socket
from collections.abc import Callable
from typing import Any, Final

import dns.exception
import dns.flags
import dns.message
import dns.name
import dns.opcode
import dns.rcode
import dns.rdataclass
import dns.rdatatype
import dns.rdtypes.ANY.TKEY
import dns.rrset
import dns.tsig
import pytest

from extdns.model.change import Applied, Forbidden, Outcome, TryLater, Unknown
from extdns.model.dns_name import DnsName
from extdns.model.zone import Zone
from providers.common.api_calls import CallFailedError, FailureKind
from providers.rfc2136.provider import Rfc2136Writer, Rfc2136Zones
from providers.rfc2136.settings import DnsServer, Rfc2136Settings, SecurityContext
from providers.rfc2136.tkey import negotiate
from tests.conformance.provider import build_batch, create
from tests.fakes.service.raw import RawServer
from tests.nameservers import HOST

LAST: Final = b"last"
MORE: Final = b"more"
ZONE: Final = Zone(name=DnsName("example.org"), id="example.org")
TKEY: Final = dns.rdtypes.ANY.TKEY.TKEY
Reply = Callable[[dns.message.Message], bytes]


class FakeContext:
    """A context that is complete after the token `LAST`, and rejects all others but `MORE`."""

    def __init__(self, secret: bytes = b"shared") -> None:
        self._secret = secret
        self.complete = False
        self.tokens: list[bytes] = []

    def step(self, token: bytes) -> bytes:
        self.tokens.append(token)
        if token not in {LAST, MORE}:
            raise CallFailedError(FailureKind.RETRYABLE, "", "", "DefectiveTokenError", "not a token")
        self.complete = token == LAST
        return b"" if self.complete else b"next"

    def get_signature(self, message: bytes) -> bytes:
        return hmac.digest(self._secret, message, "sha256")

    def verify_signature(self, message: bytes, signature: bytes) -> object:
        if not hmac.compare_digest(self.get_signature(message), signature):
            raise ValueError("wrong signature")
        return None


class FakeAuthenticator:
    """Opens contexts, and counts how often tickets were discarded."""

    def __init__(self) -> None:
        self.discarded = 0

    def open_context(self, host: str) -> tuple[SecurityContext, bytes]:
        assert host == HOST
        return FakeContext(), b"first"

    def discard_tickets(self) -> None:
        self.discarded += 1


def build_response(query: dns.message.Message, token: bytes = LAST, **data: Any) -> dns.message.Message:  # noqa: ANN401 - fields of TKEY
    """Return the answer to a negotiation."""
    response = dns.message.make_response(query)
    name = query.question[0].name
    fields: dict[str, Any] = {
        "algorithm": dns.tsig.GSS_TSIG,
        "mode": TKEY.GSSAPI_NEGOTIATION,
        "error": 0,
        "name": name,
    } | data
    tkey = TKEY(  # type: ignore[no-untyped-call] # dnspython has no types for it
        dns.rdataclass.ANY, dns.rdatatype.TKEY, fields["algorithm"], 0, 1, fields["mode"], fields["error"], token
    )
    response.answer.append(dns.rrset.from_rdata(fields["name"], 0, tkey))
    return response


def get_tkey(query: dns.message.Message) -> dns.rdtypes.ANY.TKEY.TKEY:
    (data,) = query.additional[0].items
    assert isinstance(data, TKEY)
    return data


def sign(query: dns.message.Message, response: dns.message.Message, secret: bytes = b"shared") -> bytes:
    """Return *response*, signed with the key that *query* asks for."""
    key = dns.tsig.Key(query.question[0].name, FakeContext(secret), dns.tsig.GSS_TSIG)  # type: ignore[arg-type] # as GSSTSig
    response.use_tsig(key)
    return response.to_wire()


def reject(rcode: dns.rcode.Rcode) -> Reply:
    """Return what answers with the response code *rcode*."""

    def reply(query: dns.message.Message) -> bytes:
        response = dns.message.make_response(query)
        response.set_rcode(rcode)
        return response.to_wire()

    return reply


def change_id(query: dns.message.Message) -> bytes:
    return (query.id ^ 1).to_bytes(2) + build_response(query).to_wire()[2:]


def run(reply: Reply, context: FakeContext | None = None, token: bytes = b"first") -> list[bytes]:
    """Negotiate with a server that answers with *reply*, and return the messages that it got."""
    sent: list[bytes] = []

    def exchange(wire: bytes) -> bytes:
        sent.append(wire)
        return reply(dns.message.from_wire(wire))

    negotiate(context or FakeContext(), token, exchange)
    return sent


@pytest.mark.parametrize("signed", [True, False])
def test_a_tkey_negotiation_ends_with_the_last_token_whether_its_answer_is_signed_or_not(signed: bool) -> None:
    def reply(query: dns.message.Message) -> bytes:
        return sign(query, build_response(query)) if signed else build_response(query).to_wire()

    context = FakeContext()
    (wire,) = run(reply, context)
    query = dns.message.from_wire(wire)
    assert (query.question[0].rdtype, query.question[0].rdclass) == (dns.rdatatype.TKEY, dns.rdataclass.ANY)
    assert get_tkey(query).key == b"first"
    assert context.tokens == [LAST]


@pytest.mark.parametrize(
    "reply",
    [
        pytest.param(lambda _: b"\xff" * 40, id="garbage"),
        pytest.param(lambda _: b"", id="nothing"),
        pytest.param(change_id, id="another-id"),
        pytest.param(lambda query: dns.message.make_response(query).to_wire(), id="no-TKEY"),
        pytest.param(lambda query: query.to_wire(), id="the-query-itself"),
        pytest.param(lambda query: build_response(query, mode=TKEY.KEY_DELETION).to_wire(), id="another-mode"),
        pytest.param(lambda query: build_response(query, algorithm=dns.name.root).to_wire(), id="another-algorithm"),
        pytest.param(lambda query: build_response(query, name=dns.name.root).to_wire(), id="another-name"),
        pytest.param(lambda query: sign(query, build_response(query), b"forged"), id="a-wrong-signature"),
    ],
)
def test_a_malformed_or_forged_answer_to_a_tkey_query_gives_no_key(reply: Reply) -> None:
    with pytest.raises((dns.exception.DNSException, ValueError)):
        run(reply)


@pytest.mark.parametrize(
    ("reply", "kind", "code"),
    [
        pytest.param(lambda query: build_response(query, b"?").to_wire(), "later", "DefectiveTokenError", id="token"),
        pytest.param(lambda query: build_response(query, b"x" * 60_000).to_wire(), "later", "Defective", id="huge"),
        pytest.param(lambda query: build_response(query, MORE).to_wire(), "later", "TooManyRounds", id="endless"),
        pytest.param(lambda query: build_response(query, error=17).to_wire(), "forbidden", "TKEY BADKEY", id="BADKEY"),
        pytest.param(lambda query: build_response(query, error=18).to_wire(), "later", "TKEY BADTIME", id="BADTIME"),
        pytest.param(lambda query: build_response(query, error=999).to_wire(), "forbidden", "TKEY 999", id="unknown"),
        pytest.param(reject(dns.rcode.REFUSED), "forbidden", "TKEY REFUSED", id="REFUSED"),
        pytest.param(reject(dns.rcode.NOTIMP), "forbidden", "TKEY NOTIMP", id="NOTIMP"),
        pytest.param(reject(dns.rcode.SERVFAIL), "later", "TKEY SERVFAIL", id="SERVFAIL"),
    ],
)
def test_the_error_about_a_rejected_tkey_negotiation_contains_the_reason(reply: Reply, kind: str, code: str) -> None:
    with pytest.raises(CallFailedError, match=code) as failed:
        run(reply)
    assert failed.value.kind == kind


def test_a_kerberos_ticket_that_is_too_large_for_a_message_is_not_sent() -> None:
    with pytest.raises(CallFailedError, match="TokenTooLarge: the ticket has more than 64000 bytes"):
        run(lambda _: b"", token=b"x" * 64_001)


class ScriptedServer(RawServer):
    """A DNS server on loopback that answers the messages of each connection with one function each."""

    def __init__(self, *replies: Reply) -> None:
        super().__init__(self._reply)
        self._replies = replies
        self.address = DnsServer(host=HOST, port=self.port)
        self.modes: list[int] = []

    def _reply(self, client: socket.socket) -> None:
        with client.makefile("rb") as stream:
            for reply in self._replies:
                wire = stream.read(int.from_bytes(stream.read(2)))
                if not wire:
                    break
                query = dns.message.from_wire(wire, keyring=build_key)
                if query.opcode() == dns.opcode.QUERY:
                    self.modes.append(get_tkey(query).mode)
                answer = reply(query)
                client.sendall(len(answer).to_bytes(2) + answer)


def build_key(_: dns.message.Message, name: dns.name.Name) -> dns.tsig.Key:
    return dns.tsig.Key(name, FakeContext(), dns.tsig.GSS_TSIG)  # type: ignore[arg-type] # what GSSTSig takes


def accept(query: dns.message.Message) -> bytes:
    return sign(query, build_response(query))


def answer(query: dns.message.Message) -> bytes:
    return dns.message.make_response(query).to_wire()


def answer_unsigned(query: dns.message.Message) -> bytes:
    response = dns.message.make_response(query)
    response.tsig = None
    return response.to_wire()


def answer_forged(query: dns.message.Message) -> bytes:
    wire = bytearray(answer(query))
    wire[-20] ^= 1  # within the signature
    return bytes(wire)


def answer_rejecting(error: dns.rcode.Rcode) -> Reply:
    """Return what answers that the server does not accept the key."""

    def reply(query: dns.message.Message) -> bytes:
        response = dns.message.make_response(query, tsig_error=error)
        response.set_rcode(dns.rcode.NOTAUTH)
        return response.to_wire()

    return reply


@pytest.mark.parametrize(
    ("replies", "expected", "modes", "discarded"),
    [
        pytest.param((accept, answer, answer), Applied, [3, 5], 0, id="applied-and-the-key-is-deleted"),
        pytest.param((accept, answer), Applied, [3], 0, id="applied-though-the-key-cannot-be-deleted"),
        pytest.param((accept, answer, lambda _: b"?"), Applied, [3, 5], 0, id="applied-though-the-deletion-fails"),
        pytest.param((accept, answer_unsigned), Unknown, [3], 0, id="unsigned-answer"),
        pytest.param((accept, answer_forged), Unknown, [3], 0, id="forged-answer"),
        pytest.param((accept,), Unknown, [3], 0, id="no-answer"),
        pytest.param((accept, answer_rejecting(dns.rcode.BADKEY)), Forbidden, [3], 0, id="BADKEY"),
        pytest.param((accept, answer_rejecting(dns.rcode.BADTIME)), TryLater, [3], 0, id="BADTIME"),
        pytest.param((lambda _: b"?" * 30,), TryLater, [3], 1, id="garbage-for-a-key"),
        pytest.param((lambda query: sign(query, build_response(query), b"forged"),), TryLater, [3], 1, id="forged-key"),
        pytest.param((reject(dns.rcode.REFUSED),), Forbidden, [3], 1, id="no-key"),
    ],
)
def test_each_update_has_a_key_of_its_own_and_its_answer_must_be_signed(
    replies: tuple[Reply, ...],
    expected: type[Outcome],
    modes: list[int],
    discarded: int,
) -> None:
    authenticator = FakeAuthenticator()
    with ScriptedServer(*replies) as server:
        settings = Rfc2136Settings(servers=(server.address,), zones=(ZONE.name,), authenticator=authenticator)
        writer = Rfc2136Writer(Rfc2136Zones(settings))
        for number in (1, 2):
            outcome = writer.submit(ZONE, build_batch(ZONE, [create(f"x{number}.example.org", "A", "192.0.2.1")]))
            assert isinstance(outcome, expected)
    assert server.modes == modes * 2
    assert authenticator.discarded == discarded * 2
