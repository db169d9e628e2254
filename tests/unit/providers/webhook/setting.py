"""A client of a webhook."""

from __future__ import annotations

from typing import Any

from providers.common.api_calls import CallOptions, RateLimit
from providers.webhook.provider import WebhookReader, WebhookWriter, WebhookZones
from providers.webhook.settings import WebhookSettings


def build_webhook(url: str, **settings: Any) -> tuple[WebhookReader, WebhookWriter]:  # noqa: ANN401 - of several types
    """Return a reader and a writer of the webhook at *url*, which read anew for each call and have no rate limit."""
    base = {"reuse_s": 0.0, "calls": CallOptions(rate_limit=RateLimit(per_s=1e6, burst=1e6))}
    zones = WebhookZones(WebhookSettings(url=url, **{**base, **settings}))
    return WebhookReader(zones), WebhookWriter(zones)
