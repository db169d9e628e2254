"""The fake Cloud Map and a client of it, created once per process because a client takes a tenth of a second."""

from __future__ import annotations

import atexit
import os
from functools import cache
from unittest.mock import patch

from providers.aws.cloudmap.client import CloudMapApi
from providers.aws.settings import AwsAccount
from providers.common.api_calls import CallOptions, RateLimiter
from tests.fakes.cloudmap.server import CloudMap
from tests.route53 import FastClock


@cache
def service() -> tuple[CloudMap, CloudMapApi]:
    """Return the running fake, without namespaces, and a client of it, whose waiting takes no time."""
    fake = CloudMap()
    fake.start()
    atexit.register(fake.kill)
    return fake, client(fake)


def client(fake: CloudMap, calls: CallOptions | None = None) -> CloudMapApi:
    """Return a client of *fake* that has made a call, so that it no longer reads the environment."""
    clock = FastClock()
    limiter = RateLimiter(monotonic_s=clock.monotonic_s, wait=clock.wait)
    made = CloudMapApi(AwsAccount(calls=calls or CallOptions()), 1, limiter, clock.wait)
    with patch.dict(os.environ, environ(fake)):
        made.list_namespaces()
    return made


def environ(fake: CloudMap) -> dict[str, str]:
    """Return environment variables with which the SDK uses *fake* and no configuration of the machine."""
    return {
        "AWS_ACCESS_KEY_ID": "AKIDTEST",
        "AWS_SECRET_ACCESS_KEY": "secret",
        "AWS_REGION": "eu-central-1",
        "AWS_ENDPOINT_URL_SERVICEDISCOVERY": fake.url,
        "AWS_CONFIG_FILE": os.devnull,
        "AWS_SHARED_CREDENTIALS_FILE": os.devnull,
        "AWS_EC2_METADATA_DISABLED": "true",
    }
