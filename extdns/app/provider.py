"""Build the reader and the writer of `--provider`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from extdns.app.registry import find_ownership_names
from extdns.app.row_store import add_rows
from extdns.config import Config
from extdns.controller.clock import SystemClock
from extdns.controller.write_gate import WriteGate
from extdns.flags.specs import PROVIDER_SPECS
from extdns.metrics.durations import REQUEST_TIMES, record_call
from extdns.model.zone import Permission, Zone
from extdns.ports import ZoneReader, ZoneWriter
from providers.common.api_calls import DEFAULT_TIMEOUTS_S, SHORT_TIMEOUTS_S, CallOptions, RateLimit
from providers.common.provider_spec import ProviderContext, ProviderSpec, report_unknown


def load_provider(config: Config) -> ProviderSpec[Any]:
    """Return the spec of `--provider`."""
    found: ProviderSpec[Any] = PROVIDER_SPECS.load(config.control.provider)
    return found


def build_provider(config: Config, gate: WriteGate | None = None) -> tuple[ZoneReader, ZoneWriter | None]:
    """Build the reader and the writer of `--provider`; the writer is None in a dry run.

    A writer that has waited for the API rate limit sends its request only if *gate* is still open.
    """
    context = build_context(config, gate)
    reader, writer = load_provider(config).build(context)
    return add_rows(config, reader, None if config.control.dry_run else writer, context.calls, gate)


def build_offline_reader(config: Config) -> ZoneReader:
    """Build a reader that needs no credentials. Only its `adjust` can be used."""
    return load_provider(config).build(build_context(config, offline=True)).reader


def check_permissions(config: Config, zones: Iterable[Zone]) -> Iterable[tuple[Zone, Permission]]:
    """Yield each of *zones* with whether its records may be changed; nothing for providers without permissions."""
    spec = load_provider(config)
    if spec.check_permissions is None:
        return report_unknown(f"the provider {spec.name}", zones)
    return spec.check_permissions(build_context(config), zones)


def build_context(config: Config, gate: WriteGate | None = None, *, offline: bool = False) -> ProviderContext[Any]:
    """Return what the provider of *config* is built with. It may write while *gate* is open, without one always."""
    control = config.control
    return ProviderContext(
        flags=load_provider(config).find_flags(config),
        plan=config.plan,
        clock=SystemClock(),
        ownership_names=find_ownership_names(config.registry),
        calls=CallOptions(
            rate_limit=RateLimit(per_s=float(control.api_calls_per_second), burst=float(control.api_burst)),
            write_timeouts_s=SHORT_TIMEOUTS_S if gate and gate.lease else DEFAULT_TIMEOUTS_S,
            can_write=gate.is_open if gate else lambda: True,
            on_request=REQUEST_TIMES.record,
            on_call=record_call,
        ),
        offline=offline,
    )
