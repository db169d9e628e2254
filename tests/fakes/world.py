"""Run the engine with a provider in virtual time and without threads, one effect at a time."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field

from msgspec.structs import replace

from extdns.engine.effects import (
    CheckExistence,
    Effect,
    ListZones,
    LoadState,
    ReadApprovals,
    ReadNames,
    ReadPage,
    ReportDecisions,
    ReportHeldDeletes,
    ReportOutcome,
    SaveState,
    SubmitBatch,
    Wake,
)
from extdns.engine.engine import Engine
from extdns.engine.inputs import (
    BatchCompleted,
    Call,
    ExistenceChecked,
    Input,
    NamesRead,
    PageRead,
    ReadFailed,
    StateAnswered,
    StateFailed,
    StateLoaded,
    TimePassed,
    ZonesListed,
)
from extdns.errors import ForbiddenError, ProviderError, RetryableError
from extdns.model.change import Batch, Decision, Outcome
from extdns.model.evidence import HeldSet
from extdns.model.kind import ObjectKey
from extdns.model.saved_state import Approval, Saved
from extdns.ports import ZoneReader, ZoneWriter


@dataclass(kw_only=True)
class World:
    """Carries out effects at once, in order, and moves the clock only when there is nothing else to do.

    Attributes:
        exists: the answer to `CheckExistence` for an object; by default no object exists.
        reported: every decision reported so far.
        outcomes: every batch, and how it ended.
        held: every reported set of held deletes.
        approvals: the codes that a person approved.
        state: the state that the engine saved last, and that it loads.
        state_fails: how many calls to load or save the state fail before one succeeds.
        state_forbidden: whether they fail because a permission is missing.
        calls: the class names of the effects carried out.
        wake_s: when the engine has to be called next, in virtual seconds; None if only an input is awaited.
        waiting: the effects that are not carried out yet.
        reads_to_end: for each page being read, whether the next page is requested as soon as it arrives.
    """

    engine: Engine
    reader: ZoneReader
    writer: ZoneWriter
    exists: Callable[[ObjectKey], bool | None] = lambda _: False
    now_s: float = 1000.0
    reported: list[Decision] = field(default_factory=list)
    outcomes: list[tuple[Batch, Outcome]] = field(default_factory=list)
    held: list[HeldSet] = field(default_factory=list)
    state: Saved = field(default_factory=Saved)
    state_fails: int = 0
    state_forbidden: bool = True
    approvals: tuple[str, ...] = ()
    calls: list[str] = field(default_factory=list)
    wake_s: float | None = None
    waiting: deque[Effect] = field(default_factory=deque)
    reads_to_end: dict[tuple[str, str | None], bool] = field(default_factory=dict)

    def feed(self, item: Input) -> None:
        """Give the engine one input, and queue the effects that it returns for `run`."""
        self.wake_s = None
        if (
            isinstance(item, PageRead)
            and item.page.after is not None
            and self.reads_to_end.pop((item.zone.id, item.after), False)
        ):
            self.waiting.append(ReadPage(zone=item.zone, after=item.page.after, reads_to_end=True))
        for effect in self.engine.step(item, self.now_s):
            match effect:
                case Wake(at_s=at_s):
                    self.wake_s = at_s
                case ReportDecisions(decisions=decisions):
                    self.reported += decisions
                case ReportOutcome(batch=batch, outcome=outcome):
                    self.outcomes.append((batch, outcome))
                case ReportHeldDeletes():
                    self.held.append(effect.held)
                case _:
                    self.waiting.append(effect)

    def run(self, *items: Input, for_s: float = 5.0) -> None:
        """Feed *items*, then carry out effects and let time pass for *for_s* virtual seconds."""
        for item in items or (TimePassed(),):
            self.feed(item)
        end_s = self.now_s + for_s
        while True:
            while self.waiting:
                self.feed(self.answer())
            if self.wake_s is None or self.wake_s > end_s:
                self.now_s = end_s
                return
            self.now_s = max(self.now_s, self.wake_s)
            self.feed(TimePassed())

    def answer(self) -> Input:
        """Carry out the oldest queued effect, and return its answer for `feed`."""
        effect = self.waiting.popleft()
        self.calls.append(type(effect).__name__)
        if self.state_fails and isinstance(effect, LoadState | SaveState | ReadApprovals):
            self.state_fails -= 1
            return StateFailed(message="no right", forbidden=self.state_forbidden)
        match effect:
            case ListZones():
                return self._read(Call.ZONES, None, lambda: ZonesListed(zones=self.reader.list_zones()))
            case ReadPage(zone=zone, after=after, reads_to_end=onward):
                self.reads_to_end[zone.id, after] = onward
                return self._read(
                    Call.PAGE,
                    zone,
                    lambda: PageRead(zone=zone, after=after, page=self.reader.read_page(zone, after)),
                )
            case ReadNames(zone=zone, names=names):
                return self._read(
                    Call.NAMES,
                    zone,
                    lambda: NamesRead(zone=zone, names=names, records=self.reader.read_names(zone, names)),
                )
            case SubmitBatch(batch=batch):
                return BatchCompleted(
                    number=batch.number, zone=batch.zone, outcome=self.writer.submit(batch.zone, batch)
                )
            case CheckExistence(key=key):
                return ExistenceChecked(key=key, exists=self.exists(key))
            case LoadState():
                return StateLoaded(saved=replace(self.state, approvals=self._build_approvals()))
            case SaveState(saved=saved):
                self.state = saved
                return StateAnswered()
            case ReadApprovals():
                return StateAnswered(approved=self._build_approvals())
            case _:
                raise AssertionError(effect)

    def _build_approvals(self) -> tuple[Approval, ...]:
        return tuple(Approval(code=code) for code in self.approvals)

    def _read(self, call: Call, zone: object, make_call: Callable[[], Input]) -> Input:
        try:
            return make_call()
        except ProviderError as exc:
            wait_s = exc.retry_after_s if isinstance(exc, RetryableError) else None
            forbidden = isinstance(exc, ForbiddenError)
            return ReadFailed(
                call=call,
                zone=zone,  # type: ignore[arg-type]
                message=str(exc),
                retry_after_s=wait_s,
                forbidden=forbidden,
            )
