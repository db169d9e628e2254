"""`extdns webhook`: serve a provider to external-dns by the webhook protocol."""

from __future__ import annotations

from threading import TIMEOUT_MAX, Thread
from threading import Event as Flag
from typing import TYPE_CHECKING, Final

from extdns import log
from extdns.app.provider import build_provider
from extdns.app.webhook_application import WebhookApplication
from extdns.app.webhook_service import WebhookService, WebhookServiceError
from extdns.commands.start_log import log_start
from extdns.config import parse
from extdns.controller.stop_signals import StopSignals
from extdns.documents.scope_warnings import find_scope_warnings, join_names
from extdns.engine.scope import PassScope
from extdns.errors import describe_error
from extdns.flags.usage_errors import usage_error
from extdns.log import Event
from extdns.metrics.durations import CALL_DURATIONS, REQUEST_TIMES
from extdns.metrics.metrics import Metrics
from extdns.web.health import HealthApplication
from extdns.web.server import WebServer

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from extdns.config import Config

_log: Final = log.get(__name__)
_CLOSE_TIMEOUT_S: Final = 20.0  # less than the 30 s that Kubernetes gives a pod
_DEFAULTS: Final = {
    "EXTERNAL_DNS_SOURCE": "empty",
    "EXTERNAL_DNS_POLICY": "sync",
    "EXTERNAL_DNS_METRICS_ADDRESS": ":8080",
}
"""What the command needs in place of the defaults of a run: no objects are read."""


def main(arguments: Sequence[str], environ: Mapping[str, str]) -> int:
    """Serve until a signal. Return the exit code.

    Raises:
        UsageError: a flag is wrong, or an address cannot be used.
    """
    with StopSignals() as signals:
        config = parse(arguments, _DEFAULTS | dict(environ))
        _check(config)
        log.configure(format=config.log.format, level=config.log.level)
        log_start(config)
        reader, writer = build_provider(config)
        if writer is None:
            raise AssertionError("only a dry run has no writer")
        domains, timeout_s = config.plan.build_domain_filter(), _compute_timeout_s(config)
        service = WebhookService(reader, writer, domains, max_wait_s=min(timeout_s, TIMEOUT_MAX))
        stopped = Flag()
        signals.deliver_to(lambda _: stopped.set())
        with _build_health_server(config, service), _build_server(config, service):
            # a daemon thread: neither a request nor a signal waits for a service that does not answer
            Thread(target=_report_zones, args=(config, service), name="zones", daemon=True).start()
            stopped.wait()
        service.close(_CLOSE_TIMEOUT_S)
    return 0


def _report_zones(config: Config, service: WebhookService) -> None:
    """Log the zones that external-dns can use, or why there are none."""
    try:
        found = service.list_zones()
    except WebhookServiceError as exc:
        _log.warning(Event.WEBHOOK_ZONES_FAILED, error=str(exc))
        return
    except Exception as exc:  # noqa: BLE001 - law 3: a defect ends this report only
        _log.error(Event.DEFECT, error=describe_error(exc))
        return
    zones = tuple(dict.fromkeys(str(zone.name) for zone in found.zones))
    scope = PassScope(
        zones=zones,
        excluded_zones=found.excluded,
        knows_zones=True,
        objects=0,
        knows_objects=False,
        requests_names=False,
        excluded_names=(),
    )
    warnings = find_scope_warnings(config, scope)
    for warning in warnings:
        _log.warning(Event.SCOPE, warning=warning.text, next=warning.next)
    if not any(warning.leaves_nothing for warning in warnings):
        _log.info(Event.WEBHOOK_ZONES, count=len(zones), zones=join_names(zones))


def _check(config: Config) -> None:
    """Check that flags which `extdns webhook` cannot follow are not set: `--dry-run`, `--once` and `--leader-elect`.

    Raises:
        UsageError: one of them is set, or the timeouts leave no time for a request.
    """
    if config.control.dry_run:
        raise usage_error("extdns webhook has no --dry-run: it would have to confirm changes that it does not make")
    if config.control.once:
        raise usage_error("extdns webhook has no --once: it serves until it is stopped", "leave it out")
    if config.election.leader_elect:
        raise usage_error(
            "extdns webhook has no --leader-elect: whoever calls it decides when to write", "leave it out"
        )
    chosen = config.webhook
    if min(chosen.webhook_provider_read_timeout_s, chosen.webhook_provider_write_timeout_s) <= 0:
        raise usage_error(
            "--webhook-provider-read-timeout and --webhook-provider-write-timeout leave no time for a request",
            "allowed: more than 0s each",
        )


def _build_server(config: Config, service: WebhookService) -> WebServer:
    chosen = config.webhook
    application = WebhookApplication(
        service, host=chosen.webhook_listen.host, max_body_bytes=chosen.webhook_provider_max_body_size
    )
    return WebServer(
        chosen.webhook_listen,
        application,
        flag="--webhook-listen",
        event=Event.WEBHOOK_SERVED,
        timeout_s=_compute_timeout_s(config),
    )


def _compute_timeout_s(config: Config) -> float:
    """Return how long a connection may last."""
    chosen = config.webhook
    header_s = max(0.0, chosen.webhook_provider_read_header_timeout_s)
    return header_s + chosen.webhook_provider_read_timeout_s + chosen.webhook_provider_write_timeout_s


def _build_health_server(config: Config, service: WebhookService) -> WebServer:
    metrics = Metrics(
        rate_limits=service.read_rate_limits,
        request_times=REQUEST_TIMES,
        call_durations=CALL_DURATIONS,
        provider=config.control.provider,
    )
    health = HealthApplication(
        is_healthy=lambda: True,
        read_readiness=lambda: (True, {"ready": True, "changes": service.made}),
        render_metrics=metrics.render,
    )
    return WebServer(config.web.metrics_address, health)
