"""`extdns verify`: check that the name servers of a zone serve what objects request."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING, Final

from extdns.app.provider import build_provider
from extdns.commands.name_servers import (
    QueryRound,
    Server,
    find_name_servers,
    find_negative_ttl,
    has_same_data,
    is_subset,
)
from extdns.commands.one_pass import ZonesOfNameReader, configure_pass, open_reader, require_files, run_pass
from extdns.commands.output import show_document
from extdns.controller.clock import SystemClock
from extdns.controller.exit_codes import DONE, FAILED, INCOMPLETE
from extdns.documents.document import build_zone_reference
from extdns.documents.verification import (
    ServedDocument,
    ServerDocument,
    build_verification,
    format_verification,
    is_expected,
    list_expected,
    list_unserved,
)
from extdns.errors import InvalidValueError, sanitize
from extdns.flags.usage_errors import usage_error
from extdns.model import rrtype
from extdns.model.dns_name import DnsName
from extdns.model.record import parse_address

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from extdns.commands.name_servers import Answer
    from extdns.config import Config
    from extdns.documents.verification import ExpectedRecord, ServedState, VerificationDocument
    from extdns.model.zone import Zone
    from extdns.ports import Clock

_THREADS: Final = 16
_PAUSE_S: Final = 2.0
_ROUNDS_PER_PASS: Final = 5
"""The number of rounds of DNS queries between two readings of objects and zones, which cost more."""


def main(  # noqa: PLR0913 - the options, and the clock of tests
    flags: Sequence[str],
    environ: Mapping[str, str],
    *,
    names: Sequence[str],
    wait: bool,
    timeout: float,
    nameserver: Sequence[str],
    output: str,
    clock: Clock | None = None,
    pause: Callable[[float], None] = time.sleep,
) -> int:
    """Query the name servers, and show what they serve. Return the exit code.

    Raises:
        UsageError: an argument is wrong, or what it names cannot be used.
    """
    parsed = _parse_names(names)
    config = configure_pass(flags, environ)
    if wait:
        require_files(config, "extdns verify --wait")
    verifier = _Verifier(config, parsed, tuple(map(_parse_server, nameserver)), clock or SystemClock())
    end_s = verifier.clock.monotonic_s() + timeout
    document = verifier.verify()
    rounds = 0
    while wait and list_unserved(document) and verifier.clock.monotonic_s() < end_s:
        pause(_PAUSE_S)
        rounds += 1
        can_change = any(one.state in {"published", "pending"} for one in list_unserved(document))
        if rounds % _ROUNDS_PER_PASS == 0 or not can_change:
            verifier.run_pass()
        document = verifier.verify()
    show_document(document, format_verification(document), output)
    if document.missing:
        return FAILED
    return INCOMPLETE if list_unserved(document) else DONE


class _Verifier:
    """The records that should be served, as of the last pass, and the name servers to query."""

    def __init__(self, config: Config, names: Sequence[DnsName], servers: Sequence[Server], clock: Clock) -> None:
        self._config = config
        self._names = names
        self._chosen_servers = tuple(servers)
        self._servers: dict[Zone, tuple[Server, ...]] = {}
        self._negative_ttl_s: dict[Zone, int | None] = {}
        self.clock = clock
        self.run_pass()

    def run_pass(self) -> None:
        """Make one pass over objects and zones, and store the records that name servers should serve."""
        single = self._names[0] if len(self._names) == 1 else None
        reader = open_reader if single is None else lambda config: ZonesOfNameReader(build_provider(config)[0], single)
        result = run_pass(self._config, reader)
        decisions = result.engine.decisions
        names = self._names or sorted({one.name for one in decisions if is_expected(one)})
        self._missing = result.missing
        self._expected = [record for name in names for record in list_expected(name, decisions.decisions(name))]

    def verify(self) -> VerificationDocument:
        """Query the name servers for every expected record."""
        queries = QueryRound()
        for zone in dict.fromkeys(one.zone for one in self._expected if one.zone and one.requested):
            if zone not in self._servers:
                self._servers[zone] = self._chosen_servers or find_name_servers(zone.name)
                self._negative_ttl_s[zone] = self._query_negative_ttl(queries, zone)
        with ThreadPoolExecutor(_THREADS) as pool:
            return build_verification(pool.map(partial(self._verify_record, queries), self._expected), self._missing)

    def _query_negative_ttl(self, queries: QueryRound, zone: Zone) -> int | None:
        """Return the negative TTL of *zone* from the first server that answers."""
        answers = (answer for one in self._servers[zone] for answer in queries.query((one,), zone.name, "SOA"))
        return next((seconds for seconds in map(find_negative_ttl, answers) if seconds is not None), None)

    def _verify_record(self, queries: QueryRound, expected: ExpectedRecord) -> ServedDocument:
        zone = expected.zone
        if zone is None or not expected.requested:
            return build_served(expected, (), None, self.clock.now())
        answers = queries.query(self._servers[zone], expected.name, expected.type)
        return build_served(expected, answers, self._negative_ttl_s[zone], self.clock.now())


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
        cached_until=_format_time(now, cached_s) if answers and expected.requested else "",
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
    if expected.set_identifier:
        return expected.is_published and is_subset(expected.type, expected.answers, answer.targets)
    return has_same_data(expected.type, expected.answers, answer.targets)


def _format_time(now: datetime, after_s: int) -> str:
    return f"{datetime.fromtimestamp(now.timestamp() + after_s, UTC):%Y-%m-%dT%H:%M:%SZ}"


def _parse_names(texts: Sequence[str]) -> tuple[DnsName, ...]:
    try:
        return tuple(map(DnsName.parse, texts))
    except InvalidValueError as exc:
        raise usage_error(f"{sanitize(exc.value)} is not a DNS name", f"allowed: {exc.allowed}") from exc


def _parse_server(text: str) -> Server:
    host, port = text, "53"
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
