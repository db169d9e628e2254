"""Addresses of hosts, asked for on a thread of their own and asked again when they are old."""

from __future__ import annotations

import heapq
import threading
import time
from collections.abc import Callable
from typing import Final, NamedTuple

from extdns.errors import UnresolvedError
from extdns.kube.resolver import Answer, Ask
from extdns.model.host import Host
from extdns.model.lean import ObjectMeta

_LEAST_S: Final = 30.0
_MOST_S: Final = 300.0
_CLOSING_S: Final = 1.0


class News(NamedTuple):
    """A host as it was, None if it was not known, and as it is."""

    old: Host | None
    new: Host


class Hosts:
    """Knows hosts from the first time they are looked up; safe from any thread.

    An address is kept for its TTL, 30 s at least and 300 s at most. Neither a failure nor an answer
    without address takes away addresses, nor a failure any answer; without an address it is asked
    again with growing pauses.
    """

    def __init__(self, ask: Ask, *, monotonic: Callable[[], float] = time.monotonic) -> None:
        """Ask with *ask*; nothing is asked yet."""
        self._ask = ask
        self._monotonic = monotonic
        self._changed = threading.Condition()
        self._due: list[tuple[float, str]] = []
        self._known: dict[str, Host] = {}
        self._pauses_s: dict[str, float] = {}
        self._news: list[News] = []
        self._ended = False
        self._thread = threading.Thread(target=self._run, name="resolver", daemon=True)

    def look(self, name: str) -> None:
        """Begin to ask for *name*, if nobody has yet."""
        with self._changed:
            if name in self._pauses_s or self._ended:
                return
            self._pauses_s[name] = _LEAST_S
            heapq.heappush(self._due, (self._monotonic(), name))
            self._changed.notify_all()
            if self._thread.ident is None:
                self._thread.start()

    def take(self) -> list[News]:
        """What became known since the last call."""
        with self._changed:
            news, self._news = self._news, []
            return news

    def close(self) -> None:
        """Ask no more; harmless when called twice."""
        with self._changed:
            self._ended = True
            self._changed.notify_all()
        if self._thread.ident is not None:
            self._thread.join(_CLOSING_S)

    def _run(self) -> None:
        while name := self._next():
            try:
                answer, failure = self._ask(name), ""
            except UnresolvedError as exc:
                answer, failure = Answer((), 0.0), str(exc)
            if answer.addresses:
                pause_s, self._pauses_s[name] = max(answer.ttl_s, _LEAST_S), _LEAST_S
            else:
                pause_s, self._pauses_s[name] = self._pauses_s[name], self._pauses_s[name] * 2
            host = Host(metadata=ObjectMeta(name=name), addresses=answer.addresses, failure=failure)
            self._enter(name, host, min(pause_s, _MOST_S))

    def _next(self) -> str:
        """The next name that is due, "" at the end."""
        with self._changed:
            while not self._ended:
                wait_s = self._due[0][0] - self._monotonic() if self._due else None
                if wait_s is not None and wait_s <= 0:
                    return heapq.heappop(self._due)[1]
                self._changed.wait(wait_s)
        return ""

    def _enter(self, name: str, host: Host, pause_s: float) -> None:
        with self._changed:
            heapq.heappush(self._due, (self._monotonic() + pause_s, name))
            old = self._known.get(name)
            if host == old or (old is not None and _said(host) < _said(old)):
                return
            self._known[name] = host
            self._news.append(News(old, host))


def _said(host: Host) -> int:
    """How much is known of *host*: 0 for nothing, 1 for that it has no address, 2 for addresses."""
    return 2 if host.addresses else int(not host.failure)
