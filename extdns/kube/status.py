"""What the API server says instead of doing what it was asked: `Status`, in an answer or in a watch."""

from __future__ import annotations

from http import HTTPStatus
from typing import Final

import msgspec

from extdns.errors import ApiError, ConflictError, DeniedError, ExpiredError, NotFoundError, shortened


class _Lean(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    pass


class _Cause(_Lean, frozen=True, kw_only=True):
    reason: str = ""


class _Details(_Lean, frozen=True, kw_only=True):
    name: str = ""
    causes: tuple[_Cause, ...] | None = None
    retry_after_seconds: float = 0.0


class Status(_Lean, frozen=True, kw_only=True):
    """`meta/v1` Status, of which only what decides the next step is read."""

    kind: str = ""
    code: int = 0
    message: str = ""
    reason: str = ""
    details: _Details | None = None


_LONGEST_WAIT_S: Final = 120.0
"""No server may silence us for longer."""

_NOTHING: Final = _Details()
_CLASSES: Final[dict[int, type[ApiError]]] = {
    HTTPStatus.UNAUTHORIZED: DeniedError,
    HTTPStatus.FORBIDDEN: DeniedError,
    HTTPStatus.CONFLICT: ConflictError,
    HTTPStatus.GONE: ExpiredError,
}


def refusal(call: str, code: int, body: bytes, retry_after: str = "") -> ApiError:
    """The error of an answer that is no success.

    Args:
        call: the request, as messages name it.
        code: HTTP status code.
        body: a `Status`, or anything: proxies answer HTML.
        retry_after: the header of that name; a date counts for nothing.
    """
    try:
        said = msgspec.json.decode(body, type=Status)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        said = Status()
    wait_s = float(retry_after) if retry_after.isascii() and retry_after.isdecimal() else None
    return _error(call, code, said if said.kind == "Status" else Status(), wait_s)


def frame_refusal(call: str, body: msgspec.Raw) -> ApiError:
    """The error of an ERROR frame, which ends a watch."""
    try:
        said = msgspec.json.decode(body, type=Status)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return ApiError(f"{call}: the watch ended in an error that cannot be read")
    return _error(call, said.code, said, None)


def _error(call: str, code: int, said: Status, wait_s: float | None) -> ApiError:
    details = said.details or _NOTHING
    wait_s = wait_s if wait_s is not None else details.retry_after_seconds or None
    if wait_s is not None:
        wait_s = min(max(wait_s, 0.0), _LONGEST_WAIT_S)
    text = f"{call}: {code} {_phrase(code)}" + (f": {shortened(said.message, 400)}" if said.message else "")
    if code == HTTPStatus.NOT_FOUND:
        return NotFoundError(text, code=code, retry_after_s=wait_s, name=details.name)
    # a version that has not happened yet was given out in a history that is gone
    is_ahead = any(cause.reason == "ResourceVersionTooLarge" for cause in details.causes or ())
    kind = ExpiredError if is_ahead else _CLASSES.get(code, ApiError)
    return kind(text, code=code, retry_after_s=wait_s)


def _phrase(code: int) -> str:
    try:
        return HTTPStatus(code).phrase
    except ValueError:
        return "(no HTTP status)"
