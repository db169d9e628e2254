"""Answers of a DNS server that are malformed, forged or cut off (`PrimaryServer.answers`)."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from itertools import count
from typing import Final

import dns.flags
import dns.message
import dns.opcode
import dns.rcode
import dns.rdataclass
import dns.rrset
import dns.tsig

from providers.rfc2136.client import build_key
from tests.fakes.primary_server import Answer, PrimaryServer, add_length
from tests.updatable import KEY

_OTHER_SECRET: Final = build_key(replace(KEY, secret="b3RoZXI="))
_OTHER_NAME: Final = build_key(replace(KEY, name="other"))
_OTHER_ALGORITHM: Final = build_key(replace(KEY, algorithm="hmac-sha512"))
_AN_HOUR_S: Final = 3600
_STALL_S: Final = 0.3


def close(server: PrimaryServer, query: dns.message.Message) -> Iterator[bytes]:
    """Carry out the query, and close the connection without an answer."""
    server.answer(query)
    yield b""


def stall(server: PrimaryServer, query: dns.message.Message) -> Iterator[bytes]:
    """Carry out the query, and begin an answer that does not end in time."""
    yield add_length(server.answer(query).to_wire())[:5]
    threading.Event().wait(_STALL_S)


def cut_off(server: PrimaryServer, query: dns.message.Message) -> Iterator[bytes]:
    yield add_length(server.answer(query).to_wire())[:-5]


def answer_with_garbage(server: PrimaryServer, query: dns.message.Message) -> Iterator[bytes]:
    server.answer(query)
    yield add_length(b"\xff" * 40)


def answer_with_nothing(server: PrimaryServer, query: dns.message.Message) -> Iterator[bytes]:
    server.answer(query)
    yield add_length(b"")


def change_id(server: PrimaryServer, query: dns.message.Message) -> Iterator[bytes]:
    """Answer with the id of another message, which the signature does not cover."""
    wire = server.answer(query).to_wire()
    yield add_length((query.id ^ 1).to_bytes(2) + wire[2:])


def answer_as_query(server: PrimaryServer, query: dns.message.Message) -> Iterator[bytes]:
    response = server.answer(query)
    response.flags &= ~dns.flags.QR
    yield add_length(response.to_wire())


def change_opcode(server: PrimaryServer, query: dns.message.Message) -> Iterator[bytes]:
    """Answer with the opcode NOTIFY to an update, and with UPDATE to a query."""
    response = server.answer(query)
    is_query = query.opcode() == dns.opcode.QUERY
    response.set_opcode(dns.opcode.UPDATE if is_query else dns.opcode.NOTIFY)
    yield add_length(response.to_wire())


def omit_signature(server: PrimaryServer, query: dns.message.Message) -> Iterator[bytes]:
    response = server.answer(query)
    response.tsig = None
    yield add_length(response.to_wire())


def sign_with_other_secret(server: PrimaryServer, query: dns.message.Message) -> Iterator[bytes]:
    yield _sign(server, query, _OTHER_SECRET)


def sign_with_other_name(server: PrimaryServer, query: dns.message.Message) -> Iterator[bytes]:
    yield _sign(server, query, _OTHER_NAME)


def sign_with_other_algorithm(server: PrimaryServer, query: dns.message.Message) -> Iterator[bytes]:
    yield _sign(server, query, _OTHER_ALGORITHM)


def sign_for_other_time(server: PrimaryServer, query: dns.message.Message) -> Iterator[bytes]:
    """Answer with a valid signature of an hour ago."""
    response = server.answer(query)
    assert response.tsig is not None
    template, response.tsig = response.tsig[0], None
    key = build_key(KEY)
    signed, _ = dns.tsig.sign(  # type: ignore[no-untyped-call] # dnspython has no types for it
        response.to_wire(), key, template, int(time.time()) - _AN_HOUR_S, query.mac
    )
    response.want_tsig_sign = False
    response.tsig = dns.rrset.from_rdata(key.name, 0, signed)
    yield add_length(response.to_wire())


def _sign(server: PrimaryServer, query: dns.message.Message, key: dns.tsig.Key) -> bytes:
    response = server.answer(query)
    response.use_tsig(key)
    return add_length(response.to_wire())


def answer_with_servfail(server: PrimaryServer, query: dns.message.Message) -> Iterator[bytes]:
    server.answer(query)
    yield add_length(server.build_response(query, dns.rcode.SERVFAIL).to_wire())


def reject(rcode: dns.rcode.Rcode, *, is_signed: bool = True) -> Answer:
    """Answer with *rcode* without carrying out the query."""

    def answer(server: PrimaryServer, query: dns.message.Message) -> Iterator[bytes]:
        response = server.build_response(query, rcode)
        if not is_signed:
            response.tsig = None
        yield add_length(response.to_wire())

    return answer


def reject_signature(error: dns.rcode.Rcode) -> Answer:
    """Answer NOTAUTH with the TSIG error *error*, without carrying out the query (RFC 8945 section 5.2)."""

    def answer(_: PrimaryServer, query: dns.message.Message) -> Iterator[bytes]:
        response = dns.message.make_response(query, tsig_error=error)
        response.set_rcode(dns.rcode.NOTAUTH)
        yield add_length(response.to_wire())

    return answer


def end_early(server: PrimaryServer, query: dns.message.Message) -> Iterator[bytes]:
    """Transfer the zone without its last SOA, and close the connection."""
    yield from _transfer(server, query, [server.build_soa(), *server.records.values()])


def start_without_soa(server: PrimaryServer, query: dns.message.Message) -> Iterator[bytes]:
    yield from _transfer(server, query, [*server.records.values(), server.build_soa()])


def add_records_after_the_end(server: PrimaryServer, query: dns.message.Message) -> Iterator[bytes]:
    """Transfer more records in the message with the last SOA."""
    soa = server.build_soa()
    yield from _transfer(server, query, [soa, *server.records.values(), soa, _build_address("late.example.org.", 1)])


def omit_last_signature(server: PrimaryServer, query: dns.message.Message) -> Iterator[bytes]:
    """Transfer the zone in two messages, of which only the first is signed."""
    first, last = server.build_response(query), server.build_response(query)
    first.answer = [server.build_soa(), *server.records.values()]
    last.answer = [server.build_soa()]
    last.tsig = None
    yield add_length(first.to_wire(multi=True))
    yield add_length(last.to_wire())


def add_records_outside_the_zone(server: PrimaryServer, query: dns.message.Message) -> Iterator[bytes]:
    soa = server.build_soa()
    others = [_build_address(name, 1) for name in ("web.example.net.", "org.", "notexample.org.")]
    yield from _transfer(server, query, [soa, *others, *server.records.values(), soa])


def delete_what_is_not_there(server: PrimaryServer, query: dns.message.Message) -> Iterator[bytes]:
    """Transfer a difference from the serial of the query that does not fit its records; an AXFR correctly."""
    if not query.authority:
        yield add_length(server.answer(query).to_wire())
        return
    soa = server.build_soa()
    yield from _transfer(server, query, [soa, query.authority[0], _build_address("gone.example.org.", 1), soa, soa])


def grow(server: PrimaryServer, query: dns.message.Message) -> Iterator[bytes]:
    """Transfer a difference that adds 1000 records."""
    number = len(server.opcodes)
    server.add(f"n{number}.example.org", "TXT", "x")  # gives the zone a new serial
    soa = server.build_soa()
    added = _build_addresses(f"n{number}.example.org.", 1000)
    yield from _transfer(server, query, [soa, query.authority[0], soa, added, soa])


def never_end(server: PrimaryServer, query: dns.message.Message) -> Iterator[bytes]:
    start = server.build_response(query)
    start.answer = [server.build_soa()]
    yield add_length(start.to_wire(multi=True))
    for n in count():
        more = server.build_response(query)
        more.tsig = None
        more.answer = [_build_address(f"n{n}.example.org.", address) for address in range(1000)]
        yield add_length(more.to_wire())


def _build_addresses(name: str, count: int) -> dns.rrset.RRset:
    addresses = [f"192.0.{number >> 8}.{number & 255}" for number in range(count)]
    return dns.rrset.from_text_list(name, 60, dns.rdataclass.IN, "A", addresses)


def _build_address(name: str, number: int) -> dns.rrset.RRset:
    return dns.rrset.from_text(name, 60, dns.rdataclass.IN, "A", f"192.0.{number >> 8}.{number & 255}")


def _transfer(server: PrimaryServer, query: dns.message.Message, answer: list[dns.rrset.RRset]) -> Iterator[bytes]:
    response = server.build_response(query)
    response.answer = answer
    yield add_length(response.to_wire())
