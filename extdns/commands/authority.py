"""Asks the authoritative name servers of a zone what they serve (RFC 1034, RFC 2308)."""

from __future__ import annotations

import errno
from collections import Counter
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
import dns.rrset
import dns.tokenizer

from extdns.model import rrtype
from extdns.model.name import DnsName

_PATIENCE_S: Final = 2.0
_TRIES: Final = 2  # a datagram may get lost
_SILENT: Final = 3
_NO_ROUTE: Final = frozenset({errno.ENETUNREACH, errno.EADDRNOTAVAIL, errno.EAFNOSUPPORT})
_PORT: Final = 53
_BELOW_WILDCARD: Final = "extdns-verify"
_FULL: Final = 255  # bytes: RFC 1035 section 3.3


class Server(NamedTuple):
    """A name server: what it is called, and where it is asked.

    Attributes:
        resolves: whether it may be a resolver, which answers for the servers of the zone.
    """

    name: str
    address: str
    port: int = _PORT
    resolves: bool = False

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
        silent: whether nothing came back in time.
        no_route: whether this machine has no way to addresses of that kind.
    """

    server: Server
    targets: tuple[str, ...] = ()
    ttl_s: int | None = None
    problem: str = ""
    silent: bool = False
    no_route: bool = False


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


class Round:
    """A round of questions, by any thread; a server that leaves some of them unanswered is not asked further."""

    def __init__(self) -> None:
        self._unanswered: Counter[Server] = Counter()

    def ask(self, servers: Iterable[Server], name: DnsName, rtype: str) -> tuple[Answer, ...]:
        """What *servers* serve of *rtype* at *name*, or below it if that is a wildcard.

        Addresses that this machine has no way to are left out where the server has others: many machines have no IPv6.
        """
        answers = [self._asked(server, name, rtype) for server in servers]
        reached = {answer.server.name for answer in answers if not answer.no_route}
        return tuple(one for one in answers if not (one.no_route and one.server.name in reached))

    def _asked(self, server: Server, name: DnsName, rtype: str) -> Answer:
        if self._unanswered[server] >= _SILENT:
            return _silent(server)
        answer = ask(server, name, rtype)
        self._unanswered[server] += answer.silent
        return answer


def ask(server: Server, name: DnsName, rtype: str) -> Answer:
    """What *server* serves of *rtype* at *name*, or below it if that is a wildcard."""
    asked = f"{_BELOW_WILDCARD}.{name.parent}." if name.is_wildcard else f"{name}."
    try:
        query = dns.message.make_query(dns.name.from_text(asked), rtype)
        if not server.resolves:
            query.flags &= ~dns.flags.RD
        answer = _answered(server, query)
    except OSError as exc:
        return Answer(server, problem=exc.strerror or str(exc), no_route=exc.errno in _NO_ROUTE)
    except (dns.exception.DNSException, ValueError) as exc:
        return Answer(server, problem=str(exc) or type(exc).__name__)
    return _silent(server) if answer is None else _read(server, query, answer)


def _answered(server: Server, query: dns.message.Message) -> dns.message.Message | None:
    """The whole answer, by TCP where it does not fit into a datagram; None if none came."""
    for _ in range(_TRIES):
        try:
            return dns.query.udp_with_fallback(query, server.address, timeout=_PATIENCE_S, port=server.port)[0]
        except dns.exception.Timeout:
            continue
    return None


def _silent(server: Server) -> Answer:
    return Answer(server, problem=f"no answer to {_TRIES} questions, within {_PATIENCE_S:g} s each", silent=True)


def _read(server: Server, query: dns.message.Message, answer: dns.message.Message) -> Answer:
    (question,) = query.question
    if answer.rcode() not in {dns.rcode.NOERROR, dns.rcode.NXDOMAIN}:
        return Answer(server, problem=f"answers {dns.rcode.to_text(answer.rcode())}")
    parted = next((rrset for rrset in answer.authority if rrset.rdtype == dns.rdatatype.NS), None)
    found = {rrset.rdtype: rrset for rrset in answer.answer if rrset.name == question.name}
    if not (answer.flags & dns.flags.AA or (server.resolves and answer.flags & dns.flags.RA)):
        if answer.answer or parted is None:
            return Answer(server, problem="is not authoritative for it")
        # Of a delegation and its glue only the servers below it could say that it is an answer: RFC 1034 section 4.2.1.
        found = {rrset.rdtype: rrset for rrset in (parted, *answer.additional) if rrset.name == question.name}
        if question.rdtype not in found:
            return Answer(server, problem=f"refers to the name servers of {parted.name.to_text(omit_final_dot=True)}")
    if asked_for := found.get(question.rdtype):
        return Answer(server, _texts(asked_for), int(asked_for.ttl))
    if alias := found.get(dns.rdatatype.CNAME):
        return Answer(server, ttl_s=int(alias.ttl), problem=f"has a CNAME there: {', '.join(_texts(alias))}")
    return Answer(server, ttl_s=_denied_s(answer))


def _texts(rrset: dns.rrset.RRset) -> tuple[str, ...]:
    return tuple(sorted(rdata.to_text() for rdata in rrset))


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
        if rtype == rrtype.TXT:
            return _strings(text)
        return dns.rdata.from_text("IN", rtype, text, origin=dns.name.root, relativize=False)
    except dns.exception.DNSException:
        return text


def _strings(text: str) -> tuple[bytes, ...]:
    """The strings of TXT data; what follows a full one continues it, since none is longer in the DNS."""
    joined: list[bytes] = []
    for token in dns.tokenizer.Tokenizer(text).get_remaining():
        string = token.unescape_to_bytes().value
        if joined and joined[-1] and not len(joined[-1]) % _FULL:
            joined[-1] += string
        else:
            joined.append(string)
    return tuple(joined)


def negative_s(answer: Answer) -> int | None:
    """For how many seconds caches keep that a name is not there, by the SOA in *answer*; None if it has none."""
    if not answer.targets or answer.ttl_s is None:
        return None
    return min(answer.ttl_s, _minimum(answer.targets[0]))
