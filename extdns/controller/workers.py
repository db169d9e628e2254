"""Carries out the engine's calls on threads of their own, so that a slow one, or a slow account, holds up no other."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Final, assert_never

from extdns.controller.lane import Lane, Lanes
from extdns.engine.effects import (
    Confirm,
    ListZones,
    LoadState,
    LookForReleases,
    ReadNames,
    ReadPage,
    SaveState,
    Submit,
)
from extdns.engine.inputs import (
    Call,
    Existence,
    Input,
    NamesRead,
    PageRead,
    ReadFailed,
    StateFailed,
    Submitted,
    ZonesListed,
)
from extdns.errors import ExtdnsError, ForbiddenError, ProviderError, RetryableError, described
from extdns.model.outcome import Unknown

if TYPE_CHECKING:
    from extdns.controller.keeper import Keeper
    from extdns.model.change import Batch
    from extdns.model.cluster import ObjectKey
    from extdns.model.zone import Zone
    from extdns.ports import Clock, Cluster, ZoneReader, ZoneWriter

_READS: Final = 8
_WRITES: Final = 8
_QUESTIONS: Final = 2
_KEEPING_PATIENCE_S: Final = 2.0
_MOMENT_S: Final = 0.5

CallEffect = ListZones | ReadPage | ReadNames | Submit | Confirm | LoadState | SaveState | LookForReleases


class Workers:
    """Reads, writes and questions to the cluster, each on threads of its own; every call answers with one input."""

    def __init__(
        self,
        cluster: Cluster,
        reader: ZoneReader,
        writer: ZoneWriter | None,
        keeper: Keeper | None,
        *,
        answer: Callable[[Input], None],
        defect: Callable[[Exception], None],
    ) -> None:
        """Answer to *answer*, and tell *defect* what should not have been raised; both are called from any thread."""
        self._cluster = cluster
        self._reader = reader
        self._writer = writer
        self._keeper = keeper
        self._answer = answer
        self._defect = defect
        self._lists = Lane("list", most=1)
        self._reads = Lanes("read", most=_READS)
        self._first_reads = Lanes("first-read", most=_READS)
        self._writes = Lanes("write", most=_WRITES)
        self._questions = Lane("ask", most=_QUESTIONS)
        self._closing = False
        self._keeping = Lane("keep", most=1, finishes=True)

    def carry_out(self, effect: CallEffect) -> None:
        """Begin the call of *effect*."""
        match effect:
            case ListZones():
                self._lists.add(partial(self._read, Call.ZONES, None, self._zones))
            case ReadPage(zone=zone, onward=onward):
                (self._first_reads if onward else self._reads).add(zone.account, partial(self._pages, effect))
            case ReadNames(zone=zone):
                self._reads.add(zone.account, partial(self._read, Call.NAMES, zone, partial(self._names, effect)))
            case Submit(batch=batch) if self._writer is not None:
                self._writes.add(batch.zone.account, partial(self._submit, self._writer, batch))
            case Submit():
                raise RuntimeError("a batch without a writer")
            case Confirm(key=key):
                self._questions.add(partial(self._confirm, key))
            case LoadState() | SaveState() | LookForReleases() if self._keeper is not None:
                self._keeping.add(partial(self._keep, self._keeper, effect))
            case LoadState() | SaveState() | LookForReleases():
                raise RuntimeError("state without a place for it")
            case _:
                assert_never(effect)

    def close(self, clock: Clock, patience_s: float) -> bool:
        """Begin nothing more; returns whether every write under way ended within *patience_s* seconds.

        Reads and questions that hang are left to themselves: nothing is lost with their answers. State
        that is being saved has its time: without it, some deletes would count no more.
        """
        self._closing = True
        dispensable = (self._lists, self._reads, self._first_reads, self._questions)
        for lane in dispensable:
            lane.close(clock, 0.0)
        written = self._writes.close(clock, patience_s)
        self._keeping.close(clock, _KEEPING_PATIENCE_S)
        for lane in dispensable:
            lane.close(clock, _MOMENT_S)
        return written

    def _zones(self) -> Input:
        return ZonesListed(zones=self._reader.zones())

    def _pages(self, effect: ReadPage) -> None:
        """Read a page and, if it goes onward, those behind it, while the engine is at others."""
        after = effect.after
        while True:
            found = self._read(Call.PAGE, effect.zone, partial(self._page, effect.zone, after))
            if not effect.onward or self._closing or not isinstance(found, PageRead) or found.page.after is None:
                return
            after = found.page.after

    def _page(self, zone: Zone, after: str | None) -> Input:
        return PageRead(zone=zone, asked=after, page=self._reader.page(zone, after))

    def _names(self, effect: ReadNames) -> Input:
        zone, names = effect.zone, effect.names
        return NamesRead(zone=zone, names=names, records=self._reader.names(zone, names))

    def _read(self, call: Call, zone: Zone | None, ask: Callable[[], Input]) -> Input:
        try:
            found = ask()
        except ProviderError as exc:
            wait_s = exc.retry_after_s if isinstance(exc, RetryableError) else None
            forbidden = isinstance(exc, ForbiddenError)
            found = ReadFailed(call=call, zone=zone, message=str(exc), retry_after_s=wait_s, forbidden=forbidden)
        except Exception as exc:  # noqa: BLE001 - law 3: a defect in one provider must not end the process
            self._defect(exc)
            found = ReadFailed(call=call, zone=zone, message=described(exc))
        self._answer(found)
        return found

    def _submit(self, writer: ZoneWriter, batch: Batch) -> None:
        try:
            outcome = writer.submit(batch.zone, batch)
        except Exception as exc:  # noqa: BLE001 - law 3; whether it was applied is not known then
            self._defect(exc)
            outcome = Unknown(message=described(exc))
        self._answer(Submitted(number=batch.number, zone=batch.zone, outcome=outcome))

    def _keep(self, keeper: Keeper, effect: LoadState | SaveState | LookForReleases) -> None:
        try:
            answer: Input = keeper.carry_out(effect)
        except ExtdnsError as exc:
            answer = StateFailed(message=str(exc))
        except Exception as exc:  # noqa: BLE001 - law 3; it is tried again after a while
            self._defect(exc)
            answer = StateFailed(message=described(exc))
        self._answer(answer)

    def _confirm(self, key: ObjectKey) -> None:
        try:
            exists = self._cluster.exists(key)
        except Exception as exc:  # noqa: BLE001 - law 3; it is asked again after a while
            self._defect(exc)
            exists = None
        self._answer(Existence(key=key, exists=exists))
