"""An authoritative name server on loopback (RFC 1035 over UDP) whose records and faults a test sets."""

from __future__ import annotations

import socket
import threading
from collections.abc import Mapping, Sequence
from typing import Self

import dns.exception
import dns.flags
import dns.message
import dns.name
import dns.rcode
import dns.rdataclass
import dns.rdatatype
import dns.rrset

Records = Mapping[tuple[str, str], Sequence[str]]
_SOA = "ns.example.net. host.example.net. 1 7200 3600 1209600"


class NameServer:
    """An authoritative name server for one zone, which runs in a thread while it is entered.

    Attributes:
        records: targets by name and type.
        ttl_s: the TTL of all records.
        negative_s: how long a resolver may cache that a name does not exist.
        rcode: the response code of every answer; records are returned only with NOERROR.
        lame: whether answers lack the flag "authoritative answer".
        silent: whether no query is answered.
        dropped_queries: how many of the next queries get no answer.
        recursive: whether it behaves as a resolver, which refuses queries without "recursion desired".
        queries: name and type of each query, in order.
    """

    def __init__(self, zone: str, records: Records) -> None:
        self.zone = zone
        self.records = dict(records)
        self.ttl_s = 300
        self.negative_s = 60
        self.rcode = dns.rcode.NOERROR
        self.lame = False
        self.silent = False
        self.dropped_queries = 0
        self.recursive = False
        self.queries: list[tuple[str, str]] = []
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._socket.bind(("127.0.0.1", 0))
        self.port: int = self._socket.getsockname()[1]
        self._thread = threading.Thread(target=self._serve, daemon=True)

    @property
    def address(self) -> str:
        """Address and port, in the form of the flag `--nameserver`."""
        return f"127.0.0.1:{self.port}"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as last:
            last.sendto(b"", ("127.0.0.1", self.port))
        self._thread.join()
        self._socket.close()

    def _serve(self) -> None:
        while True:
            data, peer = self._socket.recvfrom(4096)
            if not data:
                return
            try:
                query = dns.message.from_wire(data)
            except dns.exception.DNSException:
                continue
            if self.dropped_queries:
                self.dropped_queries -= 1
            elif not self.silent:
                self._socket.sendto(self._answer(query).to_wire(), peer)

    def _answer(self, query: dns.message.Message) -> dns.message.Message:
        question = query.question[0]
        name, rtype = question.name.to_text(omit_final_dot=True).lower(), dns.rdatatype.to_text(question.rdtype)
        self.queries.append((name, rtype))
        answer = dns.message.make_response(query)
        answer.set_rcode(self.rcode)
        if self.recursive:
            answer.flags |= dns.flags.RA
        elif not self.lame:
            answer.flags |= dns.flags.AA
        if self.recursive and not query.flags & dns.flags.RD:
            answer.set_rcode(dns.rcode.REFUSED)
            return answer
        if self.rcode != dns.rcode.NOERROR:
            return answer
        found = self._soa() if (name, rtype) == (self.zone, "SOA") else self._find_rrset(question.name, name, rtype)
        if found:
            answer.answer.append(found)
        else:
            answer.authority.append(self._soa())
            if not any(name == other for other, _ in self.records):
                answer.set_rcode(dns.rcode.NXDOMAIN)
        return answer

    def _find_rrset(self, queried: dns.name.Name, name: str, rtype: str) -> dns.rrset.RRset | None:
        wildcard = f"*.{name.partition('.')[2]}"
        targets = self.records.get((name, rtype)) or self.records.get((wildcard, rtype))
        return dns.rrset.from_text(queried, self.ttl_s, dns.rdataclass.IN, rtype, *targets) if targets else None

    def _soa(self) -> dns.rrset.RRset:
        apex = dns.name.from_text(self.zone)
        return dns.rrset.from_text(
            apex, max(3600, self.negative_s), dns.rdataclass.IN, "SOA", f"{_SOA} {self.negative_s}"
        )
