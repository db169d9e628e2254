"""A world without threads: the engine, a provider and virtual time, driven one effect at a time."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field

from msgspec.structs import replace

from extdns.engine.effects import (
    Confirm,
    Effect,
    ListZones,
    LoadState,
    LookForReleases,
    ReadNames,
    ReadPage,
    SaveState,
    Submit,
    TellDecisions,
    TellHeld,
    TellOutcome,
    Wake,
)
from extdns.engine.engine import Engine
from extdns.engine.inputs import (
    Call,
    Existence,
    Input,
    NamesRead,
    PageRead,
    ReadFailed,
    StateAnswered,
    StateFailed,
    StateLoaded,
    Submitted,
    Tick,
    ZonesListed,
)
from extdns.errors import ForbiddenError, ProviderError, RetryableError
from extdns.model.change import Batch
from extdns.model.cluster import ObjectKey
from extdns.model.decision import Decision
from extdns.model.outcome import Outcome
from extdns.model.saved import Saved
from extdns.ports import ZoneReader, ZoneWriter


@dataclass(kw_only=True)
class World:
    """Carries out effects at once, in order, and moves the clock only when there is nothing else to do.

    Attributes:
        exists: answers `Confirm`; by default every object asked about is gone.
        told: every decision told so far; outcomes: every batch with how it ended.
        held: what was told of held deletes; released: codes that a person released.
        state: what is kept for another process, in the seconds of this one.
        state_fails: how many calls to load or keep it fail before one works.
        calls: names of the calls made to the provider.
    """

    engine: Engine
    reader: ZoneReader
    writer: ZoneWriter
    exists: Callable[[ObjectKey], bool | None] = lambda _: False
    now_s: float = 1000.0
    told: list[Decision] = field(default_factory=list)
    outcomes: list[tuple[Batch, Outcome]] = field(default_factory=list)
    held: list[TellHeld] = field(default_factory=list)
    state: Saved = field(default_factory=Saved)
    state_fails: int = 0
    released: tuple[str, ...] = ()
    calls: list[str] = field(default_factory=list)
    wake_s: float | None = None
    waiting: deque[Effect] = field(default_factory=deque)
    onward: dict[tuple[str, str | None], bool] = field(default_factory=dict)

    def feed(self, item: Input) -> None:
        """Step once; what the engine wants waits until `run`. A page that was asked for onward lets the next wait."""
        self.wake_s = None
        if (
            isinstance(item, PageRead)
            and item.page.after is not None
            and self.onward.pop((item.zone.id, item.asked), False)
        ):
            self.waiting.append(ReadPage(zone=item.zone, after=item.page.after, onward=True))
        for effect in self.engine.step(item, self.now_s):
            match effect:
                case Wake(at_s=at_s):
                    self.wake_s = at_s
                case TellDecisions(decisions=decisions):
                    self.told += decisions
                case TellOutcome(batch=batch, outcome=outcome):
                    self.outcomes.append((batch, outcome))
                case TellHeld():
                    self.held.append(effect)
                case _:
                    self.waiting.append(effect)

    def run(self, *items: Input, for_s: float = 5.0) -> None:
        """Feed *items*, then carry out effects and let time pass for *for_s* virtual seconds."""
        for item in items or (Tick(),):
            self.feed(item)
        end_s = self.now_s + for_s
        while True:
            while self.waiting:
                self.feed(self.answer())
            if self.wake_s is None or self.wake_s > end_s:
                self.now_s = end_s
                return
            self.now_s = max(self.now_s, self.wake_s)
            self.feed(Tick())

    def answer(self) -> Input:
        """Carry out the effect that waits longest, and return its answer for `feed`."""
        effect = self.waiting.popleft()
        self.calls.append(type(effect).__name__)
        if self.state_fails and isinstance(effect, LoadState | SaveState | LookForReleases):
            self.state_fails -= 1
            return StateFailed(message="no right")
        match effect:
            case ListZones():
                return self._read(Call.ZONES, None, lambda: ZonesListed(zones=self.reader.zones()))
            case ReadPage(zone=zone, after=after, onward=onward):
                self.onward[zone.id, after] = onward
                return self._read(
                    Call.PAGE, zone, lambda: PageRead(zone=zone, asked=after, page=self.reader.page(zone, after))
                )
            case ReadNames(zone=zone, names=names):
                return self._read(
                    Call.NAMES, zone, lambda: NamesRead(zone=zone, names=names, records=self.reader.names(zone, names))
                )
            case Submit(batch=batch):
                return Submitted(number=batch.number, zone=batch.zone, outcome=self.writer.submit(batch.zone, batch))
            case Confirm(key=key):
                return Existence(key=key, exists=self.exists(key))
            case LoadState():
                return StateLoaded(saved=replace(self.state, released=self.released))
            case SaveState(saved=saved):
                self.state = saved
                return StateAnswered()
            case LookForReleases():
                return StateAnswered(released=self.released)
            case _:
                raise AssertionError(effect)

    def _read(self, call: Call, zone: object, ask: Callable[[], Input]) -> Input:
        try:
            return ask()
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
