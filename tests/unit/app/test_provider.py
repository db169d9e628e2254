"""How the settings of DNS services are built from flags."""

from __future__ import annotations

from extdns.app.provider import build_cloud_dns_settings, build_route53_settings
from extdns.config import parse
from extdns.metrics.request_times import REQUEST_TIMES

FLAGS = ["--source=service", "--aws-profile=a", "--aws-profile=b", "--metrics-address=127.0.0.1:0"]


def test_request_times_of_every_account_are_recorded() -> None:
    config = parse([*FLAGS, "--provider=aws"], {})
    assert [account.on_request for account in build_route53_settings(config).accounts] == [REQUEST_TIMES.record] * 2
    assert build_cloud_dns_settings(config).on_request == REQUEST_TIMES.record
