"""Faults that a test arms in the fake Route 53, as a client observes them."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest
from botocore.config import Config
from botocore.exceptions import ClientError, ConnectionClosedError, EndpointConnectionError, ReadTimeoutError

from tests.fakes.route53.errors import build_throttling_fault
from tests.fakes.route53.log import CHANGE, LIST
from tests.fakes.route53.server import Route53
from tests.fakes.service.faults import Drop, Late, Meanwhile, Refuse, Stall
from tests.unit.fakes.route53.raw_client import RawClient, build_client, build_simple

A = build_simple("a.example.com")


def test_a_fault_affects_the_given_number_of_matching_calls(fake: Route53, raw_client: RawClient) -> None:
    fake.add_zone("other.test", zone_id="ZOTHER")
    fake.faults.arm(Refuse(503, "ServiceUnavailable"), action=LIST, zone_id="ZEXAMPLE", times=2)
    raw_client.client.list_hosted_zones()
    RawClient(fake, "ZOTHER").listed()
    for _ in range(2):
        with pytest.raises(ClientError, match="ServiceUnavailable"):
            raw_client.listed()
    raw_client.listed()


def test_faults_take_effect_in_the_order_in_which_they_were_armed(fake: Route53, raw_client: RawClient) -> None:
    fake.faults.arm(Refuse(500, "InternalFailure"))
    fake.faults.arm(build_throttling_fault(), times=None)
    assert raw_client.refusal(("CREATE", A))[0] == "InternalFailure"
    assert [raw_client.refusal(("CREATE", A))[0] for _ in range(3)] == ["Throttling"] * 3
    fake.faults.clear()
    raw_client.create(A)


def test_a_server_error_is_retried_by_the_sdk(fake: Route53) -> None:
    fake.faults.arm(Refuse(500, "InternalFailure"), times=2)
    patient = build_client(fake.url, config=Config(retries={"total_max_attempts": 3, "mode": "standard"}))
    patient.list_hosted_zones()
    assert fake.log.count_calls() == {"ListHostedZones": 3}


@pytest.mark.parametrize("worked", [pytest.param(False, id="before"), pytest.param(True, id="after")])
def test_a_drop_fault_cuts_the_connection_before_or_after_the_change_is_applied(
    fake: Route53, raw_client: RawClient, worked: bool
) -> None:
    fake.faults.arm(Drop(worked=worked), action=CHANGE)
    with pytest.raises(ConnectionClosedError):
        raw_client.create(A)
    assert raw_client.listed() == (["a.example.com. A"] if worked else [])


@pytest.mark.parametrize("worked", [pytest.param(False, id="before"), pytest.param(True, id="after")])
def test_a_stalled_call_times_out_before_or_after_the_change_is_applied(
    fake: Route53, raw_client: RawClient, worked: bool
) -> None:
    stall = Stall(worked=worked)
    fake.faults.arm(stall, action=CHANGE)
    raw_client.client = build_client(fake.url, config=Config(read_timeout=0.1))
    with pytest.raises(ReadTimeoutError):
        raw_client.create(A)
    assert stall.reached.wait(30)
    stall.release()
    assert RawClient(fake, "ZEXAMPLE").listed() == (["a.example.com. A"] if worked else [])


def test_a_late_call_is_applied_after_the_fault_is_released(fake: Route53, raw_client: RawClient) -> None:
    armed = fake.faults.arm(Late(), action=CHANGE)
    with ThreadPoolExecutor() as pool:
        coming = pool.submit(raw_client.create, A)
        armed.wait()
        assert RawClient(fake, "ZEXAMPLE").listed() == []
        armed.release()
        coming.result()
    assert raw_client.listed() == ["a.example.com. A"]


def test_a_test_can_let_an_edit_happen_just_before_a_write(fake: Route53, raw_client: RawClient) -> None:
    """A delete states the exact values, so the write is refused and the foreign edit stays."""
    raw_client.create(A)
    foreign = build_simple("a.example.com", "A", "203.0.113.1")
    fake.faults.arm(Meanwhile(lambda: fake.put("ZEXAMPLE", foreign)), action=CHANGE)
    with pytest.raises(ClientError, match="the values provided do not match the current values"):
        raw_client.change(("DELETE", A), ("CREATE", build_simple("a.example.com", "A", "192.0.2.9")))
    assert fake.shown("ZEXAMPLE") == [foreign | {"Name": "a.example.com."}]


def test_a_killed_service_refuses_connections_until_it_is_started(fake: Route53, raw_client: RawClient) -> None:
    raw_client.create(A)
    fake.kill()
    with pytest.raises((EndpointConnectionError, ConnectionClosedError)):
        raw_client.listed()
    fake.start()
    assert raw_client.listed() == ["a.example.com. A"]


def test_the_call_log_contains_zone_status_code_and_changes(fake: Route53, raw_client: RawClient) -> None:
    raw_client.create(A)
    raw_client.refusal(("CREATE", A))
    raw_client.listed(StartRecordName="a.example.com")
    created, refused, listed = fake.log.calls()
    assert [(call.action, call.zone_id, call.status, call.code) for call in (created, refused, listed)] == [
        (CHANGE, "ZEXAMPLE", 200, ""),
        (CHANGE, "ZEXAMPLE", 400, "InvalidChangeBatch"),
        (LIST, "ZEXAMPLE", 200, ""),
    ]
    assert [(change.action, change.record.name) for change in created.changes] == [("CREATE", "a.example.com.")]
    assert refused.message.endswith("but it already exists]")
    assert listed.query == {"name": "a.example.com"}
    assert created.came_s <= created.answered_s <= refused.came_s
    assert fake.log.count_calls() == {CHANGE: 2, LIST: 1}


def test_a_call_whose_connection_was_cut_is_logged_with_status_0(fake: Route53, raw_client: RawClient) -> None:
    fake.faults.arm(Drop(worked=True), action=CHANGE)
    with pytest.raises(ConnectionClosedError):
        raw_client.create(A)
    (call,) = fake.log.calls(CHANGE)
    assert (call.status, call.code, call.worked) == (0, "ConnectionCut", False)


def test_the_call_log_can_wait_for_a_call(fake: Route53, raw_client: RawClient) -> None:
    fake.faults.arm(build_throttling_fault())
    raw_client.refusal(("CREATE", A))
    with ThreadPoolExecutor() as pool:
        coming = pool.submit(fake.log.wait_for, CHANGE, worked=True)
        raw_client.create(A)
        assert coming.result().status == 200
    assert fake.log.wait_for(CHANGE, count=1).code == "Throttling"


def test_a_reset_removes_calls_zones_denials_and_faults(fake: Route53, raw_client: RawClient) -> None:
    raw_client.create(A)
    fake.access.deny()
    fake.faults.arm(build_throttling_fault(), times=None)
    fake.reset()
    assert fake.log.calls() == ()
    assert raw_client.client.list_hosted_zones()["HostedZones"] == []
