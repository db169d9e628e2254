"""The fake API server serves kubectl: get, apply, watch and delete work as with a real one."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.fakes.apiserver.server import ApiServer
from tests.kubernetes.cluster import NEWEST
from tests.required_programs import require_programs

Kubectl = Callable[..., str]

MANIFEST = """
apiVersion: v1
kind: Service
metadata: {name: web, namespace: shop, annotations: {color: red}}
spec: {ports: [{name: http, port: 80}, {name: https, port: 443}]}
---
apiVersion: externaldns.k8s.io/v1alpha1
kind: DNSEndpoint
metadata: {name: extra, namespace: shop}
spec: {endpoints: [{dnsName: a.example.org, recordType: A, targets: [192.0.2.1]}]}
"""
APPLY = ("apply", "--validate=false", "-f", "-")


@pytest.fixture(params=[pytest.param(False, id="plain"), pytest.param(True, id="tls-and-token")])
def server(request: pytest.FixtureRequest) -> Iterator[ApiServer]:
    with ApiServer(tls=request.param, token="secret" if request.param else None) as server:
        yield server


@pytest.fixture
def command(server: ApiServer, tmp_path: Path) -> tuple[str, ...]:
    require_programs("the fake API server with kubectl", f"kubectl-{NEWEST}")
    config, cache = server.kubeconfig(tmp_path / "config"), tmp_path / "cache"
    return (f"kubectl-{NEWEST}", f"--kubeconfig={config}", f"--cache-dir={cache}", "--namespace=shop")


@pytest.fixture
def kubectl(command: tuple[str, ...]) -> Kubectl:
    def run(*args: str, manifest: str = "", code: int = 0) -> str:
        done = subprocess.run(
            [*command, *args],
            input=manifest,
            capture_output=True,
            text=True,
            check=False,
            timeout=300,
            env=os.environ | {"KUBECTL_KUBERC": "false"},
        )
        assert done.returncode == code, done.stderr
        return done.stdout + done.stderr

    return run


def test_kubectl_applies_gets_and_deletes_objects_of_the_fake_api_server(server: ApiServer, kubectl: Kubectl) -> None:
    created = kubectl(*APPLY, manifest=MANIFEST)
    assert created.splitlines() == [
        "service/web created",
        "dnsendpoint.externaldns.k8s.io/extra created",
    ]
    assert "shop" in kubectl("get", "svc,dnsendpoints", "--all-namespaces")
    assert kubectl("get", "svc", "web", "-o", "jsonpath={.spec.ports[1].port}") == "443"
    assert kubectl("get", "svc", "-l", "app=none", "-o", "name") == ""
    assert "deleted" in kubectl("delete", "service/web", "dnsendpoint/extra")
    assert server.objects("Service") == server.objects("DNSEndpoint") == []
    assert "NotFound" in kubectl("get", "svc", "web", code=1)


def test_kubectl_apply_changes_an_object_by_patch(server: ApiServer, kubectl: Kubectl) -> None:
    kubectl(*APPLY, manifest=MANIFEST)
    changed = MANIFEST.replace("port: 443", "port: 8443").replace("red", "blue")
    assert "service/web configured" in kubectl(*APPLY, manifest=changed)
    web = server.get("Service", "shop", "web")
    assert web is not None
    assert [port["port"] for port in web["spec"]["ports"]] == [80, 8443]
    assert web["metadata"]["annotations"]["color"] == "blue"
    assert [request.headers["content-type"] for request in server.log.requests("patch")] == [
        "application/strategic-merge-patch+json"
    ]


def test_kubectl_server_side_apply_reports_conflicts(kubectl: Kubectl) -> None:
    server_side = ("apply", "--server-side", "--validate=false", "-f", "-")
    assert "serverside-applied" in kubectl(*server_side, "--field-manager=one", manifest=MANIFEST)
    changed = MANIFEST.replace("red", "blue")
    output = kubectl(*server_side, "--field-manager=two", manifest=changed, code=1)
    assert 'conflict with "one": .metadata.annotations.color' in output
    assert "serverside-applied" in kubectl(*server_side, "--field-manager=two", "--force-conflicts", manifest=changed)


def test_kubectl_watch_shows_added_modified_and_deleted(
    server: ApiServer, kubectl: Kubectl, command: tuple[str, ...]
) -> None:
    kubectl(*APPLY, manifest=MANIFEST)
    columns = ("--no-headers", "-o", "custom-columns=T:.type,N:.object.metadata.name")
    watching = [*command, "get", "services", "--watch", "--output-watch-events", *columns]
    with subprocess.Popen(watching, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            seen = [process.stdout.readline().split()]
            server.log.wait_for("watch", "services")
            kubectl("annotate", "service", "web", "a=b")
            seen.append(process.stdout.readline().split())
            kubectl("delete", "service", "web")
            seen.append(process.stdout.readline().split())
        finally:
            process.terminate()
    assert seen == [["ADDED", "web"], ["MODIFIED", "web"], ["DELETED", "web"]]


def test_kubectl_reads_1001_nodes_from_the_fake_api_server_in_three_pages(server: ApiServer, kubectl: Kubectl) -> None:
    named = [{"apiVersion": "v1", "kind": "Node", "metadata": {"name": f"n{number:04}"}} for number in range(1001)]
    server.put_all(named)
    assert len(kubectl("get", "nodes", "-o", "name").splitlines()) == 1001
    assert len(server.log.requests("list", "nodes")) == 3


def test_kubectl_shows_which_list_is_forbidden(server: ApiServer, kubectl: Kubectl) -> None:
    server.forbid("list", "services")
    assert 'User "tester" cannot list resource "services"' in kubectl("get", "services", code=1)
