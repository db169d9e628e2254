"""The DNS services as the program joins them."""

from __future__ import annotations

from extdns.app.requesttimes import TIMES
from extdns.app.services import cloud_dns_settings, route53_settings
from extdns.config import parse

FLAGS = ["--source=service", "--aws-profile=a", "--aws-profile=b", "--metrics-address=127.0.0.1:0"]


def test_the_requests_of_every_account_are_measured() -> None:
    config = parse([*FLAGS, "--provider=aws"], {})
    assert [account.heard for account in route53_settings(config).accounts] == [TIMES.take] * 2
    assert cloud_dns_settings(config).heard == TIMES.take
