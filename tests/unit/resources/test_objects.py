"""Decoding of Kubernetes objects into structs with the fields that sources read."""

from __future__ import annotations

import msgspec
import pytest

from extdns.model.kind import Kind, build_key, build_ref
from extdns.resources.core import NODE, POD, SERVICE, Pod, Service
from extdns.resources.discovery import ENDPOINT_SLICE
from extdns.resources.kinds import STRUCTS
from extdns.resources.networking import INGRESS


def test_a_service_is_decoded_from_the_json_of_the_api() -> None:
    text = b"""{"kind": "Service", "apiVersion": "v1",
      "metadata": {"name": "web", "namespace": "shop", "uid": "u1", "creationTimestamp": "2026-01-02T03:04:05Z",
                   "managedFields": [{"manager": "kubectl"}], "annotations": {"a/b": "c"}},
      "spec": {"type": "LoadBalancer", "clusterIP": "10.0.0.1", "externalIPs": ["192.0.2.9"],
               "publishNotReadyAddresses": true, "ports": [{"port": 80, "nodePort": 30080, "protocol": "TCP"}]},
      "status": {"loadBalancer": {"ingress": [{"ip": "192.0.2.1"}, {"hostname": "lb.test"}]}}}"""
    service = msgspec.json.decode(text, type=Service)
    assert (service.spec.type, service.spec.cluster_ip, service.spec.external_ips) == (
        "LoadBalancer",
        "10.0.0.1",
        ("192.0.2.9",),
    )
    assert service.spec.publish_not_ready_addresses
    assert service.spec.ports is not None
    assert service.spec.ports[0].node_port == 30080
    assert service.status.load_balancer is not None
    assert service.status.load_balancer.ingress is not None
    assert [(point.ip, point.hostname) for point in service.status.load_balancer.ingress] == [
        ("192.0.2.1", ""),
        ("", "lb.test"),
    ]
    ref = build_ref(SERVICE, service.metadata)
    assert (ref.uid, ref.created, ref.key.resource) == ("u1", "2026-01-02T03:04:05Z", "service/shop/web")
    assert str(ref) == "Service shop/web"


def test_a_pod_is_decoded_from_the_json_of_the_api() -> None:
    text = b"""{"metadata": {"name": "p"}, "spec": {"nodeName": "n1", "hostNetwork": true},
      "status": {"hostIP": "10.0.0.1", "podIP": "10.1.0.1", "podIPs": [{"ip": "10.1.0.1"}]}}"""
    pod = msgspec.json.decode(text, type=Pod)
    assert (pod.spec.node_name, pod.status.host_ip, pod.status.pod_ip) == ("n1", "10.0.0.1", "10.1.0.1")
    assert pod.status.pod_ips is not None
    assert pod.status.pod_ips[0].ip == "10.1.0.1"


@pytest.mark.parametrize("kind", [SERVICE, INGRESS, POD, NODE, ENDPOINT_SLICE], ids=lambda kind: kind.name)
def test_an_object_is_decoded_if_it_has_only_a_name(kind: Kind) -> None:
    obj = msgspec.json.decode(b'{"metadata": {"name": "x"}}', type=STRUCTS[kind])
    key = build_key(kind, obj.metadata)
    assert (key.namespace, key.name) == ("default" if kind.namespaced else "", "x")


def test_an_object_with_a_field_of_the_wrong_type_is_not_decoded() -> None:
    with pytest.raises(msgspec.ValidationError, match=r"\$\.spec\.externalIPs"):
        msgspec.json.decode(b'{"metadata": {"name": "x"}, "spec": {"externalIPs": "192.0.2.1"}}', type=Service)
