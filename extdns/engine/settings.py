"""The settings of the engine."""

from __future__ import annotations

from collections.abc import Mapping

from extdns.engine.delete_settings import DeleteSettings
from extdns.model.capabilities import Capabilities
from extdns.model.kind import Kind
from extdns.model.value import Value
from extdns.planner.settings import Adjust, PlanSettings
from extdns.ports import Registry


class EngineSettings(Value, frozen=True, kw_only=True):
    """The settings of the engine, and the pure functions that it calls.

    Attributes:
        kinds: the kinds that sources read, by the first part of a `resource` label (`service`).
        namespaces: the namespaces that sources read, () for all.
        has_writer: whether there is a writer. Without one everything is planned and nothing is written.
        needs_approval: whether a person must approve the whole plan before anything is written.
        has_election: whether there is a leader election; the process begins as a standby then.
        once: whether the process ends after one pass; it waits for no grace period.
        interval_s: time from the start of one refresh of a zone to the start of the next.
        max_refresh_interval_s: the longest such time; it grows up to this while there is no sign of another writer.
        refresh_calls_per_minute: the most calls per minute that refresh zones, including those that list zones.
        wait_for_others_s: how long names wait to be planned together with others (`should_wait_for_others`).
        names_per_step: how many names a step plans (`DirtyNames`).
        settings_digest: the digest of the settings that decide which records are requested.
        is_state_store_missing: whether the configuration should name a state store and does not.
        has_rules: whether rules are configured. Then nothing is planned before the first `RulesChanged`, and
            observations have the labels and annotations of objects.
        has_policy_server: whether a policy server is queried about every record.
        has_all_namespaces: whether namespaces are listed; manifests need not have those of their objects.
        source_timeout_s: how long a source may fail before planning begins without it.
    """

    plan: PlanSettings
    registry: Registry
    adjust: Adjust
    capabilities: Capabilities
    kinds: Mapping[str, Kind]
    namespaces: tuple[str, ...] = ()
    has_writer: bool = True
    needs_approval: bool = False
    has_election: bool = False
    once: bool = False
    interval_s: float = 60.0
    max_refresh_interval_s: float = 900.0
    refresh_calls_per_minute: int = 12
    wait_for_others_s: float = 0.02
    names_per_step: int = 1000
    source_timeout_s: float = 30.0
    deletes: DeleteSettings = DeleteSettings()
    settings_digest: str = ""
    has_state_store: bool = False
    is_state_store_missing: bool = False
    has_rules: bool = False
    has_policy_server: bool = False
    has_all_namespaces: bool = True
