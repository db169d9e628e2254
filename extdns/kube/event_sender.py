"""Send Kubernetes Events on a thread of its own, and limit how many (docs/spec/sources.md 10.4, 10.5)."""

from __future__ import annotations

import math
import re
import threading
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import count
from typing import Any, Final, NamedTuple

import msgspec

from extdns import log
from extdns.errors import ApiError, DeniedError, NotFoundError
from extdns.kube.api import ApiClient
from extdns.kube.api_protocol import MERGE_PATCH, build_collection_path, build_object_path, lacks_permission
from extdns.kube.live import responses
from extdns.log import Event
from extdns.model.evidence import Scope
from extdns.model.kind import Kind, ObjectKey, ObjectRef
from extdns.model.value import take_next
from extdns.ports import Clock

_log = log.get(__name__)

EVENT_KIND: Final = Kind("events.k8s.io", "v1", "Event", "events")

_MAX_WAITING: Final = 1000
_MAX_REMEMBERED: Final = 4096
MAX_PER_OBJECT: Final = 10
_ATTEMPTS: Final = 3
_REPEAT_INTERVAL_S: Final = 300.0
"""The shortest time between two equal messages. A repeated message increases the count of its Event."""

_HELD_REPEAT_S: Final = 1800.0
"""How often messages about held deletes are repeated, since Events expire after an hour by default."""

_HELD_DEBOUNCE_S: Final = 1.0
"""Wait this long for a set of held deletes to stop changing, since each change gives it another code."""

_HELD_MAX_WAIT_S: Final = 10.0
"""Do not wait longer for a set that goes on changing."""


@dataclass(slots=True)
class _SentEvent:
    """An Event that was sent: its API path, when it was sent last (monotonic seconds), and how often it occurred."""

    path: str
    sent_s: float
    count: int = 1


class EventMessage(NamedTuple):
    """One message about one object.

    Attributes:
        regarding: the object. If only its key is given, the Event is sent only if the object exists.
        source: the source that read the object; if that is not known, the kind.
        reason: the reason of the Event: one word in CamelCase.
    """

    regarding: ObjectRef | ObjectKey
    source: str
    reason: str
    action: str
    text: str
    is_warning: bool = True

    @property
    def key(self) -> ObjectKey:
        """The key of the object."""
        return self.regarding.key if isinstance(self.regarding, ObjectRef) else self.regarding


class EventSender:
    """Sends Events without blocking its callers. Namespaces take turns.

    If messages arrive too fast, drops some of the namespace that has most of them waiting, and logs that once.
    """

    def __init__(self, api: ApiClient, clock: Clock, *, pause_s: float) -> None:
        """Send messages through *api*, with at least *pause_s* seconds between two Events."""
        self._api = api
        self._clock = clock
        self._pause_s = pause_s
        self._numbers = count()
        self._waiting: dict[str, dict[int, EventMessage]] = {}  # by namespace and number
        self._sent: OrderedDict[tuple[ObjectKey, str, str], _SentEvent] = OrderedDict()
        self._rate_tokens: OrderedDict[ObjectKey, tuple[float, float]] = OrderedDict()
        self._held: dict[Scope, list[EventMessage]] = {}
        self._waiting_held: dict[tuple[Scope, str], dict[int, EventMessage]] = {}  # by scope, too
        self._new_held: dict[Scope, list[EventMessage]] = {}
        self._new_held_since_s = 0.0
        self._new_held_due_s = math.inf
        self._changed = threading.Condition()
        self._forbidden: set[str] = set()  # namespaces
        self._has_dropped = False
        self._is_closing = False
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None

    def send(self, message: EventMessage) -> None:
        """Queue *message*. If too many are queued, drop the newest of the namespace that has most of them."""
        with self._changed:
            self._waiting.setdefault(message.key.namespace, {})[next(self._numbers)] = message
            longest = max(self._waiting.values(), key=len)
            if len(longest) > 1 and sum(map(len, self._waiting.values())) > _MAX_WAITING:
                longest.popitem()
                if not self._has_dropped:
                    self._has_dropped = True
                    _log.warning(Event.EVENTS_DROPPED)
            self._wake()

    def replace_held(self, scope: Scope, messages: Sequence[EventMessage]) -> None:
        """Replace the messages about the held deletes of *scope*, which are sent soon and then repeatedly."""
        with self._changed:
            now_s = self._clock.monotonic_s()
            if not self._new_held:
                self._new_held_since_s = now_s
            self._new_held[scope] = list(messages)
            self._new_held_due_s = min(now_s + _HELD_DEBOUNCE_S, self._new_held_since_s + _HELD_MAX_WAIT_S)
            for (of_scope, _), line in self._waiting_held.items():
                if of_scope == scope:
                    line.clear()  # it keeps its turn
            self._wake()

    def close(self, timeout_s: float) -> None:
        """Stop accepting messages, and send the queued ones for up to *timeout_s* seconds."""
        if self._thread is not None:
            with self._changed:
                self._is_closing = True
                self._wake()
            self._thread.join(timeout_s)
            self._stop.set()
        self._api.close()

    def _wake(self) -> None:
        """Let the thread look at what changed. The caller has the lock."""
        self._changed.notify()
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name="events", daemon=True)
            self._thread.start()

    def _run(self) -> None:
        repeat_at_s = self._clock.monotonic_s() + _HELD_REPEAT_S
        while not self._stop.is_set():
            with self._changed:
                now_s = self._clock.monotonic_s()
                is_repeat = now_s >= repeat_at_s
                if is_repeat:
                    repeat_at_s = now_s + _HELD_REPEAT_S
                if is_repeat or self._is_closing or now_s >= self._new_held_due_s:
                    self._queue_held(is_repeat=is_repeat)
                messages = list(filter(None, (take_next(self._waiting_held), take_next(self._waiting))))
                if not messages:
                    if self._is_closing:
                        return
                    self._changed.wait(self._compute_wait_s(repeat_at_s))
            for message in messages:
                self._send_message(message)

    def _compute_wait_s(self, repeat_at_s: float) -> float | None:
        """Return the seconds until the next messages about held deletes are due; None if no deletes are held."""
        due_s = min(self._new_held_due_s, repeat_at_s if self._held else math.inf)
        return None if due_s == math.inf else max(0.0, due_s - self._clock.monotonic_s())

    def _queue_held(self, *, is_repeat: bool) -> None:
        """Queue the messages about held deletes that changed, or all of them. The caller has the lock."""
        changed, self._new_held, self._new_held_due_s = self._new_held, {}, math.inf
        self._held = {scope: messages for scope, messages in (self._held | changed).items() if messages}
        if is_repeat:
            self._waiting_held.clear()
        for scope in [one for one in self._held if is_repeat or one in changed]:
            for message in self._held[scope]:
                self._waiting_held.setdefault((scope, message.key.namespace), {})[next(self._numbers)] = message

    def _send_message(self, message: EventMessage) -> None:
        """Send *message*, unless an equal one was sent recently, or its object has had too many.

        Errors are only logged. A namespace without the permission to create Events gets none from then on.
        """
        key = message.key
        if key.namespace in self._forbidden:
            return
        known = (key, message.reason, message.text)
        sent, now_s = self._sent.get(known), self._clock.monotonic_s()
        if sent:
            sent.count += 1
            if now_s - sent.sent_s < _REPEAT_INTERVAL_S:
                return
        elif not self._is_within_limit(key, now_s):
            return
        try:
            path = self._update_count(sent) if sent else ""
            path = path or self._create_event(message, key)
        except Exception as exc:  # noqa: BLE001 - law 3: a failed Event must not stop the others
            self._handle_error(exc, key)
            return
        if path:
            self._sent[known] = _SentEvent(path, now_s, sent.count if sent else 1)
            self._sent.move_to_end(known)
            while len(self._sent) > _MAX_REMEMBERED:
                self._sent.popitem(last=False)
        self._stop.wait(self._pause_s)

    def _handle_error(self, exc: Exception, key: ObjectKey) -> None:
        """Log *exc* and drop the Event. Warn about the first namespace only in which the permission is missing."""
        if lacks_permission(exc):
            if not self._forbidden:
                _log.warning(Event.EVENTS_DISABLED, message=str(exc))
            self._forbidden.add(key.namespace)
        else:
            _log.debug(Event.EVENT_NOT_RECORDED, error=type(exc).__name__, message=str(exc))

    def _is_within_limit(self, key: ObjectKey, now_s: float) -> bool:
        """Return whether *key* may get another Event: ten at once, then one every `_REPEAT_INTERVAL_S` seconds."""
        tokens, at_s = self._rate_tokens.pop(key, (float(MAX_PER_OBJECT), now_s))
        tokens = min(float(MAX_PER_OBJECT), tokens + (now_s - at_s) / _REPEAT_INTERVAL_S)
        self._rate_tokens[key] = (max(0.0, tokens - 1.0) if tokens >= 1.0 else tokens, now_s)
        while len(self._rate_tokens) > _MAX_REMEMBERED:
            self._rate_tokens.popitem(last=False)
        return tokens >= 1.0

    def _update_count(self, sent: _SentEvent) -> str:
        """Write the new count to an Event. Return its path, or "" if it is gone or the API server denies this."""
        series = {"count": sent.count, "lastObservedTime": format_micro_time(self._clock.now())}
        try:
            self._send("PATCH", sent.path, {"series": series}, MERGE_PATCH)
        except (NotFoundError, DeniedError):  # as with external-dns, the permission to create is enough
            return ""
        return sent.path

    def _create_event(self, message: EventMessage, key: ObjectKey) -> str:
        """Create an Event. Return its path, or "" if the object or its namespace does not exist."""
        ref = message.regarding if isinstance(message.regarding, ObjectRef) else self._find_object(key)
        if ref is None:
            return ""
        now = self._clock.now()
        made = build_event(message, ref, now)
        namespace = made["metadata"]["namespace"]
        try:
            self._send("POST", build_collection_path(EVENT_KIND, namespace), made)
        except NotFoundError:  # the namespace was deleted
            return ""
        return build_object_path(ObjectKey(EVENT_KIND, namespace, made["metadata"]["name"]))

    def _find_object(self, key: ObjectKey) -> ObjectRef | None:
        """Look up the uid of the object at *key*; without it `kubectl describe` does not show the Event.

        Without permission to read the object, the uid stays empty. Returns None if the object does not exist.
        """
        for form in key.kind.versions:
            found = key._replace(kind=form)
            try:
                head = responses.decode_object(self._api.get(build_object_path(found))).header
            except NotFoundError:
                continue
            except DeniedError:
                return ObjectRef(key=found)
            return ObjectRef(key=found, uid=head.uid) if head else None
        return None

    def _send(self, method: str, path: str, body: dict[str, Any], content_type: str = "application/json") -> None:
        for attempt in range(1, _ATTEMPTS + 1):
            try:
                self._api.send(method, path, body=msgspec.json.encode(body), content_type=content_type)
            except (DeniedError, NotFoundError):
                raise
            except ApiError as exc:
                if attempt == _ATTEMPTS or self._stop.wait(exc.retry_after_s or self._pause_s * attempt):
                    raise
            else:
                return


_CONTROLLER: Final = "external-dns"
_MAX_MESSAGE_BYTES: Final = 1024
_MAX_NAME_LENGTH: Final = 253
_UNSAFE: Final = re.compile(r"[^a-z0-9.-]")


def build_event(message: EventMessage, ref: ObjectRef, now: datetime) -> dict[str, Any]:
    """Build the Event for *message* about *ref*, in its namespace; for cluster-scoped objects in `default`."""
    kind, namespace, name = ref.key
    regarding = {"apiVersion": kind.api_version, "kind": kind.name, "name": str(name), "namespace": str(namespace)}
    if ref.uid:
        regarding["uid"] = ref.uid
    return {
        "apiVersion": EVENT_KIND.api_version,
        "kind": EVENT_KIND.name,
        "metadata": {"name": _build_name(name, now), "namespace": str(namespace) or "default"},
        "eventTime": format_micro_time(now),
        "reportingController": _CONTROLLER,
        "reportingInstance": f"{_CONTROLLER}/source/{message.source}",
        "action": message.action,
        "reason": message.reason,
        "type": "Warning" if message.is_warning else "Normal",
        "regarding": regarding,
        "note": _truncate(message.text),
    }


def _truncate(text: str) -> str:
    body = text.encode(errors="replace")
    return text if len(body) <= _MAX_MESSAGE_BYTES else f"{body[: _MAX_MESSAGE_BYTES - 3].decode(errors='ignore')}..."


def _build_name(name: str, now: datetime) -> str:
    """Build the name of an Event as external-dns does: the object's name and the time in nanoseconds."""
    suffix = f".{int(now.timestamp() * 1_000_000) * 1000:x}"
    cleaned = _UNSAFE.sub("-", name.lower())
    cleaned = cleaned if cleaned[:1].isalnum() else f"a{cleaned}"
    cleaned = cleaned[: _MAX_NAME_LENGTH - len(suffix) - 1]
    return f"{cleaned if cleaned[-1].isalnum() else f'{cleaned}z'}{suffix}"


def format_micro_time(now: datetime) -> str:
    """Format *now* as a MicroTime of the Kubernetes API."""
    return f"{now:%Y-%m-%dT%H:%M:%S.%fZ}"
