"""Two real processes, with the real duration of the Lease."""

from __future__ import annotations

import signal

from tests.integration.test_leader_election import (  # noqa: F401 - a fixture
    COUNT,
    IS_LEADER,
    IS_STANDBY,
    QUICK,
    installation,
    put,
    records,
)
from tests.program.installation import Installation
from tests.program.process import running


def test_a_standby_publishes_every_change_after_the_leader_was_killed_during_writes(
    installation: Installation,  # noqa: F811 - a fixture
) -> None:
    put(installation, *range(COUNT))
    with running(*installation.flags(*QUICK)) as leader:
        leader.until(IS_LEADER)
        with running(*installation.flags(*QUICK)) as standby:
            standby.until(IS_STANDBY)
            put(installation, *range(COUNT, 2 * COUNT))
            leader.until("Desired change: CREATE n20.example.org")
            put(installation, *range(5), address="192.0.2.9")
            installation.server.delete("Service", "shop", "web-7")
            assert leader.end(signal.SIGKILL) == -signal.SIGKILL
            put(installation, *range(2 * COUNT, 3 * COUNT))
            installation.server.delete("Service", "shop", "web-8")
            standby.until(IS_LEADER)
            standby.until("Desired change: DELETE n8.example.org")
            put(installation, 99)
            standby.until("Desired change: CREATE n99.example.org")
            standby.until("successfully updated")
            assert standby.end() == 0
    remaining = sorted({*range(5, 3 * COUNT), 99} - {7, 8})
    assert installation.zones.published() == sorted(records(*remaining) + records(*range(5), address="192.0.2.9"))
    assert installation.zones.text().count("heritage") == len(remaining) + 5
