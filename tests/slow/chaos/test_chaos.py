"""After failing calls, edits by a second writer and killed processes the zones are as requested.

`make chaos` runs the test for longer, with SECONDS=, SEED= and PROVIDER=. A failure prints the seed, which repeats the
same events; their timing relative to extdns depends on the machine.

All runs together take about five minutes. After the script each run waits until extdns has observed all objects, has
read each zone again and waits for nothing. From then on nothing may be written: with Route 53 for a minute, in which
every shorter pause ends (a Lease, existence checks, refreshes by leader and standby). The others have the same
engine, so a quarter of that is enough there: five refreshes find what their providers would write again and again. The
only exception is the change that the service always refuses: extdns tries it again, each process at most once in that
minute. With Cloudflare and Cloud Map, whose writes have no conditions, there is one replica.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Final

import pytest

from tests.fakes.azure.server import Azure
from tests.fakes.clouddns.server import CloudDns
from tests.fakes.cloudflare.server import Cloudflare
from tests.fakes.cloudmap.server import CloudMap
from tests.fakes.route53.server import Route53
from tests.slow.chaos.run import Chaos
from tests.slow.chaos.services import (
    AzureService,
    CloudDnsService,
    CloudflareService,
    CloudMapService,
    DnsService,
    Route53Service,
)

SEED: Final = int(os.environ.get("CHAOS_SEED", "17"))
SECONDS: Final = {"aws": 50.0, "google": 20.0, "azure": 20.0, "cloudflare": 20.0, "aws-sd": 20.0}
"""Length of the script, in seconds."""
QUIET_S: Final = {"aws": 60.0, "google": 15.0, "azure": 15.0, "cloudflare": 15.0, "aws-sd": 15.0}
"""Seconds without a write after the script."""


@pytest.fixture
def service(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[DnsService]:
    with ExitStack() as stack:
        if request.param == "aws":
            yield Route53Service(stack.enter_context(Route53()))
        elif request.param == "azure":
            yield AzureService(stack.enter_context(Azure()), tmp_path)
        elif request.param == "cloudflare":
            yield CloudflareService(stack.enter_context(Cloudflare()))
        elif request.param == "aws-sd":
            yield CloudMapService(stack.enter_context(CloudMap(page=100)))
        else:
            yield CloudDnsService(stack.enter_context(CloudDns()))


@pytest.mark.parametrize("service", SECONDS, indirect=True)
def test_after_a_random_script_of_faults_edits_and_kills_the_zones_hold_what_the_objects_request(
    service: DnsService, request: pytest.FixtureRequest, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    provider = request.node.callspec.params["service"]
    seconds = float(os.environ.get("CHAOS_SECONDS", SECONDS[provider]))
    repeat = f"make chaos SECONDS={seconds:g} SEED={SEED} PROVIDER={provider}"
    with capsys.disabled():
        print(f"\n{repeat}   (logs: {tmp_path})")  # noqa: T201 - the command that repeats the run
    with Chaos(service, tmp_path, seed=SEED, seconds=seconds, quiet_s=QUIET_S[provider]) as chaos:
        report = chaos.run()
    with capsys.disabled():
        print(report)  # noqa: T201 - the result of the run
    assert not report.violations, "\n".join([repeat, f"logs: {tmp_path}", *report.violations])
