"""kill -9 at a call of 200 changes: the next pass completes the zones, and no record is ever without ownership record.

Each run makes the same changes in ten zones, and is killed when a call, a read or a write, has been carried out and
not answered. So the service holds what it holds before the next call. KILLS=all kills at every call, otherwise at the
first, the last, and some that a seed chooses.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from random import Random
from typing import Any, Final

import pytest

from tests.fakes.service.faults import Fault, Stall
from tests.incidents.production import SERVICES, Service
from tests.objects import service
from tests.program.installation import Installation
from tests.program.process import environment, once, running

ZONES: Final = ("example.org", *(f"z{number}.example" for number in range(1, 10)))
FLAGS: Final = (
    *("--once", "--policy=sync", "--delete-grace-period=0s", "--max-delete-percent=100", "--max-delete-count=1000"),
    "--api-calls-per-second=1000",
)
OLD, NEW, TARGET = "192.0.2.1", "192.0.2.2", "lb.example.net"
BEFORE: Final = {"updated": OLD, "retyped": OLD, "deleted": OLD}
AFTER: Final = {"updated": NEW, "retyped": TARGET, "created": NEW}
FEW: Final = 3
AT_ONCE: Final = 2
"""Runs at the same time, which mostly wait for each other's processes."""


def build_objects(addresses: Mapping[str, str]) -> list[dict[str, Any]]:
    """Return five Services in each zone for each of *addresses*, by what happens to their names."""
    return [
        service(f"{label}-{number}-{index}", f"{label}{number}.{zone}", address=address)
        for index, zone in enumerate(ZONES)
        for label, address in addresses.items()
        for number in range(5)
    ]


def read_records(dns: Service) -> dict[tuple[str, str], tuple[str, ...]]:
    """Return the values of each record, without ownership records, the apex and the foreign record."""
    return {
        (name.rstrip("."), rtype): tuple(one.rstrip(".") for one in values)
        for name, rtype, values in dns.read()
        if "heritage=" not in values[0] and name[0] in "urdc"
    }


def find_unowned(dns: Service) -> set[str]:
    """Return the ownership records that are missing, and if the service writes both together, those left over."""
    needed = {f"{rtype.lower()}-{name}" for name, rtype in read_records(dns)}
    found = {name.rstrip(".") for name, _, values in dns.read() if "heritage=" in values[0]}
    return needed ^ found if dns.is_atomic else needed - found


class Scene:
    """A new service with the zones as they are before the changes."""

    def __init__(self, dns: Service, root: Path) -> None:
        self.dns = dns
        self.installation = Installation(root, sources=["service"], dns_flags=dns.flags)
        self.environ = environment(**dns.variables)
        self.installation.replace_manifests(*build_objects(BEFORE))
        self.run()
        self.installation.replace_manifests(*build_objects(AFTER))

    def run(self) -> None:
        done = once(*self.installation.flags(*FLAGS), env=self.environ)
        assert done.returncode == 0, done.stderr

    def kill(self, number: int) -> bool:
        """Run the program, and kill it when the call *number* was carried out. Return whether it came so far."""
        if number:
            self.dns.faults.arm(Fault(), times=number)
        stall = Stall(worked=True)
        self.dns.faults.arm(stall)
        with running(*self.installation.flags(*FLAGS), env=self.environ) as program:
            while not stall.reached.wait(0.05):
                if program.process.poll() is not None:
                    break
            ended = program.end(signal.SIGKILL)
        self.dns.faults.clear()
        return ended == -signal.SIGKILL


class Counted(Fault):
    count = 0

    def before(self) -> None:
        self.count += 1


def choose(count: int) -> Sequence[int]:
    numbers = range(count)
    if os.environ.get("KILLS") == "all" or count <= FEW:
        return numbers
    return sorted({0, count - 1, *Random(37).sample(numbers, FEW)})


@pytest.mark.parametrize("provider", SERVICES)
def test_one_pass_completes_200_changes_after_a_kill_at_any_call(provider: str, tmp_path: Path) -> None:
    counted = Counted()
    (tmp_path / "expected").mkdir()
    with SERVICES[provider](*ZONES[1:]) as dns:
        scene = Scene(dns, tmp_path / "expected")
        dns.faults.arm(counted, times=None)
        scene.run()
        expected = read_records(dns)
        assert len(expected) == 150
        assert not find_unowned(dns)

    def kill(number: int) -> bool:
        root = tmp_path / str(number)
        root.mkdir()
        with SERVICES[provider](*ZONES[1:]) as dns:
            scene = Scene(dns, root)
            killed = scene.kill(number)
            assert not find_unowned(dns), number
            scene.run()
            assert (read_records(dns), find_unowned(dns)) == (expected, set()), number
        return killed

    with ThreadPoolExecutor(AT_ONCE) as pool:
        killed = sum(pool.map(kill, choose(counted.count)))
    print(f"{provider}: killed at {killed} of {counted.count} calls")  # noqa: T201 - the result of the run
    assert killed >= min(counted.count, FEW) - 1
