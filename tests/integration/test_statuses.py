"""The status of DNSEndpoints, as the whole program writes it to a fake API server."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from extdns.app.cluster_writers import build_status_updaters
from extdns.config import parse
from extdns.controller.clock import SystemClock
from extdns.controller.write_gate import WriteGate
from extdns.kube.api import ApiClient
from extdns.kube.cluster_access import ClusterAccess
from extdns.kube.status_writer import KubernetesStatusWriter
from extdns.model.kind import ObjectKey
from extdns.model.object_status import EndpointProblem, ObjectStatus
from extdns.model.reason import Reason
from extdns.resources.externaldns import DNS_ENDPOINT
from tests.fakes.apiserver.faults import Refuse, Stall
from tests.fakes.apiserver.requests import Request
from tests.fakes.apiserver.server import ApiServer
from tests.program.installation import Installation
from tests.world import start_world

Json = dict[str, Any]
KEY = ObjectKey(DNS_ENDPOINT, "dns", "web")


@pytest.fixture
def writer(server: ApiServer, tmp_path: Path) -> Iterator[KubernetesStatusWriter]:
    client = ApiClient(ClusterAccess(kubeconfig=str(server.kubeconfig(tmp_path / "kubeconfig"))))
    made = KubernetesStatusWriter(client, DNS_ENDPOINT, SystemClock(), pause_s=0.0)
    yield made
    made.close(5.0)


def endpoint(name: str, rtype: str = "A", *targets: str) -> Json:
    return {"dnsName": name, "recordType": rtype, "targets": list(targets or ["192.0.2.1"])}


def dns_endpoint(name: str, *endpoints: Json, **metadata: object) -> Json:
    return {
        "apiVersion": "externaldns.k8s.io/v1alpha1",
        "kind": "DNSEndpoint",
        "metadata": {"name": name, "namespace": "dns", **metadata},
        "spec": {"endpoints": list(endpoints)},
    }


def status(server: ApiServer, name: str = "web") -> Json:
    found = server.get("DNSEndpoint", "dns", name)
    assert found is not None
    return dict(found.get("status", {}))


def list_conditions(found: Json) -> list[tuple[str, str, str]]:
    """Return type, status and reason of each condition in order."""
    return [(one["type"], one["status"], one["reason"]) for one in found.get("conditions", [])]


def writes(server: ApiServer) -> tuple[Request, ...]:
    return server.log.requests("patch", "dnsendpoints")


def warnings(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [record.message for record in caplog.records if record.levelno >= logging.WARNING]


READY = [("Accepted", "True", "accepted"), ("Programmed", "True", "published"), ("Ready", "True", "published")]


def test_the_status_lists_each_unpublished_endpoint_with_its_reason(server: ApiServer, tmp_path: Path) -> None:
    installation = Installation(tmp_path, server, example_org="taken A 192.0.2.99\n")
    installation.apply(
        dns_endpoint(
            "web",
            endpoint("good.example.org"),
            endpoint("dotted.example.org", "A", "192.0.2.1."),
            endpoint("x.elsewhere.test"),
            endpoint("taken.example.org"),
            endpoint("caa.example.org", "CAA", '0 issue "x"'),
            endpoint("a..b"),
            endpoint("slow.example.org") | {"recordTTL": -1},
            endpoint("text.example.org", "TXT", '"x"'),
        )
    )
    with installation.start("--source=crd", once=True) as running:
        running.end()
    found = status(server)
    assert list_conditions(found) == [
        ("Accepted", "False", "invalid-endpoint"),
        ("Programmed", "False", "invalid-endpoint"),
        ("Ready", "False", "invalid-endpoint"),
    ]
    assert [(one["dnsName"], one["recordType"], one["reason"]) for one in found["endpoints"]] == [
        ("dotted.example.org", "A", "invalid-endpoint"),
        ("x.elsewhere.test", "A", "no-zone"),
        ("taken.example.org", "A", "foreign-record"),
        ("caa.example.org", "CAA", "invalid-endpoint"),
        ("a..b", "A", "invalid-name"),
        ("slow.example.org", "A", "invalid-ttl"),
        ("text.example.org", "TXT", "type-unmanaged"),
    ]
    assert found["conditions"][1]["message"].startswith("6 of 8 endpoints: spec.endpoints[1] dotted.example.org: ")


def test_400_statuses_are_written_once_each_and_not_again_by_a_new_process(
    server: ApiServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    defaults = KubernetesStatusWriter.__init__.__kwdefaults__ or {}
    monkeypatch.setitem(defaults, "pause_s", 0.0)  # the pauses spare a real server; here they only cost time
    installation = Installation(tmp_path, server, example_org="")
    installation.apply(*(dns_endpoint(f"e{number}", endpoint(f"e{number}.example.org")) for number in range(400)))
    with installation.start("--source=crd") as running:
        for count in (100, 200, 300, 400):
            server.log.wait_for("patch", "dnsendpoints", count=count)
        running.pass_time(61.0)
        running.until("All records are already up to date")
        running.pass_time(61.0)
        running.until("All records are already up to date")
        server.put(dns_endpoint("last", endpoint("last.example.org")))
        server.log.wait_for("patch", "dnsendpoints", count=401)
    assert len(writes(server)) == len({request.path for request in writes(server)}) == 401
    assert all(list_conditions(status(server, f"e{number}")) == READY for number in range(400))
    server.log.clear()
    with installation.start("--source=crd"):
        for count in (200, 401):
            server.log.wait_for("get", "dnsendpoints", count=count)
    assert not writes(server)


def test_a_status_write_computes_no_claims_again_but_a_new_generation_does(server: ApiServer, tmp_path: Path) -> None:
    installation = Installation(tmp_path, server, example_org="")
    installation.apply(dns_endpoint("web", endpoint("a.example.org"), generation=1))
    with installation.start("--source=crd") as running:
        server.log.wait_for("patch", "dnsendpoints")
        computed = running.controller._parts.observer.computed
        since = status(server)["conditions"][0]["lastTransitionTime"]
        stored = server.get("DNSEndpoint", "dns", "web") or {}
        server.put(stored | {"metadata": {**stored["metadata"], "generation": 2}})
        server.log.wait_for("patch", "dnsendpoints", count=2)
        assert running.controller._parts.observer.computed == computed + 1 == 2
    found = status(server)
    assert (found["observedGeneration"], found["conditions"][0]["observedGeneration"]) == (2, 2)
    assert found["conditions"][0]["lastTransitionTime"] == since


@pytest.mark.parametrize(
    ("flags", "is_one"),
    [
        pytest.param(["--source=crd"], True, id="live"),
        pytest.param(["--source=service"], False, id="not-without-the-source"),
        pytest.param(["--source=crd", "--dry-run"], False, id="not-in-a-dry-run"),
        pytest.param(["--source=crd", "--manifests=-"], False, id="not-without-a-cluster"),
    ],
)
def test_flags_decide_whether_statuses_are_written(
    server: ApiServer, tmp_path: Path, flags: list[str], *, is_one: bool
) -> None:
    start = ["--provider=inmemory", f"--kubeconfig={server.kubeconfig(tmp_path / 'kubeconfig')}"]
    config, engine = parse([*start, *flags], {}), start_world().engine
    assert any(build_status_updaters(config, engine, None, SystemClock(), WriteGate())) is is_one


def object_status(name: str = "web", *short: EndpointProblem, generation: int = 1) -> ObjectStatus:
    key = KEY._replace(name=name)
    return ObjectStatus(key=key, generation=generation, endpoints=1, problems=short)


NO_ZONE = EndpointProblem(field="spec.endpoints[0]", name="a.test", reason=Reason.NO_ZONE)


def test_no_status_is_written_for_a_deleted_object_or_an_older_generation(
    server: ApiServer, writer: KubernetesStatusWriter
) -> None:
    server.put(dns_endpoint("web", endpoint("a.test"), generation=2))
    writer.write(object_status("web"))
    writer.write(object_status("gone"))
    writer.close(5.0)
    assert not writes(server)


def test_a_status_already_written_causes_no_request_until_the_object_is_deleted_and_created_again(
    server: ApiServer, writer: KubernetesStatusWriter
) -> None:
    server.put(dns_endpoint("web", endpoint("a.test")))
    writer.write(object_status())
    server.log.wait_for("patch", "dnsendpoints")
    server.put(dns_endpoint("last", endpoint("a.test")))
    writer.write(object_status("last"))
    server.log.wait_for("patch", "dnsendpoints", count=2)
    writer.write(object_status())
    server.delete("DNSEndpoint", "dns", "web")
    server.put(dns_endpoint("web", endpoint("a.test")))
    writer.forget(KEY)
    writer.write(object_status())
    writer.close(5.0)
    assert list_conditions(status(server)) == READY
    assert len(server.log.requests("get", "dnsendpoints")) == len(writes(server)) == 3


def test_writing_a_status_is_retried_after_a_503(server: ApiServer, writer: KubernetesStatusWriter) -> None:
    server.put(dns_endpoint("web", endpoint("a.test")))
    server.faults.arm(Refuse(code=503), verb="patch", resource="dnsendpoints")
    writer.write(object_status())
    server.log.wait_for("patch", "dnsendpoints", count=2)
    writer.close(5.0)
    assert list_conditions(status(server)) == READY


def test_objects_whose_status_always_fails_do_not_delay_others(
    server: ApiServer, writer: KubernetesStatusWriter
) -> None:
    server.faults.arm(Refuse(code=500), verb="patch", resource="dnsendpoints", namespace="huge", times=None)
    for number in range(12):
        server.put(dns_endpoint(f"e{number}", endpoint("a.test"), namespace="huge"))
        writer.write(replace(object_status(), key=KEY._replace(namespace="huge", name=f"e{number}")))
    server.log.wait_for("patch", "dnsendpoints", count=12)
    server.put(dns_endpoint("web", endpoint("a.test")))
    writer.write(object_status())
    writer.close(5.0)
    assert list_conditions(status(server)) == READY


def test_namespaces_take_turns_with_statuses(server: ApiServer, writer: KubernetesStatusWriter) -> None:
    stalled = server.faults.arm(Stall(), verb="get", resource="dnsendpoints")
    for namespace, name in (("dns", "a"), ("dns", "b"), ("dns", "c"), ("shop", "web")):
        server.put(dns_endpoint(name, endpoint("a.test"), namespace=namespace))
        writer.write(replace(object_status(), key=KEY._replace(namespace=namespace, name=name)))
        stalled.wait()  # for the first one, with which the writer is busy
    stalled.release()
    writer.close(5.0)
    assert [request.namespace for request in writes(server)] == ["dns", "dns", "shop", "dns"]


def test_an_object_created_again_during_both_attempts_does_not_disable_statuses(
    server: ApiServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    api = ApiClient(ClusterAccess(kubeconfig=str(server.kubeconfig(tmp_path / "kubeconfig"))))
    get = api.get
    found: list[bytes] = []

    def get_and_delete(path: str, query: Mapping[str, str] | None = None) -> bytes:
        if path.endswith("/web") and len(found) < 3:
            server.put(dns_endpoint("web", endpoint("a.test")))
            found.append(get(path, query))
            if len(found) < 3:
                server.delete("DNSEndpoint", "dns", "web")
            return found[-1]
        return get(path, query)

    monkeypatch.setattr(api, "get", get_and_delete)
    server.put(dns_endpoint("other", endpoint("a.test")))
    writer = KubernetesStatusWriter(api, DNS_ENDPOINT, SystemClock(), pause_s=0.0)
    writer.write(object_status())
    writer.write(object_status("other"))
    writer.close(5.0)
    assert list_conditions(status(server)) == list_conditions(status(server, "other")) == READY


@pytest.mark.parametrize("verb", ["get", "patch"])
def test_a_namespace_without_the_permission_gets_no_statuses_and_one_warning(
    server: ApiServer, writer: KubernetesStatusWriter, caplog: pytest.LogCaptureFixture, verb: str
) -> None:
    server.put_all(dns_endpoint(name, endpoint("a.test")) for name in "abc")
    server.put(dns_endpoint("web", endpoint("a.test"), namespace="shop"))
    server.forbid(verb, "dnsendpoints", "dns")
    for name in "abc":
        writer.write(object_status(name))
    writer.write(replace(object_status(), key=KEY._replace(name="web", namespace="shop")))
    writer.close(5.0)
    assert [status(server, name) for name in "abc"] == [{}] * 3
    found = server.get("DNSEndpoint", "shop", "web")
    assert found is not None
    assert list_conditions(found["status"]) == READY
    assert warnings(caplog) == ["No permission to write object statuses in a namespace; it gets none"]
