"""`extdns webhook` in this process, in front of any provider, and the client that calls it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from typing import TYPE_CHECKING

from extdns.app.webhook_application import WebhookApplication
from extdns.app.webhook_service import WebhookService
from extdns.flags.address import ListenAddress
from extdns.model.change import AdjustedRecords
from extdns.model.record import DesiredRecord
from extdns.model.selection import DomainFilter
from extdns.model.zone import Zone
from extdns.ports import ZoneReader, ZoneWriter
from extdns.web.server import WebServer
from providers.common.api_calls import RateLimit
from providers.webhook.provider import WebhookReader, WebhookZones
from providers.webhook.settings import WebhookSettings
from providers.webhook.wire import MAX_BODY_BYTES

if TYPE_CHECKING:
    from wsgiref.types import StartResponse, WSGIEnvironment


class _Current:
    """Passes requests on to the application of the current test."""

    application: WebhookApplication

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        return self.application(environ, start_response)


@cache
def _start_server() -> tuple[WebServer, _Current]:
    current = _Current()
    server = WebServer(ListenAddress(host="127.0.0.1", port=0), current, timeout_s=60.0)
    server.start()
    return server, current


def serve(
    reader: ZoneReader, writer: ZoneWriter, domains: DomainFilter | None = None, *, max_wait_s: float = 20.0
) -> str:
    """Serve the provider, in place of the one before. Return the URL."""
    server, current = _start_server()
    service = WebhookService(reader, writer, domains or DomainFilter(), max_wait_s=max_wait_s)
    current.application = WebhookApplication(service, host="127.0.0.1", max_body_bytes=MAX_BODY_BYTES)
    return f"http://127.0.0.1:{server.port}"


def connect(url: str, *, page_names: int = 25_000) -> WebhookZones:
    """Return a client of the webhook at *url* that reads anew for each call and has no rate limit."""
    limit = RateLimit(per_s=1e6, burst=1e6)
    return WebhookZones(WebhookSettings(url=url, page_names=page_names, reuse_s=0.0, rate_limit=limit))


class ShowingReader(WebhookReader):
    """A reader that shows desired records to the webhook as soon as they are adjusted, so that none is unknown."""

    def adjust(self, desired: Sequence[DesiredRecord], zone: Zone) -> AdjustedRecords:
        self.load_adjustments(super().adjust(desired, zone).unknown)
        return super().adjust(desired, zone)
