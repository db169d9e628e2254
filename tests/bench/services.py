"""Write Services as `kubectl get services -o json` prints them, a thousand to a file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

ZONE: Final = "bench.test"
# The first Services have files of their own, so that an edit of a file changes one object.
EDITED: Final = 22
_A_FILE: Final = 1000


def write(folder: Path, count: int) -> None:
    """Write *count* Services below *folder*, each with one host name of its own."""
    folder.mkdir(parents=True, exist_ok=True)
    for start in range(EDITED, count, _A_FILE):
        items = [service(number) for number in range(start, min(start + _A_FILE, count))]
        text = json.dumps({"apiVersion": "v1", "kind": "List", "items": items}, indent=1)
        (folder / f"services-{start // _A_FILE:03}.json").write_text(text, encoding="utf-8")
    for number in range(min(count, EDITED)):
        save(prepare_edit(folder, number, _address(198, number)))


def prepare_edit(folder: Path, number: int, address: str) -> Path:
    """Write the Service *number* with *address* into a file that extdns does not read yet, and return its path."""
    path = folder / f".edited-{number}"
    path.write_text(json.dumps(service(number, address)), encoding="utf-8")
    return path


def save(path: Path) -> None:
    """Rename the draft *path*, so that extdns reads it."""
    path.replace(path.with_name(f"{path.name.removeprefix('.')}.json"))


def service(number: int, address: str = "") -> dict[str, Any]:
    """Return a Service of typical size, with a status as a controller writes it."""
    name, namespace = f"web-{number:06}", f"team-{number % 100:02}"
    return {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {
            "name": name,
            "namespace": namespace,
            "uid": f"3f9a52c1-7c2e-4b6e-9d1a-{number:012x}",
            "resourceVersion": str(10_000_000 + number),
            "creationTimestamp": f"2026-01-01T{number // 3600 % 24:02}:{number // 60 % 60:02}:{number % 60:02}Z",
            "labels": {"app.kubernetes.io/name": name, "app.kubernetes.io/part-of": namespace},
            "annotations": {
                "external-dns.kubernetes.io/hostname": f"{name}.{namespace}.{ZONE}",
                "service.beta.kubernetes.io/aws-load-balancer-type": "external",
            },
        },
        "spec": {
            "type": "LoadBalancer",
            "clusterIP": _address(10, number),
            "clusterIPs": [_address(10, number)],
            "externalTrafficPolicy": "Cluster",
            "internalTrafficPolicy": "Cluster",
            "ipFamilies": ["IPv4"],
            "selector": {"app.kubernetes.io/name": name},
            "ports": [
                {"name": "http", "port": 80, "protocol": "TCP", "targetPort": 8080, "nodePort": 30000 + number % 2768}
            ],
        },
        "status": {"loadBalancer": {"ingress": [{"ip": address or _address(100, number)}]}},
    }


def _address(first: int, number: int) -> str:
    return f"{first}.{64 + number // 65536}.{number // 256 % 256}.{number % 256}"
