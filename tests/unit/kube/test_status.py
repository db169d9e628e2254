"""The status of objects and policies: what it contains, and when it is written."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import msgspec
import pytest

from extdns.app.cluster import connect_api_server
from extdns.config import parse
from extdns.controller.clock import SystemClock
from extdns.kube.event_sender import EventSender
from extdns.kube.policy_status import ANNOTATION, ConfigMapPolicyStatusWriter
from extdns.kube.status_conditions import (
    ObjectWithStatus,
    build_endpoint_status,
    build_policy_status,
    drop_undeclared_fields,
    has_status,
)
from extdns.model.kind import ObjectKey
from extdns.model.object_status import EndpointProblem, ObjectStatus, PolicyStatus
from extdns.model.reason import Reason
from extdns.resources.extdns import DNS_POLICY
from extdns.resources.externaldns import DNS_ENDPOINT
from tests.fakes.apiserver.server import ApiServer
from tests.objects import Json
from tests.program.installation import Installation

NOW = "2026-11-21T16:00:00Z"
BEFORE = "2026-01-01T00:00:00Z"
NO_ZONE = EndpointProblem(field="spec.endpoints[1]", name="b.test", reason=Reason.NO_ZONE)
INVALID = EndpointProblem(
    field="spec.endpoints[0]", reason=Reason.INVALID_ENDPOINT, detail="'CAA' is not valid", valid=False
)
NO_TTL = EndpointProblem(
    field="spec.endpoints[0]", name="a.test", reason=Reason.INVALID_TTL, detail="x", valid=False, published=True
)


def object_status(*problems: EndpointProblem, endpoints: int = 2) -> ObjectStatus:
    return ObjectStatus(key=ObjectKey(DNS_ENDPOINT, "dns", "web"), generation=4, endpoints=endpoints, problems=problems)


def found(status: object = None) -> ObjectWithStatus:
    endpoints = [{"dnsName": "A.test", "recordType": "CAA"}, {"dnsName": "b.test", "setIdentifier": "one"}, None]
    metadata = {"name": "web", "generation": 4, "resourceVersion": "7", "uid": "u"}
    return msgspec.convert({"metadata": metadata, "spec": {"endpoints": endpoints}, "status": status}, ObjectWithStatus)


def brief(status: dict[str, Any]) -> list[str]:
    return [f"{one['type']}={one['status']} {one['reason']}" for one in status["conditions"]]


@pytest.mark.parametrize(
    ("problems", "expected"),
    [
        pytest.param((), ["Accepted=True accepted", "Programmed=True published", "Ready=True published"], id="good"),
        pytest.param(
            (NO_ZONE,), ["Accepted=True accepted", "Programmed=False no-zone", "Ready=False no-zone"], id="unpublished"
        ),
        pytest.param(
            (INVALID, NO_ZONE),
            ["Accepted=False invalid-endpoint", "Programmed=False invalid-endpoint", "Ready=False invalid-endpoint"],
            id="wrong",
        ),
        pytest.param(
            (NO_TTL,),
            ["Accepted=False invalid-ttl", "Programmed=True published", "Ready=False invalid-ttl"],
            id="invalid-ttl-of-a-published-record",
        ),
        pytest.param(
            (NO_TTL, NO_ZONE),
            ["Accepted=False invalid-ttl", "Programmed=False no-zone", "Ready=False no-zone"],
            id="unpublished-names-come-first",
        ),
    ],
)
def test_the_conditions_in_the_status_of_an_object_summarize_the_problems_of_all_its_endpoints(
    problems: tuple[EndpointProblem, ...], expected: list[str]
) -> None:
    status = build_endpoint_status(object_status(*problems), found(), NOW)
    assert brief(status) == expected
    assert {one["observedGeneration"] for one in status["conditions"]} == {status["observedGeneration"]} == {4}


def test_the_status_of_an_object_lists_endpoints_with_problems_under_the_names_written_in_the_object() -> None:
    status = build_endpoint_status(object_status(INVALID, NO_ZONE), found(), NOW)
    assert status["endpoints"] == [
        {
            "dnsName": "A.test",
            "recordType": "CAA",
            "reason": "invalid-endpoint",
            "message": f"{Reason.INVALID_ENDPOINT.row.text} 'CAA' is not valid",
        },
        {
            "dnsName": "b.test",
            "setIdentifier": "one",
            "reason": "no-zone",
            "message": "None of the zones that could be listed can hold the name.",
        },
    ]
    assert status["conditions"][1]["message"].endswith(
        "; spec.endpoints[1] b.test: None of the zones that could be listed can hold the name. [no-zone]"
    )


@pytest.mark.parametrize("field", ["", "spec.endpoints[2]", "spec.endpoints[9]", "annotation"])
def test_an_endpoint_whose_field_is_not_in_the_spec_is_listed_under_the_name_of_its_decision(field: str) -> None:
    problems = EndpointProblem(field=field, name="b.test", reason=Reason.NO_ZONE)
    (endpoint,) = build_endpoint_status(object_status(problems), found(), NOW)["endpoints"]
    assert endpoint["dnsName"] == "b.test"


def test_the_status_of_an_object_lists_at_most_100_endpoints_with_problems() -> None:
    many = [
        EndpointProblem(field=f"spec.endpoints[{n}]", name=f"n{n}.test", reason=Reason.NO_ZONE) for n in range(5000)
    ]
    status = build_endpoint_status(object_status(*many, endpoints=5000), found(), NOW)
    assert len(status["endpoints"]) == 100
    assert len(msgspec.json.encode(status)) < 20_000
    assert status["conditions"][1]["message"].startswith("5000 of 5000 endpoints: spec.endpoints[0] n0.test: ")
    assert status["conditions"][1]["message"].endswith("; and 4997 more")


def test_the_status_of_an_object_without_endpoints_is_ready() -> None:
    status = build_endpoint_status(object_status(endpoints=0), found(), NOW)
    assert {one["message"] for one in status["conditions"]} == {"There are no endpoints."}
    assert brief(status)[2] == "Ready=True published"


def test_the_transition_time_of_a_condition_changes_only_when_the_condition_does() -> None:
    before = build_endpoint_status(object_status(NO_ZONE), found(), BEFORE)
    after = build_endpoint_status(object_status(), found(before), NOW)
    assert [one["lastTransitionTime"] for one in after["conditions"]] == [BEFORE, NOW, NOW]


@pytest.mark.parametrize(
    "old",
    [
        pytest.param(None, id="none"),
        pytest.param({"conditions": "x"}, id="text"),
        pytest.param({"conditions": ["x", {}, {"type": "Ready"}]}, id="scraps"),
    ],
)
def test_a_missing_or_malformed_status_of_an_object_counts_as_not_current(old: object) -> None:
    status = build_endpoint_status(object_status(), found(old), NOW)
    assert not has_status(status, found(old))
    assert has_status(status, found(status))


@pytest.mark.parametrize(
    ("change", "is_same"),
    [
        pytest.param({}, True, id="equal"),
        pytest.param({"observedGeneration": 3}, False, id="other-generation"),
        pytest.param({"endpoints": [{"dnsName": "a", "reason": "no-zone"}]}, False, id="endpoints-left-over"),
        pytest.param({"conditions": []}, False, id="conditions-missing"),
        pytest.param({"theirs": 1}, True, id="fields-of-others"),
    ],
)
def test_the_status_of_an_object_is_current_if_all_fields_that_extdns_writes_are_equal(
    change: dict[str, object], *, is_same: bool
) -> None:
    status = build_endpoint_status(object_status(), found(), NOW)
    assert has_status(status, found({**status, **change})) is is_same


def test_the_status_of_an_object_whose_crd_declares_no_conditions_is_current_if_its_observed_generation_is() -> None:
    status = drop_undeclared_fields(build_endpoint_status(object_status(NO_ZONE), found(), NOW))
    assert status == {"observedGeneration": 4}
    assert has_status(status, found({"observedGeneration": 4}))
    assert not has_status(status, found({"observedGeneration": 3}))


# The status of a DNSPolicy


NOW, BEFORE = "2026-01-02T03:04:05Z", "2026-01-01T00:00:00Z"
KEY = ObjectKey(DNS_POLICY, "", "rule")


def build_policy(status: object = None) -> ObjectWithStatus:
    return msgspec.convert({"metadata": {"generation": 4}, "status": status}, ObjectWithStatus)


def test_the_status_of_a_dns_policy_in_use_is_ready_and_counts_matches_and_violations() -> None:
    status = build_policy_status(PolicyStatus(key=KEY, generation=4, matched=7, violations=2), build_policy(), NOW)
    assert status == {
        "observedGeneration": 4,
        "conditions": [
            {
                "type": "Ready",
                "status": "True",
                "reason": "Compiled",
                "message": "The rule is in use.",
                "observedGeneration": 4,
                "lastTransitionTime": NOW,
            }
        ],
        "counts": {"matched": 7, "violations": 2},
    }


def test_the_status_of_an_invalid_dns_policy_says_what_is_wrong_and_what_happens_to_records() -> None:
    problems = tuple(f"problem {number}\n" for number in range(7))
    policy = PolicyStatus(key=KEY, generation=4, problems=problems, is_used=False)
    (condition,) = build_policy_status(policy, build_policy(), NOW)["conditions"]
    assert (condition["status"], condition["reason"]) == ("False", "Invalid")
    assert condition["message"] == (
        "problem 0\\n; problem 1\\n; problem 2\\n; problem 3\\n; problem 4\\n; and 2 more. "
        "No version of this policy is in use: new records that may match it wait, published records stay."
    )


def test_the_transition_time_in_a_dns_policy_status_changes_only_when_the_condition_does() -> None:
    before = build_policy_status(PolicyStatus(key=KEY, generation=3), build_policy(), BEFORE)
    same = build_policy_status(PolicyStatus(key=KEY, generation=4, matched=1), build_policy(before), NOW)
    other = build_policy_status(PolicyStatus(key=KEY, generation=4, problems=("a",)), build_policy(before), NOW)
    assert [one["conditions"][0]["lastTransitionTime"] for one in (same, other)] == [BEFORE, NOW]


# When the status of a policy is written to its ConfigMap: only by the leader


PROBLEMS: Final = {"dns/rules/names.rego": "conflict"}
CONFIG_MAP: Final[Json] = {
    "apiVersion": "v1",
    "kind": "ConfigMap",
    "metadata": {"name": "rules", "namespace": "dns", "labels": {"openpolicyagent.org/policy": "rego"}},
}


class Gate:
    """A write gate that a test opens."""

    def __init__(self) -> None:
        self.opened = False

    def is_open(self) -> bool:
        return self.opened


@contextmanager
def start_writer(folder: Path, server: ApiServer, gate: Gate) -> Iterator[ConfigMapPolicyStatusWriter]:
    server.put(CONFIG_MAP)
    cluster = parse(Installation(folder, server, example_org="").flags(), {}).cluster
    events = EventSender(connect_api_server(cluster), SystemClock(), pause_s=0.0)
    writer = ConfigMapPolicyStatusWriter(connect_api_server(cluster), events, may_write=gate.is_open, retry_s=0.01)
    yield writer
    writer.close(10.0)


def read_status(server: ApiServer) -> object:
    found = server.get("ConfigMap", "dns", "rules")
    assert found is not None
    text = (found["metadata"].get("annotations") or {}).get(ANNOTATION)
    return json.loads(text) if text else None


def test_a_standby_writes_neither_the_status_annotation_of_a_policy_configmap_nor_an_event(tmp_path: Path) -> None:
    with ApiServer() as server:
        with start_writer(tmp_path, server, Gate()) as writer:
            writer.write(PROBLEMS)
        assert read_status(server) is None
        assert server.objects("Event") == []


def test_a_standby_that_becomes_the_leader_writes_the_latest_status_annotation_of_a_policy_configmap(
    tmp_path: Path,
) -> None:
    gate = Gate()
    with ApiServer() as server, start_writer(tmp_path, server, gate) as writer:
        writer.write({"dns/rules/names.rego": "an older problem"})
        writer.write(PROBLEMS)
        gate.opened = True
        server.log.wait_for("patch", "configmaps")
        assert read_status(server) == {"status": "error", "error": "names.rego: conflict"}
