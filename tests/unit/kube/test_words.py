"""What objects have in common is held once, and what nobody reads not at all."""

from __future__ import annotations

from typing import Final

import msgspec

from extdns.kube.words import share_words
from extdns.model.objects import Service

_TEXT: Final = b"""{"metadata": {"name": "web", "namespace": "shop",
    "labels": {"a-label-that-is-too-long-to-be-kept-by-the-decoder": "web"},
    "annotations": {"kubectl.kubernetes.io/last-applied-configuration": "{}", "note": "w"}},
  "spec": {"type": "LoadBalancer", "externalTrafficPolicy": "Cluster",
    "selector": {"a-label-that-is-too-long-to-be-kept-by-the-decoder": "web"},
    "ports": [{"protocol": "TCP", "nodePort": 30000}]}}"""


def decoded() -> Service:
    """As decoded, so that no two texts are one object."""
    return msgspec.json.decode(_TEXT, type=Service)


def shared() -> Service:
    """As decoded and shared."""
    service = decoded()
    share_words(service)
    return service


def texts(service: Service) -> list[str]:
    """What every Service of the namespace says alike, then what this one says again of its own name."""
    labels, selector, ports = service.metadata.labels, service.spec.selector, service.spec.ports
    assert labels
    assert selector
    assert ports
    alike = [service.metadata.namespace, service.spec.type, service.spec.external_traffic_policy, ports[0].protocol]
    return [*alike, *labels, *selector, *labels.values(), *selector.values()]


def test_what_services_say_alike_is_held_once() -> None:
    alike = 6
    pairs = zip(texts(shared())[:alike], texts(shared())[:alike], strict=True)
    assert [one for one, other in pairs if one is not other] == []


def test_an_object_that_repeats_its_name_holds_it_once() -> None:
    service = shared()
    assert [text for text in texts(service) if text == "web" and text is not service.metadata.name] == []


def test_nothing_is_lost_but_what_kubectl_keeps_for_itself() -> None:
    service = shared()
    assert texts(service) == texts(decoded())
    assert service.spec == decoded().spec
    assert service.metadata.annotations == {"note": "w"}


def test_a_service_that_says_nothing_is_left_as_it_is() -> None:
    bare = msgspec.json.decode(b'{"metadata": {"name": "web"}}', type=Service)
    share_words(bare)
    assert bare == msgspec.json.decode(b'{"metadata": {"name": "web"}}', type=Service)
