"""The fake Cloudflare and a client of it, created once per process."""

from __future__ import annotations

import atexit
import os
from functools import cache

from providers.cloudflare.client import CloudflareApi
from providers.cloudflare.settings import CloudflareSettings
from providers.common.api_calls import RateLimiter
from tests.fakes.cloudflare.server import TOKEN, Cloudflare
from tests.route53 import FastClock


@cache
def service() -> Cloudflare:
    """Return the running fake, without zones."""
    fake = Cloudflare()
    fake.start()
    atexit.register(fake.kill)
    return fake


def client(settings: CloudflareSettings, clock: FastClock | None = None) -> CloudflareApi:
    """Return a client with the token of the fake, whose waiting takes no time."""
    os.environ["CF_API_TOKEN"] = TOKEN
    clock = clock or FastClock()
    limiter = RateLimiter(
        rate=settings.calls.rate_limit, pause_s=settings.pause_s, monotonic_s=clock.monotonic_s, wait=clock.wait
    )
    return CloudflareApi(settings, limiter)
