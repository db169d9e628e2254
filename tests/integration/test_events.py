"""Events on the objects of an API server."""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from extdns.app.announcers import announcer
from extdns.config import parse
from extdns.controller.clock import SystemClock
from extdns.kube.api import Api
from extdns.kube.client import Access, Client
from extdns.kube.events.announcer import Announcer
from extdns.kube.events.notes import Notes
from extdns.model.claim import Invalid, Provenance
from extdns.model.cluster import Kind, ObjectKey, ObjectRef
from extdns.model.evidence import Evidence
from extdns.model.held import Held
from extdns.model.name import DnsName
from extdns.model.ownership import Owned
from extdns.model.pairs import Pairs
from extdns.model.reason import Reason
from extdns.model.record import Record
from extdns.model.zone import Zone
from tests.clusters import service
from tests.fakes.apiserver.faults import Refuse
from tests.fakes.apiserver.server import ApiServer
from tests.integration.live import LiveStage, program
from tests.integration.stage import service as published_service

SERVICE = Kind("", "v1", "Service", "services")
ZONE = Zone(name=DnsName("example.org"), id="Z1")


class ShiftedClock(SystemClock):
    shift_s = 0.0

    def monotonic_s(self) -> float:
        return super().monotonic_s() + self.shift_s


@pytest.fixture
def server() -> Iterator[ApiServer]:
    with ApiServer() as running:
        yield running


@pytest.fixture
def clock() -> ShiftedClock:
    return ShiftedClock()


@pytest.fixture
def told(server: ApiServer, tmp_path: Path, clock: ShiftedClock) -> Iterator[Announcer]:
    client = Client(Access(kubeconfig=str(server.kubeconfig(tmp_path / "kubeconfig"))))
    notes = Notes(owner="me", kinds={"service": SERVICE}, chosen=(), problems=True)
    made = Announcer(Api(client, request_timeout_s=5.0), notes, clock, pause_s=0.0)
    yield made
    made.close(5.0)


def wrong(name: str = "web", value: str = "a b") -> Sequence[Invalid]:
    ref = ObjectRef(key=ObjectKey(SERVICE, "shop", name), uid=f"uid-{name}")
    where = Provenance(source="service", ref=ref, field="annotation")
    return [Invalid(provenance=where, reason=Reason.INVALID_NAME, value=value, allowed="a name")]


def held(name: str) -> Held:
    made = Record(name=DnsName(f"{name}.example.org"), type="A", targets=("192.0.2.1",), ttl_s=300)
    owned = Owned(record=made, owner="me", ours=True, labels=Pairs((("resource", f"service/shop/{name}"),)))
    return Held(owned=owned, evidence=Evidence.ORPHAN_UNCLAIMED)


def events(server: ApiServer) -> list[dict[str, Any]]:
    return server.objects("Event")


def test_an_event_is_what_kubectl_describe_looks_for(server: ApiServer, told: Announcer) -> None:
    told.mistaken(wrong())
    server.log.wait_for("create", "events")
    told.close(5.0)
    (event,) = events(server)
    assert event["metadata"]["namespace"] == "shop"
    assert event["metadata"]["name"].startswith("web.")
    assert event["regarding"] == {
        "apiVersion": "v1",
        "kind": "Service",
        "name": "web",
        "namespace": "shop",
        "uid": "uid-web",
    }
    assert (event["reason"], event["type"], event["action"]) == ("InvalidName", "Warning", "Publish")
    assert (event["reportingController"], event["reportingInstance"]) == (
        "external-dns",
        "external-dns/source/service",
    )


def test_the_same_is_said_again_after_a_while_as_another_count(
    server: ApiServer, told: Announcer, clock: ShiftedClock
) -> None:
    told.mistaken(wrong())
    server.log.wait_for("create", "events")
    told.mistaken(wrong())
    told.mistaken(wrong("api"))
    server.log.wait_for("create", "events", count=2)
    assert not server.log.requests("patch", "events")
    clock.shift_s = 301.0
    told.mistaken(wrong())
    server.log.wait_for("patch", "events")
    told.close(5.0)
    counts = {event["regarding"]["name"]: event.get("series", {}).get("count") for event in events(server)}
    assert counts == {"web": 3, "api": None}


def test_an_event_that_has_expired_is_made_anew(server: ApiServer, told: Announcer, clock: ShiftedClock) -> None:
    told.mistaken(wrong())
    server.log.wait_for("create", "events")
    told.mistaken(wrong("api"))
    server.log.wait_for("create", "events", count=2)
    for event in events(server):
        server.delete("Event", "shop", event["metadata"]["name"])
    clock.shift_s = 301.0
    told.mistaken(wrong())
    server.log.wait_for("create", "events", count=3)
    told.close(5.0)
    assert len(events(server)) == 1


def test_the_right_to_create_is_enough(server: ApiServer, told: Announcer, clock: ShiftedClock) -> None:
    server.forbid("patch", "events")
    told.mistaken(wrong())
    server.log.wait_for("create", "events")
    told.mistaken(wrong("api"))
    server.log.wait_for("create", "events", count=2)
    clock.shift_s = 301.0
    told.mistaken(wrong())
    server.log.wait_for("create", "events", count=3)
    told.close(5.0)
    assert len(events(server)) == 3


def test_a_note_is_cut_where_an_event_ends(server: ApiServer, told: Announcer) -> None:
    told.mistaken(wrong())
    where = wrong()[0].provenance
    told.mistaken([Invalid(provenance=where, reason=Reason.INVALID_NAME, value="", allowed="ä" * 2000)])
    told.close(5.0)
    notes = [event["note"] for event in events(server)]
    assert sorted(len(note.encode()) > 1000 for note in notes) == [False, True]
    assert all(len(note.encode()) <= 1024 for note in notes)
    assert any(note.endswith("ä...") for note in notes)


def test_one_object_gets_ten_events_and_no_more(server: ApiServer, told: Announcer) -> None:
    for number in range(30):
        told.mistaken(wrong(value=f"{number} b"))
    told.close(5.0)
    assert len(events(server)) == 10


def test_a_missing_right_switches_events_off_with_one_line(
    server: ApiServer, told: Announcer, caplog: pytest.LogCaptureFixture
) -> None:
    server.forbid("create", "events")
    for name in ("a", "b", "c"):
        told.mistaken(wrong(name))
    told.close(5.0)
    assert len(server.log.requests("create", "events")) == 1
    assert [record.message for record in caplog.records if record.levelno >= logging.WARNING] == [
        "Events cannot be put on objects for want of a right; they are switched off"
    ]


@pytest.mark.parametrize(
    "refusal",
    [
        pytest.param(Refuse(code=401), id="credentials-that-have-expired"),
        pytest.param(
            Refuse(code=403, message="unable to create new content in namespace x because it is being terminated"),
            id="a-namespace-that-ends",
        ),
    ],
)
def test_what_is_no_want_of_a_right_costs_one_event(server: ApiServer, told: Announcer, refusal: Refuse) -> None:
    server.faults.arm(refusal, verb="create", resource="events")
    told.mistaken(wrong("a"))
    told.mistaken(wrong("b"))
    told.close(5.0)
    assert [event["regarding"]["name"] for event in events(server)] == ["b"]


def test_objects_that_we_may_not_get_have_events_all_the_same(server: ApiServer, told: Announcer) -> None:
    server.forbid("get", "services")
    told.held(ZONE, "7f3a-91c2", [held("web")])
    told.close(5.0)
    (event,) = events(server)
    assert "uid" not in event["regarding"]


def test_a_server_that_fails_is_asked_again_and_costs_nobody_else_anything(server: ApiServer, told: Announcer) -> None:
    server.faults.arm(Refuse(code=500), verb="create", resource="events", times=4)
    told.mistaken(wrong("a"))
    told.mistaken(wrong("b"))
    told.close(5.0)
    assert [event["regarding"]["name"] for event in events(server)] == ["b"]


def test_held_deletes_are_said_to_objects_that_are_there_and_again_before_that_is_forgotten(
    server: ApiServer, told: Announcer, clock: ShiftedClock
) -> None:
    server.put(service("web") | {"metadata": {"name": "web", "namespace": "shop", "uid": "u1"}})
    told.held(ZONE, "1111-1111", [held("web")])
    told.held(ZONE, "7f3a-91c2", [held("web"), held("gone")])
    server.log.wait_for("create", "events")
    (event,) = events(server)
    assert event["regarding"]["uid"] == "u1"
    assert "web.example.org A [orphan-unclaimed]" in event["note"]
    assert "Release: extdns release 7f3a-91c2" in event["note"]
    clock.shift_s = 1801.0
    told.mistaken(wrong("api"))  # whatever wakes the thread
    server.log.wait_for("patch", "events")


def test_nobody_waits_for_a_server_that_hangs(server: ApiServer, told: Announcer) -> None:
    server.kill()
    began_s = time.monotonic()
    for number in range(5000):
        told.mistaken(wrong(f"s{number}"))
    assert time.monotonic() - began_s < 5.0


@pytest.mark.parametrize(
    ("flags", "is_one"),
    [
        pytest.param([], True, id="problems-are-always-told"),
        pytest.param(["--dry-run"], False, id="not-in-a-dry-run"),
        pytest.param(["--manifests=-"], False, id="not-without-a-cluster"),
        pytest.param(["--compat", "--policy=sync"], False, id="the-reference-is-silent"),
        pytest.param(["--compat", "--policy=sync", "--events-emit=RecordError"], True, id="unless-it-is-asked"),
    ],
)
def test_the_flags_decide_whether_there_are_events(
    server: ApiServer, tmp_path: Path, flags: list[str], *, is_one: bool
) -> None:
    start = ["--source=service", "--provider=inmemory", f"--kubeconfig={server.kubeconfig(tmp_path / 'kubeconfig')}"]
    assert (announcer(parse([*start, *flags], {}), {}) is not None) is is_one


def test_the_program_tells_the_loser_of_a_conflict_and_who_got_a_record(
    server: ApiServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stage = LiveStage(tmp_path, server, example_org="")
    stage.put(
        published_service("web", "web.example.org"),
        published_service("web", "web.example.org", namespace="zoo", address="192.0.2.9"),
    )
    with program(stage, monkeypatch, "--events-emit=RecordReady", once=True) as running:
        assert running.end() == 0
    said = {(event["regarding"]["namespace"], event["reason"]) for event in events(server)}
    assert said == {("shop", "RecordReady"), ("zoo", "ConflictLost")}
