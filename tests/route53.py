"""The fake Route 53 and a client of it, created once per process because a client takes a tenth of a second."""

from __future__ import annotations

import atexit
import os
from collections.abc import Mapping
from functools import cache
from unittest.mock import patch

from providers.aws.client import Route53Api
from providers.aws.settings import AwsAccount
from providers.common.api_calls import CallOptions, RateLimiter
from tests.fakes.route53.server import Route53


class FastClock:
    """A clock on which waiting takes no real time."""

    def __init__(self) -> None:
        self.now_s = 0.0

    def monotonic_s(self) -> float:
        return self.now_s

    def wait(self, seconds: float) -> None:
        self.now_s += seconds


@cache
def service() -> tuple[Route53, Mapping[str, Route53Api]]:
    """Return the running fake, without zones, and its clients by account, of which there is one."""
    fake = Route53()
    fake.start()
    atexit.register(fake.kill)
    return fake, {"": client(fake)}


def client(fake: Route53, *, attempts: int = 3, calls: CallOptions | None = None) -> Route53Api:
    """Return a client of *fake* that has made a call, so that it no longer reads the environment."""
    clock = FastClock()
    limiter = RateLimiter(monotonic_s=clock.monotonic_s, wait=clock.wait)
    made = Route53Api(AwsAccount(calls=calls or CallOptions()), attempts, limiter)
    with patch.dict(os.environ, environ(fake)):
        made.list_zones()
    return made


def environ(fake: Route53) -> dict[str, str]:
    """Return environment variables with which the SDK uses *fake* and no configuration of the machine."""
    return {
        "AWS_ACCESS_KEY_ID": "AKIDTEST",
        "AWS_SECRET_ACCESS_KEY": "secret",
        "AWS_ENDPOINT_URL_ROUTE_53": fake.url,
        "AWS_CONFIG_FILE": os.devnull,
        "AWS_SHARED_CREDENTIALS_FILE": os.devnull,
        "AWS_EC2_METADATA_DISABLED": "true",
    }
