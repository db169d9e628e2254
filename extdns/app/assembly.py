"""Everything that a configuration asks for, joined."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from extdns.app.announcers import announcer
from extdns.app.clusters import cluster
from extdns.app.filters import domains, managed_types
from extdns.app.fingerprint import fingerprint
from extdns.app.leases import lease
from extdns.app.pages import page_server
from extdns.app.registries import registry
from extdns.app.requesttimes import TIMES
from extdns.app.services import service as dns_service
from extdns.app.sources import by_label, sources
from extdns.app.states import state as place_of
from extdns.app.statuswriters import status_writer
from extdns.controller.clock import SystemClock
from extdns.controller.controller import Controller, Parts
from extdns.controller.teller import Teller
from extdns.engine.budget import Limits
from extdns.engine.deletesettings import DeleteSettings
from extdns.engine.engine import Engine
from extdns.engine.observer import Observer
from extdns.engine.settings import EngineSettings
from extdns.facts.held import release_command
from extdns.metrics.metrics import Metrics
from extdns.planner.policy import Policy
from extdns.planner.settings import PlanSettings
from extdns.ports import Metered
from extdns.web.application import Application
from extdns.web.server import Server

if TYPE_CHECKING:
    from collections.abc import Sequence

    from extdns.config import Config
    from extdns.ports import Registry, Reporter, Source, State, ZoneReader, ZoneWriter


@dataclass(frozen=True, slots=True, kw_only=True)
class Assembly:
    """The joined parts that a command needs; `server` and `page` serve while they are open."""

    controller: Controller
    engine: Engine
    server: Server
    page: Server


def assemble(
    config: Config,
    reporter: Reporter | None = None,
    *,
    service: tuple[ZoneReader, ZoneWriter | None] | None = None,
    state: State | None = None,
    ledger: Registry | None = None,
    asks: bool = False,
) -> Assembly:
    """Join everything that *config* asks for; nothing runs yet.

    Args:
        config: what the flags say.
        reporter: hears of every decision.
        service: the DNS service's reader and writer, if not those of `--provider`.
        state: keeps what outlives the process, if not the place that the flags name.
        ledger: tells whose a record is, if not the registry of `--registry`.
        asks: write nothing before the plan is approved of, and nothing at all on objects.

    Raises:
        UsageError: a value that only its room can judge is wrong, or a folder or file is missing.
    """
    found = sources(config)
    clock = SystemClock()
    shared = lease(config, clock)
    reader, writer = service or dns_service(config, shared)
    kept = state or place_of(config, config.registry.txt_owner_id, shared)
    settings = engine_settings(config, found, reader, writes=writer is not None, keeps_state=kept is not None)
    engine = Engine(replace(settings, registry=ledger or settings.registry, asks=asks, elects=shared is not None))
    budgets = reader.budgets if isinstance(reader, Metered) else tuple
    metrics = Metrics(budgets=budgets, requests=TIMES)
    metrics.led(leads=shared is None)
    told = None if asks else announcer(config, settings.kinds, shared)
    statuses = status_writer(config) if writer and not asks else None
    kinds = tuple(source.kind for source in found)
    seen = cluster(config, kinds)  # last, since it begins to read: no mistake may leave it running
    controller = Controller(
        Parts(
            engine=engine,
            observer=Observer(found, seen.view),
            cluster=seen,
            reader=reader,
            writer=writer,
            teller=Teller(metrics, config.registry.txt_owner_id, reporter, told, partial(release_command, config)),
            clock=clock,
            kinds=kinds,
            interval_s=config.control.interval_s,
            state=kept,
            statuses=statuses,
            lease=shared,
        )
    )
    health = Application(healthy=controller.healthy, readiness=controller.ready, metrics=metrics.text)
    return Assembly(
        controller=controller,
        engine=engine,
        server=Server(config.web.metrics_address, health),
        page=page_server(config, controller.board.show, budgets),
    )


def engine_settings(
    config: Config, found: Sequence[Source], reader: ZoneReader, *, writes: bool, keeps_state: bool = False
) -> EngineSettings:
    """What the engine needs to know of *config*."""
    ledger = registry(config)
    return EngineSettings(
        plan=plan_settings(config, ledger.owner),
        registry=ledger,
        adjust=reader.adjust,
        traits=reader.traits,
        kinds=by_label(found),
        namespaces=(config.cluster.namespace,) if config.cluster.namespace else (),
        writes=writes,
        once=config.control.once,
        interval_s=max(config.control.interval_s, config.least_audit_interval_s),
        audit_calls_per_minute=config.control.audit_calls_per_minute,
        deletes=delete_settings(config, ledger.owner),
        fingerprint=fingerprint(config),
        keeps_state=keeps_state,
    )


def delete_settings(config: Config, owner: str) -> DeleteSettings:
    """What the engine needs to know of *config* about deletes; a single pass waits for nothing."""
    chosen = config.deletes
    deletes = Policy(config.control.policy) is Policy.SYNC
    return DeleteSettings(
        owner=owner,
        grace_s=0.0 if config.control.once else chosen.delete_grace_period_s,
        stale_hold_s=chosen.stale_hold_s if deletes else None,
        limits=Limits(count=chosen.max_delete_count, percent=chosen.max_delete_percent),
        releases=chosen.release,
        at_once=config.control.compat,
    )


def plan_settings(config: Config, owner: str) -> PlanSettings:
    """What the planner needs to know of *config*."""
    plan = config.plan
    return PlanSettings(
        owner=owner,
        migrate_from=config.registry.migrate_from_txt_owner if owner else "",
        policy=Policy(config.control.policy),
        domains=domains(config),
        managed_types=managed_types(plan),
        source_order=config.sources.names,
        provider=config.control.provider,
        min_ttl_s=int(config.sources.min_ttl_s),
        prefer_alias=config.sources.prefer_alias,
        merges_namespaces=config.sources.merge_across_namespaces,
        compat=config.control.compat,
    )
