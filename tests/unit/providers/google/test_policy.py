"""Normalize routing policies of Cloud DNS."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest

from providers.google import record_sets
from tests.unit.providers.google.cloud_dns_values import FAILOVER, GEO, WEIGHTED


@pytest.mark.parametrize(
    ("value", "targets"),
    [
        pytest.param(WEIGHTED, ("192.0.2.1", "192.0.2.2"), id="weighted"),
        pytest.param(GEO, ("192.0.2.1", "192.0.2.9"), id="geolocation"),
        pytest.param(FAILOVER, ("10.1.0.2", "10.1.0.3"), id="failover"),
    ],
)
def test_normalizing_a_routing_policy_keeps_all_of_its_targets(
    value: Mapping[str, Any], targets: tuple[str, ...]
) -> None:
    normalized = record_sets.normalize_policy(json.dumps(value))
    assert json.loads(normalized) == value
    assert record_sets.normalize_policy(normalized) == normalized
    assert record_sets.list_policy_targets(normalized) == targets


def test_fields_with_defaults_or_added_by_cloud_dns_are_dropped_from_a_routing_policy() -> None:
    added = {
        "kind": "dns#rRSetRoutingPolicy",
        "geo": {
            "kind": "x",
            "enableFencing": False,
            "items": [{"kind": "y", "location": "us-east1", "rrdatas": ["192.0.2.1"], "signatureRrdatas": ["z"]}],
        },
    }
    plain = {"geo": {"items": [{"location": "us-east1", "rrdatas": ["192.0.2.1"]}]}}
    assert record_sets.normalize_policy(json.dumps(added)) == record_sets.normalize_policy(json.dumps(plain))


def test_weights_of_a_routing_policy_are_normalized_and_may_be_zero() -> None:
    one, other = (f'{{"wrr":{{"items":[{{"weight":{weight},"rrdatas":["192.0.2.1"]}}]}}}}' for weight in ("0.0", "0"))
    assert record_sets.normalize_policy(one) == record_sets.normalize_policy(other)
    assert '"weight":0' in record_sets.normalize_policy(one)


@pytest.mark.parametrize("text", ["", "x", "[]", "{}", '{"wrr":{},"geo":{}}', '{"latency":{}}'])
def test_an_invalid_routing_policy_is_a_value_error(text: str) -> None:
    with pytest.raises(ValueError, match=r"Expecting|expected a JSON object with one of geo, primaryBackup, wrr"):
        record_sets.normalize_policy(text)
