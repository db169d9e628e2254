"""`extdns verify`: check that the name servers of a zone serve what objects request."""

from __future__ import annotations

import time
from functools import partial
from typing import TYPE_CHECKING, Final

import click

from extdns.command import OUTPUT, command, option, parse_name
from extdns.commands.output import show_document
from extdns.flags.duration import DURATION
from extdns.model.dns_name import DnsName

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from extdns.commands.name_servers import QueryRound, Server
    from extdns.config import Config
    from extdns.documents.verification import ExpectedRecord, ServedDocument, VerificationDocument
    from extdns.model.zone import Zone
    from extdns.ports import Clock

_THREADS: Final = 16
_PAUSE_S: Final = 2.0
_ROUNDS_PER_PASS: Final = 5
"""The number of rounds of DNS queries between two readings of objects and zones, which cost more."""


@command(
    examples=(
        "extdns verify @extdns.flags",
        "extdns verify web.shop.example @extdns.flags --nameserver=127.0.0.1:5353",
    ),
    exit_codes="0 if every record is served, 2 if not, 1 if a flag is wrong or something could not be read.",
)
@click.argument("names", metavar="[NAME...]", nargs=-1)
@option("--wait", is_flag=True, help="repeats the check until everything is served, at most for --timeout")
@option("--timeout", kind=DURATION, default="5m", help="how long --wait waits; default 5m")
@option(
    "--nameserver",
    metavar="ADDRESS[:PORT]",
    multiple=True,
    help="queries this server instead of those of the zone; repeatable; can be a resolver, for example for a private "
    "zone",
)
@OUTPUT
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
    r"""Ask every authoritative name server of the zones for the records that objects request.

    \b
    Each record is
      served       by all name servers,
      published    in the zone, but not served by all name servers yet,
      pending      not in the zone as requested yet,
      unpublished  for the reason that is shown, or
      unknown      if no name server of the zone is known.

    For served records it shows until when caches may answer with older data. Without NAME, all requested names are
    checked, except those that a filter excludes. Nothing is written.
    """
    from extdns.commands.name_servers import parse_server
    from extdns.commands.one_pass import configure_pass, require_files
    from extdns.controller.clock import SystemClock
    from extdns.controller.exit_codes import DONE, FAILED, INCOMPLETE
    from extdns.documents.verification import format_verification, list_unserved

    parsed = tuple(map(parse_name, names))
    config = configure_pass(flags, environ)
    if wait:
        require_files(config, "extdns verify --wait")
    verifier = _Verifier(config, parsed, tuple(map(parse_server, nameserver)), clock or SystemClock())
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
        from extdns.commands.one_pass import ZonesOfNameReader, open_reader, run_pass
        from extdns.documents.verification import is_expected, list_expected

        single = self._names[0] if len(self._names) == 1 else None
        reader = open_reader if single is None else lambda config: ZonesOfNameReader(open_reader(config), single)
        result = run_pass(self._config, reader)
        decisions = result.engine.decisions
        names = self._names or sorted({one.name for one in decisions if is_expected(one)})
        self._missing = result.missing
        self._expected = [record for name in names for record in list_expected(name, decisions.decisions(name))]

    def verify(self) -> VerificationDocument:
        """Query the name servers for every expected record."""
        from concurrent.futures import ThreadPoolExecutor

        from extdns.commands.name_servers import QueryRound, find_name_servers
        from extdns.documents.verification import build_verification

        queries = QueryRound()
        for zone in dict.fromkeys(one.zone for one in self._expected if one.zone and one.requested):
            if zone not in self._servers:
                self._servers[zone] = self._chosen_servers or find_name_servers(zone.name)
                self._negative_ttl_s[zone] = queries.query_negative_ttl(self._servers[zone], zone.name)
        with ThreadPoolExecutor(_THREADS) as pool:
            return build_verification(pool.map(partial(self._verify_record, queries), self._expected), self._missing)

    def _verify_record(self, queries: QueryRound, expected: ExpectedRecord) -> ServedDocument:
        from extdns.commands.name_servers import build_served

        zone = expected.zone
        if zone is None or not expected.requested:
            return build_served(expected, (), None, self.clock.now())
        answers = queries.query(self._servers[zone], expected.name, expected.type)
        return build_served(expected, answers, self._negative_ttl_s[zone], self.clock.now())
