"""A primary DNS server on loopback, over TCP, for AXFR, IXFR and DNS UPDATE with TSIG; tests replace its answers."""

from __future__ import annotations

import socket
from collections.abc import Callable, Collection, Iterable, Iterator

import dns.exception
import dns.message
import dns.name
import dns.opcode
import dns.rcode
import dns.rdata
import dns.rdataclass
import dns.rdatatype
import dns.rdtypes.ANY.SOA
import dns.rrset
import dns.tsig
import dns.update

from providers.rfc2136.client import build_key
from providers.rfc2136.settings import DnsServer
from tests.fakes.service.raw import RawServer
from tests.nameservers import HOST
from tests.updatable import KEY

Answer = Callable[["PrimaryServer", dns.message.Message], Iterable[bytes]]
"""Returns what is sent for a query, each message behind its length; the connection is closed after the last byte."""


class PrimaryServer(RawServer):
    """A DNS server for one zone, which runs in a thread while it is entered.

    Attributes:
        address: where it listens.
        records: the records of the zone without its SOA, by name and type.
        answers: how the next queries are answered, in order; all others correctly.
        opcodes: the opcode of each query, in order.
    """

    def __init__(self, zone: str) -> None:
        super().__init__(self._serve_client)
        self.origin = dns.name.from_text(zone)
        self.records: dict[tuple[dns.name.Name, dns.rdatatype.RdataType], dns.rrset.RRset] = {}
        self.answers: list[Answer] = []
        self.opcodes: list[dns.opcode.Opcode] = []
        self._serial = 1
        self._key = build_key(KEY)
        self.address = DnsServer(host=HOST, port=self.port)
        self.add(zone, "NS", "ns1.example.net.")

    def add(self, name: str, rtype: str, *data: str, new_serial: bool = True) -> None:
        """Add records as another program would; without a *new_serial*, a transfer of the difference is empty."""
        owner, serial = dns.name.from_text(name), self._serial
        self._add(dns.rrset.from_text(owner, 300, dns.rdataclass.IN, rtype, *data))
        if not new_serial:
            self._serial = serial

    def list_data(self, name: str, rtype: str) -> list[str]:
        key = dns.name.from_text(name), dns.rdatatype.from_text(rtype)
        return sorted(data.to_text() for data in self.records.get(key, ()))

    def answer(self, query: dns.message.Message) -> dns.message.Message:
        if isinstance(query, dns.update.UpdateMessage):
            return self.build_response(query, self._update(query))
        response = self.build_response(query)
        response.answer = self.list_transfer(query)
        return response

    def build_response(
        self, query: dns.message.Message, rcode: dns.rcode.Rcode = dns.rcode.NOERROR
    ) -> dns.message.Message:
        """Return an empty answer to *query*, which is signed if *query* is."""
        response = dns.message.make_response(query)
        response.set_rcode(rcode)
        return response

    def list_transfer(self, query: dns.message.Message) -> list[dns.rrset.RRset]:
        """Return the whole zone; for an IXFR query with the current serial, only the SOA."""
        soa = self.build_soa()
        for known in query.authority:
            data = known[0]
            if isinstance(data, dns.rdtypes.ANY.SOA.SOA) and data.serial == self._serial:
                return [soa]
        return [soa, *self.records.values(), soa]

    def build_soa(self) -> dns.rrset.RRset:
        text = f"ns1.example.net. host.example.net. {self._serial} 7200 900 1209600 300"
        return dns.rrset.from_text(self.origin, 3600, dns.rdataclass.IN, "SOA", text)

    def _add(self, new: dns.rrset.RRset) -> None:
        held = self.records.get((new.name, new.rdtype), ())
        self._replace(new, dict.fromkeys((*held, *new)))

    def _replace(self, changed: dns.rrset.RRset, data: Collection[dns.rdata.Rdata]) -> None:
        """Let *data* be the data of the records with name and type of *changed*."""
        self.records.pop((changed.name, changed.rdtype), None)
        if data:
            self.records[changed.name, changed.rdtype] = dns.rrset.from_rdata_list(changed.name, changed.ttl, data)
        self._serial += 1

    def _update(self, query: dns.update.UpdateMessage) -> dns.rcode.Rcode:
        """Carry out *query* as RFC 2136 sections 3.2 and 3.4 say, and return the response code."""
        for rcode in filter(None, map(self._check, query.prerequisite)):
            return rcode
        for rrset in query.update:
            held = self.records.get((rrset.name, rrset.rdtype))
            if rrset.deleting is None:
                self._add(rrset)
            elif held is not None:
                self._replace(held, [data for data in held if data not in rrset])
        return dns.rcode.NOERROR

    def _check(self, prerequisite: dns.rrset.RRset) -> dns.rcode.Rcode | None:
        """Return the response code if *prerequisite* does not hold."""
        owner, rtype = prerequisite.name, prerequisite.rdtype
        held = self.records.get((owner, rtype))
        if prerequisite.deleting is None:
            return None if held is not None and set(held) == set(prerequisite) else dns.rcode.NXRRSET
        if rtype == dns.rdatatype.ANY:
            return dns.rcode.YXDOMAIN if any(name == owner for name, _ in self.records) else None
        is_soa = (owner, rtype) == (self.origin, dns.rdatatype.SOA)
        return dns.rcode.YXRRSET if held is not None or is_soa else None

    def _serve_client(self, client: socket.socket) -> None:
        with client.makefile("rb") as stream:
            wire = stream.read(int.from_bytes(stream.read(2)))
        if not wire:
            return  # the client closed the connection without a query
        query = dns.message.from_wire(wire, keyring=self._key)
        self.opcodes.append(query.opcode())
        answer = self.answers.pop(0) if self.answers else answer_correctly
        for sent in answer(self, query):
            client.sendall(sent)


def answer_correctly(server: PrimaryServer, query: dns.message.Message) -> Iterator[bytes]:
    yield add_length(server.answer(query).to_wire())


def add_length(wire: bytes) -> bytes:
    """Return the message *wire* as it is sent over TCP (RFC 1035 section 4.2.2)."""
    return len(wire).to_bytes(2) + wire
