"""Routing policies as a property: JSON in one spelling (API reference, RRSetRoutingPolicy).

The reference has none. A policy is kept whole: weighted, geolocation and failover alike, with all
its targets and health checks.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final

PROPERTY: Final = "google/routing-policy"
_KINDS: Final = frozenset({"wrr", "geo", "primaryBackup"})
# What the service adds by itself.
_ADDED: Final = frozenset({"kind", "signatureRrdatas"})
_TARGETS: Final = frozenset({"rrdatas", "externalEndpoints"})
_ADDRESS: Final = "ipAddress"


def settled(text: str) -> str:
    """The policy *text* as it will be read back.

    Raises:
        ValueError: it is no policy.
    """
    policy = json.loads(text)
    if not isinstance(policy, Mapping) or len(_KINDS & policy.keys()) != 1:
        raise ValueError(f"expected a JSON object with one of {', '.join(sorted(_KINDS))}")
    return json.dumps(_plain(policy), sort_keys=True, separators=(",", ":"))


def targets(text: str) -> tuple[str, ...]:
    """All that the policy *text* may answer, sorted."""
    return tuple(sorted(set(_targets(json.loads(text)))))


def _plain(value: Any) -> Any:  # noqa: ANN401 - as deep as the policy
    """*value* without what the service adds and what is the same as not to say it; whole numbers as integers."""
    if isinstance(value, Mapping):
        plain = {name: _plain(inner) for name, inner in value.items() if name not in _ADDED}
        return {name: inner for name, inner in plain.items() if inner not in (False, None, "") or name == "weight"}
    if isinstance(value, list):
        return [_plain(inner) for inner in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _targets(value: Any) -> Iterator[str]:  # noqa: ANN401 - as deep as the policy
    if isinstance(value, Mapping):
        for name, inner in value.items():
            if name in _TARGETS:
                yield from map(str, inner)
            elif name == _ADDRESS:
                yield str(inner)
            else:
                yield from _targets(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _targets(inner)
