"""`extdns explain`: the whole way of a name or of an object, or what a reason code means."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from extdns.app.services import service
from extdns.commands.codes import explain_code, looks_like_code
from extdns.commands.narrow import NarrowReader
from extdns.commands.onepass import one_pass
from extdns.commands.options import JSON, TEXT, output_of
from extdns.commands.output import show
from extdns.errors import InvalidValueError, shown
from extdns.facts.document import json_text
from extdns.facts.name import name_facts
from extdns.facts.nametext import name_text
from extdns.facts.object import object_facts_of, object_text
from extdns.facts.snapshot import Snapshot
from extdns.flags.mistakes import mistake
from extdns.model.name import DnsName

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from extdns.config import Config
    from extdns.ports import ZoneReader

_HELP: Final = """\
Usage: extdns explain NAME [flags] [--output=text|json]
       extdns explain KIND/NAMESPACE/NAME [flags] [--output=text|json]
       extdns explain CODE [--output=text|json]

Says of a name which objects ask for it, where on the object, which of them wins, in which zone it lies, what stands
there and whose it is, and what extdns would do and why. Of an object it says the same for each of its names, as in
`extdns explain service/shop/web`; what has no namespace is KIND/NAME. Of a reason code it says what it means.

One pass is made over the objects and, for a name, over the zones that it lies in. Nothing is written. Flags and
variables are those of extdns itself: give those with which it runs.

The exit code is 0, and 1 if a flag is wrong, if there is no such object or code, or if something could not be read.
"""


def main(arguments: Sequence[str], environ: Mapping[str, str]) -> int:
    """Explain the first of *arguments*; returns the exit code.

    Raises:
        UsageError: it is nothing that can be explained, or a flag is wrong.
    """
    if "--help" in arguments:
        show(_HELP)
        return 0
    output, rest = output_of(arguments, (TEXT, JSON))
    if not rest or rest[0].startswith("-"):
        raise mistake(
            "extdns explain needs a name, an object or a reason code, before any flags",
            "as in: extdns explain shop.example.org, extdns explain service/shop/web, extdns explain held",
        )
    what, flags = rest[0], rest[1:]
    if looks_like_code(what):
        return explain_code(what, flags, output)
    return _object(what, flags, environ, output) if "/" in what else _name(what, flags, environ, output)


def _name(text: str, flags: Sequence[str], environ: Mapping[str, str], output: str) -> int:
    try:
        name = DnsName.parse(text)
    except InvalidValueError as exc:
        raise mistake(f"{shown(text)} is not a name", f"allowed: {exc.allowed}") from exc
    narrow: list[NarrowReader] = []

    def narrowed(config: Config) -> ZoneReader:
        narrow.append(NarrowReader(service(config)[0], name))
        return narrow[0]

    made = one_pass(flags, environ, narrowed)
    known = narrow[0].zones_known
    facts = name_facts(Snapshot(made.engine), name, made.config, zones_known=known, missing=made.missing)
    show(json_text(facts) if output == JSON else "".join(f"{line}\n" for line in name_text(facts)))
    return 1 if made.missing else 0


def _object(text: str, flags: Sequence[str], environ: Mapping[str, str], output: str) -> int:
    made = one_pass(flags, environ)
    facts = object_facts_of(Snapshot(made.engine), text, made.missing)
    show(json_text(facts) if output == JSON else "".join(f"{line}\n" for line in object_text(facts)))
    return 1 if made.missing else 0
