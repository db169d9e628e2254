"""Query a running extdns by the JSON API of its live page (`--controller`)."""

from __future__ import annotations

import http.client
import json
from collections.abc import Sequence
from contextlib import suppress
from typing import Final, TypeVar
from urllib.parse import quote, urlsplit

import msgspec
from msgspec.structs import replace

from extdns.documents.document import AnswerDocument
from extdns.documents.plan import RunningPlanDocument
from extdns.errors import UsageError, sanitize
from extdns.flags.usage_errors import usage_error
from extdns.masking import mask_url

LOCAL_ADDRESS: Final = "http://127.0.0.1:7980"
"""The default address of the live page on this machine (`--web-address`)."""

_FLAG: Final = "--controller"
_ALLOWED: Final = f"the address of a live page, such as {LOCAL_ADDRESS}"
_IN_A_POD: Final = "to reach that of a pod: kubectl port-forward POD 7980"
_PREFIX: Final = "/api/v1/"
_TIMEOUT_S: Final = 10.0
_MAX_BYTES: Final = 64 * 1024 * 1024
_CONNECTIONS: Final = {"http": http.client.HTTPConnection, "https": http.client.HTTPSConnection}
T = TypeVar("T", bound=AnswerDocument | RunningPlanDocument)


class NoAnswerError(UsageError):
    """No process answers at the address."""


def require_no_flags(flags: Sequence[str]) -> None:
    """Check that nothing else is given with `--controller`."""
    if flags:
        raise usage_error(f"{sanitize(flags[0])} has no effect with {_FLAG}", "leave out one of these two flags")


def find_document(controller: str | None, flags: Sequence[str], path: str, kind: type[T]) -> T | None:
    """Fetch a document as `fetch_document` does; without *controller*, from the process on this machine.

    Return None if none answers there, or if there are *flags*, which name what to read instead.
    """
    if controller is not None:
        require_no_flags(flags)
        return fetch_document(controller, path, kind)
    try:
        return None if flags else fetch_document(LOCAL_ADDRESS, path, kind)
    except NoAnswerError:
        return None


def fetch_document(controller: str, path: str, kind: type[T]) -> T:
    """Fetch a document of *kind* from *path* below `/api/v1/` of the process at the address *controller*.

    Raises:
        NoAnswerError: no process answers.
    """
    status, body = _get(controller, f"{_PREFIX}{quote(path)}")
    if status != http.client.OK:
        if message := _find_message(body):
            raise UsageError(sanitize(message, 500))
        raise usage_error(f"{_FLAG}={sanitize(controller)}: the answer has the status {status}", f"allowed: {_ALLOWED}")
    try:
        document = msgspec.json.decode(body, type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError) as exc:
        raise usage_error(
            f"{_FLAG}={sanitize(controller)}: the program that answers there is not extdns of this version",
            f"allowed: {_ALLOWED}",
        ) from exc
    return replace(document, process=replace(document.process, address=mask_url(controller)))


def _get(controller: str, path: str) -> tuple[int, bytes]:
    connection, prefix = _open_connection(controller)
    try:
        connection.request("GET", f"{prefix}{path}", headers={"Accept": "application/json"})
        answer = connection.getresponse()
        return answer.status, answer.read(_MAX_BYTES)
    except (OSError, http.client.HTTPException) as exc:
        message = exc.strerror if isinstance(exc, OSError) and exc.strerror else str(exc) or type(exc).__name__
        raise NoAnswerError(
            f"{_FLAG}={sanitize(controller)}: no extdns answers there: {sanitize(message)}\n"
            f"  allowed: {_ALLOWED}\n  {_IN_A_POD}"
        ) from exc
    finally:
        connection.close()


def _open_connection(controller: str) -> tuple[http.client.HTTPConnection, str]:
    """Return a connection, which is opened when it is used, and the path of the address."""
    with suppress(KeyError, ValueError, http.client.InvalidURL):  # another scheme, no port, blanks in the host name
        parts = urlsplit(controller)
        connect = _CONNECTIONS[parts.scheme]
        if parts.hostname and not (parts.query or parts.fragment):
            return connect(parts.hostname, parts.port, timeout=_TIMEOUT_S), parts.path.rstrip("/")
    raise usage_error(f"{_FLAG}={sanitize(controller)} is not an address", f"allowed: {_ALLOWED}")


def _find_message(body: bytes) -> str:
    """Return the error message in the answer *body*, "" if it is not an answer of extdns."""
    try:
        found = json.loads(body)
    except ValueError:
        return ""
    return str(found.get("message", "")) if isinstance(found, dict) else ""
