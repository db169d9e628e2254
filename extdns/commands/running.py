"""Asks a running extdns, at its live page's address, what it knows: no call to a cluster or a DNS service is made."""

from __future__ import annotations

import http.client
import json
from typing import TYPE_CHECKING, Final, TypeVar
from urllib.parse import SplitResult, quote, urlsplit

import msgspec

from extdns.commands.options import value_of
from extdns.errors import UsageError, shown
from extdns.flags.mistakes import mistake

if TYPE_CHECKING:
    from collections.abc import Sequence

NEARBY: Final = "http://127.0.0.1:7980"
"""Where a process of this machine serves by default (`--web-address`)."""

_FLAG: Final = "--controller"
_ALLOWED: Final = f"the address of a live page, as {NEARBY}"
_PREFIX: Final = "/api/v1/"
_PATIENCE_S: Final = 10.0
_MOST_BYTES: Final = 64 * 1024 * 1024
_CONNECTIONS: Final = {"http": http.client.HTTPConnection, "https": http.client.HTTPSConnection}
T = TypeVar("T")


class NoAnswerError(UsageError):
    """Nothing answers at the address."""


def controller_of(arguments: Sequence[str]) -> tuple[str | None, list[str]]:
    """Take `--controller` out of *arguments*: what it says, None if it is not given, and the rest.

    Raises:
        UsageError: it is given twice, has no value, or is given beside other flags.
    """
    controller, rest = value_of(arguments, _FLAG, allowed=_ALLOWED)
    if controller is not None and rest:
        raise mistake(f"{shown(rest[0])} means nothing beside {_FLAG}", "leave one of the two out")
    return controller, rest


def ask(controller: str, path: str, kind: type[T]) -> T:
    """The document of that *kind* at *path* below `/api/v1/`, of the process at the address *controller*.

    Raises:
        NoAnswerError: nothing answers there.
        UsageError: it is no address, what answers is not extdns, or it has no such document.
    """
    status, body = _get(controller, f"{_PREFIX}{quote(path)}")
    if status != http.client.OK:
        raise UsageError(shown(_message(body) or f"{_FLAG}={controller}: the answer was {status}", 500))
    try:
        return msgspec.json.decode(body, type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError) as exc:
        raise mistake(
            f"{_FLAG}={shown(controller)}: no extdns of this version answers there", f"allowed: {_ALLOWED}"
        ) from exc


def _get(controller: str, path: str) -> tuple[int, bytes]:
    connection, prefix = _connection(controller)
    try:
        connection.request("GET", f"{prefix}{path}", headers={"Accept": "application/json"})
        answer = connection.getresponse()
        return answer.status, answer.read(_MOST_BYTES)
    except (OSError, http.client.HTTPException) as exc:
        said = exc.strerror if isinstance(exc, OSError) and exc.strerror else str(exc) or type(exc).__name__
        raise NoAnswerError(f"{_FLAG}={shown(controller)}: no extdns answers there: {shown(said)}") from exc
    finally:
        connection.close()


def _connection(controller: str) -> tuple[http.client.HTTPConnection, str]:
    """A connection that begins when it is used, and the path before all others."""
    parts, port = _parts(controller)
    make = _CONNECTIONS.get(parts.scheme)
    if make is None or not parts.hostname or parts.query or parts.fragment:
        raise mistake(f"{_FLAG}={shown(controller)} is no address", f"allowed: {_ALLOWED}")
    try:
        return make(parts.hostname, port, timeout=_PATIENCE_S), parts.path.rstrip("/")
    except http.client.InvalidURL:  # a host name with blanks
        raise mistake(f"{_FLAG}={shown(controller)} is no address", f"allowed: {_ALLOWED}") from None


def _parts(controller: str) -> tuple[SplitResult, int | None]:
    """The parts of an address and its port; without a scheme, if it is none at all."""
    try:
        parts = urlsplit(controller)
        port = parts.port
    except ValueError:
        return SplitResult("", "", "", "", ""), None
    return parts, port


def _message(body: bytes) -> str:
    """What the answer says went wrong, "" if it is none of ours."""
    try:
        found = json.loads(body)
    except ValueError:
        return ""
    return str(found.get("message", "")) if isinstance(found, dict) else ""
