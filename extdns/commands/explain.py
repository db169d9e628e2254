"""`extdns explain`: trace a name or an object, or explain a reason code."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from extdns.app.provider import build_provider
from extdns.commands import running_process
from extdns.commands.one_pass import ZonesOfNameReader, describe_command, run_one_pass
from extdns.commands.output import show_document
from extdns.controller.exit_codes import DONE, FAILED
from extdns.documents.explanation import format_name
from extdns.documents.name import NameDocument, build_name
from extdns.documents.object import ObjectDocument, build_object, format_object
from extdns.documents.reason import build_reason, format_reason
from extdns.documents.snapshot import EngineSnapshot
from extdns.errors import InvalidValueError, UsageError, find_similar, sanitize
from extdns.flags.usage_errors import usage_error
from extdns.model.dns_name import DnsName
from extdns.model.reason import REASONS, Reason

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from extdns.config import Config
    from extdns.ports import ZoneReader


def main(flags: Sequence[str], environ: Mapping[str, str], *, topic: str, controller: str | None, output: str) -> int:
    """Explain *topic*. Return the exit code.

    Raises:
        UsageError: an argument is wrong, or what it names cannot be used.
    """
    if _is_reason_code(topic):
        return _explain_reason(topic, [*flags, *(["--controller"] if controller else [])], output)
    if controller is not None:
        running_process.require_no_flags(flags)
    about = topic if "/" in topic else _parse_name(topic)
    document = _query_process(about, controller, flags) or _explain_by_pass(about, flags, environ)
    lines = format_name(document) if isinstance(document, NameDocument) else format_object(document)
    show_document(document, lines, output)
    return FAILED if document.missing else DONE


def _parse_name(text: str) -> DnsName:
    try:
        return DnsName.parse(text)
    except InvalidValueError as exc:
        raise usage_error(f"{sanitize(text)} is not a DNS name", f"allowed: {exc.allowed}") from exc


def _query_process(about: str, controller: str | None, flags: Sequence[str]) -> NameDocument | ObjectDocument | None:
    """Return the answer of a running process; None if there are flags for a pass, or if no local process answers."""
    if isinstance(about, DnsName):
        return running_process.find_document(controller, flags, f"names/{about}", NameDocument)
    return running_process.find_document(controller, flags, f"objects/{about}", ObjectDocument)


def _explain_by_pass(about: str, flags: Sequence[str], environ: Mapping[str, str]) -> NameDocument | ObjectDocument:
    """Make one pass, and return what it found about the name or object *about*."""
    try:
        if isinstance(about, DnsName):
            return _explain_name(about, flags, environ)
        result = run_one_pass(flags, environ)
        document = build_object(EngineSnapshot(result.engine), about, result.missing)
        return replace(document, process=describe_command(result.config, flags))
    except UsageError as exc:
        if flags:
            raise
        raise UsageError(
            f"{exc}\n  no extdns answers at {running_process.LOCAL_ADDRESS} either; to query another: --controller=URL"
        ) from exc


def _explain_name(name: DnsName, flags: Sequence[str], environ: Mapping[str, str]) -> NameDocument:
    readers: list[ZonesOfNameReader] = []

    def open_reader(config: Config) -> ZoneReader:
        readers.append(ZonesOfNameReader(build_provider(config)[0], name))
        return readers[0]

    result = run_one_pass(flags, environ, open_reader)
    known = readers[0].known_zones
    document = build_name(
        EngineSnapshot(result.engine),
        name,
        result.config,
        zones_known=len(known),
        missing=result.missing,
        known_zones=known,
    )
    return replace(document, process=describe_command(result.config, flags))


def _is_reason_code(text: str) -> bool:
    """Return whether *text* must be a reason code: a name has a dot, and an object has a slash."""
    return "." not in text and "/" not in text


def _explain_reason(text: str, flags: Sequence[str], output: str) -> int:
    """Show what the reason code *text* means. Return the exit code.

    Raises:
        UsageError: there is no such code, or there are flags.
    """
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
