"""`extdns verify`: whether the name servers of a zone serve what objects ask for."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TYPE_CHECKING, Final, assert_never

from extdns.app.services import service
from extdns.commands.authority import Round, Server, negative_s, servers_of
from extdns.commands.forms import show_facts
from extdns.commands.narrow import NarrowReader
from extdns.commands.onepass import asked, ensure_files, single_pass
from extdns.commands.onepass import look as one_look
from extdns.commands.options import output_of, switch_of, value_of, values_of
from extdns.commands.verifyfacts import counts, served, verify_facts, wishes
from extdns.controller.clock import SystemClock
from extdns.controller.ending import DONE, FAILED, LEFT
from extdns.errors import InvalidValueError, shown
from extdns.facts.printable import printable
from extdns.facts.words import incomplete
from extdns.flags.duration import parse_duration
from extdns.flags.mistakes import mistake
from extdns.model.name import DnsName
from extdns.model.quantity import count
from extdns.model.target import address

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from extdns.commands.verifyfacts import ServedFacts, VerifyFacts, Wish
    from extdns.config import Config
    from extdns.model.zone import Zone
    from extdns.ports import Clock

HELP: Final = """\
Usage: extdns verify [NAME...] [flags] [--wait] [--timeout=5m] [--nameserver=ADDRESS[:PORT]...] [--output=text|json]

Asks every authoritative name server of the zones for what objects ask for, and says of each record whether it is served
by all of them, published in the zone but not served by all yet, pending because the zone does not hold it yet, or not
published, with the reason; and until when caches may hold what was before. Without NAME, all names that objects ask for
are looked at, but for those that the configuration leaves out.

--wait goes on until all is served, for as long as --timeout at most. --nameserver asks that server in place of those
that the zone names; it can be given several times, and be a resolver, as for a private zone. Flags and variables are
those of extdns itself. Nothing is written.

The exit code is 0 if all is served, 2 if not, and 1 if a flag is wrong or something could not be read.
"""
_TIMEOUT: Final = "5m"
_AT_ONCE: Final = 16
_PAUSE_S: Final = 2.0
_LOOK_AGAIN: Final = 5
"""Rounds of questions after which objects and zones are looked at again, which costs more."""


def main(
    arguments: Sequence[str],
    environ: Mapping[str, str],
    clock: Clock | None = None,
    pause: Callable[[float], None] = time.sleep,
) -> int:
    """Ask, and tell; returns the exit code.

    Raises:
        UsageError: a flag is wrong, or something that it names cannot be used.
    """
    output, rest = output_of(arguments)
    wait, rest = switch_of(rest, "--wait")
    timeout, rest = value_of(rest, "--timeout", allowed="a duration such as 5m")
    given, rest = values_of(rest, "--nameserver", allowed="an address, or ADDRESS:PORT")
    names, flags = _names(rest)
    config = single_pass(flags, environ)
    if wait:
        ensure_files(config, "extdns verify --wait")
    check = _Check(config, names, tuple(map(_server, given)), clock or SystemClock())
    end_s = check.clock.monotonic_s() + _seconds(timeout or _TIMEOUT)
    facts = check.all()
    rounds = 0
    while wait and _left(facts) and check.clock.monotonic_s() < end_s:
        pause(_PAUSE_S)
        rounds += 1
        if rounds % _LOOK_AGAIN == 0 or not any(one.state in {"published", "pending"} for one in _left(facts)):
            check.look()
        facts = check.all()
    show_facts(facts, map(printable, _lines(facts)), output)
    if facts.missing:
        return FAILED
    return LEFT if _left(facts) else DONE


class _Check:
    """What is wanted, as it was last looked at, and the servers to ask."""

    def __init__(self, config: Config, names: Sequence[DnsName], servers: Sequence[Server], clock: Clock) -> None:
        self._config = config
        self._names = names
        self._given = tuple(servers)
        self._servers: dict[Zone, tuple[Server, ...]] = {}
        self._negative_s: dict[Zone, int | None] = {}
        self.clock = clock
        self.look()

    def look(self) -> None:
        """Look at objects and zones."""
        single = self._names[0] if len(self._names) == 1 else None
        reader = asked if single is None else lambda config: NarrowReader(service(config)[0], single)
        made = one_look(self._config, reader)
        engine = made.engine
        names = self._names or sorted({one.name for one in engine.decisions if counts(one)})
        self._missing = made.missing
        self._wishes = [wish for name in names for wish in wishes(name, engine.decisions.of(name))]

    def all(self) -> VerifyFacts:
        """Ask about everything that is wanted."""
        questions = Round()
        with ThreadPoolExecutor(_AT_ONCE) as pool:
            found = pool.map(partial(self._asked, questions), self._prepared(questions))
            return verify_facts(found, self._missing)

    def _prepared(self, questions: Round) -> list[Wish]:
        for zone in dict.fromkeys(wish.zone for wish in self._wishes if wish.zone and wish.wanted):
            if zone not in self._servers:
                self._servers[zone] = self._given or servers_of(zone.name)
                self._negative_s[zone] = self._negative(questions, zone)
        return self._wishes

    def _negative(self, questions: Round, zone: Zone) -> int | None:
        """What the first server says that says it."""
        answers = (answer for one in self._servers[zone] for answer in questions.ask((one,), zone.name, "SOA"))
        return next((seconds for seconds in map(negative_s, answers) if seconds is not None), None)

    def _asked(self, questions: Round, wish: Wish) -> ServedFacts:
        zone = wish.zone
        if zone is None or not wish.wanted:
            return served(wish, (), None, self.clock.now())
        answers = questions.ask(self._servers[zone], wish.name, wish.type)
        return served(wish, answers, self._negative_s[zone], self.clock.now())


def _names(rest: Sequence[str]) -> tuple[tuple[DnsName, ...], list[str]]:
    """The names before the first flag, and the flags."""
    first = next((at for at, text in enumerate(rest) if text.startswith(("-", "@"))), len(rest))
    try:
        return tuple(DnsName.parse(text) for text in rest[:first]), list(rest[first:])
    except InvalidValueError as exc:
        raise mistake(f"{shown(exc.value)} is not a name", f"allowed: {exc.allowed}") from exc


def _seconds(text: str) -> float:
    try:
        return parse_duration(text)
    except ValueError as exc:
        raise mistake(f"--timeout={shown(text)} is not a duration", "allowed: such as 90s or 5m") from exc


def _server(text: str) -> Server:
    host, port = text, "53"
    if text.startswith("["):
        host, _, after = text[1:].partition("]")
        port = after.removeprefix(":") or port
    elif text.count(":") == 1:
        host, _, port = text.partition(":")
    if address(host) is None or not (port.isascii() and port.isdigit() and 0 < int(port) < 1 << 16):
        raise mistake(f"--nameserver={shown(text)} is no server", "allowed: ADDRESS, ADDRESS:PORT, [IPV6]:PORT")
    return Server("", host, int(port), resolves=True)


def _left(facts: VerifyFacts) -> list[ServedFacts]:
    return [one for one in facts.names if one.state != "served"]


def _lines(facts: VerifyFacts) -> Iterator[str]:
    for one in facts.names:
        yield from _told(one)
    yield from (f"warning: {text}" for text in facts.warnings)
    yield from incomplete(facts.missing)
    done = sum(one.state == "served" for one in facts.names)
    yield f"{done} of {count(len(facts.names), 'record')} served."


def _told(one: ServedFacts) -> Iterator[str]:
    identifier = f" ({one.set_identifier})" if one.set_identifier else ""
    yield f"{one.type or '-':5}  {one.name}{identifier}  {_ending(one)}"
    if one.state == "served":
        yield f"       caches may hold what was before until {one.cached_until}"
        return
    if one.wanted:
        yield f"       asked for: {', '.join(one.wanted)}"
    for server in one.servers:
        yield f"       {server.server}: {server.problem or ', '.join(server.targets) or 'no such record'}"


def _ending(one: ServedFacts) -> str:
    servers = count(len(one.servers), "name server")
    match one.state:
        case "served":
            return f"served by all of {servers}"
        case "published":
            return f"published, but not served by all of {servers}"
        case "pending":
            return f"not in the zone as asked for yet  [{one.reason}]"
        case "unpublished":
            return f"not published  [{one.reason}]" if one.reason else "no object asks for it"
        case "unknown":
            return "published, but no name server of the zone is known; name one with --nameserver"
        case _:
            assert_never(one.state)
