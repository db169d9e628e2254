"""`extdns explain`: the whole way of a name or of an object, or what a reason code means."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from extdns.app.services import service
from extdns.commands import running
from extdns.commands.codes import explain_code, looks_like_code
from extdns.commands.forms import show_facts
from extdns.commands.narrow import NarrowReader
from extdns.commands.onepass import one_pass
from extdns.commands.options import output_of
from extdns.controller.ending import DONE, FAILED
from extdns.errors import InvalidValueError, UsageError, shown
from extdns.facts.name import NameFacts, name_facts
from extdns.facts.nametext import name_text
from extdns.facts.object import ObjectExplanation, object_facts_of, object_text
from extdns.facts.snapshot import Snapshot
from extdns.flags.mistakes import mistake
from extdns.model.name import DnsName

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from extdns.config import Config
    from extdns.ports import ZoneReader

HELP: Final = """\
Usage: extdns explain NAME [flags | --controller=URL] [--output=text|json]
       extdns explain KIND/NAMESPACE/NAME [flags | --controller=URL] [--output=text|json]
       extdns explain CODE [--output=text|json]

Says of a name which objects ask for it, where on the object, which of them wins, in which zone it lies, what stands
there and whose it is, and what extdns would do and why. Of an object it says the same for each of its names, as in
`extdns explain service/shop/web`; what has no namespace is KIND/NAME. Of a reason code it says what it means.

--controller=URL asks a running extdns at the address of its live page, which costs no call to a cluster or DNS service.
Without any flag the one of this machine is asked, if there is one. With the flags of extdns itself one pass is made
over the objects and, for a name, over the zones that it lies in: give those with which it runs. Nothing is written.

The exit code is 0, and 1 if a flag is wrong, if there is no such object or code, or if something could not be read.
"""


def main(arguments: Sequence[str], environ: Mapping[str, str]) -> int:
    """Explain the first of *arguments*; returns the exit code.

    Raises:
        UsageError: it is nothing that can be explained, or a flag is wrong.
    """
    output, rest = output_of(arguments)
    if not rest or rest[0].startswith("-"):
        raise mistake(
            "extdns explain needs a name, an object or a reason code, before any flags",
            "as in: extdns explain shop.example.org, extdns explain service/shop/web, extdns explain held",
        )
    what, flags = rest[0], rest[1:]
    if looks_like_code(what):
        return explain_code(what, flags, output)
    controller, flags = running.controller_of(flags)
    about = what if "/" in what else _parsed(what)
    facts = _asked(about, controller, flags) or _looked(about, flags, environ)
    lines = name_text(facts) if isinstance(facts, NameFacts) else object_text(facts)
    show_facts(facts, lines, output)
    return FAILED if facts.missing else DONE


def _parsed(text: str) -> DnsName:
    try:
        return DnsName.parse(text)
    except InvalidValueError as exc:
        raise mistake(f"{shown(text)} is not a name", f"allowed: {exc.allowed}") from exc


def _asked(about: str, controller: str | None, flags: Sequence[str]) -> NameFacts | ObjectExplanation | None:
    """What a running process says; None if none was named, and none is to be asked or answers."""
    if controller is None and flags:
        return None
    place = running.NEARBY if controller is None else controller
    try:
        if isinstance(about, DnsName):
            return running.ask(place, f"names/{about}", NameFacts)
        return running.ask(place, f"objects/{about}", ObjectExplanation)
    except running.NoAnswerError:
        if controller is not None:
            raise
        return None


def _looked(about: str, flags: Sequence[str], environ: Mapping[str, str]) -> NameFacts | ObjectExplanation:
    """What one pass finds."""
    try:
        return _name(about, flags, environ) if isinstance(about, DnsName) else _object(about, flags, environ)
    except UsageError as exc:
        if flags:
            raise
        raise UsageError(
            f"{exc}\n  no extdns answers at {running.NEARBY} either; for others: --controller=URL"
        ) from exc


def _name(name: DnsName, flags: Sequence[str], environ: Mapping[str, str]) -> NameFacts:
    narrow: list[NarrowReader] = []

    def narrowed(config: Config) -> ZoneReader:
        narrow.append(NarrowReader(service(config)[0], name))
        return narrow[0]

    made = one_pass(flags, environ, narrowed)
    known = narrow[0].zones_known
    return name_facts(Snapshot(made.engine), name, made.config, zones_known=known, missing=made.missing)


def _object(text: str, flags: Sequence[str], environ: Mapping[str, str]) -> ObjectExplanation:
    made = one_pass(flags, environ)
    return object_facts_of(Snapshot(made.engine), text, made.missing)
