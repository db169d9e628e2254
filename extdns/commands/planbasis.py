"""What a plan rests on, so that `extdns apply` can tell whether that still holds."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Final

from extdns import __version__
from extdns.config import settings
from extdns.facts.document import Facts

if TYPE_CHECKING:
    from extdns.config import Config
    from extdns.engine.engine import Engine

_DIGEST_BYTES: Final = 16
_INDIFFERENT: Final = frozenset(
    {
        "api-burst",
        "api-calls-per-second",
        "audit-calls-per-minute",
        "aws-api-retries",
        "aws-batch-change-interval",
        "dry-run",
        "events-emit",
        "google-batch-change-interval",
        "interval",
        "kube-api-request-timeout",
        "kubeconfig",
        "leader-elect",
        "leader-elect-lease-duration",
        "leader-elect-renew-deadline",
        "leader-elect-resource-name",
        "leader-elect-resource-namespace",
        "leader-elect-retry-period",
        "log-format",
        "log-level",
        "manifests",
        "metrics-address",
        "once",
        "request-timeout",
        "server",
        "state-configmap",
        "state-file",
        "web-address",
        "zonefile-dir",
    }
)
"""How it is run, and by which way cluster and zones are reached; what is found there counts."""


class Basis(Facts, frozen=True):
    """What the plan rests on.

    version is that of extdns; settings are the flags that are not as by default and decide what is planned, secrets
    masked; standing is a digest of all records of ours and of all that objects ask for, ownership records included.
    """

    version: str
    settings: tuple[str, ...]
    standing: str


def basis(config: Config, engine: Engine) -> Basis:
    """What the plan rests on that *engine* has made under *config*."""
    return Basis(version=__version__, settings=_settings(config), standing=_standing(engine))


def _settings(config: Config) -> tuple[str, ...]:
    return tuple(
        argument
        for flag, value in settings(config)
        if flag.name not in _INDIFFERENT and value != flag.default
        for argument in flag.arguments(value, masked=True)
    )


def _standing(engine: Engine) -> str:
    standing = "\n".join(repr(decision) for decision in engine.decisions if decision.concerns_us)
    return digest(standing.encode())


def digest(content: bytes) -> str:
    """What tells whether *content* is the same, 32 hexadecimal digits."""
    return hashlib.blake2b(content, digest_size=_DIGEST_BYTES).hexdigest()
