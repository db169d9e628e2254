"""How the settings of DNS services are built from flags."""

from __future__ import annotations

from extdns.app.provider import build_cloud_dns_settings, build_route53_settings
from extdns.config import parse
from extdns.metrics.durations import CALL_DURATIONS, REQUEST_TIMES
from extdns.metrics.metrics import Metrics
from extdns.model.api_request import ApiCall
from tests.unit.metrics.scrape import labels, series

FLAGS = ["--source=service", "--aws-profile=a", "--aws-profile=b", "--metrics-address=127.0.0.1:0"]


def test_request_times_of_every_dns_account_are_recorded() -> None:
    config = parse([*FLAGS, "--provider=aws"], {})
    assert [account.on_request for account in build_route53_settings(config).accounts] == [REQUEST_TIMES.record] * 2
    assert build_cloud_dns_settings(config).on_request == REQUEST_TIMES.record


def test_calls_of_every_dns_account_are_measured_by_action_and_status() -> None:
    config = parse([*FLAGS, "--provider=aws"], {})
    call = ApiCall(action="PlantedAction", status="ok", seconds=0.5)
    for account in build_route53_settings(config).accounts:
        account.on_call(call)
    build_cloud_dns_settings(config).on_call(call)
    metrics = Metrics(call_durations=CALL_DURATIONS)
    key = labels(action="PlantedAction", status="ok")
    assert series(metrics, "extdns_api_call_duration_seconds_count")[key] == 3
