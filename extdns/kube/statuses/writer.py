"""Writes the status of objects by server-side apply, on a thread of its own."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any, Final

import msgspec

from extdns import log
from extdns.errors import ApiError, ConflictError, DeniedError, NotFoundError
from extdns.kube.paths import object_path
from extdns.kube.statuses.conditions import Found, narrow, stands, status_of
from extdns.log import Event
from extdns.model.pauses import doubled_s

if TYPE_CHECKING:
    from extdns.kube.api import Api
    from extdns.model.cluster import Kind, ObjectKey
    from extdns.model.standing import Standing
    from extdns.ports import Clock

_log = log.get(__name__)

_MANAGER: Final = {"fieldManager": "extdns", "force": "true"}
_APPLY: Final = "application/apply-patch+yaml"
_ATTEMPTS: Final = 5
_LEAST_PAUSE_S: Final = 0.2
_LONGEST_PAUSE_S: Final = 60.0
_SWITCHES_OFF: Final = frozenset({403, 405})
_UNDECLARED: Final = "field not declared in schema"
_REFUSED: Final = frozenset({400, 413, 415, 422})


class Writer:
    """Never keeps its callers waiting. Of each object only the last standing waits to be written."""

    def __init__(self, api: Api, kind: Kind, clock: Clock, *, pause_s: float = 0.01) -> None:
        """Write the status of objects of *kind* through *api*, at most one in *pause_s* seconds."""
        self._api = api
        self._kind = kind
        self._clock = clock
        self._pause_s = pause_s
        self._changed = threading.Condition()
        self._waiting: dict[ObjectKey, Standing] = {}
        self._written: dict[ObjectKey, Standing] = {}
        self._busy: ObjectKey | None = None
        self._off = False
        self._ending = False
        self._is_narrow = False
        self._failures = 0
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None

    @property
    def kind(self) -> Kind:
        """The kind of object."""
        return self._kind

    def put(self, standing: Standing) -> None:
        """Let an object say how it stands, unless it does."""
        with self._changed:
            self._waiting.pop(standing.key, None)
            if self._off or self._ending or self._written.get(standing.key) == standing:
                return
            self._waiting[standing.key] = standing
            if self._thread is None:
                self._thread = threading.Thread(target=self._work, name="statuses", daemon=True)
                self._thread.start()
            self._changed.notify_all()

    def forget(self, key: ObjectKey) -> None:
        """How an earlier version of the object stood is not to be written, nor does it stand in the object."""
        with self._changed:
            self._waiting.pop(key, None)
            self._written.pop(key, None)
            if self._busy == key:
                self._busy = None

    def close(self, patience_s: float) -> None:
        """Take in nothing more, and write for up to *patience_s* seconds what waits."""
        with self._changed:
            self._ending = True
            self._changed.notify_all()
        if self._thread is not None:
            self._thread.join(patience_s)
            self._stop.set()
        self._api.close()

    def _work(self) -> None:
        while (standing := self._next()) is not None:
            try:
                told = self._tell(standing)
            except Exception as exc:  # noqa: BLE001 - law 3: a status is worth nothing else
                self._fail(standing, exc)
            else:
                self._failures = 0
                with self._changed:
                    if told and self._busy == standing.key:
                        self._written[standing.key] = standing
            self._stop.wait(self._pause_s)

    def _next(self) -> Standing | None:
        with self._changed:
            while not (self._waiting or self._ending or self._off):
                self._changed.wait()
            if self._off or self._stop.is_set() or not self._waiting:
                return None
            self._busy = next(iter(self._waiting))
            return self._waiting.pop(self._busy)

    def _fail(self, standing: Standing, exc: Exception) -> None:
        """Try again later, unless it is of no use."""
        terminating = isinstance(exc, DeniedError) and "being terminated" in str(exc)
        if isinstance(exc, ApiError) and exc.code in _SWITCHES_OFF and not terminating:
            self._switch_off(str(exc))
            return
        _log.debug(Event.STATUS_UNWRITTEN, error=type(exc).__name__, message=str(exc))
        if not isinstance(exc, ApiError) or terminating or exc.code in _REFUSED:
            return
        with self._changed:
            if self._busy == standing.key:
                self._waiting.setdefault(standing.key, standing)
            if self._ending:
                self._waiting.clear()
        pause_s = doubled_s(_LEAST_PAUSE_S, self._failures, _LONGEST_PAUSE_S)
        self._failures += 1
        self._stop.wait(exc.retry_after_s or pause_s)

    def _switch_off(self, message: str) -> None:
        with self._changed:
            self._off = True
            self._waiting.clear()
            self._written.clear()
        _log.warning(Event.STATUSES_OFF, message=message)

    def _tell(self, standing: Standing) -> bool:
        """Let the object say *standing*; returns whether it does, False if it is gone or another version."""
        path, missing = object_path(standing.key), 0
        for _ in range(_ATTEMPTS):
            try:
                found = msgspec.json.decode(self._api.get(path), type=Found)
            except NotFoundError:
                return False
            if found.metadata.generation != standing.generation:
                return False  # it will be seen, and decided about
            status = status_of(standing, found, f"{self._clock.now():%Y-%m-%dT%H:%M:%SZ}")
            if self._is_narrow:
                status = narrow(status)
            if stands(status, found):
                return True
            try:
                self._apply(standing.key, path, found, status)
            except ConflictError:  # somebody wrote in between: look again
                self._stop.wait(self._pause_s)
            except NotFoundError as exc:
                missing += 1
                if missing > 1:  # the object is there, so it is the subresource that is not
                    self._switch_off(str(exc))
                    return False
            else:
                return True
        raise ApiError(f"{path}: others write all the time")

    def _apply(self, key: ObjectKey, path: str, found: Found, status: dict[str, Any]) -> None:
        """Write *status* to the version *found*; raises `ConflictError` if it is to be tried again."""
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
            if self._is_narrow or _UNDECLARED not in str(exc):
                raise
            self._is_narrow = True
            _log.warning(Event.STATUSES_NARROW, message=str(exc))
            raise ConflictError(str(exc)) from exc
