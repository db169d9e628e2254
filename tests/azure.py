"""The fake Azure and a client of it, created once per process."""

from __future__ import annotations

import atexit
import json
from functools import cache, partial
from pathlib import Path
from typing import Final

from extdns.flags.records import RegistryFlags
from providers.azure.client import AzureApi
from providers.azure.credentials import IdentityTokens
from providers.azure.settings import AzureSettings
from providers.common.api_calls import RateLimiter
from registry.txt.spec import list_ownership_names
from tests.fakes.azure.server import GROUP, SUBSCRIPTION, TOKEN, Azure
from tests.route53 import FastClock

OWNERSHIP_NAMES: Final = partial(list_ownership_names, RegistryFlags())


class FixedTokens(IdentityTokens):
    """Gives the token of the fake, after the tokens in *expired*."""

    def __init__(self, *expired: str) -> None:
        self.tokens = [*expired, TOKEN]

    def get(self) -> str:
        return self.tokens[0]

    def forget(self) -> None:
        del self.tokens[:-1]


@cache
def service() -> Azure:
    """Return the running fake, without zones."""
    fake = Azure()
    fake.start()
    atexit.register(fake.kill)
    return fake


def settings(fake: Azure, *, private: bool = False) -> AzureSettings:
    """Return settings with the subscription and the resource group of *fake*."""
    return AzureSettings(url=fake.url, subscription=SUBSCRIPTION, group=GROUP, private=private)


def write_config(folder: Path, fake: Azure, **content: str) -> Path:
    """Write a configuration file with *fake*, a managed identity and *content* into *folder*."""
    file = folder / "azure.json"
    found = {"subscriptionId": SUBSCRIPTION, "resourceGroup": GROUP, "resourceManagerEndpoint": fake.url}
    file.write_text(json.dumps(found | {"useManagedIdentityExtension": True} | content), encoding="utf-8")
    return file


def client(settings: AzureSettings, clock: FastClock | None = None, tokens: FixedTokens | None = None) -> AzureApi:
    """Return a client whose waiting takes no time."""
    clock = clock or FastClock()
    limiter = partial(RateLimiter, monotonic_s=clock.monotonic_s, wait=clock.wait)
    return AzureApi(settings, tokens or FixedTokens(), limiter)
