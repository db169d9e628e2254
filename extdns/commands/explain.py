"""`extdns explain`: trace a name or an object, or explain a reason code."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from extdns.command import OUTPUT, command, option, parse_name
from extdns.commands.output import show_document
from extdns.errors import UsageError, find_similar, sanitize
from extdns.flags.usage_errors import usage_error
from extdns.model.dns_name import DnsName

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from extdns.commands.one_pass import ZonesOfNameReader
    from extdns.config import Config
    from extdns.documents.name import NameDocument
    from extdns.documents.object import ObjectDocument
    from extdns.ports import ZoneReader


@command(
    examples=("extdns explain web.shop.example @extdns.flags", "extdns explain service/shop/web @extdns.flags"),
    exit_codes="0, or 1 if a flag is wrong, there is no such object or code, or something could not be read.",
)
@click.argument("topic", metavar="NAME|KIND/NAMESPACE/NAME|CODE")
@option(
    "--controller",
    metavar="URL",
    help="the running extdns with this address of the live page answers; this costs no call to the cluster or the DNS "
    "service",
)
@OUTPUT
def main(flags: Sequence[str], environ: Mapping[str, str], *, topic: str, controller: str | None, output: str) -> int:
    """Explain a name, an object or a reason code.

    For a name, show which objects request it and where on the object, which of them is used, the zone, the current
    records and their owners, and what extdns would do and why.

    For an object, such as service/shop/web, show the same for each of its names. Use KIND/NAME for objects without a
    namespace. For a reason code, show what it means.

    Without flags, the extdns that runs on this machine answers, if there is one. With the flags of a run, this command
    makes one pass over the objects and the zones; for a name, only over its zones. Nothing is written.
    """
    from extdns.controller.exit_codes import DONE, FAILED
    from extdns.documents.explanation import format_name
    from extdns.documents.name import NameDocument
    from extdns.documents.object import format_object

    if "." not in topic and "/" not in topic:  # a name has a dot, and an object has a slash
        return _explain_reason(topic, [*flags, *(["--controller"] if controller else [])], output)
    about = topic if "/" in topic else parse_name(topic)
    document = _query_process(about, controller, flags) or _explain_by_pass(about, flags, environ)
    lines = format_name(document) if isinstance(document, NameDocument) else format_object(document)
    show_document(document, lines, output)
    return FAILED if document.missing else DONE


def _query_process(about: str, controller: str | None, flags: Sequence[str]) -> NameDocument | ObjectDocument | None:
    """Return the answer of a running process; None if there are flags for a pass, or if no local process answers."""
    from extdns.commands import running_process
    from extdns.documents.name import NameDocument
    from extdns.documents.object import ObjectDocument

    if isinstance(about, DnsName):
        return running_process.find_document(controller, flags, f"names/{about}", NameDocument)
    return running_process.find_document(controller, flags, f"objects/{about}", ObjectDocument)


def _explain_by_pass(about: str, flags: Sequence[str], environ: Mapping[str, str]) -> NameDocument | ObjectDocument:
    from extdns.commands.running_process import LOCAL_ADDRESS

    try:
        return _make_pass(about, flags, environ)
    except UsageError as exc:
        if flags:
            raise
        raise UsageError(
            f"{exc}\n  no extdns answers at {LOCAL_ADDRESS} either; to query another: --controller=URL"
        ) from exc


def _make_pass(about: str, flags: Sequence[str], environ: Mapping[str, str]) -> NameDocument | ObjectDocument:
    from msgspec.structs import replace

    from extdns.commands.one_pass import ZonesOfNameReader, configure_pass, describe_command, open_reader, run_pass
    from extdns.documents.name import build_name
    from extdns.documents.object import build_object
    from extdns.documents.snapshot import EngineSnapshot

    config = configure_pass(flags, environ)
    if not isinstance(about, DnsName):
        result = run_pass(config)
        seen = EngineSnapshot(result.engine)
        found = build_object(seen, about, config, result.missing, find_origin=result.find_origin)
        return replace(found, process=describe_command(config, flags))
    readers: list[ZonesOfNameReader] = []

    def open_zones(config: Config) -> ZoneReader:
        readers.append(ZonesOfNameReader(open_reader(config), about))
        return readers[0]

    result = run_pass(config, open_zones)
    document = build_name(
        EngineSnapshot(result.engine),
        about,
        config,
        missing=result.missing,
        known_zones=readers[0].known_zones,
        find_origin=result.find_origin,
    )
    return replace(document, process=describe_command(config, flags))


def _explain_reason(text: str, flags: Sequence[str], output: str) -> int:
    from extdns.controller.exit_codes import DONE
    from extdns.documents.reason import build_reason, format_reason
    from extdns.model.reason import REASONS, Reason

    reason = REASONS.get(text.strip("[]").lower())
    if reason is None:
        near = find_similar(text.lower(), Reason)
        raise usage_error(
            f"{sanitize(text)} is not a reason code",
            f"did you mean: {near}" if near else "",
            "a name has a dot, as in shop.example.org; an object is KIND/NAMESPACE/NAME, as in service/shop/web",
            "all codes: docs/reference/reasons.md",
        )
    if flags:
        raise usage_error(
            f"extdns explain {sanitize(text)} takes no flags but --output, and {sanitize(flags[0])} was given"
        )
    show_document(build_reason(reason), format_reason(reason), output)
    return DONE
