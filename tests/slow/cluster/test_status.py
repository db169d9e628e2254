"""The status of DNSEndpoints in the real API server, with the CRD of extdns and with older ones."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import pytest
import yaml

from extdns.app import assembly
from extdns.config import parse
from extdns.controller.clock import SystemClock
from extdns.errors import ConflictError
from extdns.kube.api import ApiClient
from extdns.kube.cluster_access import ClusterAccess
from extdns.kube.status_writer import KubernetesStatusWriter
from extdns.model.kind import Kind, ObjectKey
from extdns.model.object_status import EndpointProblem, ObjectStatus
from extdns.model.reason import Reason
from extdns.resources.externaldns import DNS_ENDPOINT
from tests.fakes.apiserver.kinds import DNS_ENDPOINT as SERVED
from tests.fakes.apiserver.raw_client import APPLY, MERGE
from tests.kubernetes.cluster import Cluster

Json = dict[str, Any]

CRD: Final = Path(__file__).parents[3] / "charts" / "extdns" / "crds" / "dnsendpoints.externaldns.k8s.io.yaml"
NARROW: Final = DNS_ENDPOINT._replace(group="narrow.externaldns.test")
BARE: Final = DNS_ENDPOINT._replace(group="bare.externaldns.test")
NO_ZONE: Final = EndpointProblem(field="spec.endpoints[0]", name="a.acme.test", reason=Reason.NO_ZONE)


def definition(group: str, schema: Json, subresources: Json) -> Json:
    crd: Json = yaml.safe_load(CRD.read_text(encoding="utf-8"))
    (version,) = crd["spec"]["versions"]
    version |= {"schema": {"openAPIV3Schema": schema}, "subresources": subresources}
    metadata = {"name": f"dnsendpoints.{group}"}
    return crd | {"metadata": metadata, "spec": crd["spec"] | {"group": group}}


def schema(status: Json) -> Json:
    endpoints = {"type": "array", "items": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}}
    spec = {"type": "object", "properties": {"endpoints": endpoints}}
    return {"type": "object", "properties": {"spec": spec, "status": {"type": "object", "properties": status}}}


@pytest.fixture
def machinery(cluster: Cluster) -> Iterator[Cluster]:
    generation = {"observedGeneration": {"type": "integer", "format": "int64"}}
    older = []
    for kind, has_status in ((NARROW, True), (BARE, False)):
        older.append(replace(SERVED, group=kind.group, status=has_status))
        subresources: Json = {"status": {}} if has_status else {}
        cluster.register(older[-1], definition(kind.group, schema(generation), subresources))
    cluster.create_namespace("dns")
    yield cluster
    for served in older:
        cluster.unregister(served)


@pytest.fixture
def writer(machinery: Cluster, tmp_path: Path) -> Iterator[Callable[[Kind], KubernetesStatusWriter]]:
    made: list[KubernetesStatusWriter] = []

    def make(kind: Kind) -> KubernetesStatusWriter:
        client = ApiClient(ClusterAccess(kubeconfig=str(machinery.kubeconfig(tmp_path / "kubeconfig"))))
        made.append(KubernetesStatusWriter(client, kind, SystemClock(), pause_s=0.0))
        return made[-1]

    yield make
    for one in made:
        one.close(5.0)


def put(machinery: Cluster, kind: Kind, name: str) -> Json:
    endpoint = {"dnsName": "a.acme.test", "recordType": "A", "targets": ["192.0.2.1"]}
    stored: Json = machinery.raw_client.send(
        "POST",
        f"/apis/{kind.api_version}/namespaces/dns/dnsendpoints",
        {
            "apiVersion": kind.api_version,
            "kind": kind.name,
            "metadata": {"name": name, "namespace": "dns"},
            "spec": {"endpoints": [endpoint]},
        },
    ).body
    return stored


def read(machinery: Cluster, kind: Kind, name: str) -> Json:
    return dict(machinery.raw_client.get(f"/apis/{kind.api_version}/namespaces/dns/dnsendpoints/{name}").body)


def object_status(kind: Kind, name: str, *short: EndpointProblem) -> ObjectStatus:
    return ObjectStatus(key=ObjectKey(kind, "dns", name), generation=1, endpoints=1, problems=short)


def find_conditions(found: Json) -> dict[str, tuple[str, str]]:
    return {one["type"]: (one["status"], one["reason"]) for one in found["status"]["conditions"]}


def test_a_status_is_written_once_and_the_next_process_leaves_it_unchanged(
    machinery: Cluster, writer: Callable[[Kind], KubernetesStatusWriter]
) -> None:
    put(machinery, DNS_ENDPOINT, "web")
    read_after = []
    for _ in range(2):
        one = writer(DNS_ENDPOINT)
        one.write(object_status(DNS_ENDPOINT, "web", NO_ZONE))
        one.close(10.0)
        read_after.append(read(machinery, DNS_ENDPOINT, "web"))
    found, again = read_after
    assert found == again
    (managed,) = (entry for entry in found["metadata"]["managedFields"] if entry["manager"] == "extdns")
    assert (managed["operation"], managed["subresource"], found["metadata"]["generation"]) == ("Apply", "status", 1)
    assert find_conditions(found) == {
        "Accepted": ("True", "accepted"),
        "Programmed": ("False", "no-zone"),
        "Ready": ("False", "no-zone"),
    }
    assert found["status"]["endpoints"] == [
        {
            "dnsName": "a.acme.test",
            "recordType": "A",
            "reason": "no-zone",
            "message": "None of the zones that could be listed can hold the name.",
        }
    ]


def test_writing_a_status_keeps_conditions_of_other_managers_and_removes_outdated_endpoints(
    machinery: Cluster, writer: Callable[[Kind], KubernetesStatusWriter]
) -> None:
    put(machinery, DNS_ENDPOINT, "shared")
    since = "2026-01-01T00:00:00Z"
    theirs = {"type": "Checked", "status": "True", "reason": "x", "message": "", "lastTransitionTime": since}
    ours = theirs | {"type": "Accepted"}
    path = "/apis/externaldns.k8s.io/v1alpha1/namespaces/dns/dnsendpoints/shared/status"
    body = {
        "apiVersion": DNS_ENDPOINT.api_version,
        "kind": "DNSEndpoint",
        "status": {"observedGeneration": 7, "conditions": [theirs, ours]},
    }
    reply = machinery.raw_client.send("PATCH", f"{path}?fieldManager=them&force=true", body, content_type=APPLY)
    assert reply.code == 200, reply.body
    one = writer(DNS_ENDPOINT)
    one.write(object_status(DNS_ENDPOINT, "shared", NO_ZONE))
    one.close(10.0)
    two = writer(DNS_ENDPOINT)
    two.write(object_status(DNS_ENDPOINT, "shared"))
    two.close(10.0)
    found = read(machinery, DNS_ENDPOINT, "shared")
    assert theirs in found["status"]["conditions"]
    assert found["status"]["observedGeneration"] == 1
    assert "endpoints" not in found["status"]
    assert find_conditions(found)["Ready"] == ("True", "published")
    times = {one["type"]: one["lastTransitionTime"] for one in found["status"]["conditions"]}
    assert times["Accepted"] == since != times["Ready"]


def test_only_observed_generation_is_written_if_the_crd_has_no_conditions(
    machinery: Cluster, writer: Callable[[Kind], KubernetesStatusWriter], caplog: pytest.LogCaptureFixture
) -> None:
    for name in ("one", "two"):
        put(machinery, NARROW, name)
    one = writer(NARROW)
    for name in ("one", "two"):
        one.write(object_status(NARROW, name))
    one.close(10.0)
    assert [read(machinery, NARROW, name)["status"] for name in ("one", "two")] == [{"observedGeneration": 1}] * 2
    warnings = [record.message for record in caplog.records if record.levelno >= logging.WARNING]
    assert warnings == ["The DNSEndpoint CRD has no conditions; only status.observedGeneration is written"]


def test_without_a_status_subresource_in_the_crd_statuses_are_disabled_with_one_warning(
    machinery: Cluster, writer: Callable[[Kind], KubernetesStatusWriter], caplog: pytest.LogCaptureFixture
) -> None:
    put(machinery, BARE, "web")
    one = writer(BARE)
    one.write(object_status(BARE, "web"))
    one.write(object_status(BARE, "gone"))
    one.close(10.0)
    assert "status" not in read(machinery, BARE, "web")
    warnings = [record.message for record in caplog.records if record.levelno >= logging.WARNING]
    assert warnings == ["Cannot write object statuses; they are disabled"]


def test_a_status_is_written_after_write_conflicts_with_another_client(
    machinery: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(machinery, DNS_ENDPOINT, "busy")
    api = ApiClient(ClusterAccess(kubeconfig=str(machinery.kubeconfig(tmp_path / "kubeconfig"))))
    get, send = api.get, api.send
    refused: list[str] = []

    def get_and_change_object(path: str, query: Mapping[str, str] | None = None) -> bytes:
        found = get(path, query)
        if len(refused) < 2:
            touched = {"metadata": {"annotations": {"touched": str(len(refused))}}}
            machinery.raw_client.send("PATCH", path, touched, content_type=MERGE)
        return found

    def send_and_note_conflicts(method: str, path: str, *more: Any, **options: Any) -> bytes:  # noqa: ANN401 - those of send
        try:
            return send(method, path, *more, **options)
        except ConflictError as exc:
            refused.append(str(exc))
            raise

    monkeypatch.setattr(api, "get", get_and_change_object)
    monkeypatch.setattr(api, "send", send_and_note_conflicts)
    one = KubernetesStatusWriter(api, DNS_ENDPOINT, SystemClock(), pause_s=0.0)
    one.write(object_status(DNS_ENDPOINT, "busy"))
    one.close(10.0)
    assert len(refused) == 2
    found = read(machinery, DNS_ENDPOINT, "busy")
    assert find_conditions(found)["Ready"] == ("True", "published")
    assert found["metadata"]["annotations"] == {"touched": "1"}


def test_the_status_is_updated_after_a_dnsendpoint_changes(machinery: Cluster, tmp_path: Path) -> None:
    def run_once() -> Json:
        flags = ["--source=crd", "--provider=inmemory", "--inmemory-zone=acme.test", "--registry=noop", "--once"]
        where = [f"--kubeconfig={machinery.kubeconfig(tmp_path / 'kubeconfig')}", "--metrics-address=127.0.0.1:0"]
        running = assembly.assemble(parse([*flags, *where], {}))
        running.controller.run(once=True)
        return read(machinery, DNS_ENDPOINT, "followed")

    stored = put(machinery, DNS_ENDPOINT, "followed")
    first = run_once()
    assert find_conditions(first)["Ready"] == ("True", "published")
    assert run_once() == first
    (endpoint,) = stored["spec"]["endpoints"]
    stored["spec"]["endpoints"].append(endpoint | {"dnsName": "a.elsewhere.test"})
    stored["metadata"]["resourceVersion"] = first["metadata"]["resourceVersion"]
    path = "/apis/externaldns.k8s.io/v1alpha1/namespaces/dns/dnsendpoints/followed"
    assert machinery.raw_client.send("PUT", path, stored).code == 200
    second = run_once()
    assert (second["metadata"]["generation"], second["status"]["observedGeneration"]) == (2, 2)
    assert find_conditions(second)["Ready"] == ("False", "no-zone")
    assert [one["dnsName"] for one in second["status"]["endpoints"]] == ["a.elsewhere.test"]
