"""What a person set that decides how the engine works."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from extdns.engine.deletesettings import DeleteSettings
from extdns.model.adjusted import Adjusted
from extdns.model.cluster import Kind
from extdns.model.record import Endpoint
from extdns.model.zone import Traits, Zone
from extdns.planner.settings import PlanSettings
from extdns.ports import Registry

Adjust = Callable[[Sequence[Endpoint], Zone], Adjusted]


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineSettings:
    """Settings and pure collaborators of the engine.

    Attributes:
        kinds: by the first part of a `resource` label (`service`), the kind that a source reads.
        namespaces: the namespaces that are read, () for all.
        writes: whether there is a writer; without one every plan is made and none is sent.
        asks: whether nothing is written before somebody has approved of the whole plan.
        elects: whether several processes share the work, of which one leads; until we do, we stand by.
        once: one pass: absence needs no confirmation, nothing is waited for.
        interval_s: from the start of one audit round to the next.
        audit_calls_per_minute: reads for audits, zone lists included.
        gather_s: how long a first event waits for its companions.
        deletes: when a delete may be made.
        fingerprint: stands for the settings that decide what is wanted.
        keeps_state: whether there is a place to keep what outlives the process.
        source_patience_s: how long a source may fail before planning starts without it.
    """

    plan: PlanSettings
    registry: Registry
    adjust: Adjust
    traits: Traits
    kinds: Mapping[str, Kind]
    namespaces: tuple[str, ...] = ()
    writes: bool = True
    asks: bool = False
    elects: bool = False
    once: bool = False
    interval_s: float = 60.0
    audit_calls_per_minute: int = 12
    gather_s: float = 0.02
    source_patience_s: float = 30.0
    deletes: DeleteSettings = field(default_factory=DeleteSettings)
    fingerprint: str = ""
    keeps_state: bool = False
