"""Values of the flags of Cloud DNS."""

from __future__ import annotations

import pytest

from extdns.config import parse
from extdns.errors import UsageError

START = ("--source=service", "--provider=google", "--policy=sync")


@pytest.mark.parametrize(
    "text", ["", "https://dns.googleapis.com", "http://127.0.0.1:8080", "https://dns-x.p.googleapis.com/"]
)
def test_the_google_api_endpoint_is_a_url_without_a_path(text: str) -> None:
    assert parse([*START, f"--google-api-endpoint={text}"], {}).google.google_api_endpoint == text


@pytest.mark.parametrize(
    "text", ["dns.googleapis.com", "ftp://x", "https://x/dns/v1", "https://me:secret@x", "https://"]
)
def test_an_invalid_google_api_endpoint_is_a_usage_error(text: str) -> None:
    with pytest.raises(UsageError, match="is not an endpoint\n  allowed: https://HOST") as caught:
        parse([*START, f"--google-api-endpoint={text}"], {})
    assert "--google-api-endpoint=" in str(caught.value)


def test_google_flags_can_be_set_by_variables_and_the_batch_change_interval_is_1s_with_compat() -> None:
    chosen = parse(START, {"EXTERNAL_DNS_GOOGLE_PROJECT": "p", "EXTERNAL_DNS_GOOGLE_ZONE_VISIBILITY": "private"}).google
    assert (chosen.google_project, chosen.google_zone_visibility) == ("p", "private")
    assert (chosen.google_batch_change_size, chosen.google_batch_change_interval_s) == (1000, 0.0)
    assert parse([*START, "--compat"], {}).google.google_batch_change_interval_s == 1.0
    assert parse([*START, "--google-batch-change-interval=3s"], {}).google.google_batch_change_interval_s == 3.0
