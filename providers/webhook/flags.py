"""The flags of the provider `webhook`."""

from __future__ import annotations

from typing import Final
from urllib.parse import urlsplit

from extdns.errors import sanitize
from extdns.flags.duration import DURATION
from extdns.flags.flag import FlagSection, flag
from extdns.flags.kind import NUMBER, URL
from extdns.flags.usage_errors import usage_error
from extdns.masking import mask_url


class WebhookFlags(FlagSection, topic="Provider webhook", providers=("webhook",)):
    """The flags of the provider `webhook`."""

    webhook_provider_url: str = flag("address of the webhook provider", default="http://localhost:8888", kind=URL)
    webhook_provider_url_file: str = flag(
        "file with the address of the webhook provider, which may contain a password, instead of "
        "--webhook-provider-url",
        metavar="PATH",
    )
    webhook_provider_properties: tuple[str, ...] = flag(
        "also send properties whose names begin with this, such as scw/; the webhook must return them with its records",
        default=(),
        metavar="PREFIX/",
    )
    webhook_provider_read_timeout_s: float = flag(
        "time limit of one call of the webhook is the sum of this and --webhook-provider-write-timeout",
        default=5.0,
        kind=DURATION,
    )
    webhook_provider_write_timeout_s: float = flag(
        "time limit of one call of the webhook is the sum of this and --webhook-provider-read-timeout",
        default=10.0,
        kind=DURATION,
    )
    webhook_provider_max_body_size: int = flag(
        "maximum size in bytes of one answer of the webhook; 0 and below are 1 GiB", default=33554432, kind=NUMBER
    )

    def validate(self) -> None:
        """Check the address of the webhook, and the time limit of a call."""
        url = self.webhook_provider_url
        check_address(url, f"--webhook-provider-url={sanitize(mask_url(url))}")
        if self.webhook_provider_read_timeout_s + self.webhook_provider_write_timeout_s <= 0:
            raise usage_error(
                "--webhook-provider-read-timeout and --webhook-provider-write-timeout leave no time for a call",
                "allowed: together more than 0s",
            )


SECTION: Final = WebhookFlags


def check_address(url: str, origin: str) -> None:
    """Check that *url* is the address of a webhook. *origin* is its flag or file, for the message."""
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
