"""Asks the authoritative name servers of a zone what they serve (RFC 1034, RFC 2308)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple

import dns.exception
import dns.flags
import dns.message
import dns.name
import dns.query
import dns.rcode
import dns.rdata
import dns.rdatatype
import dns.resolver

from extdns.model.name import DnsName

_PATIENCE_S: Final = 3.0
_PORT: Final = 53
_BELOW_WILDCARD: Final = "extdns-verify"


class Server(NamedTuple):
    """A name server: what it is called, and where it is asked."""

    name: str
    address: str
    port: int = _PORT

    def __str__(self) -> str:
        """Name it, as `ns1.example.net (192.0.2.53)`."""
        where = self.address if self.port == _PORT else f"{self.address} port {self.port}"
        return f"{self.name} ({where})" if self.name else where


class Answer(NamedTuple):
    """What a server said.

    Attributes:
        targets: record data as text, sorted; () if there is no such record.
        ttl_s: seconds for which the answer may be kept; of a denial, as the SOA beside it says; None if unknown.
        problem: why it is no answer, "" if it is one.
    """

    server: Server
    targets: tuple[str, ...] = ()
    ttl_s: int | None = None
    problem: str = ""


def servers_of(zone: str, path: str = "/etc/resolv.conf", *, port: int = _PORT) -> tuple[Server, ...]:
    """The name servers of *zone*, each at all its addresses; () if nobody can tell.

    Args:
        zone: its name.
        path: configures the resolver that is asked.
        port: where that is asked.
    """
    try:
        resolver = dns.resolver.Resolver(path)
        resolver.port = port
        hosts = sorted(str(rdata.target) for rdata in resolver.resolve(f"{zone}.", "NS", search=False))
    except dns.exception.DNSException:
        return ()
    return tuple(server for host in hosts for server in _addresses(resolver, host))


def _addresses(resolver: dns.resolver.Resolver, host: str) -> Iterator[Server]:
    for rdtype in ("A", "AAAA"):
        try:
            found = resolver.resolve(host, rdtype, search=False)
        except dns.exception.DNSException:
            continue
        yield from (Server(host.removesuffix("."), str(rdata)) for rdata in found)


def ask(server: Server, name: DnsName, rtype: str) -> Answer:
    """What *server* serves of *rtype* at *name*, or below it if that is a wildcard."""
    asked = f"{_BELOW_WILDCARD}.{name.parent}." if name.is_wildcard else f"{name}."
    try:
        query = dns.message.make_query(dns.name.from_text(asked), rtype)
        query.flags &= ~dns.flags.RD
        answer, _ = dns.query.udp_with_fallback(query, server.address, timeout=_PATIENCE_S, port=server.port)
    except dns.exception.Timeout:
        return Answer(server, problem=f"no answer within {_PATIENCE_S:g} s")
    except (dns.exception.DNSException, OSError, ValueError) as exc:
        return Answer(server, problem=str(exc) or type(exc).__name__)
    if answer.rcode() not in {dns.rcode.NOERROR, dns.rcode.NXDOMAIN}:
        return Answer(server, problem=f"answers {dns.rcode.to_text(answer.rcode())}")
    if not answer.flags & dns.flags.AA:
        return Answer(server, problem="is not authoritative for it")
    found = [rrset for rrset in answer.answer if rrset.rdtype == query.question[0].rdtype]
    if found:
        return Answer(server, tuple(sorted(rdata.to_text() for rdata in found[0])), int(found[0].ttl))
    return Answer(server, ttl_s=_denied_s(answer))


def _denied_s(answer: dns.message.Message) -> int | None:
    """For how long the denial may be kept: RFC 2308 section 5."""
    for rrset in answer.authority:
        if rrset.rdtype == dns.rdatatype.SOA:
            return min(int(rrset.ttl), _minimum(rrset.to_text()))
    return None


def _minimum(soa: str) -> int:
    """The last number of an SOA record."""
    return int(soa.rpartition(" ")[2])


def same(rtype: str, wanted: Iterable[str], served: Iterable[str]) -> bool:
    """Whether both are the same record data, however it is spelled."""
    return _data(rtype, wanted) == _data(rtype, served)


def among(rtype: str, wanted: Iterable[str], served: Sequence[str]) -> bool:
    """Whether something is served, and nothing but what is *wanted*, however it is spelled."""
    return bool(served) and _data(rtype, served) <= _data(rtype, wanted)


def _data(rtype: str, texts: Iterable[str]) -> set[object]:
    return {_datum(rtype, text) for text in texts}


def _datum(rtype: str, text: str) -> object:
    try:
        return dns.rdata.from_text("IN", rtype, text, origin=dns.name.root, relativize=False)
    except dns.exception.DNSException:
        return text


def negative_s(server: Server, zone: str) -> int | None:
    """For how many seconds caches keep that a name of *zone* is not there, None if *server* does not say."""
    answer = ask(server, DnsName(zone), "SOA")
    if not answer.targets or answer.ttl_s is None:
        return None
    return min(answer.ttl_s, _minimum(answer.targets[0]))
