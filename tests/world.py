"""The engine in virtual time, without threads and sockets: the one way in which tests run it.

    world = start_world(*owned("web", "192.0.2.1"), first=[observe("web", build_claim("web", "web", "192.0.2.1"))])
    world.run(observe("web", build_claim("web", "web", "192.0.2.2")), for_s=60.0)
    assert world.list_records() == {"web A": ("192.0.2.2",)}

`tests/cluster_world.py` adds a cluster of Kubernetes objects and the real sources.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

import msgspec
from msgspec.structs import replace

from extdns.engine.delete_settings import DeleteLimits, DeleteSettings
from extdns.engine.effects import (
    CheckExistence,
    Effect,
    ListZones,
    LoadState,
    QueryRules,
    ReadApprovals,
    ReadNames,
    ReadPage,
    ReportDecisions,
    ReportDefect,
    ReportHeldDeletes,
    ReportOutcome,
    RequestAdjustments,
    SaveState,
    SubmitBatch,
    Wake,
)
from extdns.engine.engine import Engine
from extdns.engine.inputs import (
    AdjustmentsLoaded,
    BatchCompleted,
    Call,
    ExistenceChecked,
    Input,
    NamesRead,
    PageRead,
    ReadFailed,
    RulesAnswered,
    StateAnswered,
    StateFailed,
    StateLoaded,
    TimePassed,
    ZonesListed,
)
from extdns.engine.settings import EngineSettings
from extdns.errors import ForbiddenError, ProviderError, RetryableError
from extdns.model.capabilities import Capabilities
from extdns.model.change import Action, Batch, Decision, Delete, Outcome
from extdns.model.evidence import Evidence, HeldSet
from extdns.model.kind import ObjectKey
from extdns.model.reason import Reason
from extdns.model.record import DesiredRecord, Record
from extdns.model.saved_state import Approval, Saved
from extdns.model.zone import Zone
from extdns.planner.desired import refuse_invalid
from extdns.planner.settings import PlanSettings
from extdns.ports import AdjustingReader, ZoneReader, ZoneWriter
from extdns.rules.evaluation import Evaluation
from extdns.rules.rule_input import RuleInput
from providers.inmemory.provider import InMemoryProvider
from tests.builders import (
    INGRESS,
    KINDS,
    PLAN,
    REGISTRY,
    SERVICE,
    ZONE,
    build_claim,
    change_phase,
    host,
    observe,
    owned,
)
from tests.fakes.faulty import FaultyProvider


@dataclass(kw_only=True)
class World:
    """Carries out effects at once, in order, and moves the clock only when there is nothing else to do.

    Attributes:
        exists: the answer to `CheckExistence` for an object; by default no object exists.
        policy: what the policy server answers; None if it does not.
        outcomes: every batch, and how it ended.
        approvals: the codes that a person approved.
        state: the state that the engine saved last, and that it loads.
        state_fails: how many of `failing_calls` fail before one succeeds.
        failing_calls: the calls to the state store that fail.
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
    policy: Callable[[RuleInput], Evaluation | None] = lambda _: None
    queries: list[QueryRules] = field(default_factory=list)
    now_s: float = 1000.0
    reported: list[Decision] = field(default_factory=list)
    outcomes: list[tuple[Batch, Outcome]] = field(default_factory=list)
    held: list[HeldSet] = field(default_factory=list)
    state: Saved = field(default_factory=Saved)
    state_fails: int = 0
    failing_calls: tuple[type[Effect], ...] = (LoadState, SaveState, ReadApprovals)
    state_forbidden: bool = True
    approvals: tuple[str, ...] = ()
    calls: list[str] = field(default_factory=list)
    wake_s: float | None = None
    waiting: deque[Effect] = field(default_factory=deque)
    reads_to_end: dict[tuple[str, str | None], bool] = field(default_factory=dict)

    @property
    def provider(self) -> FaultyProvider:
        """The in-memory DNS service, of a world that has one."""
        return next(one for one in (self.writer, self.reader) if isinstance(one, FaultyProvider))

    def feed(self, item: Input) -> None:
        """Give the engine one input, and queue the effects that it returns for `run`.

        If the engine reports a defect, raise it after that.
        """
        self.wake_s = None
        if (
            isinstance(item, PageRead)
            and item.page.after is not None
            and self.reads_to_end.pop((item.zone.id, item.after), False)
        ):
            self.waiting.append(ReadPage(zone=item.zone, after=item.page.after, reads_to_end=True))
        defects: list[Exception] = []
        for effect in self.engine.step(item, self.now_s):
            match effect:
                case ReportDefect(error=error):
                    defects.append(error)
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
        if defects:
            raise defects[0]

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

    def answer(self) -> Input:  # noqa: C901, PLR0911 - one case an effect
        """Carry out the oldest queued effect, and return its answer for `feed`."""
        effect = self.waiting.popleft()
        self.calls.append(type(effect).__name__)
        if self.state_fails and isinstance(effect, self.failing_calls):
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
            case RequestAdjustments(records=records):
                return self._load_adjustments(records)
            case SubmitBatch(batch=batch):
                return BatchCompleted(
                    number=batch.number, zone=batch.zone, outcome=self.writer.submit(batch.zone, batch)
                )
            case QueryRules(inputs=inputs):
                self.queries.append(effect)
                return RulesAnswered(answers=tuple((one, found) for one in inputs if (found := self.policy(one))))
            case CheckExistence(key=key):
                return ExistenceChecked(key=key, exists=self.exists(key))
            case LoadState():
                return StateLoaded(saved=replace(self.state, approvals=self._build_approvals()))
            case SaveState(saved=saved):
                self.state = msgspec.json.decode(msgspec.json.encode(saved), type=Saved)  # what the store keeps
                return StateAnswered()
            case ReadApprovals():
                return StateAnswered(approved=self._build_approvals())
            case _:
                raise AssertionError(effect)

    def _load_adjustments(self, records: tuple[DesiredRecord, ...]) -> Input:
        assert isinstance(self.reader, AdjustingReader)
        try:
            failed = self.reader.load_adjustments(records)
        except ProviderError as exc:
            return AdjustmentsLoaded(failure=str(exc))
        return AdjustmentsLoaded(failed=tuple(failed.items()))

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

    # results that tests compare

    def list_records(self, zone: Zone = ZONE) -> dict[str, tuple[str, ...]]:
        """Return the targets of each current record by its name and type, as `web A`, without ownership records."""
        return {
            f"{str(key.name).removesuffix('.example.org')} {key.type}": found.targets
            for key, found in sorted(self.provider.contents(zone).items())
            if not found.targets[0].startswith('"heritage=')
        }

    def list_ownership_labels(self, zone: Zone = ZONE) -> set[str]:
        """Return the first labels of the names of all ownership records."""
        return {
            str(key.name).partition(".")[0]
            for key, found in self.provider.contents(zone).items()
            if found.targets[0].startswith('"heritage=')
        }

    def list_decisions(self, at: str) -> list[tuple[str, Action, Reason]]:
        """Return type, action and reason of each decision at *at*."""
        return [(one.type, one.action, one.reason) for one in self.engine.decisions.decisions(host(at))]

    def decision(self, at: str) -> Decision:
        """Return the only decision at *at*."""
        (found,) = self.engine.decisions.decisions(host(at))
        return found

    @property
    def evidence(self) -> list[Evidence]:
        """The evidence of every delete that was submitted."""
        return [
            change.evidence
            for one in self.provider.submissions
            for change_set in one.batch.change_sets
            for change in change_set.changes
            if isinstance(change, Delete)
        ]

    @property
    def batches(self) -> list[list[str]]:
        """The first labels of the names of each batch that was submitted."""
        return [
            [str(change_set.name).partition(".")[0] for change_set in one.batch.change_sets]
            for one in self.provider.submissions
        ]


def engine_settings(provider: ZoneReader, **changes: object) -> EngineSettings:
    """Build settings without grace period and delete budget; *changes* replace single settings."""
    plan = changes.get("plan", PLAN)
    assert isinstance(plan, PlanSettings)
    base = EngineSettings(
        plan=plan,
        registry=REGISTRY,
        adjust=provider.adjust,
        capabilities=provider.capabilities,
        kinds=KINDS,
        deletes=DeleteSettings(owner="me", grace_s=0.0, limits=DeleteLimits(percent=100), immediate=plan.compat),
    )
    made = replace(base, **changes)
    return replace(made, adjust=refuse_invalid(made.adjust, made.registry))


def build_world(
    *records: Record,
    zones: Mapping[Zone, Iterable[Record]] | None = None,
    capabilities: Capabilities | None = None,
    page_size: int = 300,
    **changes: object,
) -> World:
    """Build an engine that has had no input yet; *changes* are settings of the engine."""
    seed = {ZONE: records} if zones is None else zones
    provider = FaultyProvider(inner=InMemoryProvider(seed=seed, page_size=page_size))
    engine = Engine(engine_settings(provider, **({"capabilities": capabilities} if capabilities else {}), **changes))
    return World(engine=engine, reader=provider, writer=provider)


def start_world(*records: Record, first: Iterable[Input] = (), **changes: object) -> World:
    """Build an engine and run it until both kinds are synced, the zone was read and *first* was observed."""
    found = build_world(*records, **changes)  # type: ignore[arg-type]
    found.run(*first, change_phase(SERVICE), change_phase(INGRESS), for_s=1.0)
    found.reported.clear()
    found.calls.clear()
    return found


def start_published(**changes: object) -> World:
    """Start an engine in whose zone the Service `web` already has its A record."""
    return start_world(*owned("web"), first=[observe("web", build_claim("web", "web"))], **changes)
