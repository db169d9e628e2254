"""Several extdns processes share one API server and one zone: only the leader writes, and a standby takes over."""

from __future__ import annotations

import json
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final
from urllib.request import urlopen

import pytest

from extdns.log import TextFormatter
from extdns.model.change import Action
from tests.fakes.apiserver.server import ApiServer
from tests.objects import service
from tests.program.installation import Installation
from tests.program.process import HANGS_S, ExtdnsProcess, running
from tests.program.running import Running

ELECT: Final = ("--leader-elect", "--leader-elect-retry-period=100ms", "--delete-grace-period=0s")
QUICK: Final = (*ELECT, "--leader-elect-lease-duration=14s", "--leader-elect-renew-deadline=2s")
PAGE: Final = (*ELECT, "--web-address=127.0.0.1:0")
COUNT: Final = 20
IS_LEADER: Final = "Became leader"
IS_STANDBY: Final = "Another process is the leader; this one is a standby"


@pytest.fixture
def installation(tmp_path: Path) -> Iterator[Installation]:
    with ApiServer() as server:
        yield Installation(tmp_path, server, example_org="manual A 198.51.100.1\n")


def put(installation: Installation, *numbers: int, address: str = "192.0.2.1") -> None:
    installation.apply(*(service(f"web-{number}", f"n{number}.example.org", address=address) for number in numbers))


def records(*numbers: int, address: str = "192.0.2.1") -> list[str]:
    return sorted(f"n{number}.example.org A {address}" for number in numbers)


def holder(installation: Installation) -> str:
    lease = installation.server.get("Lease", "default", "extdns")
    assert lease is not None
    return str(lease["spec"]["holderIdentity"])


def outlast_the_lease(installation: Installation, standby: Running) -> None:
    """Wait until *standby* has read the Lease, then advance its clock past the end of the Lease."""
    seen = len(installation.server.log.requests("get", "leases"))
    installation.server.log.wait_for("get", "leases", count=seen + 2)
    standby.pass_time(31.0)


def test_the_second_process_is_a_ready_standby_that_names_the_leader(installation: Installation) -> None:
    put(installation, 1)
    with running(*installation.flags(*ELECT)) as first:
        first.until(IS_LEADER)
        with running(*installation.flags(*ELECT)) as second:
            second.until(IS_STANDBY)
            (status, body), (other, text) = first.get("/readyz"), second.get("/readyz")
            assert (status, other) == (200, 200)
            assert json.loads(body)["election"]["role"] == "leader"
            election = json.loads(text)["election"]
            assert (election["role"], election["lease"], election["holder"]) == (
                "standby",
                "Lease default/extdns",
                holder(installation),
            )
            assert "extdns_leader 1.0" in first.get("/metrics")[1]
            assert "extdns_leader 0.0" in second.get("/metrics")[1]
            assert second.end() == 0
            assert not [line for line in second.lines if "Desired change" in line]
        assert first.end() == 0
    assert installation.zones.published() == records(1)
    assert holder(installation) == ""


def test_a_standby_takes_over_at_once_after_the_leader_stopped_normally(installation: Installation) -> None:
    put(installation, 1)
    with running(*installation.flags(*ELECT)) as leader:
        leader.until(IS_LEADER)
        with installation.start(*ELECT) as standby:
            standby.until(IS_STANDBY)
            assert leader.end() == 0
            standby.until(IS_LEADER)
            put(installation, 2)
            standby.until("Desired change: CREATE n2.example.org")
            standby.until("successfully updated")
    assert installation.zones.published() == records(1, 2)


def test_a_standby_takes_over_without_new_lists_when_the_lease_of_a_killed_leader_expires(
    installation: Installation,
) -> None:
    with running(*installation.flags(*ELECT)) as leader:
        leader.until(IS_LEADER)
        with installation.start(*ELECT) as standby:
            standby.until(IS_STANDBY)
            leader.end(signal.SIGKILL)
            installation.server.log.clear()
            put(installation, 1)
            outlast_the_lease(installation, standby)
            standby.until(IS_LEADER)
            standby.until("successfully updated")
            assert not installation.server.log.requests(resource="services"), "the standby already has all objects"
            assert b"extdns_leader 1.0" in standby.metrics()
    assert installation.zones.published() == records(1)


def test_a_leader_without_api_server_stops_writing_and_continues_after_reconnecting(installation: Installation) -> None:
    put(installation, 1)
    with installation.start(*ELECT, "--refresh-calls-per-minute=600") as leader:
        leader.until(IS_LEADER)
        leader.until("successfully updated")
        installation.server.kill()
        leader.until("Cannot acquire or renew the Lease")
        leader.pass_time(15.5)
        leader.until("Lost leadership")
        installation.zones.path().write_text(installation.zones.text().partition("; BEGIN extdns")[0], encoding="utf-8")
        leader.pass_time(600.0)
        leader.until_planned("n1.example.org", Action.CREATE)
        assert installation.zones.published() == []
        installation.server.restart(new_history=False)
        leader.until(IS_LEADER)
        leader.until("successfully updated")
    assert installation.zones.published() == records(1)


@pytest.mark.parametrize("verb", ["get", "create"])
def test_without_permission_on_leases_nothing_is_written_and_one_warning_is_logged(
    installation: Installation, verb: str
) -> None:
    put(installation, 1)
    installation.server.access.forbid(verb, "leases")
    with installation.start(*ELECT) as standby:
        line = standby.until("Cannot acquire or renew the Lease")
        assert 'needs="get, create and update on leases"' in line
        installation.server.log.wait_for(verb, "leases", count=4)
        assert standby.controller.read_readiness()[0]
        election = json.loads(json.dumps(standby.controller.read_readiness()[1]))["election"]
        assert election["role"] == "standby"
        assert "403" in election["message"]
        assert installation.zones.published() == []
        installation.server.access.permit(verb, "leases")
        standby.until(IS_LEADER)
        standby.until("successfully updated")
    assert sum("Cannot acquire or renew the Lease" in line for line in standby.lines) == 1
    assert installation.zones.published() == records(1)


def test_a_single_pass_ignores_leader_election(installation: Installation, caplog: pytest.LogCaptureFixture) -> None:
    put(installation, 1)
    assert installation.run_once("--leader-elect") == 0
    assert installation.zones.published() == records(1)
    assert not installation.server.log.requests(resource="leases")
    lines = [TextFormatter().format(record) for record in caplog.records]
    assert any("--leader-elect has no effect with --once" in line for line in lines)


def fetch(replica: ExtdnsProcess, path: str) -> dict[str, Any]:
    """Request the document at *path* from the live page of *replica*."""
    (line,) = (line for line in replica.lines if "Serving the live page" in line)
    port = int(line.rpartition("port=")[2])
    with urlopen(f"http://127.0.0.1:{port}/api/v1/{path}", timeout=HANGS_S) as response:
        document: dict[str, Any] = json.loads(response.read())
        return document


def test_a_standby_answers_by_itself_names_the_leader_and_says_what_only_the_leader_knows(
    installation: Installation,
) -> None:
    put(installation, 1)
    with running(*installation.flags(*PAGE)) as first:
        first.until(IS_LEADER)
        with running(*installation.flags(*PAGE)) as second:
            second.until(IS_STANDBY)
            installation.until(lambda: bool(fetch(first, "changes")["items"]))
            documents = [fetch(one, "names/n1.example.org") for one in (first, second)]
            assert [one["process"]["role"] for one in documents] == ["leader", "standby"]
            assert {one["process"]["leader"] for one in documents} == {holder(installation).partition("_")[0]}
            assert [len(one["lastChanges"]) for one in documents] == [1, 0]
            assert "the last write and its outcome: only the leader has them" in documents[1]["notKnown"]
            assert "only the leader knows every held delete" in fetch(second, "held")["problem"]
            assert fetch(first, "held").get("problem", "") == ""
