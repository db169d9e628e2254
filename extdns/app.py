"""The composition root: the only place that names concrete classes and joins rooms (habit 9)."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from extdns import log
from extdns.controller.clock import SystemClock
from extdns.controller.controller import Controller, Parts
from extdns.controller.teller import Teller
from extdns.engine.engine import Engine
from extdns.engine.observer import Observer
from extdns.engine.settings import EngineSettings
from extdns.log import Event
from extdns.metrics.metrics import Metrics
from extdns.model.domains import DomainFilter, suffixes
from extdns.planner.policy import Policy
from extdns.planner.settings import PlanSettings
from extdns.web.application import Application
from extdns.web.server import Server

if TYPE_CHECKING:
    from collections.abc import Sequence

    from extdns.config import Config
    from extdns.ports import Cluster, Registry, Reporter, Source, ZoneReader, ZoneWriter
    from extdns.sources.selection import Selection

_log = log.get(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Assembly:
    """The joined parts that a command needs; `server` is a context manager that serves while it is open."""

    controller: Controller
    engine: Engine
    server: Server


def assemble(
    config: Config, reporter: Reporter | None = None, *, service: tuple[ZoneReader, ZoneWriter | None] | None = None
) -> Assembly:
    """Join everything that *config* asks for; nothing runs yet.

    Args:
        config: what the flags say.
        reporter: hears of every decision.
        service: the DNS service's reader and writer, if not those of `--provider`.

    Raises:
        UsageError: a value that only its room can judge is wrong, or a folder or file is missing.
    """
    found = sources(config)
    reader, writer = service or provider(config)
    engine = Engine(engine_settings(config, found, reader, writes=writer is not None))
    metrics = Metrics()
    seen = cluster(config)  # last, since it begins to read: no mistake may leave it running
    controller = Controller(
        Parts(
            engine=engine,
            observer=Observer(found, seen.view),
            cluster=seen,
            reader=reader,
            writer=writer,
            teller=Teller(metrics, config.registry.txt_owner_id, reporter),
            clock=SystemClock(),
            kinds=tuple(source.kind for source in found),
            interval_s=config.control.interval_s,
        )
    )
    page = Application(healthy=controller.healthy, readiness=controller.ready, metrics=metrics.text)
    return Assembly(controller=controller, engine=engine, server=Server(config.web.metrics_address, page))


def engine_settings(config: Config, found: Sequence[Source], reader: ZoneReader, *, writes: bool) -> EngineSettings:
    """What the engine needs to know of *config*."""
    ledger = registry(config)
    return EngineSettings(
        plan=plan_settings(config, ledger.owner),
        registry=ledger,
        adjust=reader.adjust,
        traits=reader.traits,
        kinds={source.kind.name.lower(): source.kind for source in found},
        namespaces=(config.cluster.namespace,) if config.cluster.namespace else (),
        writes=writes,
        once=config.control.once,
        interval_s=max(config.control.interval_s, config.least_audit_interval_s),
        audit_calls_per_minute=config.control.audit_calls_per_minute,
    )


def plan_settings(config: Config, owner: str) -> PlanSettings:
    """What the planner needs to know of *config*."""
    plan = config.plan
    return PlanSettings(
        owner=owner,
        migrate_from=config.registry.migrate_from_txt_owner if owner else "",
        policy=Policy(config.control.policy),
        domains=DomainFilter(
            include=suffixes(plan.domain_filter),
            exclude=suffixes(plan.exclude_domains),
            include_pattern=plan.regex_domain_filter.pattern if plan.regex_domain_filter else None,
            exclude_pattern=plan.regex_domain_exclusion.pattern if plan.regex_domain_exclusion else None,
        ),
        managed_types=frozenset(plan.managed_record_types) - frozenset(plan.exclude_record_types),
        source_order=config.sources.names,
        provider=config.control.provider,
        min_ttl_s=int(config.sources.min_ttl_s),
        prefer_alias=config.sources.prefer_alias,
        compat=config.control.compat,
    )


def sources(config: Config) -> tuple[Source, ...]:
    """The sources of `--source`, in its order, each once."""
    from extdns.sources.refine import Refined, validated
    from extdns.sources.targetnets import TargetNets, networks

    include, no_network = networks(config.sources.target_net_filter)
    exclude, also_none = networks(config.sources.exclude_target_net)
    for text in (*no_network, *also_none):
        _log.warning(Event.NETWORK_IGNORED, value=text, allowed="a network as 192.0.2.0/24 or 2001:db8::/32")
    stages = (validated, TargetNets(include=include, exclude=exclude)) if include or exclude else (validated,)
    return tuple(Refined(source=_source(name, config), stages=stages) for name in dict.fromkeys(config.sources.names))


def _source(name: str, config: Config) -> Source:
    chosen = config.sources
    selection = _selection(config)
    match name:
        case "ingress":
            from extdns.sources.ingress import IngressSettings, IngressSource

            return IngressSource(
                settings=IngressSettings(
                    selection=selection,
                    ingress_class=chosen.ingress_class,
                    ignore_ingress_rules_spec=chosen.ignore_ingress_rules_spec,
                    ignore_ingress_tls_spec=chosen.ignore_ingress_tls_spec,
                )
            )
        case _:
            from extdns.sources.service.settings import ServiceSettings, service_types
            from extdns.sources.service.source import ServiceSource

            return ServiceSource(
                settings=ServiceSettings(
                    selection=selection,
                    service_types=service_types(chosen.service_type_filter),
                    publish_internal_services=chosen.publish_internal_services,
                    publish_host_ip=chosen.publish_host_ip,
                    always_publish_not_ready_addresses=chosen.always_publish_not_ready_addresses,
                    exclude_unschedulable=chosen.exclude_unschedulable,
                    expose_internal_ipv6=chosen.expose_internal_ipv6,
                )
            )


def _selection(config: Config) -> Selection:
    from extdns.sources.annotations import PREFIX, prefixes
    from extdns.sources.selection import Selection

    given = config.sources.annotation_prefix
    return Selection(
        namespace=config.cluster.namespace,
        label_filter=config.sources.label_filter,
        annotation_filter=config.sources.annotation_filter,
        prefixes=prefixes(PREFIX if given is None and config.control.compat else given),
    )


def registry(config: Config) -> Registry:
    """The registry of `--registry`."""
    chosen = config.registry
    match chosen.name:
        case "noop":
            from registry.noop import NoopRegistry

            return NoopRegistry()
        case _:
            from registry.txt.naming import Naming
            from registry.txt.registry import TxtRegistry

            return TxtRegistry(
                owner=chosen.txt_owner_id,
                naming=Naming(
                    prefix=chosen.txt_prefix,
                    suffix=chosen.txt_suffix,
                    wildcard_replacement=chosen.txt_wildcard_replacement,
                ),
                managed_types=frozenset(config.plan.managed_record_types) - frozenset(config.plan.exclude_record_types),
                migrate_from=chosen.migrate_from_txt_owner,
                unmarked_creates=config.control.compat,
            )


def provider(config: Config) -> tuple[ZoneReader, ZoneWriter | None]:
    """The reader and the writer of `--provider`; a dry run has no writer."""
    dry_run = config.control.dry_run
    match config.control.provider:
        case "inmemory":
            from providers.inmemory.provider import InMemoryProvider

            memory = InMemoryProvider(config.inmemory.inmemory_zone)
            return memory, None if dry_run else memory
        case _:
            from providers.zonefile.folder import ZoneFolder
            from providers.zonefile.reader import ZoneFileReader
            from providers.zonefile.writer import ZoneFileWriter

            folder = ZoneFolder(Path(config.zonefile.zonefile_dir))
            return ZoneFileReader(folder), None if dry_run else ZoneFileWriter(folder, SystemClock())


def cluster(config: Config) -> Cluster:
    """The cluster: the manifests of `--manifests` if there are any, else a live one."""
    chosen = config.cluster
    namespaces = (chosen.namespace,) if chosen.namespace else ()
    if chosen.manifests:
        from extdns.kube.manifests.cluster import ManifestCluster

        return ManifestCluster(chosen.manifests, watch=not config.control.once, namespaces=namespaces)
    from extdns.kube.api import Api
    from extdns.kube.client import Access, Client
    from extdns.kube.live.cluster import LiveCluster

    limit_s = chosen.time_limit_s
    client = Client(Access(server=chosen.server, kubeconfig=chosen.kubeconfig, request_timeout_s=limit_s))
    return LiveCluster(Api(client, request_timeout_s=limit_s), namespaces=namespaces)
