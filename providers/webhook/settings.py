"""Settings of the provider `webhook`."""

from __future__ import annotations

from dataclasses import dataclass, field

from providers.common.api_calls import CallOptions
from providers.webhook.wire import MAX_BODY_BYTES


@dataclass(frozen=True, slots=True, kw_only=True)
class WebhookSettings:
    """How to reach the webhook, and what to take from it.

    Attributes:
        url: the address of the webhook, with http:// or https://; user and password are sent as basic authentication.
        timeout_s: the time limit of one call in seconds, from connecting to the last byte of the answer.
        domains: the domains of `--domain-filter`, from which zones are taken if the webhook names none.
        reuse_s: how old the records may be from which the first page of a zone is taken, in seconds.
    """

    url: str
    timeout_s: float = 15.0
    max_body_bytes: int = MAX_BODY_BYTES
    domains: tuple[str, ...] = ()
    max_writes: int = 200
    page_names: int = 25_000
    reuse_s: float = 15.0
    calls: CallOptions = field(default_factory=CallOptions)
