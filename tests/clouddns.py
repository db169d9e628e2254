"""The fake Cloud DNS and a client of it, made once a process."""

from __future__ import annotations

import atexit
from functools import cache

from providers.google.client import Client
from providers.google.settings import GoogleSettings
from providers.remote.allowance import Allowance
from tests.fakes.clouddns.server import PROJECT, CloudDns
from tests.route53 import Hurry


@cache
def service() -> tuple[CloudDns, Client]:
    """A service without zones, and its one project."""
    fake = CloudDns()
    fake.start()
    atexit.register(fake.kill)
    return fake, client(fake)


def client(fake: CloudDns, settings: GoogleSettings | None = None) -> Client:
    """A client of *fake*, for whom waiting takes no time."""
    clock = Hurry()
    settings = settings or GoogleSettings(project=PROJECT, endpoint=fake.url)
    return Client(settings, Allowance(pause_s=settings.pause_s, monotonic_s=clock.monotonic_s, wait=clock.wait))
