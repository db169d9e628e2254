"""Faults on demand, as a client sees them."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest
from botocore.config import Config
from botocore.exceptions import ClientError, ConnectionClosedError, EndpointConnectionError, ReadTimeoutError

from tests.fakes.route53.errors import throttle
from tests.fakes.route53.log import CHANGE, LIST
from tests.fakes.route53.probe import Probe, client, simple
from tests.fakes.route53.server import Route53
from tests.fakes.service.faults import Drop, Late, Meanwhile, Refuse, Stall

A = simple("a.example.com")


def test_a_fault_hits_so_many_calls_of_its_sort(fake: Route53, probe: Probe) -> None:
    fake.add_zone("other.test", zone_id="ZOTHER")
    fake.faults.arm(Refuse(503, "ServiceUnavailable"), action=LIST, zone_id="ZEXAMPLE", times=2)
    probe.client.list_hosted_zones()
    Probe(fake, "ZOTHER").listed()
    for _ in range(2):
        with pytest.raises(ClientError, match="ServiceUnavailable"):
            probe.listed()
    probe.listed()


def test_faults_are_hit_in_the_order_in_which_they_were_armed(fake: Route53, probe: Probe) -> None:
    fake.faults.arm(Refuse(500, "InternalFailure"))
    fake.faults.arm(throttle(), times=None)
    assert probe.refusal(("CREATE", A))[0] == "InternalFailure"
    assert [probe.refusal(("CREATE", A))[0] for _ in range(3)] == ["Throttling"] * 3
    fake.faults.clear()
    probe.create(A)


def test_a_server_error_is_one_that_sdks_retry(fake: Route53) -> None:
    fake.faults.arm(Refuse(500, "InternalFailure"), times=2)
    patient = client(fake.url, config=Config(retries={"total_max_attempts": 3, "mode": "standard"}))
    patient.list_hosted_zones()
    assert fake.log.counts() == {"ListHostedZones": 3}


@pytest.mark.parametrize("worked", [pytest.param(False, id="before"), pytest.param(True, id="after")])
def test_a_connection_is_cut_before_or_after_the_work(fake: Route53, probe: Probe, worked: bool) -> None:
    fake.faults.arm(Drop(worked=worked), action=CHANGE)
    with pytest.raises(ConnectionClosedError):
        probe.create(A)
    assert probe.listed() == (["a.example.com. A"] if worked else [])


@pytest.mark.parametrize("worked", [pytest.param(False, id="before"), pytest.param(True, id="after")])
def test_a_client_gives_up_before_or_after_the_work(fake: Route53, probe: Probe, worked: bool) -> None:
    stall = Stall(worked=worked)
    fake.faults.arm(stall, action=CHANGE)
    probe.client = client(fake.url, config=Config(read_timeout=0.1))
    with pytest.raises(ReadTimeoutError):
        probe.create(A)
    assert stall.reached.wait(30)
    stall.release()
    assert Probe(fake, "ZEXAMPLE").listed() == (["a.example.com. A"] if worked else [])


def test_a_call_can_be_late(fake: Route53, probe: Probe) -> None:
    armed = fake.faults.arm(Late(), action=CHANGE)
    with ThreadPoolExecutor() as pool:
        coming = pool.submit(probe.create, A)
        armed.wait()
        assert Probe(fake, "ZEXAMPLE").listed() == []
        armed.release()
        coming.result()
    assert probe.listed() == ["a.example.com. A"]


def test_somebody_else_may_edit_between_a_read_and_a_write(fake: Route53, probe: Probe) -> None:
    """The reason for exact deletes: the write is refused, the foreign edit stays."""
    probe.create(A)
    foreign = simple("a.example.com", "A", "203.0.113.1")
    fake.faults.arm(Meanwhile(lambda: fake.put("ZEXAMPLE", foreign)), action=CHANGE)
    with pytest.raises(ClientError, match="the values provided do not match the current values"):
        probe.change(("DELETE", A), ("CREATE", simple("a.example.com", "A", "192.0.2.9")))
    assert fake.shown("ZEXAMPLE") == [foreign | {"Name": "a.example.com."}]


def test_a_dead_service_refuses_connections_until_it_is_back(fake: Route53, probe: Probe) -> None:
    probe.create(A)
    fake.kill()
    with pytest.raises((EndpointConnectionError, ConnectionClosedError)):
        probe.listed()
    fake.start()
    assert probe.listed() == ["a.example.com. A"]


def test_calls_are_logged_with_what_became_of_them(fake: Route53, probe: Probe) -> None:
    probe.create(A)
    probe.refusal(("CREATE", A))
    probe.listed(StartRecordName="a.example.com")
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
    assert fake.log.counts() == {CHANGE: 2, LIST: 1}


def test_a_call_that_was_cut_is_logged_without_a_status(fake: Route53, probe: Probe) -> None:
    fake.faults.arm(Drop(worked=True), action=CHANGE)
    with pytest.raises(ConnectionClosedError):
        probe.create(A)
    (call,) = fake.log.calls(CHANGE)
    assert (call.status, call.code, call.worked) == (0, "ConnectionCut", False)


def test_a_test_can_wait_for_a_call(fake: Route53, probe: Probe) -> None:
    fake.faults.arm(throttle())
    probe.refusal(("CREATE", A))
    with ThreadPoolExecutor() as pool:
        coming = pool.submit(fake.log.wait_for, CHANGE, worked=True)
        probe.create(A)
        assert coming.result().status == 200
    assert fake.log.wait_for(CHANGE, count=1).code == "Throttling"


def test_a_reset_leaves_nothing(fake: Route53, probe: Probe) -> None:
    probe.create(A)
    fake.access.deny()
    fake.faults.arm(throttle(), times=None)
    fake.reset()
    assert fake.log.calls() == ()
    assert probe.client.list_hosted_zones()["HostedZones"] == []
