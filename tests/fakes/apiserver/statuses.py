"""`Status` objects, with which the API server reports errors, with the texts of k8s.io/apimachinery."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import msgspec

from tests.fakes.apiserver.kinds import Kind

REASONS: Final = {
    400: "BadRequest",
    401: "Unauthorized",
    403: "Forbidden",
    404: "NotFound",
    405: "MethodNotAllowed",
    406: "NotAcceptable",
    409: "Conflict",
    410: "Expired",
    415: "UnsupportedMediaType",
    422: "Invalid",
    429: "TooManyRequests",
    500: "InternalError",
    503: "ServiceUnavailable",
    504: "Timeout",
}


class ApiError(Exception):
    """A failed request.

    Attributes:
        code: the HTTP status code. *reason* defaults to the usual one for this code; "" omits it.
        token: a continue token with which a list can be continued (`metadata.continue`).
        retry_after_s: the delay of the `Retry-After` header, repeated in the details.
    """

    def __init__(
        self,
        code: int,
        message: str,
        *,
        reason: str | None = None,
        details: Mapping[str, Any] | None = None,
        token: str = "",
        retry_after_s: int | None = None,
    ) -> None:
        super().__init__(message)
        self.code = code
        self.reason = REASONS.get(code, "") if reason is None else reason
        self.token = token
        self.retry_after_s = retry_after_s
        self._details = dict(details or {})

    def status(self) -> dict[str, Any]:
        details = self._details
        if self.retry_after_s is not None:
            details = {**details, "retryAfterSeconds": self.retry_after_s}
        return {
            "kind": "Status",
            "apiVersion": "v1",
            "metadata": {"continue": self.token} if self.token else {},
            "status": "Failure",
            "message": str(self),
            **({"reason": self.reason} if self.reason else {}),
            **({"details": details} if details else {}),
            "code": self.code,
        }

    def body(self) -> bytes:
        return msgspec.json.encode(self.status())


def success(kind: Kind, name: str, uid: str) -> dict[str, Any]:
    details = {"name": name, "kind": kind.plural, "uid": uid} | ({"group": kind.group} if kind.group else {})
    return {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success", "details": details}


def not_found(kind: Kind, name: str) -> ApiError:
    return ApiError(404, f'{kind.resource} "{name}" not found', details=_about(kind, name))


def already_exists(kind: Kind, name: str, *, leaving: bool) -> ApiError:
    """Build the error for a create of an existing name. *leaving*: that object is being deleted but has finalizers."""
    message = f'{"object is being deleted: " if leaving else ""}{kind.resource} "{name}" already exists'
    return ApiError(409, message, reason="AlreadyExists", details=_about(kind, name))


def modified(kind: Kind, name: str) -> ApiError:
    reason_text = "the object has been modified; please apply your changes to the latest version and try again"
    return _conflict(kind, name, reason_text)


def replaced(kind: Kind, name: str, requested: str, there: str) -> ApiError:
    return _conflict(kind, name, f"Precondition failed: UID in precondition: {requested}, UID in object meta: {there}")


def invalid(what: str, name: str, *causes: tuple[str, str, str]) -> ApiError:
    """Build the error for a failed validation. Each cause is a field, a reason and a message."""
    texts = [f"{field}: {message}" for field, _, message in causes]
    text = texts[0] if len(texts) == 1 else f"[{', '.join(texts)}]"
    kind, _, group = what.partition(".")
    details = {"name": name, "group": group, "kind": kind}
    listed = [{"reason": reason, "message": message, "field": field} for field, reason, message in causes]
    full = {key: value for key, value in details.items() if value} | {"causes": listed}
    return ApiError(422, f'{what} "{name}" is invalid: {text}', details=full)


def forbidden(user: str, verb: str, resource: str, group: str, namespace: str) -> ApiError:
    where = f'in the namespace "{namespace}"' if namespace else "at the cluster scope"
    shown = f"{resource}.{group}" if group else resource
    message = f'{shown} is forbidden: User "{user}" cannot {verb} resource "{resource}" in API group "{group}" {where}'
    details = {"kind": resource} | ({"group": group} if group else {})
    return ApiError(403, message, details=details)


def expired(message: str, *, token: str = "") -> ApiError:
    return ApiError(410, message, token=token)


def too_large(requested: int, current: int, *, retry_after_s: int | None = 1) -> ApiError:
    """Build the error for a resourceVersion that does not exist yet."""
    details = {"causes": [{"reason": "ResourceVersionTooLarge", "message": "Too large resource version"}]}
    message = f"Timeout: Too large resource version: {requested}, current: {current}"
    return ApiError(504, message, details=details, retry_after_s=retry_after_s)


def ownership_conflict(causes: Sequence[tuple[str, str]]) -> ApiError:
    """Build the error for an apply that would change fields of other managers. Each cause is a manager and a field."""
    if len(causes) == 1:
        text = "1 conflict: conflict with {}: {}".format(*causes[0])
    else:
        managers = sorted({manager for manager, _ in causes})
        of = {manager: [field for owner, field in causes if owner == manager] for manager in managers}
        parts = ["\n- ".join([f"conflicts with {manager}:", *of[manager]]) for manager in managers]
        text = f"{len(causes)} conflicts: " + "\n".join(parts)
    listed = [
        {"reason": "FieldManagerConflict", "message": f"conflict with {manager}", "field": field}
        for manager, field in causes
    ]
    return ApiError(409, f"Apply failed with {text}", details={"causes": listed})


def _conflict(kind: Kind, name: str, reason_text: str) -> ApiError:
    message = f'Operation cannot be fulfilled on {kind.resource} "{name}": {reason_text}'
    return ApiError(409, message, details=_about(kind, name))


def _about(kind: Kind, name: str) -> dict[str, str]:
    return {"name": name, "kind": kind.plural} | ({"group": kind.group} if kind.group else {})
