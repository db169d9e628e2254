"""A webhook client in front of a fake webhook, or of a server that answers with arbitrary bytes."""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from threading import Thread
from typing import Any

from providers.common.api_calls import RateLimit
from providers.webhook.provider import WebhookReader, WebhookWriter, WebhookZones
from providers.webhook.settings import WebhookSettings
from tests.fakes.service.listener import HOST


def build_webhook(url: str, **settings: Any) -> tuple[WebhookReader, WebhookWriter]:  # noqa: ANN401 - of several types
    """Return a reader and a writer of the webhook at *url*, which read anew for each call and have no rate limit."""
    base = {"reuse_s": 0.0, "rate_limit": RateLimit(per_s=1e6, burst=1e6)}
    zones = WebhookZones(WebhookSettings(url=url, **{**base, **settings}))
    return WebhookReader(zones), WebhookWriter(zones)


@contextmanager
def serve_bytes(send: Callable[[socket.socket], None]) -> Iterator[str]:
    """Accept connections, read one request of each, and let *send* answer it. Yield the URL."""
    listener = socket.create_server((HOST, 0))

    def serve() -> None:
        with suppress(OSError):
            while True:
                connection, _ = listener.accept()
                with connection, suppress(OSError):
                    connection.recv(65536)
                    send(connection)

    Thread(target=serve, daemon=True).start()
    try:
        yield f"http://{HOST}:{listener.getsockname()[1]}"
    finally:
        listener.shutdown(socket.SHUT_RDWR)
        listener.close()
