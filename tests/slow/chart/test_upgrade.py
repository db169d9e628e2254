"""Helm upgrades a release of external-dns's chart, tests it, and rolls it back, in a real cluster."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any, Final

import pytest

from tests.kubernetes.cluster import Cluster
from tests.slow.chart.releases import RELEASE, Releases, connect, write_former_chart
from tests.slow.chart.tools import CHART, Helm, Json, of

FORMER_IMAGE: Final = "registry.k8s.io/external-dns/external-dns:v0.21.0"
NAMES: Final = {
    "Deployment": RELEASE,
    "Service": RELEASE,
    "ServiceAccount": RELEASE,
    "ClusterRole": RELEASE,
    "ClusterRoleBinding": f"{RELEASE}-viewer",
}
OURS: Final = f"{RELEASE}-configmaps"
"""The Role that external-dns does not have."""


@pytest.fixture
def releases(cluster: Cluster, tmp_path: Path) -> Iterator[Releases]:
    """Return helm with a release of external-dns's chart."""
    former = write_former_chart(tmp_path / "external-dns")
    with connect(cluster, tmp_path) as found:
        done = found.run("install", RELEASE, former)
        assert done.code == 0, done.error
        yield found


def read_identity(releases: Releases) -> dict[str, Any]:
    """Return what an upgrade must not change: uids, selectors and the service account."""
    spec = releases.get("Deployment")["spec"]
    return {kind: releases.get(kind, name)["metadata"]["uid"] for kind, name in NAMES.items()} | {
        "selectors": (spec["selector"], releases.get("Service")["spec"]["selector"]),
        "account": spec["template"]["spec"]["serviceAccountName"],
        "subjects": releases.get("ClusterRoleBinding", NAMES["ClusterRoleBinding"])["subjects"],
    }


def test_a_helm_upgrade_from_the_external_dns_chart_changes_the_same_objects_and_a_rollback_restores_them(
    releases: Releases,
) -> None:
    before, container = read_identity(releases), releases.get_container()
    assert container["image"] == FORMER_IMAGE
    done = releases.run("upgrade", RELEASE, CHART, "--reset-then-reuse-values", "--set=policy=sync")
    assert done.code == 0, done.error
    assert read_identity(releases) == before
    assert releases.get_container()["name"] == "external-dns"
    assert "/extdns:" in releases.get_container()["image"]
    assert releases.get("Role", OURS)
    done = releases.run("rollback", RELEASE)
    assert done.code == 0, done.error
    assert read_identity(releases) == before
    assert releases.get_container() == container
    assert releases.find("Role", OURS) is None


def test_a_helm_upgrade_with_reuse_values_is_refused_because_of_the_former_image_and_accepted_with_another(
    releases: Releases,
) -> None:
    before, container = read_identity(releases), releases.get_container()
    done = releases.run("upgrade", RELEASE, CHART, "--reuse-values")
    assert "use --reset-then-reuse-values instead." in done.error
    assert releases.get_container() == container
    done = releases.run("upgrade", RELEASE, CHART, "--reuse-values", "--set=image.repository=mirror.example.org/extdns")
    assert done.code == 0, done.error
    assert read_identity(releases) == before
    assert releases.get_container()["image"].startswith("mirror.example.org/extdns:")


def find_container(manifests: list[Json], name: str) -> Json:
    """Return a container of the pod of `helm test`."""
    (pod,) = of("Pod", manifests)
    (found,) = (one for one in pod["spec"]["containers"] if one["name"] == name)
    return dict(found)


@pytest.mark.parametrize(("status", "code"), [(200, 0), (503, 1)])
def test_the_pod_of_helm_test_succeeds_if_and_only_if_the_readiness_page_answers_200(
    helm: Helm, status: int, code: int
) -> None:
    class Page(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(status if self.path == "/readyz" else 404)
            self.end_headers()
            self.wfile.write(b"the state of readiness")

    *command, url = find_container(helm.manifests({"service": {"port": 80}}), "ready")["command"]
    assert url == "http://external-dns.dns:80/readyz"
    with ThreadingHTTPServer(("127.0.0.1", 0), Page) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        local = f"http://127.0.0.1:{server.server_port}/readyz"
        done = subprocess.run([sys.executable, *command[1:], local], capture_output=True, text=True, check=False)
        server.shutdown()
    assert (done.returncode, "the state of readiness" in done.stdout + done.stderr) == (code, True)
