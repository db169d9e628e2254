"""The fake Route 53 and a client of it, made once a process: making a client takes a tenth of a second."""

from __future__ import annotations

import atexit
import os
from collections.abc import Mapping
from functools import cache
from unittest.mock import patch

from providers.aws.client import Client
from providers.aws.settings import Access
from providers.remote.allowance import Allowance
from providers.remote.writing import Writing
from tests.fakes.route53.server import Route53


class Hurry:
    """Time that passes only while somebody waits, and then at once."""

    def __init__(self) -> None:
        self.now_s = 0.0

    def monotonic_s(self) -> float:
        return self.now_s

    def wait(self, seconds: float) -> None:
        self.now_s += seconds


@cache
def service() -> tuple[Route53, Mapping[str, Client]]:
    """A service without zones, and its one account."""
    fake = Route53()
    fake.start()
    atexit.register(fake.kill)
    return fake, {"": client(fake)}


def client(fake: Route53, *, attempts: int = 3, writing: Writing | None = None) -> Client:
    """A client of *fake*, which has made a call: from then on it does not look at the environment."""
    clock = Hurry()
    made = Client(Access(), attempts, Allowance(monotonic_s=clock.monotonic_s, wait=clock.wait), writing)
    with patch.dict(os.environ, environ(fake)):
        made.zones()
    return made


def environ(fake: Route53) -> dict[str, str]:
    """The environment in which the SDK finds *fake*, and nothing of the machine it runs on."""
    return {
        "AWS_ACCESS_KEY_ID": "AKIDTEST",
        "AWS_SECRET_ACCESS_KEY": "secret",
        "AWS_ENDPOINT_URL_ROUTE_53": fake.url,
        "AWS_CONFIG_FILE": os.devnull,
        "AWS_SHARED_CREDENTIALS_FILE": os.devnull,
        "AWS_EC2_METADATA_DISABLED": "true",
    }
