"""Query the name servers of a zone (RFC 1034, RFC 2308), and compare their answers with the expected records."""

from __future__ import annotations

import errno
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
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

from extdns.documents.document import build_zone_reference
from extdns.documents.text import format_rfc3339
from extdns.documents.verification import ExpectedRecord, ServedDocument, ServedState, ServerDocument
from extdns.errors import sanitize
from extdns.flags.usage_errors import usage_error
from extdns.model import rrtype
from extdns.model.dns_name import DnsName
from extdns.model.record import parse_address

_TIMEOUT_S: Final = 2.0
_TRIES: Final = 2  # a datagram may get lost
_MAX_UNANSWERED: Final = 3
_NO_ROUTE: Final = frozenset({errno.ENETUNREACH, errno.EADDRNOTAVAIL, errno.EAFNOSUPPORT})
_PORT: Final = 53
_BELOW_WILDCARD: Final = "extdns-verify"
_MAX_STRING: Final = 255  # bytes: RFC 1035 section 3.3


class Server(NamedTuple):
    """A name server.

    Attributes:
        name: its host name, "" if only the address is known.
        resolves: whether it may be a resolver instead of an authoritative server of the zone.
    """

    name: str
    address: str
    port: int = _PORT
    resolves: bool = False

    def __str__(self) -> str:
        """Format the server as `ns1.example.net (192.0.2.53)`."""
        where = self.address if self.port == _PORT else f"{self.address} port {self.port}"
        return f"{self.name} ({where})" if self.name else where


class Answer(NamedTuple):
    """The answer of a server.

    Attributes:
        targets: record data as text, sorted; () if there is no such record.
        ttl_s: seconds for which the answer may be cached; for a negative answer from its SOA; None if unknown.
        problem: why the answer is not usable, "" if it is.
        silent: whether the server did not answer in time.
        no_route: whether this machine has no route to the address, as to IPv6 on many machines.
    """

    server: Server
    targets: tuple[str, ...] = ()
    ttl_s: int | None = None
    problem: str = ""
    silent: bool = False
    no_route: bool = False


def parse_server(text: str) -> Server:
    """Parse the value of `--nameserver`."""
    host, port = text, str(_PORT)
    if text.startswith("["):
        host, _, after = text[1:].partition("]")
        port = after.removeprefix(":") or port
    elif text.count(":") == 1:
        host, _, port = text.partition(":")
    if parse_address(host) is None or not (port.isascii() and port.isdigit() and 0 < int(port) < 1 << 16):
        raise usage_error(
            f"--nameserver={sanitize(text)} is not the address of a name server",
            "allowed: ADDRESS, ADDRESS:PORT, [IPV6]:PORT",
        )
    return Server("", host, int(port), resolves=True)


def find_name_servers(zone: str, path: str = "/etc/resolv.conf", *, port: int = _PORT) -> tuple[Server, ...]:
    """Return the name servers of *zone*, one for each address; () if they cannot be resolved.

    The resolver has its configuration in *path*.
    """
    try:
        resolver = dns.resolver.Resolver(path)
        resolver.port = port
        hosts = sorted(str(rdata.target) for rdata in resolver.resolve(f"{zone}.", "NS", search=False))
    except dns.exception.DNSException:
        return ()
    return tuple(server for host in hosts for server in _resolve_addresses(resolver, host))


def _resolve_addresses(resolver: dns.resolver.Resolver, host: str) -> Iterator[Server]:
    for rdtype in ("A", "AAAA"):
        try:
            found = resolver.resolve(host, rdtype, search=False)
        except dns.exception.DNSException:
            continue
        yield from (Server(host.removesuffix("."), str(rdata)) for rdata in found)


class QueryRound:
    """A round of queries, from any thread. A server that left three of them unanswered is not queried again."""

    def __init__(self) -> None:
        self._unanswered: Counter[Server] = Counter()

    def query(self, servers: Iterable[Server], name: DnsName, rtype: str) -> tuple[Answer, ...]:
        """Query *servers* for *rtype* at *name*; for a wildcard, at a name below it.

        Leave out an address without a route if the server of that name has another address with a route.
        """
        answers = [self._query(server, name, rtype) for server in servers]
        reached = {answer.server.name for answer in answers if not answer.no_route} - {""}
        return tuple(one for one in answers if not (one.no_route and one.server.name in reached))

    def query_negative_ttl(self, servers: Iterable[Server], zone: DnsName) -> int | None:
        """Return the negative TTL of *zone* in seconds, from the first of *servers* that answers with its SOA."""
        for answer in (answer for one in servers for answer in self.query((one,), zone, "SOA")):
            if answer.targets and answer.ttl_s is not None:
                return min(answer.ttl_s, _parse_minimum(answer.targets[0]))
        return None

    def _query(self, server: Server, name: DnsName, rtype: str) -> Answer:
        if self._unanswered[server] >= _MAX_UNANSWERED:
            return _build_timeout(server)
        answer = query_server(server, name, rtype)
        self._unanswered[server] += answer.silent
        return answer


def query_server(server: Server, name: DnsName, rtype: str) -> Answer:
    """Query *server* for *rtype* at *name*; for a wildcard, at a name below it."""
    queried = f"{_BELOW_WILDCARD}.{name.parent}." if name.is_wildcard else f"{name}."
    try:
        query = dns.message.make_query(dns.name.from_text(queried), rtype)
        if not server.resolves:
            query.flags &= ~dns.flags.RD
        answer = _send(server, query)
    except OSError as exc:
        return Answer(server, problem=exc.strerror or str(exc), no_route=exc.errno in _NO_ROUTE)
    except (dns.exception.DNSException, ValueError) as exc:
        return Answer(server, problem=str(exc) or type(exc).__name__)
    return _build_timeout(server) if answer is None else _parse_answer(server, query, answer)


def _send(server: Server, query: dns.message.Message) -> dns.message.Message | None:
    """Return the full answer, over TCP if it does not fit into a datagram; None if there is none."""
    for _ in range(_TRIES):
        try:
            return dns.query.udp_with_fallback(query, server.address, timeout=_TIMEOUT_S, port=server.port)[0]
        except dns.exception.Timeout:
            continue
    return None


def _build_timeout(server: Server) -> Answer:
    return Answer(server, problem=f"no answer to {_TRIES} queries, within {_TIMEOUT_S:g} s each", silent=True)


def _parse_answer(server: Server, query: dns.message.Message, answer: dns.message.Message) -> Answer:
    (question,) = query.question
    if answer.rcode() not in {dns.rcode.NOERROR, dns.rcode.NXDOMAIN}:
        return Answer(server, problem=f"answers {dns.rcode.to_text(answer.rcode())}")
    referral = next((rrset for rrset in answer.authority if rrset.rdtype == dns.rdatatype.NS), None)
    found = {rrset.rdtype: rrset for rrset in answer.answer if rrset.name == question.name}
    if not (answer.flags & dns.flags.AA or (server.resolves and answer.flags & dns.flags.RA)):
        if answer.answer or referral is None:
            return Answer(server, problem="is not authoritative for the name")
        # Only the servers of the child zone are authoritative for a delegation and its glue: RFC 1034 section 4.2.1.
        found = {rrset.rdtype: rrset for rrset in (referral, *answer.additional) if rrset.name == question.name}
        if question.rdtype not in found:
            return Answer(server, problem=f"refers to the name servers of {referral.name.to_text(omit_final_dot=True)}")
    if matching := found.get(question.rdtype):
        return Answer(server, _format_data(matching), int(matching.ttl))
    if alias := found.get(dns.rdatatype.CNAME):
        targets = ", ".join(_format_data(alias))
        return Answer(server, ttl_s=int(alias.ttl), problem=f"has a CNAME at the name: {targets}")
    return Answer(server, ttl_s=_find_soa_ttl(answer))


def _format_data(rrset: dns.rrset.RRset) -> tuple[str, ...]:
    return tuple(sorted(rdata.to_text() for rdata in rrset))


def _find_soa_ttl(answer: dns.message.Message) -> int | None:
    """Return for how many seconds the negative *answer* may be cached (RFC 2308 section 5); None without an SOA."""
    for rrset in answer.authority:
        if rrset.rdtype == dns.rdatatype.SOA:
            return min(int(rrset.ttl), _parse_minimum(rrset.to_text()))
    return None


def _parse_minimum(soa: str) -> int:
    """Return the last field of the SOA record *soa*, which limits the negative TTL, in seconds."""
    return int(soa.rpartition(" ")[2])


def _parse_value(rtype: str, text: str) -> object:
    """Return record data in a form in which different spellings of the same data are equal."""
    try:
        if rtype == rrtype.TXT:
            return _parse_strings(text)
        return dns.rdata.from_text("IN", rtype, text, origin=dns.name.root, relativize=False)
    except dns.exception.DNSException:
        return text


def _parse_strings(text: str) -> tuple[bytes, ...]:
    """Return the strings of TXT data. A string that follows one of 255 bytes is joined to it."""
    joined: list[bytes] = []
    for token in dns.tokenizer.Tokenizer(text).get_remaining():
        string = token.unescape_to_bytes().value
        if joined and joined[-1] and not len(joined[-1]) % _MAX_STRING:
            joined[-1] += string
        else:
            joined.append(string)
    return tuple(joined)


def build_served(
    expected: ExpectedRecord, answers: Sequence[Answer], negative_ttl_s: int | None, now: datetime
) -> ServedDocument:
    """Describe whether the *answers* of the name servers are those *expected* of the record."""
    ttls = [answer.ttl_s for answer in answers if answer.ttl_s is not None]
    cached_s = max((*ttls, negative_ttl_s or 0), default=0)
    return ServedDocument(
        name=expected.name,
        set_identifier=expected.set_identifier,
        type=expected.type,
        zone=build_zone_reference(expected.zone) if expected.zone else None,
        state=_find_state(expected, answers),
        reason=expected.reason,
        requested=expected.requested,
        servers=tuple(
            ServerDocument(server=str(one.server), targets=one.targets, ttl_seconds=one.ttl_s, problem=one.problem)
            for one in answers
        ),
        cached_until=format_rfc3339(now.timestamp() + cached_s) if answers and expected.requested else "",
        negative_ttl_seconds=negative_ttl_s,
    )


def _find_state(expected: ExpectedRecord, answers: Sequence[Answer]) -> ServedState:
    if not expected.requested:
        return "unpublished"
    if answers and all(is_served(expected, answer) for answer in answers):
        return "served"
    if not expected.is_published:
        return "pending"
    return "published" if answers else "unknown"


def is_served(expected: ExpectedRecord, answer: Answer) -> bool:
    """Return whether *answer* shows that the record is served.

    The answer for an alias or a routing policy may be the same before and after a change, so the zone must also hold
    the record as requested. An alias may have no IPv6 address; its A record is checked on its own.
    """
    if answer.problem:
        return False
    if expected.alias:
        return expected.is_published and (bool(answer.targets) or expected.type == rrtype.AAAA)
    should_be = {_parse_value(expected.type, target) for target in expected.answers}
    served = {_parse_value(expected.type, target) for target in answer.targets}
    if expected.set_identifier:
        return expected.is_published and bool(served) and served <= should_be
    return served == should_be
