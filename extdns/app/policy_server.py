"""Build the client of the policy server that `--opa-url` names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from extdns.app.cluster import connect_api_server, has_live_cluster
from extdns.controller.clock import SystemClock
from extdns.errors import InvalidValueError, sanitize
from extdns.flags.usage_errors import usage_error
from extdns.masking import mask_url

if TYPE_CHECKING:
    from extdns.config import Config
    from extdns.controller.reporter import ActivityReporter
    from extdns.controller.write_gate import WriteGate
    from extdns.opa.rule_queries import RuleQueries
    from extdns.ports import Clock, PolicyStatusWriter
    from extdns.rules.policy_server import PolicyClient

_EVENT_PAUSE_S: Final = 0.1


def build_rule_queries(config: Config, reporter: ActivityReporter, clock: Clock, gate: WriteGate) -> RuleQueries | None:
    """Build the queries of the policy server; None without `--opa-url`.

    What is wrong with a Rego policy is written to the ConfigMap that it comes from, while *gate* is open.
    """
    client = build_policy_client(config)
    if client is None:
        return None
    from extdns.opa.policy_server_reporter import PolicyServerReporter
    from extdns.opa.rule_queries import RuleQueries

    return RuleQueries(
        client,
        PolicyServerReporter(reporter.metrics, _build_status_writer(config, gate)),
        report_defect=reporter.report_defect,
        allows_failure=config.rules.opa_failure == "allow",
        clock=clock,
        has_local_rules=bool(config.rules.policy_rules),
    )


def build_policy_client(config: Config) -> PolicyClient | None:
    """Build the client of the policy server, which connects with its first request; None without `--opa-url`."""
    flags = config.rules
    if not flags.opa_url:
        return None
    from extdns.opa.answers import parse_path
    from extdns.opa.connection import OpaConnection, OpaSettings
    from extdns.opa.server import OpaServer

    if bool(flags.opa_tls_client_cert) != bool(flags.opa_tls_client_cert_key):
        raise usage_error("--opa-tls-client-cert and --opa-tls-client-cert-key belong together", "give both or none")
    settings = OpaSettings(
        url=flags.opa_url,
        timeout_s=flags.opa_timeout_s,
        ca_file=flags.opa_tls_ca,
        client_cert_file=flags.opa_tls_client_cert,
        client_key_file=flags.opa_tls_client_cert_key,
        token_file=flags.opa_token_file,
    )
    try:
        paths = parse_path(flags.opa_path)
    except InvalidValueError as exc:
        raise usage_error(f"--opa-path={sanitize(exc.value)} is not valid", f"allowed: {exc.allowed}") from None
    try:
        connection = OpaConnection(settings)
    except InvalidValueError as exc:
        raise usage_error(
            f"--opa-url={sanitize(mask_url(exc.value))} is not valid", f"allowed: {exc.allowed}"
        ) from None
    return OpaServer(connection, paths)


def _build_status_writer(config: Config, gate: WriteGate) -> PolicyStatusWriter | None:
    """Build what writes problems of Rego policies; None without a live cluster, in a dry run and in a single pass."""
    if config.control.dry_run or config.control.once or not has_live_cluster(config):
        return None
    from extdns.kube.event_sender import EventSender
    from extdns.kube.policy_status import ConfigMapPolicyStatusWriter

    events = EventSender(connect_api_server(config.cluster), SystemClock(), pause_s=_EVENT_PAUSE_S)
    return ConfigMapPolicyStatusWriter(connect_api_server(config.cluster), events, may_write=gate.is_open)
