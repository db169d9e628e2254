"""The reader and the writer of a webhook."""

from __future__ import annotations

from typing import Any

from providers.webhook.provider import WebhookReader, WebhookWriter
from tests.conformance.provider import connect


def build_webhook(url: str, **settings: Any) -> tuple[WebhookReader, WebhookWriter]:  # noqa: ANN401 - as `connect`
    zones = connect(url, **settings)
    return WebhookReader(zones), WebhookWriter(zones)
