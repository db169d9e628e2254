"""Check the flags of the provider `webhook`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from extdns.errors import sanitize
from extdns.flags.usage_errors import usage_error
from extdns.masking import mask_url


def check_rules(values: Mapping[str, Any]) -> None:
    """Check the address of the webhook, and the time limit of a call.

    Raises:
        UsageError: the first rule that is violated.
    """
    url = values["webhook-provider-url"]
    check_address(url, f"--webhook-provider-url={sanitize(mask_url(url))}")
    if values["webhook-provider-read-timeout"] + values["webhook-provider-write-timeout"] <= 0:
        raise usage_error(
            "--webhook-provider-read-timeout and --webhook-provider-write-timeout leave no time for a call",
            "allowed: together more than 0s",
        )


def check_address(url: str, origin: str) -> None:
    """Check that *url* is the address of a webhook. *origin* is the flag or file that it comes from, for the message.

    Raises:
        UsageError: *url* is not valid.
    """
    try:
        parts = urlsplit(url)
        is_valid = parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0
        is_valid = is_valid and not (parts.query or parts.fragment) and url.isprintable() and " " not in url
    except ValueError:
        is_valid = False
    if not is_valid:
        raise usage_error(
            f"{origin} is not the address of a webhook", "allowed: http://HOST[:PORT][/PATH], or https://"
        )
