"""Write the status of objects by server-side apply, on a thread of its own."""

from __future__ import annotations

import threading
from collections import defaultdict
from collections.abc import Callable
from http import HTTPStatus
from typing import Any, Final

import msgspec

from extdns import log
from extdns.errors import ApiError, ConflictError, DeniedError, NotFoundError
from extdns.kube.api import ApiClient
from extdns.kube.api_protocol import MERGE_PATCH, build_object_path, lacks_permission
from extdns.kube.status_conditions import (
    Json,
    ObjectWithStatus,
    build_endpoint_status,
    drop_undeclared_fields,
    has_status,
)
from extdns.log import Event
from extdns.model.kind import Kind, ObjectKey
from extdns.model.object_status import ObjectStatus, PolicyStatus, ReleasedObject
from extdns.model.value import compute_backoff_s, take_next
from extdns.ports import Clock

_log = log.get(__name__)

_MANAGER: Final = {"fieldManager": "extdns", "force": "true"}
_PATCHER: Final = {"fieldManager": "extdns"}
_APPLY: Final = "application/apply-patch+yaml"
_ATTEMPTS: Final = 5
_MIN_BACKOFF_S: Final = 0.2
_MAX_BACKOFF_S: Final = 60.0
_UNDECLARED_FIELD: Final = "field not declared in schema"
_REFUSED_CODES: Final = frozenset({400, 403, 413, 415, 422})
_FOUND: Final = msgspec.json.Decoder(ObjectWithStatus)

WritableStatus = ObjectStatus | PolicyStatus | ReleasedObject
StatusBuilder = Callable[[Any, ObjectWithStatus, str], Json]
"""Builds the status of an object from what extdns knows, the object, and the time as RFC 3339 text."""


class KubernetesStatusWriter:
    """Writes statuses without blocking its callers: the last one of each object. Namespaces take turns."""

    def __init__(
        self,
        api: ApiClient,
        kind: Kind,
        clock: Clock,
        *,
        build: StatusBuilder = build_endpoint_status,
        finalizer: str = "",
        pause_s: float = 0.01,
    ) -> None:
        """Write the status of objects of *kind* through *api*, with at least *pause_s* seconds between two writes.

        *build* builds the status, by default that of a DNSEndpoint. *finalizer* is ours; "" changes none.
        """
        self._finalizer = finalizer
        self._build = build
        self._api = api
        self.kind = kind
        self._clock = clock
        self._pause_s = pause_s
        self._changed = threading.Condition()
        self._waiting: defaultdict[str, dict[ObjectKey, WritableStatus]] = defaultdict(dict)  # by namespace
        self._written: dict[ObjectKey, WritableStatus] = {}
        self._busy: ObjectKey | None = None
        self._is_off = False
        self._forbidden: set[str] = set()  # the namespaces in which no status may be written
        self._fixed_finalizers: set[str] = set()  # those in which no finalizer may be changed
        self._is_closing = False
        self._omits_conditions = False
        self._retries: dict[ObjectKey, tuple[int, float]] = {}  # failures in a row, and when the pause ends
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None

    def write(self, object_status: WritableStatus) -> None:
        """Queue *object_status* unless the object has that status already."""
        with self._changed:
            key = object_status.key
            self._waiting[key.namespace].pop(key, None)
            if self._is_off or self._is_closing or key.namespace in self._forbidden:
                return
            if self._written.get(key) == object_status:
                return
            self._waiting[key.namespace][key] = object_status
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="statuses", daemon=True)
                self._thread.start()
            self._changed.notify_all()

    def forget(self, key: ObjectKey) -> None:
        """Forget the status of an earlier version of the object.

        Do not write it, and do not assume that it was written.
        """
        with self._changed:
            self._waiting[key.namespace].pop(key, None)
            self._written.pop(key, None)
            self._retries.pop(key, None)
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
                with self._changed:
                    self._retries.pop(object_status.key, None)
                    if is_written and self._busy == object_status.key:
                        self._written[object_status.key] = object_status
            self._stop.wait(self._pause_s)

    def _wait_for_next(self) -> WritableStatus | None:
        """Return the first queued status whose object has no pause now; None to end the thread."""
        with self._changed:
            while not (self._is_off or self._stop.is_set()):
                for namespace in [namespace for namespace, statuses in self._waiting.items() if not statuses]:
                    del self._waiting[namespace]  # ever new namespaces must not fill the memory
                now_s = self._clock.monotonic_s()
                ends = {
                    key: until_at
                    for key, (_, until_at) in self._retries.items()
                    if until_at > now_s and key in self._waiting[key.namespace]
                }
                ready = take_next(self._waiting, ends)
                if ready is not None:
                    self._busy = ready.key
                    return ready
                if self._is_closing:
                    break
                self._changed.wait(min(ends.values()) - now_s if ends else None)
        return None

    def _handle_error(self, object_status: WritableStatus, exc: Exception) -> None:
        """Queue the status again, with a pause of its object, unless the error is permanent.

        All statuses wait as long as the server requests.
        """
        key = object_status.key
        if lacks_permission(exc):
            self._forbid(key.namespace, str(exc))
            return
        if isinstance(exc, ApiError) and exc.code == HTTPStatus.METHOD_NOT_ALLOWED:
            self._switch_off(str(exc))
            return
        _log.debug(Event.STATUS_NOT_WRITTEN, error=type(exc).__name__, message=str(exc))
        with self._changed:
            failures, _ = self._retries.pop(key, (0, 0.0))
            if not isinstance(exc, ApiError) or exc.code in _REFUSED_CODES:
                return
            if self._busy == key and not self._is_closing:
                self._waiting[key.namespace].setdefault(key, object_status)
                pause_s = compute_backoff_s(_MIN_BACKOFF_S, failures, _MAX_BACKOFF_S)
                self._retries[key] = failures + 1, self._clock.monotonic_s() + pause_s
        self._stop.wait(exc.retry_after_s or 0.0)

    def _forbid(self, namespace: str, message: str) -> None:
        """Write no more statuses in *namespace*; say so of the first such namespace."""
        with self._changed:
            is_first = not self._forbidden
            self._forbidden.add(namespace)
            self._waiting.pop(namespace, None)
            for known in (self._written, self._retries):
                for key in [key for key in known if key.namespace == namespace]:
                    del known[key]
        if is_first:
            _log.warning(Event.STATUS_FORBIDDEN, namespace=namespace, message=message)

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
        path, missing_uid = build_object_path(object_status.key), None
        for _ in range(_ATTEMPTS):
            try:
                found = _FOUND.decode(self._api.get(path))
            except NotFoundError:
                return False
            if found.metadata.generation != object_status.generation:
                return False  # the new generation will get its own decisions and status
            try:
                self._write_version(object_status, path, found)
            except ConflictError:  # somebody wrote meanwhile: read again
                self._stop.wait(self._pause_s)
            except NotFoundError as exc:
                if found.metadata.uid == missing_uid:  # the object exists, so its status subresource does not
                    self._switch_off(str(exc))
                    return False
                missing_uid = found.metadata.uid  # else it may have been deleted and created again
            else:
                return True
        raise ApiError(f"{path}: other clients changed the object during all {_ATTEMPTS} attempts")

    def _write_version(self, object_status: WritableStatus, path: str, found: ObjectWithStatus) -> None:
        """Write the finalizer and status of the version *found*; raises as `_apply` if the caller should try again."""
        if not isinstance(object_status, PolicyStatus) and object_status.finalizer is not None:
            found = self._change_finalizer(object_status.key, path, found, wanted=object_status.finalizer)
        if isinstance(object_status, ReleasedObject):
            return
        status = self._build(object_status, found, f"{self._clock.now():%Y-%m-%dT%H:%M:%SZ}")
        if self._omits_conditions:
            status = drop_undeclared_fields(status)
        if not has_status(status, found):
            self._apply(object_status.key, path, found, status)

    def _change_finalizer(
        self, key: ObjectKey, path: str, found: ObjectWithStatus, *, wanted: bool
    ) -> ObjectWithStatus:
        finalizers, is_deleted = found.metadata.finalizers, found.metadata.deletion_timestamp is not None
        if not self._finalizer or key.namespace in self._fixed_finalizers:
            return found
        if wanted == (self._finalizer in finalizers) or (wanted and is_deleted):
            return found
        changed = [*finalizers, self._finalizer] if wanted else [one for one in finalizers if one != self._finalizer]
        body = {"metadata": {"finalizers": changed, "resourceVersion": found.metadata.resource_version}}
        try:
            return _FOUND.decode(self._api.send("PATCH", path, _PATCHER, msgspec.json.encode(body), MERGE_PATCH))
        except DeniedError as exc:
            if not lacks_permission(exc):
                raise
            if not self._fixed_finalizers:
                _log.warning(Event.FINALIZER_NOT_CHANGED, namespace=key.namespace, message=str(exc))
            self._fixed_finalizers.add(key.namespace)
            return found

    def _apply(self, key: ObjectKey, path: str, found: ObjectWithStatus, status: Json) -> None:
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
