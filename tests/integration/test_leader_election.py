"""Several processes over one API server and one zone: one writes, the others stand by and take over."""

from __future__ import annotations

import json
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from extdns.model.decision import Verdict
from tests.fakes.apiserver.server import ApiServer
from tests.integration.live import LiveStage, Running, program
from tests.integration.program import running
from tests.integration.stage import service

ELECT: Final = ("--leader-elect", "--leader-elect-retry-period=100ms", "--delete-grace-period=0s")
QUICK: Final = (*ELECT, "--leader-elect-lease-duration=14s", "--leader-elect-renew-deadline=2s")
COUNT: Final = 20
LEADS: Final = "This process leads"
STANDS_BY: Final = "Another process leads; this one stands by"


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[LiveStage]:
    with ApiServer() as server:
        yield LiveStage(tmp_path, server, example_org="manual A 198.51.100.1\n")


def put(stage: LiveStage, *numbers: int, address: str = "192.0.2.1") -> None:
    stage.put(*(service(f"web-{number}", f"n{number}.example.org", address=address) for number in numbers))


def records(*numbers: int, address: str = "192.0.2.1") -> list[str]:
    return sorted(f"n{number}.example.org A {address}" for number in numbers)


def holder(stage: LiveStage) -> str:
    lease = stage.server.get("Lease", "default", "extdns")
    assert lease is not None
    return str(lease["spec"]["holderIdentity"])


def outlast_the_lease(stage: LiveStage, standby: Running) -> None:
    """Let *standby* see what the Lease is now, and then let its time be over."""
    seen = len(stage.server.log.requests("get", "leases"))
    stage.server.log.wait_for("get", "leases", count=seen + 2)
    standby.pass_time(31.0)


def test_one_leads_and_the_other_is_ready_and_says_so(stage: LiveStage) -> None:
    put(stage, 1)
    with running(*stage.flags(*ELECT)) as first:
        first.until(LEADS)
        with running(*stage.flags(*ELECT)) as second:
            second.until(STANDS_BY)
            (status, body), (other, text) = first.get("/readyz"), second.get("/readyz")
            assert (status, other) == (200, 200)
            assert json.loads(body)["election"]["role"] == "leader"
            facts = json.loads(text)["election"]
            assert (facts["role"], facts["lease"], facts["holder"]) == (
                "standby",
                "Lease default/extdns",
                holder(stage),
            )
            assert "extdns_leader 1.0" in first.get("/metrics")[1]
            assert "extdns_leader 0.0" in second.get("/metrics")[1]
            assert second.end() == 0
            assert not [line for line in second.lines if "Desired change" in line]
        assert first.end() == 0
    assert stage.published() == records(1)
    assert holder(stage) == ""


def test_a_leader_that_is_killed_under_load_loses_no_change(stage: LiveStage) -> None:
    """Two processes, and the time of the Lease as it is."""
    put(stage, *range(COUNT))
    with running(*stage.flags(*QUICK)) as leader:
        leader.until(LEADS)
        with running(*stage.flags(*QUICK)) as standby:
            standby.until(STANDS_BY)
            put(stage, *range(COUNT, 2 * COUNT))
            leader.until("Desired change: CREATE n20.example.org")
            put(stage, *range(5), address="192.0.2.9")
            stage.server.delete("Service", "shop", "web-7")
            assert leader.end(signal.SIGKILL) == -signal.SIGKILL
            put(stage, *range(2 * COUNT, 3 * COUNT))
            stage.server.delete("Service", "shop", "web-8")
            standby.until(LEADS)
            standby.until("Desired change: DELETE n8.example.org")
            put(stage, 99)
            standby.until("Desired change: CREATE n99.example.org")
            standby.until("successfully updated")
            assert standby.end() == 0
    kept = sorted({*range(5, 3 * COUNT), 99} - {7, 8})
    assert stage.published() == sorted(records(*kept) + records(*range(5), address="192.0.2.9"))
    assert stage.text().count("heritage") == len(kept) + 5


def test_a_leader_that_ends_in_order_is_followed_at_once(stage: LiveStage, monkeypatch: pytest.MonkeyPatch) -> None:
    put(stage, 1)
    with running(*stage.flags(*ELECT)) as leader:
        leader.until(LEADS)
        with program(stage, monkeypatch, *ELECT) as standby:
            standby.until(STANDS_BY)
            assert leader.end() == 0
            standby.until(LEADS)
            put(stage, 2)
            standby.until("Desired change: CREATE n2.example.org")
            standby.until("successfully updated")
    assert stage.published() == records(1, 2)


def test_who_stands_by_takes_over_when_the_lease_of_a_dead_leader_is_over(
    stage: LiveStage, monkeypatch: pytest.MonkeyPatch
) -> None:
    with running(*stage.flags(*ELECT)) as leader:
        leader.until(LEADS)
        with program(stage, monkeypatch, *ELECT) as standby:
            standby.until(STANDS_BY)
            leader.end(signal.SIGKILL)
            stage.server.log.clear()
            put(stage, 1)
            outlast_the_lease(stage, standby)
            standby.until(LEADS)
            standby.until("successfully updated")
            assert not stage.server.log.requests(resource="services"), "what is warm lists nothing"
            assert b"extdns_leader 1.0" in standby.metrics()
    assert stage.published() == records(1)


def test_a_leader_that_is_cut_off_stops_to_write_and_goes_on_when_it_is_back(
    stage: LiveStage, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(stage, 1)
    with program(stage, monkeypatch, *ELECT, "--audit-calls-per-minute=600") as leader:
        leader.until(LEADS)
        leader.until("successfully updated")
        stage.server.kill()
        leader.until("The Lease cannot be had")
        leader.pass_time(15.5)
        leader.until("does not lead any more")
        stage.file().write_text(stage.text().partition("; BEGIN extdns")[0], encoding="utf-8")
        leader.pass_time(600.0)
        leader.until_planned("n1.example.org", Verdict.CREATE)
        assert stage.published() == []
        stage.server.restart(new_history=False)
        leader.until(LEADS)
        leader.until("successfully updated")
    assert stage.published() == records(1)


@pytest.mark.parametrize("verb", ["get", "create"])
def test_without_the_right_to_leases_nothing_is_written_and_that_is_said_once(
    stage: LiveStage, monkeypatch: pytest.MonkeyPatch, verb: str
) -> None:
    put(stage, 1)
    stage.server.access.forbid(verb, "leases")
    with program(stage, monkeypatch, *ELECT) as standby:
        line = standby.until("The Lease cannot be had")
        assert 'needs="get, create and update on leases"' in line
        stage.server.log.wait_for(verb, "leases", count=4)
        assert standby.controller.ready()[0]
        facts = json.loads(json.dumps(standby.controller.ready()[1]))["election"]
        assert facts["role"] == "standby"
        assert "403" in facts["message"]
        assert stage.published() == []
        stage.server.access.permit(verb, "leases")
        standby.until(LEADS)
        standby.until("successfully updated")
    assert sum("The Lease cannot be had" in line for line in standby.lines) == 1
    assert stage.published() == records(1)


def test_a_single_pass_does_not_wait_for_a_leader(stage: LiveStage, caplog: pytest.LogCaptureFixture) -> None:
    put(stage, 1)
    assert stage.once("--leader-elect") == 0
    assert stage.published() == records(1)
    assert not stage.server.log.requests(resource="leases")
    assert "Notice about a flag" in caplog.text
