"""A process of ours before one provider: the engine, and the way to the service on which answers get lost."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field

from extdns.engine.budget import Limits
from extdns.engine.deletesettings import DeleteSettings
from extdns.engine.engine import Engine
from extdns.engine.settings import EngineSettings
from extdns.model.change import Batch
from extdns.model.outcome import Outcome, Unknown
from extdns.model.zone import Zone
from extdns.ports import ZoneWriter
from tests.conformance.provider import Rig
from tests.fakes.world import World
from tests.unit.engine.stage import INGRESS, KINDS, PLAN, REGISTRY, SERVICE, phase, seen, wants

Wanted = Mapping[str, str]
"""The address that the object of each name wants there."""


@dataclass(kw_only=True)
class Line:
    """The way to the service, on which answers get lost.

    Attributes:
        losses: for the next submits: whether a batch whose answer is lost is applied; None loses nothing.
        outcomes: of every batch, as the service gave them.
    """

    inner: ZoneWriter
    losses: deque[bool | None] = field(default_factory=deque)
    outcomes: list[Outcome] = field(default_factory=list)

    def submit(self, zone: Zone, batch: Batch) -> Outcome:
        loss = self.losses.popleft() if self.losses else None
        outcome = self.inner.submit(zone, batch) if loss is not False else Unknown(message="never came")
        self.outcomes.append(outcome)
        return outcome if loss is None else Unknown(message="no answer")


class Desk:
    """A process of ours at work on the zone of a rig."""

    def __init__(self, rig: Rig, wanted: Wanted) -> None:
        self.rig = rig
        self.line = Line(inner=rig.writer)
        engine = Engine(
            EngineSettings(
                plan=PLAN,
                registry=REGISTRY,
                adjust=rig.reader.adjust,
                traits=rig.reader.traits,
                kinds=KINDS,
                deletes=DeleteSettings(owner="me", grace_s=0.0, limits=Limits(percent=100)),
            )
        )
        self.world = World(engine=engine, reader=rig.reader, writer=self.line)
        first = [seen(name, wants(name, name, address)) for name, address in wanted.items()]
        self.world.run(*first, phase(SERVICE), phase(INGRESS))
        self.guards = rig.reader.traits.guards

    def want(self, **wanted: str) -> None:
        self.world.run(*(seen(name, wants(name, name, address)) for name, address in wanted.items()))

    def forget(self) -> None:
        """Count calls and outcomes from now on."""
        self.world.calls.clear()
        self.line.outcomes.clear()

    def published(self) -> dict[str, tuple[str, ...]]:
        """The addresses that the zone holds, by name."""
        return {
            record.name.partition(".")[0]: record.targets
            for record in self.rig.read()
            if record.type == "A" and record.name not in {self.rig.zone.name, f"ns1.{self.rig.zone.name}"}
        }

    def close(self, wanted: Wanted) -> None:
        """All is as *wanted*, and another process finds nothing to do."""
        assert self.published() == {name: (address,) for name, address in wanted.items()}
        again = Desk(self.rig, wanted)
        assert again.line.outcomes == []
