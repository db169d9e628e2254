"""A cluster of the size that few have: the program publishes all of it, within the memory that the chart requests."""

from __future__ import annotations

import base64
import json
import signal
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from time import monotonic
from typing import Final

from tests.fakes.route53.server import Route53
from tests.kubernetes.cluster import Cluster, Json
from tests.objects import CREATED, service
from tests.slow.chart.tools import Helm
from tests.slow.cluster.life import ZONE, Life, Records
from tests.slow.cluster.release import Release

BIG: Final = "big"
BALANCERS: Final = 4000
HEADLESS: Final = 1000
SLICES: Final = 2
"""For each Service. That of a headless one has one Pod."""
MEMORY_KIB: Final = 192 << 10
"""What the chart requests by default (docs/reference/sizing.md)."""


def build_objects() -> Iterator[tuple[str, Json]]:
    """Yield the objects, each with the name of the folder in which the API server stores its kind."""
    ports = [{"port": 80, "protocol": "TCP", "targetPort": 80}]
    for number in range(BALANCERS + HEADLESS):
        name = f"s{number}"
        is_headless = number >= BALANCERS
        spec: Json = {"type": "ClusterIP", "clusterIP": "None"} if is_headless else {"type": "LoadBalancer"}
        address = None if is_headless else build_addresses(number)[0]
        yield "services/specs", service(name, namespace=BIG, address=address, ports=ports, **spec)
        for half, address in enumerate(build_addresses(number)):
            pod = f"{name}-{half}"
            endpoint = {"addresses": [address], "conditions": {"ready": True}}
            if is_headless:
                endpoint["targetRef"] = {"kind": "Pod", "namespace": BIG, "name": pod}
                ready = [{"type": "Ready", "status": "True"}]
                yield (
                    "pods",
                    build("v1", "Pod", pod)
                    | {
                        "spec": {"containers": [{"name": "web", "image": "web"}]},
                        "status": {"phase": "Running", "podIP": address, "conditions": ready},
                    },
                )
            labels = {"kubernetes.io/service-name": name, "endpointslice.kubernetes.io/managed-by": "test"}
            yield (
                "endpointslices",
                build("discovery.k8s.io/v1", "EndpointSlice", pod, labels=labels)
                | {"addressType": "IPv4", "endpoints": [endpoint], "ports": [{"port": 80, "protocol": "TCP"}]},
            )


def build(version: str, kind: str, name: str, **metadata: object) -> Json:
    made = {"name": name, "namespace": BIG, "uid": f"{kind}-{name}", "creationTimestamp": CREATED}
    return {"apiVersion": version, "kind": kind, "metadata": made | metadata}


def build_addresses(number: int) -> list[str]:
    return [f"10.{half}.{number // 256}.{number % 256}" for half in range(SLICES)]


def store(cluster: Cluster) -> None:
    stored = (
        (f"/registry/{folder}/{BIG}/{obj['metadata']['name']}", json.dumps(obj)) for folder, obj in build_objects()
    )
    cluster.write({encode(key): encode(value) for key, value in stored})
    # many have one version: a watch would never complete a list that has only some of these
    services = BALANCERS + HEADLESS
    for kind, count in (("Service", services), ("EndpointSlice", services * SLICES), ("Pod", HEADLESS * SLICES)):
        cluster.until(partial(has_objects, cluster, kind, count))


def has_objects(cluster: Cluster, kind: str, count: int) -> bool:
    return len([one for one in cluster.objects(kind) if one["metadata"]["namespace"] == BIG]) == count


def encode(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


def expected() -> Records:
    return {
        f"s{number}.{ZONE}": tuple(build_addresses(number)[: 1 if number < BALANCERS else SLICES])
        for number in range(BALANCERS + HEADLESS)
    }


def test_5000_services_with_10000_endpoint_slices_are_published_in_the_requested_memory(
    helm: Helm, dns: Route53, tmp_path: Path
) -> None:
    with Cluster() as cluster, Release(cluster, helm, tmp_path, {"sources": ["service"]}) as release:
        cluster.create_namespace(BIG)
        start_s = monotonic()
        store(cluster)
        print(f"stored in {monotonic() - start_s:.1f} s")
        life, records = Life(release, dns, tmp_path), expected()
        for what in ("an empty zone", "a published zone"):
            start_s = monotonic()
            life.process.start()
            life.until_ready()
            life.until(lambda: life.published() == records)
            print(f"{what}: {monotonic() - start_s:.1f} s, at most {life.process.read_peak_kib() / 1024:.0f} MiB")
            assert life.process.read_peak_kib() <= MEMORY_KIB
            assert life.process.end(signal.SIGKILL) == -signal.SIGKILL
        life.process.start()
        life.until_ready()
        cluster.roll()
        cluster.delete("Service", BIG, "s0")
        cluster.delete("EndpointSlice", BIG, f"s{BALANCERS}-0")
        del records[f"s0.{ZONE}"]
        records[f"s{BALANCERS}.{ZONE}"] = tuple(build_addresses(BALANCERS)[1:])
        life.until(lambda: life.published() == records)
        assert life.deleted() == {f"s0.{ZONE}"}
        life.end()
