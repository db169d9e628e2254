"""Carries out the engine's calls on threads of their own, so that a slow one holds up no other."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

from extdns.engine.effects import Confirm, ListZones, ReadNames, ReadPage, Submit
from extdns.engine.inputs import Call, Existence, Input, NamesRead, PageRead, ReadFailed, Submitted, ZonesListed
from extdns.errors import ProviderError, RetryableError
from extdns.model.outcome import Unknown

if TYPE_CHECKING:
    from extdns.model.change import Batch
    from extdns.model.zone import Zone
    from extdns.ports import Cluster, ZoneReader, ZoneWriter

_THREADS = 8

CallEffect = ListZones | ReadPage | ReadNames | Submit | Confirm


class Workers:
    """A pool of threads; every call answers with exactly one input."""

    def __init__(
        self, cluster: Cluster, reader: ZoneReader, writer: ZoneWriter | None, answer: Callable[[Input], None]
    ) -> None:
        """Answer to *answer*, which must be safe to call from any thread."""
        self._cluster = cluster
        self._reader = reader
        self._writer = writer
        self._answer = answer
        self._pool = ThreadPoolExecutor(max_workers=_THREADS, thread_name_prefix="call")

    def carry_out(self, effect: CallEffect) -> None:
        """Begin the call of *effect*."""
        match effect:
            case ListZones():
                self._read(Call.ZONES, None, lambda: ZonesListed(zones=self._reader.zones()))
            case ReadPage(zone=zone, after=after):
                self._read(
                    Call.PAGE, zone, lambda: PageRead(zone=zone, asked=after, page=self._reader.page(zone, after))
                )
            case ReadNames(zone=zone, names=names):
                self._read(
                    Call.NAMES,
                    zone,
                    lambda: NamesRead(zone=zone, names=names, records=self._reader.names(zone, names)),
                )
            case Submit(batch=batch):
                self._pool.submit(self._submit, batch)
            case Confirm(key=key):
                self._pool.submit(lambda: self._answer(Existence(key=key, exists=self._cluster.exists(key))))

    def close(self) -> None:
        """Wait for the calls under way: a write that was begun is not abandoned."""
        self._pool.shutdown(wait=True, cancel_futures=True)

    def _read(self, call: Call, zone: Zone | None, ask: Callable[[], Input]) -> None:
        def work() -> None:
            try:
                self._answer(ask())
            except ProviderError as exc:
                wait_s = exc.retry_after_s if isinstance(exc, RetryableError) else None
                self._answer(ReadFailed(call=call, zone=zone, message=str(exc), retry_after_s=wait_s))
            except Exception as exc:  # noqa: BLE001 - law 3: a defect in one provider must not end the process
                self._answer(ReadFailed(call=call, zone=zone, message=f"{type(exc).__name__}: {exc}"))

        self._pool.submit(work)

    def _submit(self, batch: Batch) -> None:
        if self._writer is None:
            msg = "a batch without a writer"
            raise RuntimeError(msg)
        try:
            outcome = self._writer.submit(batch.zone, batch)
        except Exception as exc:  # noqa: BLE001 - law 3; whether it was applied is not known then
            outcome = Unknown(message=f"{type(exc).__name__}: {exc}")
        self._answer(Submitted(number=batch.number, zone=batch.zone, outcome=outcome))
