"""Write to each ConfigMap with policies what is wrong with the policies, beside kube-mgmt (docs/design/opa.md).

kube-mgmt loads policies from ConfigMaps, and reports in an annotation whether the policy server accepts them. A policy
that is accepted can fail later; extdns reports that in an annotation of its own, in the same form, and by an Event.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Mapping
from http import HTTPStatus
from typing import Any, Final

from extdns import log
from extdns.errors import ApiError, DeniedError, NotFoundError, sanitize
from extdns.kube.api import ApiClient
from extdns.kube.api_protocol import MERGE_PATCH, build_object_path
from extdns.kube.event_sender import EventMessage, EventSender
from extdns.log import Event
from extdns.model.kind import CONFIG_MAP, ObjectKey

_log = log.get(__name__)

ANNOTATION: Final = "extdns.io/policy-status"
LABEL: Final = ("openpolicyagent.org/policy", "rego")
REASON: Final = "PolicyFailed"
"""The `reason` of Events about policies."""
_RETRY_S: Final = 5.0
_MAX_ERROR_LENGTH: Final = 1000
_SEGMENTS: Final = 3


class ConfigMapPolicyStatusWriter:
    """Writes the status of policies to their ConfigMaps, on a thread of its own.

    Only the last status of each ConfigMap is queued. A standby keeps the queue, and writes it once it is the leader.
    """

    def __init__(
        self,
        api: ApiClient,
        events: EventSender,
        *,
        may_write: Callable[[], bool] = lambda: True,
        retry_s: float = _RETRY_S,
    ) -> None:
        """Write through *api*, and record Events through *events*.

        *may_write* returns whether a write may begin now, from any thread. *retry_s* is the pause after an error, and
        between two calls of *may_write*.
        """
        self._api = api
        self._events = events
        self._may_write = may_write
        self._retry_s = retry_s
        self._changed = threading.Condition()
        self._waiting: dict[ObjectKey, str] = {}
        self._known: dict[ObjectKey, str] = {}
        self._is_closing = False
        self._is_off = False
        self._thread: threading.Thread | None = None

    def write(self, problems: Mapping[str, str]) -> None:
        """Queue *problems*: what is wrong with each policy, by policy id; "" if nothing is.

        A policy left out has no problem.
        """
        statuses = dict.fromkeys(self._known, "") | group_by_config_map(problems)
        with self._changed:
            for key, error in statuses.items():
                if self._known.get(key) != error:
                    self._known[key] = self._waiting[key] = error
            if self._waiting and self._thread is None:
                self._thread = threading.Thread(target=self._run, name="policy-status", daemon=True)
                self._thread.start()
            self._changed.notify_all()

    def close(self, timeout_s: float) -> None:
        """Accept no more problems, and write the queued ones for up to *timeout_s* seconds."""
        with self._changed:
            self._is_closing = True
            self._changed.notify_all()
        if self._thread is not None:
            self._thread.join(timeout_s)
        self._events.close(timeout_s)
        self._api.close()

    def _run(self) -> None:
        while not self._is_off:
            with self._changed:
                self._changed.wait_for(lambda: self._waiting or self._is_closing)
                while not (self._is_closing or self._may_write()):
                    self._changed.wait(self._retry_s)
                waiting, self._waiting = self._waiting, {}
            for key, error in waiting.items():
                try:
                    self._write_if_allowed(key, error)
                except ApiError as exc:
                    self._handle_error(key, error, exc)
            if self._is_closing:
                return

    def _handle_error(self, key: ObjectKey, error: str, exc: ApiError) -> None:
        """Queue the status again and pause. If a permission is missing, stop writing statuses instead."""
        if isinstance(exc, DeniedError):
            _log.warning(Event.POLICY_STATUS_NOT_WRITTEN, object=str(key), message=str(exc))
            self._is_off = exc.code == HTTPStatus.FORBIDDEN
        if not (self._is_off or self._is_closing):
            with self._changed:
                self._waiting.setdefault(key, error)
                self._changed.wait_for(lambda: self._is_closing, self._retry_s)

    def _write_if_allowed(self, key: ObjectKey, error: str) -> None:
        """Write the status, or queue it again if another process may be the leader."""
        if self._may_write():
            self._write(key, error)
        elif not self._is_closing:
            with self._changed:
                self._waiting.setdefault(key, error)

    def _write(self, key: ObjectKey, error: str) -> None:
        """Set or remove the annotation, if the ConfigMap exists and has policies. Send an Event about a new error."""
        try:
            metadata: dict[str, Any] = json.loads(self._api.get(build_object_path(key)))["metadata"]
        except (NotFoundError, ValueError):
            return
        name, value = LABEL
        if (metadata.get("labels") or {}).get(name) != value:
            return
        status = json.dumps({"status": "error", "error": error}) if error else None
        if (metadata.get("annotations") or {}).get(ANNOTATION) == status:
            return
        body = json.dumps({"metadata": {"annotations": {ANNOTATION: status}}}).encode()
        self._api.send("PATCH", build_object_path(key), body=body, content_type=MERGE_PATCH)
        if error:
            self._events.send(
                EventMessage(regarding=key, source="opa", reason=REASON, action="EvaluatePolicy", text=error)
            )


def group_by_config_map(problems: Mapping[str, str]) -> dict[ObjectKey, str]:
    """Return the errors of each ConfigMap, "" for none. A policy id of kube-mgmt is `namespace/name/key`.

    Other policies, such as those of a bundle, have no ConfigMap.
    """
    found: dict[ObjectKey, list[str]] = {}
    for policy, message in sorted(problems.items()):
        parts = policy.split("/")
        if len(parts) == _SEGMENTS and all(parts):
            errors = found.setdefault(ObjectKey(CONFIG_MAP, parts[0], parts[1]), [])
            errors += [f"{parts[2]}: {message}"] if message else []
    return {key: sanitize("; ".join(errors), _MAX_ERROR_LENGTH) for key, errors in found.items()}
