"""Watches: send the changes after a version, then each new change, as JSON lines."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from enum import StrEnum
from time import monotonic
from typing import Final

import msgspec

from tests.fakes.apiserver.kinds import Kind
from tests.fakes.apiserver.lists import list_current, matches
from tests.fakes.apiserver.options import ListOptions, WatchList
from tests.fakes.apiserver.statuses import ApiError, expired, too_large
from tests.fakes.apiserver.store import Event, Store, Stored
from tests.fakes.service.answers import ConnectionCut

_INITIAL_END: Final = {"k8s.io/initial-events-end": "true"}
_BLOCK: Final = 500
"""How many initial objects are sent together."""
_CHECK_INTERVAL_S: Final = 1.0
"""How often a watch without events checks whether its client disconnected, in seconds."""
_BEFORE_END_S: Final = 2.0
"""How long before its timeout a watch sends the last bookmark, in seconds."""


class Order(StrEnum):
    """An order of a test to open watches."""

    BOOKMARK = "bookmark"
    END = "end"  # end the stream without error, as after the timeout
    CUT = "cut"  # cut the connection in the middle of a chunk
    EXPIRE = "expire"  # send an ERROR event with code 410, then end


@dataclass(kw_only=True, eq=False)
class Watch:
    """One open watch.

    Attributes:
        orders: orders to carry out after all earlier events were sent.
        after: only events after this version are sent, even if the version is in the future.
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
        """Start the watch and yield its events as complete lines; yield empty parts while nothing happens.

        Errors after the start are ERROR events, as with a real server.
        """
        try:
            with self.store.lock:
                initial = self._begin(watch_list)
        except ApiError as error:
            return iter((encode_error(error),))
        return self._send_events(initial, listed=bool(self.options.initial))

    def order(self, order: Order) -> None:
        with self.store.lock:
            self.orders.append(order)
            self.store.collection(self.kind).changed.notify_all()

    def _begin(self, watch_list: WatchList) -> list[Stored]:
        """Determine the version at which to start. Return the objects to send first."""
        collection, options = self.store.collection(self.kind), self.options
        if options.initial and options.bookmarks and watch_list is WatchList.REFUSED_BY_STORE:
            feature = "the required storage feature RequestWatchProgress is disabled"
            raise ApiError(500, f"a watch stream was requested by the client but {feature}")
        requested = options.version or 0
        if options.initial is not None and requested > self.store.version:
            raise too_large(requested, self.store.version)
        if requested == 0 or options.initial:
            self.position, self.after = len(collection.events), self.store.version
            return [] if options.initial is False else list_current(collection, self.namespace, options)
        if requested < self.store.horizon:
            raise expired(f"too old resource version: {requested} ({self.store.horizon})")
        self.position, self.after = collection.find_position(requested), requested
        return []

    def _send_events(self, initial: list[Stored], *, listed: bool) -> Iterator[bytes]:
        for first in range(0, len(initial), _BLOCK):
            block = initial[first : first + _BLOCK]
            yield b"".join([self._encode_frame(b"ADDED", stored) for stored in block])
        if listed and self.options.bookmarks:
            yield self._encode_bookmark(self.after, ended=True)
        yield from self._follow()

    def _follow(self) -> Iterator[bytes]:
        collection = self.store.collection(self.kind)
        now = monotonic()
        end = now + self.options.timeout_s if self.options.timeout_s else None
        beat = self._find_next_bookmark_at(now, end)
        while True:
            with self.store.lock:
                if self.position == len(collection.events) and not self.orders:
                    collection.changed.wait(
                        max(0.0, min(_CHECK_INTERVAL_S, *(t - monotonic() for t in (beat, end) if t)))
                    )
                events, self.position = collection.events[self.position :], len(collection.events)
                orders, version = list(self.orders), self.store.version
                self.orders.clear()
            now = monotonic()
            if now >= beat:
                orders.insert(0, Order.BOOKMARK)
                beat = self._find_next_bookmark_at(now, end)
            yield b"".join(filter(None, map(self._encode_event, events)))
            yield from self._apply_orders(orders, version)
            if Order.END in orders or Order.EXPIRE in orders or (end is not None and now >= end):
                return

    def _apply_orders(self, orders: list[Order], version: int) -> Iterator[bytes]:
        for order in orders:
            match order:
                case Order.BOOKMARK if self.options.bookmarks and version >= self.after:
                    yield self._encode_bookmark(version, ended=False)
                case Order.EXPIRE:
                    yield encode_error(expired("The resourceVersion for the provided watch is too old."))
                case Order.CUT:
                    raise ConnectionCut
                case _:
                    pass

    def _find_next_bookmark_at(self, now: float, end: float | None) -> float:
        beat = now + self.bookmark_every_s
        last = (end or beat) - _BEFORE_END_S
        return min(beat, last) if last > now else beat

    def _encode_event(self, event: Event) -> bytes | None:
        """Encode *event*, or return None if it is about another object or too old."""
        old, new = event.old, event.new
        shown = new or old
        if event.version <= self.after or shown is None or not matches(shown, self.namespace, self.options):
            return None
        if new is None:
            return self._encode_frame(b"DELETED", replace(shown, version=event.version))
        return self._encode_frame(b"ADDED" if old is None else b"MODIFIED", new)

    def _encode_frame(self, what: bytes, stored: Stored) -> bytes:
        return b'{"type":"%b","object":%b}\n' % (what, stored.encode(self.kind, typed=True))

    def _encode_bookmark(self, version: int, *, ended: bool) -> bytes:
        metadata = {"resourceVersion": str(version)} | ({} if self.kind.custom else {"creationTimestamp": None})
        sent_metadata = metadata | {"annotations": _INITIAL_END} if ended else metadata
        shape = {"kind": self.kind.kind, "apiVersion": self.kind.api_version, "metadata": sent_metadata} | dict(
            self.kind.zero
        )
        return msgspec.json.encode({"type": "BOOKMARK", "object": shape}) + b"\n"


def encode_error(error: ApiError) -> bytes:
    return msgspec.json.encode({"type": "ERROR", "object": error.status()}) + b"\n"
