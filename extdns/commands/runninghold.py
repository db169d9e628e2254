"""Held deletes as a running process tells them, through its JSON API."""

from __future__ import annotations

import http.client
from collections.abc import Iterator
from typing import Final
from urllib.parse import urlsplit

import msgspec

from extdns.commands.held import count
from extdns.commands.heldtext import headline, record_text, why
from extdns.errors import UsageError, shown
from extdns.facts.areas import HeldFacts
from extdns.flags.mistakes import mistake

EXAMPLE: Final = "http://127.0.0.1:7980"
_PATH: Final = "/api/v1/held"
_PATIENCE_S: Final = 10.0
_MOST_BYTES: Final = 64 * 1024 * 1024


def held(url: str) -> HeldFacts:
    """What the process says that serves its live page at *url*.

    Raises:
        UsageError: *url* is none, nobody answers there, or it is not extdns.
    """
    body = _body(url)
    try:
        return msgspec.json.decode(body, type=HeldFacts)
    except (msgspec.DecodeError, UnicodeDecodeError) as exc:
        raise UsageError(f"--from={shown(url)}: no extdns of this version answers there: {shown(str(exc))}") from exc


def text(facts: HeldFacts) -> Iterator[str]:
    """The lines that tell what a running process holds."""
    yield headline(sum(len(one.records) for one in facts.items))
    for one in facts.items:
        yield ""
        yield f"Zone {shown(f'{one.zone.name} ({one.zone.id})')}: {count(one.owned, 'record')} of ours"
        yield f"  ! {count(len(one.records), 'delete')} HELD under {shown(one.release_code)}"
        for record in one.records:
            yield f"      {record_text(record.name, record.type, record.set_identifier, record.evidence)}"
    yield from why(record.evidence for one in facts.items for record in one.records)
    if facts.items:
        yield ""
    for one in facts.items:
        yield f"Release {'them' if len(one.records) > 1 else 'it'}: {shown(one.command)}"


def _body(url: str) -> bytes:
    host, port = _place(url)
    connection = http.client.HTTPConnection(host, port, timeout=_PATIENCE_S)
    try:
        connection.request("GET", _PATH)
        answer = connection.getresponse()
        body = answer.read(_MOST_BYTES)
    except (OSError, http.client.HTTPException) as exc:
        raise UsageError(f"--from={shown(url)} does not answer: {shown(str(exc) or type(exc).__name__)}") from exc
    finally:
        connection.close()
    if answer.status != http.client.OK:
        raise UsageError(f"--from={shown(url)} answers {answer.status} {shown(answer.reason)} to {_PATH}")
    return body


def _place(url: str) -> tuple[str, int]:
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port or http.client.HTTP_PORT
    except ValueError:
        host, port, parts = None, 0, urlsplit("")
    if parts.scheme != "http" or not host or parts.path.strip("/") or parts.query or parts.username:
        raise mistake(
            f"--from={shown(url)} is not an address of a live page",
            f"allowed: what --web-address says, such as {EXAMPLE}",
        )
    return host, port
