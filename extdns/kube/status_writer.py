"""Write the status of objects by server-side apply, on a thread of its own.

The conditions follow the Kubernetes API conventions ("Typical status properties").
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final, cast

import msgspec

from extdns import log
from extdns.errors import ApiError, ConflictError, DeniedError, NotFoundError, sanitize
from extdns.kube.api_protocol import build_object_path
from extdns.log import Event
from extdns.model.exponential_backoff import compute_backoff_s
from extdns.model.object_status import ObjectStatus, PolicyStatus
from extdns.model.reason import MEANINGS, Reason

if TYPE_CHECKING:
    from extdns.kube.api import ApiClient
    from extdns.model.kind import Kind, ObjectKey
    from extdns.model.object_status import EndpointProblem
    from extdns.ports import Clock


_log = log.get(__name__)

_MANAGER: Final = {"fieldManager": "extdns", "force": "true"}
_APPLY: Final = "application/apply-patch+yaml"
_ATTEMPTS: Final = 5
_MIN_BACKOFF_S: Final = 0.2
_MAX_BACKOFF_S: Final = 60.0
_FORBIDDEN_CODES: Final = frozenset({403, 405})
_UNDECLARED_FIELD: Final = "field not declared in schema"
_REFUSED_CODES: Final = frozenset({400, 413, 415, 422})


class KubernetesStatusWriter:
    """Writes statuses without blocking its callers. Only the last status of each object is queued."""

    def __init__(
        self, api: ApiClient, kind: Kind, clock: Clock, *, build: StatusBuilder | None = None, pause_s: float = 0.01
    ) -> None:
        """Write the status of objects of *kind* through *api*, with at least *pause_s* seconds between two writes.

        *build* builds the status, by default that of a DNSEndpoint.
        """
        self._build: StatusBuilder = build or build_status
        self._api = api
        self._kind = kind
        self._clock = clock
        self._pause_s = pause_s
        self._changed = threading.Condition()
        self._waiting: dict[ObjectKey, WritableStatus] = {}
        self._written: dict[ObjectKey, WritableStatus] = {}
        self._busy: ObjectKey | None = None
        self._is_off = False
        self._is_closing = False
        self._omits_conditions = False
        self._failures = 0
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None

    @property
    def kind(self) -> Kind:
        """The kind whose status is written."""
        return self._kind

    def write(self, object_status: WritableStatus) -> None:
        """Queue *object_status* unless the object has that status already."""
        with self._changed:
            self._waiting.pop(object_status.key, None)
            if self._is_off or self._is_closing or self._written.get(object_status.key) == object_status:
                return
            self._waiting[object_status.key] = object_status
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="statuses", daemon=True)
                self._thread.start()
            self._changed.notify_all()

    def forget(self, key: ObjectKey) -> None:
        """Forget the status of an earlier version of the object.

        Do not write it, and do not assume that it was written.
        """
        with self._changed:
            self._waiting.pop(key, None)
            self._written.pop(key, None)
            if self._busy == key:
                self._busy = None

    def close(self, timeout_s: float) -> None:
        """Stop accepting statuses, and write the queued ones for up to *timeout_s* seconds."""
        with self._changed:
            self._is_closing = True
            self._changed.notify_all()
        if self._thread is not None:
            self._thread.join(timeout_s)
            self._stop.set()
        self._api.close()

    def _run(self) -> None:
        while (object_status := self._wait_for_next()) is not None:
            try:
                is_written = self._write_status(object_status)
            except Exception as exc:  # noqa: BLE001 - law 3: a failed status must not stop the others
                self._handle_error(object_status, exc)
            else:
                self._failures = 0
                with self._changed:
                    if is_written and self._busy == object_status.key:
                        self._written[object_status.key] = object_status
            self._stop.wait(self._pause_s)

    def _wait_for_next(self) -> WritableStatus | None:
        with self._changed:
            while not (self._waiting or self._is_closing or self._is_off):
                self._changed.wait()
            if self._is_off or self._stop.is_set() or not self._waiting:
                return None
            self._busy = next(iter(self._waiting))
            return self._waiting.pop(self._busy)

    def _handle_error(self, object_status: WritableStatus, exc: Exception) -> None:
        """Queue the status again after a backoff, unless the error is permanent."""
        terminating = isinstance(exc, DeniedError) and "being terminated" in str(exc)
        if isinstance(exc, ApiError) and exc.code in _FORBIDDEN_CODES and not terminating:
            self._switch_off(str(exc))
            return
        _log.debug(Event.STATUS_NOT_WRITTEN, error=type(exc).__name__, message=str(exc))
        if not isinstance(exc, ApiError) or terminating or exc.code in _REFUSED_CODES:
            return
        with self._changed:
            if self._busy == object_status.key:
                self._waiting.setdefault(object_status.key, object_status)
            if self._is_closing:
                self._waiting.clear()
        pause_s = compute_backoff_s(_MIN_BACKOFF_S, self._failures, _MAX_BACKOFF_S)
        self._failures += 1
        self._stop.wait(exc.retry_after_s or pause_s)

    def _switch_off(self, message: str) -> None:
        with self._changed:
            self._is_off = True
            self._waiting.clear()
            self._written.clear()
        _log.warning(Event.STATUS_DISABLED, message=message)

    def _write_status(self, object_status: WritableStatus) -> bool:
        """Write *object_status*, unless the object has it already.

        Return False if the object or its status subresource does not exist, or the object has another generation.
        """
        path, missing = build_object_path(object_status.key), 0
        for _ in range(_ATTEMPTS):
            try:
                found = _FOUND.decode(self._api.get(path))
            except NotFoundError:
                return False
            if found.metadata.generation != object_status.generation:
                return False  # the new generation will get its own decisions and status
            status = self._build(object_status, found, f"{self._clock.now():%Y-%m-%dT%H:%M:%SZ}")
            if self._omits_conditions:
                status = drop_undeclared_fields(status)
            if has_status(status, found):
                return True
            try:
                self._apply(object_status.key, path, found, status)
            except ConflictError:  # somebody wrote meanwhile: read again
                self._stop.wait(self._pause_s)
            except NotFoundError as exc:
                missing += 1
                if missing > 1:  # the object exists, so its status subresource does not
                    self._switch_off(str(exc))
                    return False
            else:
                return True
        raise ApiError(f"{path}: other clients changed the object during all {_ATTEMPTS} attempts")

    def _apply(self, key: ObjectKey, path: str, found: ObjectWithStatus, status: dict[str, Any]) -> None:
        """Write *status* to the version *found*. Raises `ConflictError` if the caller should try again."""
        body = {
            "apiVersion": key.kind.api_version,
            "kind": key.kind.name,
            "metadata": {
                "name": key.name,
                "namespace": key.namespace,
                "uid": found.metadata.uid,
                "resourceVersion": found.metadata.resource_version,
            },
            "status": status,
        }
        try:
            self._api.send("PATCH", f"{path}/status", _MANAGER, msgspec.json.encode(body), _APPLY)
        except ApiError as exc:
            if self._omits_conditions or _UNDECLARED_FIELD not in str(exc):
                raise
            self._omits_conditions = True
            _log.warning(Event.STATUS_WITHOUT_CONDITIONS, message=str(exc))
            raise ConflictError(str(exc)) from exc


Json = dict[str, Any]
WritableStatus = ObjectStatus | PolicyStatus

_ACCEPTED: Final = "accepted"
_ALL_VALID: Final = "All endpoints are valid."
_ALL_PUBLISHED: Final = "All records are published as specified."
_NO_ENDPOINTS: Final = "There are no endpoints."
_FIELD: Final = re.compile(r"spec\.endpoints\[(\d+)\]")
_MAX_NAMED: Final = 3
_MAX_ENDPOINTS: Final = 100
_MAX_DETAIL_LENGTH: Final = 300


class _ObjectStruct(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    pass


class _Metadata(_ObjectStruct, frozen=True, kw_only=True):
    uid: str = ""
    resource_version: str = ""
    generation: int = 0


class _Endpoint(_ObjectStruct, frozen=True, kw_only=True):
    dns_name: str = msgspec.field(default="", name="dnsName")
    record_type: str = ""
    set_identifier: str = ""


class _EndpointsSpec(_ObjectStruct, frozen=True, kw_only=True):
    endpoints: tuple[_Endpoint | None, ...] | None = None


class ObjectWithStatus(_ObjectStruct, frozen=True, kw_only=True):
    """An object with its spec and its current status."""

    metadata: _Metadata
    spec: _EndpointsSpec = _EndpointsSpec()
    status: Json | None = None


StatusBuilder = Callable[[Any, ObjectWithStatus, str], Json]
"""Builds the status of an object from what extdns knows, the object, and the time as RFC 3339 text."""

_FOUND: Final = msgspec.json.Decoder(ObjectWithStatus)


def build_status(object_status: ObjectStatus, found: ObjectWithStatus, now: str) -> Json:
    """Build the status for *found*, which has the generation of *object_status*.

    Args:
        object_status: the problems of its endpoints.
        found: the object, with the names of its endpoints and the transition times of its conditions.
        now: the transition time of conditions that change, in RFC 3339.
    """
    invalid = [problem for problem in object_status.problems if not problem.valid]
    missing = [short for short in object_status.problems if not short.published]
    accepted, published = (_ALL_VALID, _ALL_PUBLISHED) if object_status.endpoints else (_NO_ENDPOINTS, _NO_ENDPOINTS)
    transition_times = find_transition_times(found.status)
    conditions = [
        _build_condition("Accepted", invalid, object_status, _ACCEPTED, accepted),
        _build_condition("Programmed", missing, object_status, Reason.PUBLISHED, published),
        _build_condition(
            "Ready", (*missing, *(one for one in invalid if one.published)), object_status, Reason.PUBLISHED, published
        ),
    ]
    for one in conditions:
        one["lastTransitionTime"] = transition_times.get((one["type"], one["status"]), now)
    status: Json = {"observedGeneration": object_status.generation, "conditions": conditions}
    if object_status.problems:
        status["endpoints"] = [_build_endpoint(short, found) for short in object_status.problems[:_MAX_ENDPOINTS]]
    return status


def drop_undeclared_fields(status: Json) -> Json:
    """Return the fields of *status* that the CRD of external-dns declares."""
    return {"observedGeneration": status["observedGeneration"]}


def has_status(status: Json, found: ObjectWithStatus) -> bool:
    """Return whether *found* already has *status*. Conditions of types that *status* does not have are ignored."""
    before = found.status or {}
    conditions_before: object = before.get("conditions")
    others = cast("list[object]", conditions_before) if isinstance(conditions_before, list) else []
    return (
        all(one in others for one in status.get("conditions", ()))
        and before.get("observedGeneration") == status["observedGeneration"]
        and all(before.get(field) == status.get(field) for field in ("endpoints", "counts"))
    )


def _build_condition(
    name: str, problems: Sequence[EndpointProblem], object_status: ObjectStatus, reason: str, message: str
) -> Json:
    if problems:
        reason = problems[0].reason.value
        more = f"; and {len(problems) - _MAX_NAMED} more" if len(problems) > _MAX_NAMED else ""
        named = "; ".join(_format_problem(one) for one in problems[:_MAX_NAMED])
        message = f"{len(problems)} of {object_status.endpoints} endpoints: {named}{more}"
    return {
        "type": name,
        "status": "False" if problems else "True",
        "reason": str(reason),
        "message": message,
        "observedGeneration": object_status.generation,
    }


def _format_problem(problem: EndpointProblem) -> str:
    where = " ".join(part for part in (problem.field, problem.name) if part)
    return f"{sanitize(where)}: {_build_message(problem)} [{problem.reason}]"


def _build_message(problem: EndpointProblem) -> str:
    detail = f" {sanitize(problem.detail, _MAX_DETAIL_LENGTH)}" if problem.detail else ""
    return f"{MEANINGS[problem.reason]}{detail}"


def _build_endpoint(problem: EndpointProblem, found: ObjectWithStatus) -> Json:
    """Build the status entry of one endpoint with a problem."""
    written = _find_endpoint(problem.field, found)
    entry = {
        "dnsName": written.dns_name or problem.name,
        "recordType": written.record_type,
        "setIdentifier": written.set_identifier,
        "reason": problem.reason.value,
        "message": _build_message(problem),
    }
    return {key: value for key, value in entry.items() if value or key == "dnsName"}


def _find_endpoint(field: str, found: ObjectWithStatus) -> _Endpoint:
    at, endpoints = _FIELD.match(field), found.spec.endpoints or ()
    index = int(at[1]) if at else len(endpoints)
    return (endpoints[index] if index < len(endpoints) else None) or _Endpoint()


def find_transition_times(status: Json | None) -> dict[tuple[str, str], str]:
    """Return the last transition time by condition type and status. Unexpected values are ignored."""
    conditions = (status or {}).get("conditions")
    if not isinstance(conditions, list):
        return {}
    return {
        (str(one.get("type")), str(one.get("status"))): str(one["lastTransitionTime"])
        for one in cast("list[object]", conditions)
        if isinstance(one, dict) and one.get("lastTransitionTime")
    }
