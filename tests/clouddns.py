"""The fake Cloud DNS and a client of it, created once per process."""

from __future__ import annotations

import atexit
from functools import cache

from providers.common.api_calls import RateLimiter
from providers.google.client import CloudDnsApi
from providers.google.settings import GoogleSettings
from tests.fakes.clouddns.server import PROJECT, CloudDns
from tests.route53 import FastClock


@cache
def service() -> tuple[CloudDns, CloudDnsApi]:
    """Return the running fake, without zones, and a client for its project."""
    fake = CloudDns()
    fake.start()
    atexit.register(fake.kill)
    return fake, client(fake)


def client(fake: CloudDns, settings: GoogleSettings | None = None) -> CloudDnsApi:
    """Return a client of *fake* whose waiting takes no time."""
    clock = FastClock()
    settings = settings or GoogleSettings(project=PROJECT, endpoint=fake.url)
    return CloudDnsApi(settings, RateLimiter(pause_s=settings.pause_s, monotonic_s=clock.monotonic_s, wait=clock.wait))
