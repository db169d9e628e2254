"""Routing policies, kept whole."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest

from providers.google import policy
from tests.unit.providers.google.made import FAILOVER, GEO, WEIGHTED


@pytest.mark.parametrize(
    ("given", "targets"),
    [
        pytest.param(WEIGHTED, ("192.0.2.1", "192.0.2.2"), id="weighted"),
        pytest.param(GEO, ("192.0.2.1", "192.0.2.9"), id="geolocation"),
        pytest.param(FAILOVER, ("10.1.0.2", "10.1.0.3"), id="failover"),
    ],
)
def test_nothing_of_a_policy_is_lost(given: Mapping[str, Any], targets: tuple[str, ...]) -> None:
    settled = policy.settled(json.dumps(given))
    assert json.loads(settled) == given
    assert policy.settled(settled) == settled
    assert policy.targets(settled) == targets


def test_what_the_service_adds_and_what_is_the_same_as_nothing_is_left_out() -> None:
    added = {
        "kind": "dns#rRSetRoutingPolicy",
        "geo": {
            "kind": "x",
            "enableFencing": False,
            "items": [{"kind": "y", "location": "us-east1", "rrdatas": ["192.0.2.1"], "signatureRrdatas": ["z"]}],
        },
    }
    plain = {"geo": {"items": [{"location": "us-east1", "rrdatas": ["192.0.2.1"]}]}}
    assert policy.settled(json.dumps(added)) == policy.settled(json.dumps(plain))


def test_a_weight_has_one_spelling_and_may_be_zero() -> None:
    one, other = (f'{{"wrr":{{"items":[{{"weight":{weight},"rrdatas":["192.0.2.1"]}}]}}}}' for weight in ("0.0", "0"))
    assert policy.settled(one) == policy.settled(other)
    assert '"weight":0' in policy.settled(one)


@pytest.mark.parametrize("text", ["", "x", "[]", "{}", '{"wrr":{},"geo":{}}', '{"latency":{}}'])
def test_what_is_no_policy_is_told(text: str) -> None:
    with pytest.raises(ValueError, match=r"Expecting|expected a JSON object with one of geo, primaryBackup, wrr"):
        policy.settled(text)
