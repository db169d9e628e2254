"""Notices that files change."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from pathlib import Path
from threading import Event
from typing import Final

_TICK_MS: Final = 500
_GATHER_MS: Final = 100
"""The library looks for changes that often, and has no other way to wait; a fifth of this costs five times the CPU."""

_GATHER_AT_MOST_MS: Final = 200
_TICKS_UNTIL_ALL: Final = 60
"""Every 30 s anything may have changed: network file systems, and files behind links, tell nothing."""

_WITHOUT_WATCH_S: Final = 1.0

_Places = dict[str, tuple[int, int] | None]
"""What each path leads to, by device and inode; None if to nothing."""


def follow(paths: Sequence[str], stop: Event) -> Iterator[Collection[str] | None]:
    """Yield what may have changed at and below *paths*, until *stop* is set.

    Paths are absolute. None means that anything may have changed, and comes first; an empty
    collection only that some time has passed. A path that is replaced, as by an editor or a link
    that is turned elsewhere, is followed to its new place. Never raises.
    """
    yield None
    while paths and not stop.is_set():
        places = _places(paths)
        there = [path for path, place in places.items() if place]
        try:
            yield from _changes(there, places, stop)
        except (OSError, RuntimeError):  # gone meanwhile, or the system has no watches left
            stop.wait(_WITHOUT_WATCH_S)
        if not there:
            stop.wait(_TICK_MS / 1000)
        yield None


def _changes(there: Sequence[str], places: _Places, stop: Event) -> Iterator[Collection[str] | None]:
    """Yield changes of *there* for as long as *places* are right; raises `OSError` or `RuntimeError`."""
    if not there:
        return
    import watchfiles  # noqa: PLC0415 - a single pass and the commands watch nothing

    rounds = watchfiles.watch(
        *there,
        watch_filter=None,
        debounce=_GATHER_AT_MOST_MS,
        step=_GATHER_MS,
        stop_event=stop,
        rust_timeout=_TICK_MS,
        yield_on_timeout=True,
        raise_interrupt=False,
        ignore_permission_denied=True,
    )
    for tick, changes in enumerate(rounds):
        if _places(places) != places:
            return
        # in the first round, too: only now is it certain that no change goes unseen
        yield {path for _, path in changes} if tick % _TICKS_UNTIL_ALL else None


def _places(paths: Iterable[str]) -> _Places:
    places: _Places = {}
    for path in paths:
        try:
            status = Path(path).stat()
            places[path] = status.st_dev, status.st_ino
        except OSError:
            places[path] = None
    return places
