"""Objects share repeated strings, and fields that no source reads are dropped."""

from __future__ import annotations

from typing import Final

import msgspec

from extdns.kube.object_decoder import intern_strings
from extdns.resources.core import Service

_TEXT: Final = b"""{"metadata": {"name": "web", "namespace": "shop",
    "labels": {"a-label-that-is-too-long-to-be-kept-by-the-decoder": "web"},
    "annotations": {"kubectl.kubernetes.io/last-applied-configuration": "{}", "note": "two words"}},
  "spec": {"type": "LoadBalancer", "externalTrafficPolicy": "Cluster",
    "selector": {"a-label-that-is-too-long-to-be-kept-by-the-decoder": "web"},
    "ports": [{"protocol": "TCP", "nodePort": 30000}]}}"""


def decode_service() -> Service:
    """Decode a Service without string interning."""
    return msgspec.json.decode(_TEXT, type=Service)


def intern_service() -> Service:
    """Decode a Service with string interning."""
    service = decode_service()
    intern_strings(service)
    return service


def list_strings(service: Service) -> list[str]:
    """List the strings that all Services of the namespace share, then those equal to this Service's name."""
    labels, selector, ports = service.metadata.labels, service.spec.selector, service.spec.ports
    assert labels
    assert selector
    assert ports
    alike = [service.metadata.namespace, service.spec.type, service.spec.external_traffic_policy, ports[0].protocol]
    return [*alike, *labels, *selector, *labels.values(), *selector.values()]


def test_equal_strings_of_several_services_share_memory() -> None:
    alike = 6
    pairs = zip(list_strings(intern_service())[:alike], list_strings(intern_service())[:alike], strict=True)
    assert [one for one, other in pairs if one is not other] == []


def test_a_label_value_equal_to_the_object_name_shares_memory_with_it() -> None:
    service = intern_service()
    assert [text for text in list_strings(service) if text == "web" and text is not service.metadata.name] == []


def test_only_the_copy_of_the_object_that_kubectl_stores_in_an_annotation_is_dropped() -> None:
    service = intern_service()
    assert list_strings(service) == list_strings(decode_service())
    assert service.spec == decode_service().spec
    assert service.metadata.annotations == {"note": "two words"}


def test_an_annotation_value_of_several_services_shares_memory() -> None:
    one, other = ((intern_service().metadata.annotations or {})["note"] for _ in range(2))
    assert one is other


def test_a_service_without_strings_to_share_is_returned_unchanged() -> None:
    bare = msgspec.json.decode(b'{"metadata": {"name": "web"}}', type=Service)
    intern_strings(bare)
    assert bare == msgspec.json.decode(b'{"metadata": {"name": "web"}}', type=Service)
