"""A person looks for a problem in a running process: SIGUSR1 and --log-level=debug (docs/how-to/debug-a-process.md)."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.fakes.apiserver.server import ApiServer
from tests.fakes.route53.server import Route53
from tests.objects import service
from tests.program.installation import Installation
from tests.program.process import ExtdnsProcess, running
from tests.route53 import environ

SECRETS = {"AWS_SECRET_ACCESS_KEY": "planted-aws-secret", "EXTERNAL_DNS_TXT_ENCRYPT_AES_KEY": "0123456789abcdef" * 2}


@pytest.fixture
def debugged(tmp_path: Path) -> Iterator[tuple[Installation, ExtdnsProcess]]:
    """Run a process at the debug level that has published `web`."""
    with ApiServer() as server, Route53() as dns:
        dns.add_zone("example.org")
        installation = Installation(tmp_path, server, dns_flags=("--provider=aws",))
        installation.apply(service("web"))
        flags = installation.flags("--log-level=debug", "--txt-encrypt-enabled", "--interval=1s")
        with running(*flags, env={**environ(dns), **SECRETS}) as process:
            process.until("All records are already up to date")
            yield installation, process


def test_sigusr1_prints_stacks_queues_and_deadlines_and_the_process_goes_on(
    debugged: tuple[Installation, ExtdnsProcess],
) -> None:
    installation, process = debugged
    process.process.send_signal(signal.SIGUSR1)
    process.until("state of extdns")
    began = len(process.lines)
    process.until("zone example.org")
    for thread in ("MainThread", "cluster"):
        assert f"  {thread}:" in process.lines[began:]
    assert any("controller.py" in line and "_loop" in line for line in process.lines[began:])
    assert "  calls write: 0 waiting, 0 running" in process.lines[began:]
    process.until("deadlines:")
    process.until("step of the engine: ")
    installation.apply(service("later"))
    process.until("Desired change: CREATE later.example.org A")
    assert process.end() == 0


def test_the_debug_log_shows_decisions_calls_watches_and_deadlines_and_no_secret(
    debugged: tuple[Installation, ExtdnsProcess],
) -> None:
    _, process = debugged
    assert process.end() == 0
    for part in (
        'msg="Desired change: CREATE web.example.org A"',
        'msg="Decision: keep web.example.org A published"',
        'msg="Call to the DNS service: ChangeResourceRecordSets ok" seconds=',
        'msg="Request to the API server: GET /api/v1/services 200" seconds=',
        'msg="Objects changed: services 1"',
        'msg="The list and watch of a kind changed phase" kind=Service phase=synced',
        "next_step_in_s=",
    ):
        assert any(part in line for line in process.lines), part
    log = "\n".join(process.lines)
    assert not [secret for secret in SECRETS.values() if secret in log]
    assert "authorization" not in log.lower()
