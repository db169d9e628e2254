"""On SIGUSR1: print what each thread does, how long the queues are, and the next deadlines.

See docs/how-to/debug-a-process.md.
"""

from __future__ import annotations

import math
import os
import signal
import sys
import threading
import traceback
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import PurePath
from typing import TYPE_CHECKING, Final, NamedTuple

from extdns.errors import escape_unprintable

if TYPE_CHECKING:
    from types import FrameType

    from extdns.engine.engine import Engine

_STANDARD_ERROR: Final = 2
_MAX_ZONES: Final = 50


class TaskCounts(NamedTuple):
    """How many tasks of a thread pool wait, and how many run."""

    waiting: int
    running: int


@contextmanager
def print_on_signal(describe: Callable[[], str]) -> Generator[None]:
    """Print what *describe* returns when the process receives SIGUSR1, while the context is open.

    Use it in the main thread only. *describe* interrupts that thread anywhere, so it must not wait for a lock.
    """

    def receive(_number: int, _frame: FrameType | None) -> None:
        try:
            text = describe()
        except Exception as exc:  # noqa: BLE001 - the state may be inconsistent in the middle of a step
            text = f"cannot describe the state: {type(exc).__name__}\n{''.join(format_threads())}"
        # unbuffered, because this may interrupt a write to the same stream
        left = memoryview(text.encode(errors="replace"))
        with suppress(OSError):  # nobody reads it; an error here would end whatever the signal interrupted
            while left:  # a second signal can end a write early
                left = left[os.write(_STANDARD_ERROR, left) :]

    previous = signal.signal(signal.SIGUSR1, receive)
    try:
        yield
    finally:
        signal.signal(signal.SIGUSR1, previous)


def format_state(
    engine: Engine,
    *,
    queues: Mapping[str, int],
    tasks: Mapping[str, TaskCounts],
    deadlines: Mapping[str, float],
    now_s: float,
) -> str:
    """Describe the state of the process as text. *engine* may be in the middle of a step.

    *queues* are lengths, and *deadlines* monotonic times, infinity for none.
    """
    zones = tuple(engine.zones)[:_MAX_ZONES]
    lines = ["state of extdns, on SIGUSR1\n", "threads:\n", *format_threads(), "queues:\n"]
    lines += [f"  {name}: {count}\n" for name, count in queues.items()]
    lines += [f"  calls {name}: {count.waiting} waiting, {count.running} running\n" for name, count in tasks.items()]
    lines += [
        f"  zone {zone_state.zone}: {len(zone_state.queue.queued)} names queued, "
        f"{zone_state.queue.unfinished - len(zone_state.queue.queued)} being written, "
        f"{zone_state.queue.backing_off} backing off\n"
        for zone_state in zones
    ]
    times = {**deadlines, "delete guard": engine.delete_guard.next_deadline_at}
    for zone_state in zones:
        times[f"zone {zone_state.zone}, next page"] = zone_state.refresh.next_page_at
        times[f"zone {zone_state.zone}, next write after a pause"] = zone_state.queue.retry.until_at or math.inf
        times[f"zone {zone_state.zone}, next retry of a name"] = zone_state.queue.retries.next_deadline_at
    lines.append("deadlines:\n")
    lines += [f"  {name}: {_format_time(at_s - now_s)}\n" for name, at_s in times.items() if math.isfinite(at_s)]
    return "".join(f"{escape_unprintable(line[:-1])}\n" for line in lines)  # names of zones come from outside


def format_threads() -> Iterator[str]:
    """Describe each thread of the process with its stack, innermost call last."""
    names = {thread.ident: thread.name for thread in threading.enumerate()}
    frames = sys._current_frames()  # pyright: ignore[reportPrivateUsage] # noqa: SLF001 - the documented way to see stacks
    for ident, frame in sorted(frames.items()):
        yield f"  {names.get(ident, ident)}:\n"
        for entry in traceback.extract_stack(frame):
            yield f"    {PurePath(entry.filename).name}:{entry.lineno} {entry.name}\n"


def _format_time(left_s: float) -> str:
    return f"in {left_s:.1f} s" if left_s > 0 else "now"
