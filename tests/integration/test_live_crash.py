"""extdns or the API server is killed at any moment, and the zones end up the same (law 10)."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any, Final

import pytest

from tests.fakes.apiserver.faults import Stall
from tests.fakes.apiserver.options import WatchList
from tests.fakes.apiserver.server import ApiServer
from tests.integration.live import LiveStage
from tests.integration.program import HANGS_S, ROOT, environment, running
from tests.integration.stage import service

COUNT: Final = 12
ZONES: Final = ("example.org", "example.net")


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[LiveStage]:
    """Create two zones with a foreign record, and records that the next run creates, updates, keeps and deletes."""
    with ApiServer() as server:
        stage = LiveStage(tmp_path, server, example_org="manual A 198.51.100.1\n", example_net="")
        stage.put(*(build_service(number, "192.0.2.1") for number in range(COUNT)), build_service(99, "192.0.2.1"))
        assert stage.once() == 0
        server.delete("Service", "shop", "web-99")
        stage.put(*(build_service(number, "192.0.2.2") for number in range(0, 2 * COUNT, 2)))
        yield stage


def build_service(number: int, address: str) -> dict[str, Any]:
    hosts = ",".join(f"n{number}.{zone}" for zone in ZONES)
    return service(f"web-{number}", hosts, address=address)


def expected_records(zone: str) -> list[str]:
    """Return the records that extdns must have written into *zone* in the end."""
    updated, unchanged = range(0, 2 * COUNT, 2), range(1, COUNT, 2)
    records = [*((number, "192.0.2.2") for number in updated), *((number, "192.0.2.1") for number in unchanged)]
    return sorted(f"n{number}.{zone} A {address}" for number, address in records)


def check_final_zones(stage: LiveStage) -> None:
    """Run extdns, and check that the zones are as without the crash and that a second run changes nothing."""
    assert stage.run_twice() == 0
    for zone in ZONES:
        assert stage.published(zone) == expected_records(zone)
        assert stage.text(zone).count("heritage") == len(expected_records(zone))
    assert "manual A 198.51.100.1\n" in stage.text()
    assert set(stage.state()) == {f"{zone}.zone" for zone in ZONES}


ANYWHERE: Final = sorted(Random(4).sample(range(2, 8), 2))


@pytest.mark.parametrize(
    ("event", "number"),
    [
        pytest.param("socket.connect", 1, id="before-the-first-list"),
        pytest.param("os.rename", 1, id="before-the-first-zone-file-is-replaced"),
        pytest.param("os.rename", 2, id="between-two-zone-files"),
        *(pytest.param("*", number, id=f"at-step-{number}") for number in ANYWHERE),
    ],
)
def test_zones_end_up_complete_after_extdns_was_killed_at_a_system_call(
    stage: LiveStage, event: str, number: int
) -> None:
    module = ("-m", "tests.integration.fragile", str(stage.zones), event, str(number))
    command = (sys.executable, *module, *stage.flags())
    died = subprocess.run(command, env=environment(), cwd=ROOT, timeout=HANGS_S, check=False, capture_output=True)
    assert died.returncode == -signal.SIGKILL, died.stderr
    check_final_zones(stage)


@pytest.mark.parametrize("mode", [WatchList.SERVED, WatchList.GATED])
def test_zones_end_up_complete_after_extdns_was_killed_during_a_list(stage: LiveStage, mode: WatchList) -> None:
    stage.server.api.watch_list = mode
    verb, lines = ("watch", COUNT // 2) if mode is WatchList.SERVED else ("list", 0)
    armed = stage.server.faults.arm(Stall(lines), verb=verb, resource="services")
    before = stage.state()
    with running(*stage.flags()) as program:
        armed.wait()
        assert program.end(signal.SIGKILL) == -signal.SIGKILL
    armed.release()
    assert stage.state() == before
    check_final_zones(stage)


@pytest.mark.parametrize("line", ["Desired change", "successfully updated"])
def test_zones_end_up_complete_after_extdns_was_killed_at_a_log_line(stage: LiveStage, line: str) -> None:
    with running(*stage.flags()) as program:
        program.until(line)
        assert program.end(signal.SIGKILL) == -signal.SIGKILL
    check_final_zones(stage)


def test_an_api_server_with_reset_versions_causes_one_list_and_no_delete(stage: LiveStage) -> None:
    with running(*stage.flags("--delete-grace-period=0s", "--interval=1s")) as program:
        program.until("DELETE n99.example.org A")
        program.until("All records are already up to date")
        stage.server.kill()
        program.until("kind=Service message=")
        stage.put(build_service(100, "192.0.2.2"))
        stage.server.delete("Service", "shop", "web-22")
        stage.put(build_service(22, "192.0.2.2"))
        stage.server.log.clear()
        stage.server.restart(new_history=True)
        program.until("Desired change: CREATE n100.example.org A")
        program.until("All records are already up to date")
        assert program.end() == 0
    (check, listed) = stage.server.log.requests(resource="services")
    assert (check.query["limit"], listed.query["sendInitialEvents"]) == ("1", "true")
    assert not [line for line in program.lines if "Desired change: DELETE" in line and " n99." not in line]
    assert {zone: stage.published(zone) for zone in ZONES} == {
        zone: sorted([*expected_records(zone), f"n100.{zone} A 192.0.2.2"]) for zone in ZONES
    }
