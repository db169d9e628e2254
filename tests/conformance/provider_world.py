"""Run the engine with one provider, and optionally lose responses of its service."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field

from extdns.engine.engine import Engine
from extdns.model.change import Batch, Outcome, Unknown
from extdns.model.zone import Zone
from extdns.ports import ZoneWriter
from tests.builders import INGRESS, SERVICE, build_claim, change_phase, combine, observe
from tests.conformance.provider import Rig
from tests.world import World, engine_settings

Desired = Mapping[str, str]
"""The desired address of each name."""


@dataclass(kw_only=True)
class Line:
    """A zone writer that passes batches on and can lose the responses.

    Attributes:
        losses: one entry for each of the next batches. None: the response arrives. True: the batch is applied and the
            response is lost. False: the batch is lost.
        outcomes: the actual outcome of every batch, even if the response was lost.
    """

    inner: ZoneWriter
    losses: deque[bool | None] = field(default_factory=deque)
    outcomes: list[Outcome] = field(default_factory=list)

    def submit(self, zone: Zone, batch: Batch) -> Outcome:
        loss = self.losses.popleft() if self.losses else None
        outcome = self.inner.submit(zone, batch) if loss is not False else Unknown(message="never came")
        self.outcomes.append(outcome)
        return outcome if loss is None else Unknown(message="no answer")


class ProviderWorld(World):
    """The engine running on the zone of a provider rig."""

    def __init__(self, rig: Rig, desired: Desired) -> None:
        self.rig = rig
        self.line = Line(inner=rig.writer)
        engine = Engine(engine_settings(rig.reader, registry=rig.registry))
        super().__init__(engine=engine, reader=rig.reader, writer=self.line)
        first = [observe(name, build_claim(name, name, address)) for name, address in desired.items()]
        self.run(*first, change_phase(SERVICE), change_phase(INGRESS))
        self.gathers = rig.reader.capabilities.is_safe_to_write_blind or rig.reader.capabilities.reads_full_zones
        self.guards = rig.reader.capabilities.is_safe_to_write_blind

    def request(self, **desired: str) -> None:
        """Set the desired address of each name, all at once, and run the engine until it is idle."""
        observed = [observe(name, build_claim(name, name, address)) for name, address in desired.items()]
        self.run(combine(*observed))

    def forget(self) -> None:
        self.calls.clear()
        self.line.outcomes.clear()

    def read_addresses(self) -> dict[str, tuple[str, ...]]:
        return {
            record.name.partition(".")[0]: record.targets
            for record in self.rig.read()
            if record.type == "A" and record.name not in {self.rig.zone.name, f"ns1.{self.rig.zone.name}"}
        }

    def check_converged(self, desired: Desired) -> None:
        """Check that the zone equals *desired* and that a second engine process makes no changes."""
        assert self.read_addresses() == {name: (address,) for name, address in desired.items()}
        again = ProviderWorld(self.rig, desired)
        assert again.line.outcomes == []
