"""Watches: what happened after a version, then what happens, as JSON lines."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from enum import StrEnum
from time import monotonic
from typing import Final

import msgspec

from tests.fakes.apiserver.answers import ConnectionCut
from tests.fakes.apiserver.kinds import Kind
from tests.fakes.apiserver.lists import current, matches
from tests.fakes.apiserver.options import ListOptions, WatchList
from tests.fakes.apiserver.statuses import ApiError, expired, too_large
from tests.fakes.apiserver.store import Event, Store, Stored

_INITIAL_END: Final = {"k8s.io/initial-events-end": "true"}
_BLOCK: Final = 500
"""Initial objects a part."""
_LOOK_S: Final = 1.0
"""How often a quiet watch looks whether its client has gone."""
_BEFORE_END_S: Final = 2.0
"""How long before its time-out a watch sends a last bookmark."""


class Order(StrEnum):
    """What a test tells open watches."""

    BOOKMARK = "bookmark"
    END = "end"  # a clean end of the stream, as a time-out makes it
    CUT = "cut"  # the connection is gone, in the middle of a chunk
    EXPIRE = "expire"  # an ERROR frame, code 410, then the end


@dataclass(kw_only=True, eq=False)
class Watch:
    """One open watch.

    Attributes:
        orders: taken after the events that came before them.
        after: events up to this version are not sent, not even those to come.
    """

    store: Store
    kind: Kind
    namespace: str
    options: ListOptions
    bookmark_every_s: float
    orders: deque[Order] = field(default_factory=deque)
    after: int = 0
    position: int = 0

    def start(self, watch_list: WatchList) -> Iterator[bytes]:
        """Begin, and give the frames: parts of whole lines, empty ones while nothing happens.

        Later failures are ERROR frames, as a real server's are once it has understood the request.
        """
        try:
            with self.store.lock:
                initial = self._begin(watch_list)
        except ApiError as error:
            return iter((error_frame(error),))
        return self._frames(initial, listed=bool(self.options.initial))

    def order(self, order: Order) -> None:
        """Have *order* carried out."""
        with self.store.lock:
            self.orders.append(order)
            self.store.collection(self.kind).changed.notify_all()

    def _begin(self, watch_list: WatchList) -> list[Stored]:
        """Find where to start; gives the objects to show first."""
        collection, options = self.store.collection(self.kind), self.options
        if options.initial and options.bookmarks and watch_list is WatchList.REFUSED_BY_STORE:
            feature = "the required storage feature RequestWatchProgress is disabled"
            raise ApiError(500, f"a watch stream was requested by the client but {feature}")
        asked = options.version or 0
        if options.initial is not None and asked > self.store.version:
            raise too_large(asked, self.store.version, retry_after_s=1)
        if asked == 0 or options.initial:
            self.position, self.after = len(collection.events), self.store.version
            return [] if options.initial is False else current(collection, self.namespace, options)
        if asked < self.store.horizon:
            raise expired(f"too old resource version: {asked} ({self.store.horizon})")
        self.position, self.after = collection.since(asked), asked
        return []

    def _frames(self, initial: list[Stored], *, listed: bool) -> Iterator[bytes]:
        for first in range(0, len(initial), _BLOCK):
            block = initial[first : first + _BLOCK]
            yield b"".join([self._frame(b"ADDED", stored) for stored in block])
        if listed and self.options.bookmarks:
            yield self._bookmark(self.after, ended=True)
        yield from self._follow()

    def _follow(self) -> Iterator[bytes]:
        collection = self.store.collection(self.kind)
        now = monotonic()
        end = now + self.options.timeout_s if self.options.timeout_s else None
        beat = self._next_beat(now, end)
        while True:
            with self.store.lock:
                if self.position == len(collection.events) and not self.orders:
                    collection.changed.wait(max(0.0, min(_LOOK_S, *(t - monotonic() for t in (beat, end) if t))))
                events, self.position = collection.events[self.position :], len(collection.events)
                orders, version = list(self.orders), self.store.version
                self.orders.clear()
            now = monotonic()
            if now >= beat:
                orders.insert(0, Order.BOOKMARK)
                beat = self._next_beat(now, end)
            yield b"".join(filter(None, map(self._event, events)))
            yield from self._carried_out(orders, version)
            if Order.END in orders or Order.EXPIRE in orders or (end is not None and now >= end):
                return

    def _carried_out(self, orders: list[Order], version: int) -> Iterator[bytes]:
        for order in orders:
            match order:
                case Order.BOOKMARK if self.options.bookmarks and version >= self.after:
                    yield self._bookmark(version, ended=False)
                case Order.EXPIRE:
                    yield error_frame(expired("The resourceVersion for the provided watch is too old."))
                case Order.CUT:
                    raise ConnectionCut
                case _:
                    pass

    def _next_beat(self, now: float, end: float | None) -> float:
        beat = now + self.bookmark_every_s
        last = (end or beat) - _BEFORE_END_S
        return min(beat, last) if last > now else beat

    def _event(self, event: Event) -> bytes | None:
        """Encode what *event* is to this watch: an object that its selectors drop is deleted, as far as it can see."""
        old, new = event.old, event.new
        if event.version <= self.after:
            return None
        was = old is not None and matches(old, self.namespace, self.options)
        if new is not None and matches(new, self.namespace, self.options):
            return self._frame(b"MODIFIED" if was else b"ADDED", new)
        if old is not None and was:
            return self._frame(b"DELETED", replace(old, version=event.version))
        return None

    def _frame(self, what: bytes, stored: Stored) -> bytes:
        return b'{"type":"%b","object":%b}\n' % (what, stored.item(self.kind, typed=True))

    def _bookmark(self, version: int, *, ended: bool) -> bytes:
        metadata = {"resourceVersion": str(version)} | ({} if self.kind.custom else {"creationTimestamp": None})
        marked = metadata | {"annotations": _INITIAL_END} if ended else metadata
        shape = {"kind": self.kind.kind, "apiVersion": self.kind.api_version, "metadata": marked} | dict(self.kind.zero)
        return msgspec.json.encode({"type": "BOOKMARK", "object": shape}) + b"\n"


def error_frame(error: ApiError) -> bytes:
    """Encode the frame that ends a watch."""
    return msgspec.json.encode({"type": "ERROR", "object": error.status()}) + b"\n"
