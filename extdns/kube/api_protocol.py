"""The protocol of the API server: URL paths of resources, and errors from `Status` objects.

See Kubernetes API concepts, "Resource URIs", and the API conventions, "Response Status Kind".
"""

from __future__ import annotations

import re
from http import HTTPStatus
from typing import Final

import msgspec

from extdns.errors import ApiError, ConflictError, DeniedError, ExpiredError, NotFoundError, shorten
from extdns.model.kind import Kind, ObjectKey

MERGE_PATCH: Final = "application/merge-patch+json"
_SEGMENT: Final = re.compile(r"(?!\.\.?$)[A-Za-z0-9._:-]{1,253}")
"""A path segment that needs no escaping. The names of all namespaces and objects that extdns reads match it."""


def build_collection_path(kind: Kind, namespace: str = "") -> str:
    """Return the path of all objects of *kind* in *namespace*; "" is all namespaces.

    Raises:
        ValueError: *namespace* is not a valid name.
    """
    root = f"/apis/{kind.group}/{kind.version}" if kind.group else f"/api/{kind.version}"
    return f"{root}/namespaces/{_validate_segment(namespace)}/{kind.plural}" if namespace else f"{root}/{kind.plural}"


def build_object_path(key: ObjectKey) -> str:
    """Return the path of the object at *key*.

    Raises:
        ValueError: the name or namespace is not valid, or a namespaced object has no namespace.
    """
    if key.kind.namespaced and not key.namespace:
        raise ValueError(f"{key.kind.name} {key.name[:120]!r} has no namespace")
    return f"{build_collection_path(key.kind, key.namespace)}/{_validate_segment(key.name)}"


def _validate_segment(segment: str) -> str:
    if not _SEGMENT.fullmatch(segment):
        raise ValueError(f"{segment[:120]!r} is not a valid name or namespace in the Kubernetes API")
    return segment


class _ErrorStruct(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    pass


class _Cause(_ErrorStruct, frozen=True, kw_only=True):
    reason: str = ""


class _Details(_ErrorStruct, frozen=True, kw_only=True):
    name: str = ""
    causes: tuple[_Cause, ...] | None = None
    retry_after_seconds: float = 0.0


class ApiStatus(_ErrorStruct, frozen=True, kw_only=True):
    """A `meta/v1` Status, with the fields that extdns uses."""

    kind: str = ""
    code: int = 0
    message: str = ""
    reason: str = ""
    details: _Details | None = None


_MAX_RETRY_AFTER_S: Final = 120.0
"""The longest `Retry-After` that extdns follows."""

_NO_DETAILS: Final = _Details()
_STATUSES: Final = msgspec.json.Decoder(ApiStatus)
_NOT_SERVED: Final = b"404 page not found"
"""The response body for an API group that is not served. All other errors are `Status` objects."""

_NO_PERMISSION: Final = ' is forbidden: User "'
"""In the message of a `Status` for a missing permission (apiserver, `responsewriters.ForbiddenStatus`)."""

_NOT_FOUND: Final = re.compile(r'[a-z0-9.-]+ "([^"]+)" not found')
"""The message of a `Status` for an object that does not exist (apimachinery, NewNotFound)."""
_CLASSES: Final[dict[int, type[ApiError]]] = {
    HTTPStatus.UNAUTHORIZED: DeniedError,
    HTTPStatus.FORBIDDEN: DeniedError,
    HTTPStatus.CONFLICT: ConflictError,
    HTTPStatus.GONE: ExpiredError,
}


def lacks_permission(error: Exception) -> bool:
    """Return whether *error* says that a permission is missing.

    An admission policy, a quota, and a namespace that is being deleted refuse single objects with the same code 403.
    """
    return isinstance(error, DeniedError) and error.code == HTTPStatus.FORBIDDEN and _NO_PERMISSION in str(error)


def build_error(call: str, code: int, body: bytes, retry_after: str = "") -> ApiError:
    """Build the exception for an error response to *call*, with the value of its header `Retry-After`, "" without one.

    The *body* is a `Status`, or anything else, such as HTML of a proxy. A date in *retry_after* is ignored.
    """
    try:
        status = _STATUSES.decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        status = ApiStatus()
    wait_s = float(retry_after) if retry_after.isascii() and retry_after.isdecimal() else None
    if status.kind == "Status":
        return _build_status_error(call, code, status, wait_s)
    if code == HTTPStatus.NOT_FOUND and body.strip() != _NOT_SERVED:
        problem = "the response does not come from the API server; is there a proxy?"
        text = f"{call}: {code} {_describe_code(code)}: {problem}"
        return ApiError(text, code=code, retry_after_s=wait_s)
    return _build_status_error(call, code, ApiStatus(), wait_s)


def build_watch_error(call: str, body: msgspec.Raw) -> ApiError:
    """Build the exception for an ERROR event, which ends a watch."""
    try:
        status = _STATUSES.decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return ApiError(f"{call}: the watch ended with an error that cannot be decoded")
    return _build_status_error(call, status.code, status, None)


def _build_status_error(call: str, code: int, status: ApiStatus, wait_s: float | None) -> ApiError:
    details = status.details or _NO_DETAILS
    wait_s = wait_s if wait_s is not None else details.retry_after_seconds or None
    if wait_s is not None:
        wait_s = min(max(wait_s, 0.0), _MAX_RETRY_AFTER_S)
    text, phrase = f"{call}: {code} {_describe_code(code)}", _describe_code(code)
    if status.message not in {"", phrase}:
        text += f": {shorten(status.message, 400)}"
    if code == HTTPStatus.NOT_FOUND:
        return NotFoundError(text, code=code, retry_after_s=wait_s, name=details.name or _find_name(status.message))
    # the API server was restored from a backup: its history does not reach our resource version
    is_future_version = any(cause.reason == "ResourceVersionTooLarge" for cause in details.causes or ())
    kind = ExpiredError if is_future_version else _CLASSES.get(code, ApiError)
    return kind(text, code=code, retry_after_s=wait_s)


def _find_name(message: str) -> str:
    """Return the name of the object that does not exist according to *message*, or ""."""
    found = _NOT_FOUND.fullmatch(message)
    return found[1] if found else ""


def _describe_code(code: int) -> str:
    try:
        return HTTPStatus(code).phrase
    except ValueError:
        return "(no HTTP status)"
