"""Build and connect all parts of the process for a configuration."""

from __future__ import annotations

import socket
from functools import cache, partial
from typing import TYPE_CHECKING

from msgspec.structs import replace

from extdns.app.cluster import build_cluster, describe_objects, find_origin
from extdns.app.cluster_writers import build_event_recorder, build_lease, find_leader
from extdns.app.engine_settings import build_engine_settings
from extdns.app.observers import Observers, build_observers
from extdns.app.provider import build_provider, load_provider
from extdns.app.sources import build_generated_objects, build_observed_sources
from extdns.app.state_store import build_state_store
from extdns.controller.clock import SystemClock
from extdns.controller.controller import Controller, ControllerParts
from extdns.controller.log_lines import describe_zone
from extdns.controller.reporter import ActivityReporter
from extdns.controller.write_gate import WriteGate
from extdns.documents.held import format_accept_command, format_approve_command
from extdns.documents.scope_warnings import find_scope_warnings
from extdns.engine.engine import Engine
from extdns.engine.observer import Observer
from extdns.engine.scope import measure_scope
from extdns.errors import UsageError
from extdns.log import Event, LogLimiter
from extdns.metrics.metrics import Metrics
from extdns.model.value import Value
from extdns.ports import RateLimited
from extdns.web.health import build_health_application
from extdns.web.server import WebServer

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Sequence
    from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment

    from extdns.app.cluster import ClusterSnapshot
    from extdns.config import Config
    from extdns.documents.snapshot import ProcessSnapshot
    from extdns.model.change import Decision
    from extdns.model.kind import Kind, ObjectKey
    from extdns.model.origin import Origin
    from extdns.model.zone import RateLimitStatus
    from extdns.policies.policy_watcher import PolicyWatcher
    from extdns.ports import Clock, Cluster, EventRecorder, Registry, StateStore, ZoneReader, ZoneWriter
    from extdns.web.pages import HtmlPages


class Assembly(Value, frozen=True, kw_only=True, gc=True):
    """The connected parts that a command runs.

    Attributes:
        engine: the engine; some commands read its decisions afterwards.
        observers: what takes part in the controller's loop if flags ask for it.
        server: serves health and metrics while it is open.
        page: serves the live page and the JSON API while it is open.
    """

    controller: Controller
    engine: Engine
    observers: Observers
    cluster: Cluster
    server: WebServer
    page: WebServer


def assemble(
    config: Config,
    *,
    follow: Callable[[Sequence[Decision]], None] | None = None,
    service: tuple[ZoneReader, ZoneWriter | None] | None = None,
    state: StateStore | None = None,
    registry: Registry | None = None,
    needs_approval: bool = False,
    snapshot: ClusterSnapshot | None = None,
) -> Assembly:
    """Build and connect all parts for *config* without starting them.

    *follow* receives all new decisions. *service*, *state* and *registry* replace those that the flags name. With
    *needs_approval*, nothing is written until the plan is approved, and neither Events nor object statuses are.
    *snapshot* completes the manifests.
    """
    sources = build_observed_sources(config)
    clock = SystemClock()
    lease = build_lease(config, clock)
    gate = WriteGate(lease, is_dry_run=config.control.dry_run, needs_approval=needs_approval)
    reader, writer = service or build_provider(config, gate)
    state = state or build_state_store(config, config.registry.txt_owner_id, gate)
    settings = build_engine_settings(config, sources, reader, writes=writer is not None, has_state_store=bool(state))
    settings = replace(settings, needs_approval=needs_approval, has_election=gate.lease is not None)
    engine = Engine(replace(settings, registry=registry or settings.registry))
    metrics = Metrics(
        rate_limits=_find_rate_limits(reader), provider=config.control.provider, has_election=gate.lease is not None
    )
    kinds = tuple(source.kind for source in sources)
    recorder = None if needs_approval else build_event_recorder(config, settings.kinds)
    activity_reporter = _build_reporter(config, metrics, follow, recorder, clock, gate)
    observers = build_observers(config, writer, engine, clock, gate, activity_reporter, needs_approval=needs_approval)
    cluster = _build_cluster(config, kinds, observers.policies, snapshot)
    parts = ControllerParts(
        engine=engine,
        observer=Observer(sources, cluster.view, reads_rule_objects=settings.has_rules),
        cluster=cluster,
        reader=reader,
        writer=observers.audit or writer,
        reporter=activity_reporter,
        clock=clock,
        kinds=kinds,
        interval_s=config.control.interval_s,
        gate=gate,
        state=state,
        participants=observers.participants,
        read_rules=observers.read_rules,
    )
    controller = Controller(parts)
    health = build_health_application(
        is_healthy=controller.is_healthy, read_readiness=controller.read_readiness, render_metrics=metrics.render
    )
    server = WebServer(config.web.metrics_address, health)
    site = build_site(
        config, controller.snapshots.read, reader, partial(find_leader, lease), partial(find_origin, cluster)
    )
    page = WebServer(config.web.web_address, site, flag="--web-address", event=Event.PAGE_SERVED)
    return Assembly(
        controller=controller, engine=engine, observers=observers, cluster=cluster, server=server, page=page
    )


def _build_cluster(
    config: Config, kinds: Collection[Kind], policies: PolicyWatcher | None, snapshot: ClusterSnapshot | None
) -> Cluster:
    try:
        return build_cluster(config, kinds, build_generated_objects(config), snapshot)
    except UsageError:
        if policies:
            policies.close(0.0)
        raise


def _find_rate_limits(reader: ZoneReader) -> Callable[[], Iterable[RateLimitStatus]]:
    return reader.read_rate_limits if isinstance(reader, RateLimited) else tuple


def _build_reporter(
    config: Config,
    metrics: Metrics,
    follow: Callable[[Sequence[Decision]], None] | None,
    recorder: EventRecorder | None,
    clock: Clock,
    gate: WriteGate,
) -> ActivityReporter:
    return ActivityReporter(
        metrics,
        config.registry.txt_owner_id,
        follow,
        recorder,
        approve=partial(format_approve_command, config),
        accept=partial(format_accept_command, config),
        limiter=LogLimiter(clock.monotonic_s),
        gate=gate,
        zone_fields=(config.control.compat and load_provider(config).zone_fields) or describe_zone,
        find_scope_warnings=lambda engine: find_scope_warnings(config, measure_scope(engine)),
    )


def build_site(
    config: Config,
    read_snapshot: Callable[[], ProcessSnapshot | None],
    reader: ZoneReader,
    find_leader: Callable[[], str],
    find_origin: Callable[[ObjectKey], Origin],
) -> WSGIApplication:
    """Build the live page and the JSON API.

    The code is imported with the first request, and the templates with the first browser, to save memory. *reader*
    tells how many calls of the DNS service may be made now. *find_leader* returns "" if the leader is unknown.
    """

    @cache
    def load_site() -> WSGIApplication:
        from extdns.web.api import Api
        from extdns.web.site import Site

        replica = socket.gethostname() if config.election.leader_elect else ""
        describe = partial(describe_objects, config)
        api = Api(config, _find_rate_limits(reader), describe, replica, find_leader, find_origin)

        @cache
        def load_pages() -> HtmlPages:
            from extdns.web import pages

            return pages.HtmlPages(config, api)

        return Site(read_snapshot=read_snapshot, api=api, load_pages=load_pages, address=config.web.web_address)

    def application(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        return load_site()(environ, start_response)

    return application
