"""A barrier, and a reader and a writer that wait at it."""

from __future__ import annotations

import threading
from dataclasses import dataclass

from extdns.model.change import Batch, Outcome
from extdns.model.zone import Zone, ZoneList
from tests.fakes.faulty import FaultyProvider

HANGS_S = 20.0  # the timeout of all waits; a test that reaches it fails


class Barrier:
    """A barrier at which a thread waits until the test calls `open`."""

    def __init__(self) -> None:
        self.reached = threading.Event()
        self._open = threading.Event()

    def pass_through(self) -> None:
        self.reached.set()
        self._open.wait(HANGS_S)

    def open(self) -> None:
        self._open.set()


class SlowWriter:
    """A writer that waits at *gate* before it writes with *inner*."""

    def __init__(self, inner: FaultyProvider, gate: Barrier) -> None:
        self._inner = inner
        self._gate = gate

    def submit(self, zone: Zone, batch: Batch) -> Outcome:
        self._gate.pass_through()
        return self._inner.submit(zone, batch)


@dataclass(kw_only=True)
class SlowReader(FaultyProvider):
    """A reader that waits at *gate* before it lists zones."""

    gate: Barrier

    def list_zones(self) -> ZoneList:
        self.gate.pass_through()
        return self.inner.list_zones()
