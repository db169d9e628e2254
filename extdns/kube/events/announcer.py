"""Puts notes on objects as Events, on a thread of its own (events.k8s.io/v1; spec sources 10.4, 10.5)."""

from __future__ import annotations

import queue
import threading
from collections import OrderedDict
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, Final

import msgspec

from extdns import log
from extdns.errors import ApiError, DeniedError, NotFoundError
from extdns.kube.events.body import EVENTS, event, micro
from extdns.kube.live import wire
from extdns.kube.paths import collection_path, object_path
from extdns.log import Event
from extdns.model.cluster import ObjectKey, ObjectRef

if TYPE_CHECKING:
    from extdns.kube.api import Api
    from extdns.kube.events.notes import Note, Notes
    from extdns.model.change import Batch
    from extdns.model.claim import Claim
    from extdns.model.decision import Decision
    from extdns.model.held import Held
    from extdns.model.zone import Zone
    from extdns.ports import Clock

_log = log.get(__name__)

_MOST_WAITING: Final = 1000
_MOST_REMEMBERED: Final = 4096
_MOST_OF_AN_OBJECT: Final = 10
_ATTEMPTS: Final = 3
_QUIET_S: Final = 300.0
"""The same is said of an object again after so long, and then as another count of the same Event."""

_HELD_AGAIN_S: Final = 1800.0
"""Events live for an hour by default; what is held is said again before."""

_SETTLED_S: Final = 1.0
"""What is held together comes to be held within moments, each time under another code."""

_MERGE: Final = "application/merge-patch+json"


@dataclass(slots=True)
class _Said:
    """One Event: where it is, how often it was said, and when it was sent last (monotonic seconds)."""

    path: str
    sent_s: float
    count: int = 1


class Announcer:
    """Never keeps its callers waiting: what comes too fast is dropped, which is said once."""

    def __init__(self, api: Api, notes: Notes, clock: Clock, *, pause_s: float = 0.05) -> None:
        """Send *notes* through *api*, at most one in *pause_s* seconds."""
        self._api = api
        self._notes = notes
        self._clock = clock
        self._pause_s = pause_s
        self._waiting: queue.Queue[Note | None] = queue.Queue(_MOST_WAITING)
        self._said: OrderedDict[tuple[ObjectKey, str, str], _Said] = OrderedDict()
        self._often: OrderedDict[ObjectKey, tuple[float, float]] = OrderedDict()
        self._held: dict[str, list[Note]] = {}
        self._held_news: dict[str, list[Note]] = {}
        self._lock = threading.Lock()
        self._denied = False
        self._dropped = False
        self._ending = False
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None

    def decided(self, decisions: Sequence[Decision]) -> None:
        """Names were planned, and these decisions are new."""
        self._put(self._notes.of_decisions(decisions))

    def mistaken(self, claims: Sequence[Claim]) -> None:
        """Of an object that makes *claims* something may be wrong."""
        self._put(self._notes.of_mistakes(claims))

    def failed(self, key: ObjectKey, message: str) -> None:
        """What the object asks for could not be computed."""
        self._put(self._notes.of_failure(key, message))

    def applied(self, batch: Batch) -> None:
        """Everything in *batch* was written."""
        self._put(self._notes.of_batch(batch))

    def held(self, zone: Zone, code: str, held: Sequence[Held]) -> None:
        """Other deletes than before wait in *zone*; what was to be said of it is outdated."""
        with self._lock:
            self._held_news[zone.id] = list(self._notes.of_held(zone, code, held))
        self._wake()

    def close(self, patience_s: float) -> None:
        """Take in nothing more, and send for up to *patience_s* seconds what waits."""
        if self._thread is not None:
            self._ending = True
            self._wake()
            self._thread.join(patience_s)
            self._stop.set()
        self._api.close()

    def _put(self, notes: Iterable[Note]) -> None:
        for note in notes:
            if self._denied:
                return
            try:
                self._waiting.put_nowait(note)
            except queue.Full:
                if not self._dropped:
                    self._dropped = True
                    _log.warning(Event.EVENTS_DROPPED)
                return
            self._begin()

    def _wake(self) -> None:
        with suppress(queue.Full):  # it is awake then
            self._waiting.put_nowait(None)
        self._begin()

    def _begin(self) -> None:
        with self._lock:
            if self._thread is None:
                self._thread = threading.Thread(target=self._work, name="events", daemon=True)
                self._thread.start()

    def _work(self) -> None:
        told_s = self._clock.monotonic_s()
        while not (self._stop.is_set() or self._denied):
            try:
                note = self._waiting.get(timeout=self._patience_s(told_s))
            except queue.Empty:
                again = self._clock.monotonic_s() - told_s >= _HELD_AGAIN_S
                told_s = self._clock.monotonic_s() if again else told_s
                self._say_held(again=again)
                if self._ending:
                    return
            else:
                if note is not None:
                    self._say(note)

    def _patience_s(self, told_s: float) -> float | None:
        """How long nothing may come before what is held is said, None if nothing is."""
        if self._ending:
            return 0.0
        if self._held_news:
            return _SETTLED_S
        if any(self._held.values()):
            return max(0.0, told_s + _HELD_AGAIN_S - self._clock.monotonic_s())
        return None

    def _say_held(self, *, again: bool) -> None:
        with self._lock:
            news, self._held_news = self._held_news, {}
        self._held |= news
        for zone in list(self._held) if again else news:
            for note in self._held[zone]:
                if self._stop.is_set() or self._denied or zone in self._held_news:
                    break
                self._say(note)

    def _say(self, note: Note) -> None:
        """Send *note* unless it was sent lately; whatever goes wrong, the next one is tried."""
        key = note.about.key if isinstance(note.about, ObjectRef) else note.about
        known = (key, note.reason, note.text)
        said, now_s = self._said.get(known), self._clock.monotonic_s()
        if said:
            said.count += 1
            if now_s - said.sent_s < _QUIET_S:
                return
        elif not self._may(key, now_s):
            return
        try:
            path = self._again(said) if said else ""
            path = path or self._new(note, key)
        except Exception as exc:  # noqa: BLE001 - law 3: an Event is worth nothing else
            self._fail(exc)
            return
        if path:
            self._said[known] = _Said(path, now_s, said.count if said else 1)
            self._said.move_to_end(known)
            while len(self._said) > _MOST_REMEMBERED:
                self._said.popitem(last=False)
        self._stop.wait(self._pause_s)

    def _fail(self, exc: Exception) -> None:
        """Give up on one Event, or on all if it is for want of a right; a namespace that ends takes none either."""
        forbidden = isinstance(exc, DeniedError) and exc.code == HTTPStatus.FORBIDDEN
        if forbidden and "being terminated" not in str(exc):
            self._denied = True
            _log.warning(Event.EVENTS_OFF, message=str(exc))
        else:
            _log.debug(Event.EVENT_UNSENT, error=type(exc).__name__, message=str(exc))

    def _may(self, key: ObjectKey, now_s: float) -> bool:
        """Ten Events an object at once, and then one in `_QUIET_S`."""
        tokens, at_s = self._often.pop(key, (float(_MOST_OF_AN_OBJECT), now_s))
        tokens = min(float(_MOST_OF_AN_OBJECT), tokens + (now_s - at_s) / _QUIET_S)
        self._often[key] = (max(0.0, tokens - 1.0) if tokens >= 1.0 else tokens, now_s)
        while len(self._often) > _MOST_REMEMBERED:
            self._often.popitem(last=False)
        return tokens >= 1.0

    def _again(self, said: _Said) -> str:
        """Raise the count of an Event; its path, "" if it has expired or may not be changed."""
        series = {"count": said.count, "lastObservedTime": micro(self._clock.now())}
        try:
            self._send("PATCH", said.path, {"series": series}, _MERGE)
        except (NotFoundError, DeniedError):  # the reference needs the right to create alone
            return ""
        return said.path

    def _new(self, note: Note, key: ObjectKey) -> str:
        """Make an Event; its path, "" if the object is gone."""
        ref = note.about if isinstance(note.about, ObjectRef) else self._found(key)
        if ref is None:
            return ""
        now = self._clock.now()
        made = event(note, ref, now)
        namespace = made["metadata"]["namespace"]
        try:
            self._send("POST", collection_path(EVENTS, namespace), made)
        except NotFoundError:  # its namespace is gone
            return ""
        return object_path(ObjectKey(EVENTS, namespace, made["metadata"]["name"]))

    def _found(self, key: ObjectKey) -> ObjectRef | None:
        """The object with its uid, if we may get it: else `kubectl describe` does not find its Events."""
        for form in key.kind.forms:
            found = key._replace(kind=form)
            try:
                head = wire.item(self._api.get(object_path(found))).head
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
