"""extdns or the API server is killed at any moment, and the zones end up the same (law 10)."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any, Final

import pytest

from tests.fakes.apiserver.faults import Stall
from tests.fakes.apiserver.options import WatchList
from tests.fakes.apiserver.server import ApiServer
from tests.objects import service
from tests.program.installation import Installation
from tests.program.process import once, running

COUNT: Final = 12
ZONES: Final = ("example.org", "example.net")


@pytest.fixture
def installation(tmp_path: Path) -> Iterator[Installation]:
    """Create two zones with a foreign record, and records that the next run creates, updates, keeps and deletes."""
    with ApiServer() as server:
        installation = Installation(tmp_path, server, example_org="manual A 198.51.100.1\n", example_net="")
        installation.apply(
            *(build_service(number, "192.0.2.1") for number in range(COUNT)), build_service(99, "192.0.2.1")
        )
        assert installation.run_once() == 0
        server.delete("Service", "shop", "web-99")
        installation.apply(*(build_service(number, "192.0.2.2") for number in range(0, 2 * COUNT, 2)))
        yield installation


def build_service(number: int, address: str) -> dict[str, Any]:
    hosts = ",".join(f"n{number}.{zone}" for zone in ZONES)
    return service(f"web-{number}", hosts, address=address)


def expected_records(zone: str) -> list[str]:
    """Return the records that extdns must have written into *zone* in the end."""
    updated, unchanged = range(0, 2 * COUNT, 2), range(1, COUNT, 2)
    records = [*((number, "192.0.2.2") for number in updated), *((number, "192.0.2.1") for number in unchanged)]
    return sorted(f"n{number}.{zone} A {address}" for number, address in records)


def check_final_zones(installation: Installation) -> None:
    """Run extdns, and check that the zones are as without the crash and that a second run changes nothing."""
    assert installation.run_twice() == 0
    for zone in ZONES:
        assert installation.zones.published(zone) == expected_records(zone)
        assert installation.zones.text(zone).count("heritage") == len(expected_records(zone))
    assert "manual A 198.51.100.1\n" in installation.zones.text()
    assert set(installation.zones.contents()) == {f"{zone}.zone" for zone in ZONES}


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
    installation: Installation, event: str, number: int
) -> None:
    arguments = (str(installation.zones.folder), event, str(number), *installation.flags())
    died = once(*arguments, module="tests.integration.fragile")
    assert died.returncode == -signal.SIGKILL, died.stderr
    check_final_zones(installation)


@pytest.mark.parametrize("mode", [WatchList.SERVED, WatchList.GATED])
def test_zones_end_up_complete_after_extdns_was_killed_during_a_list(
    installation: Installation, mode: WatchList
) -> None:
    installation.server.api.watch_list = mode
    verb, lines = ("watch", COUNT // 2) if mode is WatchList.SERVED else ("list", 0)
    armed = installation.server.faults.arm(Stall(lines), verb=verb, resource="services")
    before = installation.zones.contents()
    with running(*installation.flags()) as program:
        armed.wait()
        assert program.end(signal.SIGKILL) == -signal.SIGKILL
    armed.release()
    assert installation.zones.contents() == before
    check_final_zones(installation)


@pytest.mark.parametrize("line", ["Desired change", "successfully updated"])
def test_zones_end_up_complete_after_extdns_was_killed_at_a_log_line(installation: Installation, line: str) -> None:
    with running(*installation.flags()) as program:
        program.until(line)
        assert program.end(signal.SIGKILL) == -signal.SIGKILL
    check_final_zones(installation)
