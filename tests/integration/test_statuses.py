"""The status of DNSEndpoints, as the whole program writes it to a stand-in for an API server."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from extdns.app.statuswriters import status_writer
from extdns.config import parse
from extdns.controller.clock import SystemClock
from extdns.kube.api import Api
from extdns.kube.client import Access, Client
from extdns.kube.statuses.writer import Writer
from extdns.model.cluster import ObjectKey
from extdns.model.dnsendpoint import DNS_ENDPOINT
from extdns.model.reason import Reason
from extdns.model.standing import Shortfall, Standing
from tests.fakes.apiserver.faults import Refuse
from tests.fakes.apiserver.kinds import DNS_ENDPOINT as SERVED
from tests.fakes.apiserver.kinds import KINDS, Kind
from tests.fakes.apiserver.requests import Request
from tests.fakes.apiserver.server import ApiServer
from tests.integration.live import LiveStage, program

Json = dict[str, Any]
KEY = ObjectKey(DNS_ENDPOINT, "dns", "web")


@pytest.fixture
def server() -> Iterator[ApiServer]:
    with ApiServer() as running:
        yield running


@pytest.fixture
def writer(server: ApiServer, tmp_path: Path) -> Iterator[Writer]:
    client = Client(Access(kubeconfig=str(server.kubeconfig(tmp_path / "kubeconfig"))))
    made = Writer(Api(client, request_timeout_s=5.0), DNS_ENDPOINT, SystemClock(), pause_s=0.0)
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


def brief(found: Json) -> list[str]:
    return [f"{one['type']}={one['status']} {one['reason']}" for one in found.get("conditions", [])]


def writes(server: ApiServer) -> tuple[Request, ...]:
    return server.log.requests("patch", "dnsendpoints")


def warnings(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [record.message for record in caplog.records if record.levelno >= logging.WARNING]


READY = ["Accepted=True accepted", "Programmed=True programmed", "Ready=True programmed"]


def test_what_is_published_is_ready(server: ApiServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stage = LiveStage(tmp_path, server, example_org="")
    stage.put(dns_endpoint("web", endpoint("a.example.org"), endpoint("b.example.org", "TXT", '"x"'), generation=3))
    with program(
        stage, monkeypatch, "--source=crd", "--managed-record-types=A", "--managed-record-types=TXT", once=True
    ) as running:
        assert running.end() == 0
    found = status(server)
    assert (found["observedGeneration"], brief(found)) == (3, READY)
    assert "endpoints" not in found
    assert len(writes(server)) == 1
    assert server.log.rules() >= {("patch", "externaldns.k8s.io", "dnsendpoints/status")}


def test_each_endpoint_that_falls_short_is_named_with_its_reason(
    server: ApiServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stage = LiveStage(tmp_path, server, example_org="taken A 192.0.2.99\n")
    stage.put(
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
    with program(stage, monkeypatch, "--source=crd", once=True) as running:
        running.end()
    found = status(server)
    assert brief(found) == [
        "Accepted=False invalid-endpoint",
        "Programmed=False invalid-endpoint",
        "Ready=False invalid-endpoint",
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


def test_of_a_thousand_each_is_written_once_and_none_on_a_second_pass(
    server: ApiServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    defaults = Writer.__init__.__kwdefaults__ or {}
    monkeypatch.setitem(defaults, "pause_s", 0.0)  # what it spares a server costs time here
    stage = LiveStage(tmp_path, server, example_org="")
    stage.put(*(dns_endpoint(f"e{number}", endpoint(f"e{number}.example.org")) for number in range(1000)))
    with program(stage, monkeypatch, "--source=crd") as running:
        for count in (250, 500, 750, 1000):
            server.log.wait_for("patch", "dnsendpoints", count=count)
        running.pass_time(61.0)
        running.until("All records are already up to date")
        running.pass_time(61.0)
        running.until("All records are already up to date")
        server.put(dns_endpoint("last", endpoint("last.example.org")))
        server.log.wait_for("patch", "dnsendpoints", count=1001)
    assert len(writes(server)) == len({request.path for request in writes(server)}) == 1001
    assert all(brief(status(server, f"e{number}")) == READY for number in range(1000))
    server.log.clear()
    with program(stage, monkeypatch, "--source=crd"):
        for count in (500, 1001):
            server.log.wait_for("get", "dnsendpoints", count=count)
    assert not writes(server)


def test_our_own_write_makes_nothing_due_and_another_generation_does(
    server: ApiServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stage = LiveStage(tmp_path, server, example_org="")
    stage.put(dns_endpoint("web", endpoint("a.example.org"), generation=1))
    with program(stage, monkeypatch, "--source=crd") as running:
        server.log.wait_for("patch", "dnsendpoints")
        asked = running.controller._parts.observer.asked
        since = status(server)["conditions"][0]["lastTransitionTime"]
        stored = server.get("DNSEndpoint", "dns", "web") or {}
        server.put(stored | {"metadata": {**stored["metadata"], "generation": 2}})
        server.log.wait_for("patch", "dnsendpoints", count=2)
        assert running.controller._parts.observer.asked == asked + 1 == 2
    found = status(server)
    assert (found["observedGeneration"], found["conditions"][0]["observedGeneration"]) == (2, 2)
    assert found["conditions"][0]["lastTransitionTime"] == since


def test_an_object_left_to_another_extdns_keeps_its_status(
    server: ApiServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stage = LiveStage(tmp_path, server, example_org="", example_net="")
    stage.put(
        dns_endpoint("web", endpoint("a.example.org"), annotations={"side": "in"}),
        dns_endpoint("other", endpoint("b.example.org"), annotations={"side": "out"}),
        dns_endpoint("outside", endpoint("a.example.net"), annotations={"side": "in"}),
        dns_endpoint("empty", annotations={"side": "in"}),
    )
    flags = ("--source=crd", "--annotation-filter=side=in", "--domain-filter=example.org")
    with program(stage, monkeypatch, *flags, once=True) as running:
        running.end()
    told = {name: brief(status(server, name)) for name in ("web", "other", "outside", "empty")}
    assert told == {"web": READY, "other": [], "outside": [], "empty": READY}


@pytest.mark.parametrize(
    ("flags", "is_one"),
    [
        pytest.param(["--source=crd"], True, id="live"),
        pytest.param(["--source=service"], False, id="not-without-the-source"),
        pytest.param(["--source=crd", "--dry-run"], False, id="not-in-a-dry-run"),
        pytest.param(["--source=crd", "--manifests=-"], False, id="not-without-a-cluster"),
    ],
)
def test_the_flags_decide_whether_a_status_is_written(
    server: ApiServer, tmp_path: Path, flags: list[str], *, is_one: bool
) -> None:
    start = ["--provider=inmemory", f"--kubeconfig={server.kubeconfig(tmp_path / 'kubeconfig')}"]
    assert (status_writer(parse([*start, *flags], {})) is not None) is is_one


def standing(name: str = "web", *short: Shortfall, generation: int = 1) -> Standing:
    key = KEY._replace(name=name)
    return Standing(key=key, generation=generation, endpoints=1, short=short)


NO_ZONE = Shortfall(field="spec.endpoints[0]", name="a.test", reason=Reason.NO_ZONE)


def test_a_conflict_is_no_end(server: ApiServer, writer: Writer) -> None:
    server.put(dns_endpoint("web", endpoint("a.test")))
    server.faults.arm(Refuse(code=409), verb="patch", resource="dnsendpoints", times=3)
    writer.put(standing())
    writer.close(5.0)
    assert brief(status(server)) == READY
    assert len(writes(server)) == 4


def test_what_is_ours_is_taken_from_others_and_what_is_outdated_goes(server: ApiServer, writer: Writer) -> None:
    server.put(dns_endpoint("web", endpoint("a.test")) | {"status": {"observedGeneration": 7, "conditions": []}})
    writer.put(standing("web", NO_ZONE))
    server.log.wait_for("patch", "dnsendpoints")
    writer.put(standing("web"))
    writer.close(5.0)
    found = status(server)
    assert (found["observedGeneration"], brief(found)) == (1, READY)
    assert "endpoints" not in found


def test_an_object_that_is_gone_or_another_version_is_left_alone(server: ApiServer, writer: Writer) -> None:
    server.put(dns_endpoint("web", endpoint("a.test"), generation=2))
    writer.put(standing("web"))
    writer.put(standing("gone"))
    writer.close(5.0)
    assert not writes(server)


def test_a_standing_that_is_written_is_not_read_again_until_there_is_another_version(
    server: ApiServer, writer: Writer
) -> None:
    server.put(dns_endpoint("web", endpoint("a.test")))
    writer.put(standing())
    server.log.wait_for("patch", "dnsendpoints")
    server.put(dns_endpoint("last", endpoint("a.test")))
    writer.put(standing("last"))
    server.log.wait_for("patch", "dnsendpoints", count=2)
    writer.put(standing())
    server.delete("DNSEndpoint", "dns", "web")
    server.put(dns_endpoint("web", endpoint("a.test")))
    writer.forget(KEY)
    writer.put(standing())
    writer.close(5.0)
    assert brief(status(server)) == READY
    assert len(server.log.requests("get", "dnsendpoints")) == len(writes(server)) == 3


def test_a_server_that_fails_is_asked_again(server: ApiServer, writer: Writer) -> None:
    server.put(dns_endpoint("web", endpoint("a.test")))
    server.faults.arm(Refuse(code=503), verb="patch", resource="dnsendpoints")
    writer.put(standing())
    server.log.wait_for("patch", "dnsendpoints", count=2)
    writer.close(5.0)
    assert brief(status(server)) == READY


@pytest.mark.parametrize("verb", ["get", "patch"])
def test_a_missing_right_switches_it_off_with_one_line(
    server: ApiServer, writer: Writer, caplog: pytest.LogCaptureFixture, verb: str
) -> None:
    server.put_all(dns_endpoint(name, endpoint("a.test")) for name in "abc")
    server.forbid(verb, "dnsendpoints")
    for name in "abc":
        writer.put(standing(name))
    writer.close(5.0)
    assert len(server.log.requests(verb, "dnsendpoints")) == 1
    assert warnings(caplog) == ["The status of objects cannot be written; that is switched off"]


def test_a_kind_without_the_subresource_switches_it_off_with_one_line(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    old = Kind(**{**{name: getattr(SERVED, name) for name in SERVED.__dataclass_fields__}, "status": False})
    with ApiServer(kinds=[*(kind for kind in KINDS if kind is not SERVED), old]) as server:
        client = Client(Access(kubeconfig=str(server.kubeconfig(tmp_path / "kubeconfig"))))
        writer = Writer(Api(client, request_timeout_s=5.0), DNS_ENDPOINT, SystemClock(), pause_s=0.0)
        server.put_all(dns_endpoint(name, endpoint("a.test")) for name in "abc")
        for name in "abc":
            writer.put(standing(name))
        writer.close(5.0)
        assert not any("status" in found for found in server.objects(old))
        assert len(writes(server)) == 2
    assert warnings(caplog) == ["The status of objects cannot be written; that is switched off"]
