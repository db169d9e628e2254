"""The Events that extdns records on objects, through a fake API server."""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from extdns.app.cluster_writers import build_event_recorder
from extdns.config import parse
from extdns.kube.api import ApiClient
from extdns.kube.cluster_access import ClusterAccess
from extdns.kube.event_recorder import KubernetesEventRecorder
from extdns.kube.event_sender import EventSender
from extdns.model.claim import InvalidClaim, Provenance
from extdns.model.evidence import Evidence
from extdns.model.kind import Kind, ObjectKey, ObjectRef
from extdns.model.reason import Reason
from tests.builders import build_held, build_held_set
from tests.clusters import service
from tests.fakes.apiserver.faults import Refuse, Stall
from tests.fakes.apiserver.server import ApiServer
from tests.fakes.clocks import ShiftedClock
from tests.objects import service as published_service
from tests.program.installation import Installation
from tests.program.running import HANGS_S

SERVICE = Kind("", "v1", "Service", "services")


@pytest.fixture
def clock() -> ShiftedClock:
    return ShiftedClock()


@pytest.fixture
def recorder(server: ApiServer, tmp_path: Path, clock: ShiftedClock) -> Iterator[KubernetesEventRecorder]:
    client = ApiClient(ClusterAccess(kubeconfig=str(server.kubeconfig(tmp_path / "kubeconfig"))))
    made = KubernetesEventRecorder(
        EventSender(client, clock, pause_s=0.0),
        owner="me",
        kinds={"service": SERVICE},
        emitted_reasons=(),
        emits_problems=True,
    )
    yield made
    made.close(5.0)


def invalid_claims(name: str = "web", value: str = "a b", namespace: str = "shop") -> Sequence[InvalidClaim]:
    ref = ObjectRef(key=ObjectKey(SERVICE, namespace, name), uid=f"uid-{name}")
    where = Provenance(source="service", ref=ref, field="annotation")
    return [InvalidClaim(provenance=where, reason=Reason.INVALID_NAME, value=value, allowed="a name")]


def events(server: ApiServer) -> list[dict[str, Any]]:
    return server.objects("Event")


def test_an_event_has_the_fields_by_which_kubectl_describe_finds_it(
    server: ApiServer, recorder: KubernetesEventRecorder
) -> None:
    recorder.record_invalid_claims(invalid_claims())
    server.log.wait_for("create", "events")
    recorder.close(5.0)
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


def test_a_repeated_problem_raises_the_count_of_its_event_after_five_minutes(
    server: ApiServer, recorder: KubernetesEventRecorder, clock: ShiftedClock
) -> None:
    recorder.record_invalid_claims(invalid_claims())
    server.log.wait_for("create", "events")
    recorder.record_invalid_claims(invalid_claims())
    recorder.record_invalid_claims(invalid_claims("api"))
    server.log.wait_for("create", "events", count=2)
    assert not server.log.requests("patch", "events")
    clock.shift_s = 301.0
    recorder.record_invalid_claims(invalid_claims())
    server.log.wait_for("patch", "events")
    recorder.close(5.0)
    counts = {event["regarding"]["name"]: event.get("series", {}).get("count") for event in events(server)}
    assert counts == {"web": 3, "api": None}


def test_an_expired_event_is_created_again(
    server: ApiServer, recorder: KubernetesEventRecorder, clock: ShiftedClock
) -> None:
    recorder.record_invalid_claims(invalid_claims())
    server.log.wait_for("create", "events")
    recorder.record_invalid_claims(invalid_claims("api"))
    server.log.wait_for("create", "events", count=2)
    for event in events(server):
        server.delete("Event", "shop", event["metadata"]["name"])
    clock.shift_s = 301.0
    recorder.record_invalid_claims(invalid_claims())
    server.log.wait_for("create", "events", count=3)
    recorder.close(5.0)
    assert len(events(server)) == 1


def test_without_permission_to_patch_a_repeated_event_is_created_again(
    server: ApiServer, recorder: KubernetesEventRecorder, clock: ShiftedClock
) -> None:
    server.forbid("patch", "events")
    recorder.record_invalid_claims(invalid_claims())
    server.log.wait_for("create", "events")
    recorder.record_invalid_claims(invalid_claims("api"))
    server.log.wait_for("create", "events", count=2)
    clock.shift_s = 301.0
    recorder.record_invalid_claims(invalid_claims())
    server.log.wait_for("create", "events", count=3)
    recorder.close(5.0)
    assert len(events(server)) == 3


def test_an_event_message_is_cut_to_1024_bytes(server: ApiServer, recorder: KubernetesEventRecorder) -> None:
    recorder.record_invalid_claims(invalid_claims())
    where = invalid_claims()[0].provenance
    recorder.record_invalid_claims(
        [InvalidClaim(provenance=where, reason=Reason.INVALID_NAME, value="", allowed="ä" * 2000)]
    )
    recorder.close(5.0)
    messages = [event["note"] for event in events(server)]
    assert sorted(len(note.encode()) > 1000 for note in messages) == [False, True]
    assert all(len(note.encode()) <= 1024 for note in messages)
    assert any(note.endswith("ä...") for note in messages)


def test_of_30_different_problems_of_one_object_only_ten_become_events(
    server: ApiServer, recorder: KubernetesEventRecorder
) -> None:
    for number in range(30):
        recorder.record_invalid_claims(invalid_claims(value=f"{number} b"))
    recorder.close(5.0)
    assert len(events(server)) == 10


def test_a_namespace_without_the_permission_gets_no_events_and_one_warning(
    server: ApiServer, recorder: KubernetesEventRecorder, caplog: pytest.LogCaptureFixture
) -> None:
    server.forbid("create", "events", "shop")
    for name in ("a", "b", "c"):
        recorder.record_invalid_claims(invalid_claims(name))
    recorder.record_invalid_claims(invalid_claims(namespace="zoo"))
    recorder.close(5.0)
    assert len(server.log.requests("create", "events")) == 2
    assert [event["metadata"]["namespace"] for event in events(server)] == ["zoo"]
    assert [record.message for record in caplog.records if record.levelno >= logging.WARNING] == [
        "No permission to record Events in a namespace; it gets none"
    ]


@pytest.mark.parametrize(
    "refusal",
    [
        pytest.param(Refuse(code=401), id="expired-credentials"),
        pytest.param(
            Refuse(code=403, message="unable to create new content in namespace x because it is being terminated"),
            id="terminating-namespace",
        ),
    ],
)
def test_events_stay_enabled_after_a_401_or_a_403_of_a_terminating_namespace(
    server: ApiServer, recorder: KubernetesEventRecorder, refusal: Refuse
) -> None:
    server.faults.arm(refusal, verb="create", resource="events")
    recorder.record_invalid_claims(invalid_claims("a"))
    recorder.record_invalid_claims(invalid_claims("b"))
    recorder.close(5.0)
    assert [event["regarding"]["name"] for event in events(server)] == ["b"]


def test_an_event_without_uid_is_recorded_if_the_object_may_not_be_read(
    server: ApiServer, recorder: KubernetesEventRecorder
) -> None:
    server.forbid("get", "services")
    recorder.record_held_deletes(
        build_held_set("7f3a-91c2", build_held("web", Evidence.ORPHAN_UNCLAIMED, resource="service/shop/web"))
    )
    recorder.close(5.0)
    (event,) = events(server)
    assert "uid" not in event["regarding"]


def test_one_event_is_lost_after_repeated_server_errors_and_the_next_is_recorded(
    server: ApiServer, recorder: KubernetesEventRecorder
) -> None:
    server.faults.arm(Refuse(code=500), verb="create", resource="events", times=4)
    recorder.record_invalid_claims(invalid_claims("a"))
    recorder.record_invalid_claims(invalid_claims("b"))
    recorder.close(5.0)
    assert [event["regarding"]["name"] for event in events(server)] == ["b"]


def test_held_deletes_are_recorded_on_existing_objects_and_repeated_before_the_event_expires(
    server: ApiServer, recorder: KubernetesEventRecorder, clock: ShiftedClock
) -> None:
    server.put(service("web") | {"metadata": {"name": "web", "namespace": "shop", "uid": "u1"}})
    recorder.record_held_deletes(
        build_held_set("1111-1111", build_held("web", Evidence.ORPHAN_UNCLAIMED, resource="service/shop/web"))
    )
    recorder.record_held_deletes(
        build_held_set(
            "7f3a-91c2",
            build_held("web", Evidence.ORPHAN_UNCLAIMED, resource="service/shop/web"),
            build_held("gone", Evidence.ORPHAN_UNCLAIMED, resource="service/shop/gone"),
        )
    )
    server.log.wait_for("create", "events")
    (event,) = events(server)
    assert event["regarding"]["uid"] == "u1"
    assert "web.example.org A [orphan-unclaimed]" in event["note"]
    assert "To approve them: extdns approve 7f3a-91c2" in event["note"]
    clock.shift_s = 1801.0
    recorder.record_invalid_claims(invalid_claims("api"))  # wakes the thread
    server.log.wait_for("patch", "events")


def test_messages_about_held_deletes_wait_ten_seconds_at_most(
    server: ApiServer, recorder: KubernetesEventRecorder, clock: ShiftedClock
) -> None:
    server.put(service("web") | {"metadata": {"name": "web", "namespace": "shop", "uid": "u1"}})
    stalled = server.faults.arm(Stall(), verb="create", resource="events")
    recorder.record_invalid_claims(invalid_claims("a"))
    stalled.wait()
    held = build_held("web", Evidence.ORPHAN_UNCLAIMED, resource="service/shop/web")
    recorder.record_held_deletes(build_held_set("1111-1111", held))
    clock.shift_s = 10.0
    recorder.record_held_deletes(build_held_set("7f3a-91c2", held))
    recorder.record_invalid_claims(invalid_claims("b"))
    stalled.release()
    recorder.close(5.0)
    found = sorted(events(server), key=lambda event: event["eventTime"])
    assert [event["regarding"]["name"] for event in found] == ["a", "web", "b"]


def test_recording_events_does_not_block_if_the_api_server_does_not_answer(
    server: ApiServer, recorder: KubernetesEventRecorder
) -> None:
    stalled = server.faults.arm(Stall(), verb="create", resource="events", times=None)
    recorder.record_invalid_claims(invalid_claims())
    stalled.wait()
    for number in range(5000):
        recorder.record_invalid_claims(invalid_claims(f"s{number}"))  # would wait for the fault, which has no end
    stalled.release()


def test_a_namespace_with_more_problems_than_can_wait_takes_no_event_from_others(
    server: ApiServer, recorder: KubernetesEventRecorder
) -> None:
    stalled = server.faults.arm(Stall(), verb="create", resource="events")
    recorder.record_invalid_claims(invalid_claims())
    stalled.wait()
    for number in range(1001):
        recorder.record_invalid_claims(invalid_claims(f"s{number}"))
    recorder.record_invalid_claims(invalid_claims(namespace="zoo"))
    stalled.release()
    server.log.wait_for("create", "events", count=3)
    server.forbid("create", "events", "shop")  # so that the others take no time
    assert [request.namespace for request in server.log.requests("create", "events")[:3]] == ["shop", "shop", "zoo"]


def test_namespaces_take_turns_with_messages_about_held_deletes_that_change(
    server: ApiServer, recorder: KubernetesEventRecorder
) -> None:
    server.forbid("get", "services")
    held = [build_held("web", resource=f"service/{path}") for path in ("shop/a", "shop/b", "zoo/web")]
    stalled = server.faults.arm(Stall(), verb="create", resource="events")
    recorder.record_held_deletes(build_held_set("1111-1111", *held))
    stalled.wait()
    recorder.record_held_deletes(build_held_set("7f3a-91c2", *held))
    stalled.release()
    recorder.close(5.0)
    namespaces = [request.namespace for request in server.log.requests("create", "events")]
    assert namespaces == ["shop", "zoo", "shop", "shop"]


@pytest.mark.parametrize(
    ("flags", "is_one"),
    [
        pytest.param([], True, id="problems-by-default"),
        pytest.param(["--dry-run"], False, id="not-in-a-dry-run"),
        pytest.param(["--manifests=-"], False, id="not-without-a-cluster"),
        pytest.param(["--compat", "--policy=sync"], False, id="not-with-compat"),
        pytest.param(["--compat", "--policy=sync", "--events-emit=RecordError"], True, id="compat-with-events-emit"),
    ],
)
def test_flags_decide_whether_events_are_recorded(
    server: ApiServer, tmp_path: Path, flags: list[str], *, is_one: bool
) -> None:
    start = ["--source=service", "--provider=inmemory", f"--kubeconfig={server.kubeconfig(tmp_path / 'kubeconfig')}"]
    assert (build_event_recorder(parse([*start, *flags], {}), {}) is not None) is is_one


def test_in_a_hostname_contest_the_winner_gets_record_ready_and_the_loser_requested_by_other(
    server: ApiServer, tmp_path: Path
) -> None:
    installation = Installation(tmp_path, server, example_org="")
    installation.apply(
        published_service("web", "web.example.org"),
        published_service("web", "web.example.org", namespace="zoo", address="192.0.2.9"),
    )
    with installation.start("--events-emit=RecordReady", once=True) as running:
        assert running.end() == 0
    reasons = {(event["regarding"]["namespace"], event["reason"]) for event in events(server)}
    assert reasons == {("shop", "RecordReady"), ("zoo", "RequestedByOther")}


def test_held_deletes_are_recorded_on_the_state_configmap_after_they_were_saved(tmp_path: Path) -> None:
    names = [f"h{number}" for number in range(20)]
    with ApiServer() as server:
        installation = Installation(tmp_path, server, example_org="")
        installation.apply(*(published_service(name, f"{name}.example.org") for name in names))
        with installation.start("--state-configmap=dns/extdns-state", "--interval=1s") as running:
            running.until("All records are already up to date")
            for name in names:
                server.delete("Service", "shop", name)
            until_s = time.monotonic() + HANGS_S
            while {one.reason for one in running._engine.decisions} != {Reason.IN_GRACE}:
                assert time.monotonic() < until_s
                running._never.wait(0.01)
            running.pass_time(61.0)
            server.log.wait_for("create", "events")
            saved = server.objects("ConfigMap")[0]
            running.controller._parts.reporter.close()
        found = [event for event in events(server) if event["regarding"]["kind"] == "ConfigMap"]
        assert [event["regarding"]["name"] for event in found] == ["extdns-state"]
        code = found[0]["note"].partition("extdns approve ")[2].partition(" ")[0]
        assert code in str(saved["data"])
