"""The settings of the planner and the engine, and the digest of those that decide what is requested."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from typing import Final

from extdns.app.cluster import has_live_cluster
from extdns.app.provider import load_provider
from extdns.app.registry import build_registry, load_registry
from extdns.app.sources import map_kinds_by_label
from extdns.app.state_store import is_state_missing
from extdns.config import Config
from extdns.engine.delete_settings import IDENTITY_TIMEOUT_S, STATELESS_WAIT_S, DeleteLimits, DeleteSettings
from extdns.engine.settings import EngineSettings
from extdns.planner.desired import refuse_invalid
from extdns.planner.settings import PlanSettings, Policy
from extdns.ports import Source, ZoneReader

INTERPRETATION_VERSION: Final = 1
"""Increase it when a new version reads fewer or other claims from the same objects: then the deletes of records that
are no longer requested are held for approval."""

_DIGEST_BYTES: Final = 8
_REGISTRY: Final = ("name", "txt_prefix", "txt_suffix", "txt_wildcard_replacement", "migrate_from_txt_owner")
_CONTROL: Final = ("policy", "compat")


def build_engine_settings(
    config: Config, sources: Sequence[Source], reader: ZoneReader, *, writes: bool, has_state_store: bool = False
) -> EngineSettings:
    """Return the settings of the engine."""
    registry = build_registry(config)
    return EngineSettings(
        plan=build_plan_settings(config, registry.owner),
        registry=registry,
        adjust=refuse_invalid(reader.adjust, registry, lenient=config.control.compat),
        capabilities=reader.capabilities,
        kinds=map_kinds_by_label(sources),
        namespaces=(config.cluster.namespace,) if config.cluster.namespace else (),
        has_writer=writes,
        once=config.control.once,
        interval_s=max(config.control.interval_s, config.min_refresh_interval_s),
        max_refresh_interval_s=0.0 if config.control.compat else config.control.max_refresh_interval_s,
        refresh_calls_per_minute=config.control.refresh_calls_per_minute,
        deletes=build_delete_settings(config, registry.owner),
        settings_digest=compute_settings_digest(config),
        has_state_store=has_state_store,
        is_state_store_missing=is_state_missing(config) and not has_state_store,
        has_rules=config.rules.has_rules,
        has_policy_server=bool(config.rules.opa_url),
        has_all_namespaces=has_live_cluster(config),
    )


def build_delete_settings(config: Config, owner: str) -> DeleteSettings:
    """Return the settings of the delete guard. A single pass has no grace period."""
    chosen = config.deletes
    deletes = Policy(config.control.policy) is Policy.SYNC
    return DeleteSettings(
        owner=owner,
        grace_s=0.0 if config.control.once else chosen.delete_grace_period_s,
        unresolved_timeout_s=chosen.unresolved_timeout_s if deletes else None,
        limits=DeleteLimits(count=chosen.max_delete_count, percent=chosen.max_delete_percent),
        stateless_wait_s=0.0 if config.control.once else STATELESS_WAIT_S,
        identity_timeout_s=IDENTITY_TIMEOUT_S if has_live_cluster(config) else 0.0,
        approved_codes=chosen.approve,
        accepted_clusters=chosen.accept_cluster,
        immediate=config.control.compat,
        merges_namespaces=config.sources.merge_across_namespaces,
        reads_manifests=bool(config.cluster.manifests),
    )


def build_plan_settings(config: Config, owner: str) -> PlanSettings:
    """Return the settings of the planner."""
    plan = config.plan
    return PlanSettings(
        owner=owner,
        migrate_from=config.registry.migrate_from_txt_owner if owner else "",
        policy=Policy(config.control.policy),
        domains=config.plan.build_domain_filter(),
        managed_types=plan.find_managed_types(),
        source_order=config.sources.names,
        properties=load_provider(config).list_properties(config),
        min_ttl_s=int(config.sources.min_ttl_s),
        prefer_alias=config.sources.prefer_alias,
        creates_ptr=config.sources.create_ptr,
        owns_names=load_registry(config.registry.name).owns_names,
        merges_namespaces=config.sources.merge_across_namespaces,
        compat=config.control.compat,
    )


def compute_settings_digest(config: Config) -> str:
    """Return 16 hexadecimal digits for the settings that decide what is requested (docs/design/state.md).

    They do not depend on how the cluster is reached, on intervals, or on the order of arguments.
    """
    return hashlib.blake2b(
        repr((INTERPRETATION_VERSION, sorted(_list_changed_arguments(config)))).encode(), digest_size=_DIGEST_BYTES
    ).hexdigest()


def _list_changed_arguments(config: Config) -> Iterator[str]:
    """List the settings that differ from their defaults, so that a new flag does not change the digest."""
    chosen = (
        (config.sources, config.sources.rows),
        (config.plan, config.plan.rows),
        (config.cluster, ("namespace",)),
        (config.registry, _REGISTRY),
        (config.control, _CONTROL),
    )
    for section, names in chosen:
        flags = section.rows
        for name in names:
            flag, value = flags[name], getattr(section, name)
            if value != flag.default:
                yield from flag.format_arguments(value)
