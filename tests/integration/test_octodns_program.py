"""The whole program with `--provider=octodns`, and a package whose service is in memory."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from extdns import cli
from extdns.app.provider import build_offline_reader, build_provider
from extdns.config import parse
from extdns.errors import UsageError
from tests.fakes.apiserver.server import ApiServer
from tests.fakes.octodns_package import CLASS, SERVICES, BusyError, MemoryService
from tests.objects import service
from tests.octodns_config import write_config
from tests.program.installation import Installation

MANY: Final = {f"n{number:02}": f"192.0.2.{number}" for number in range(1, 16)}


@pytest.fixture
def dns() -> Iterator[MemoryService]:
    """Create a service with a record of another program."""
    SERVICES["it"] = found = MemoryService()
    found.put("theirs", "A", "192.0.2.99")
    yield found
    del SERVICES["it"]


@pytest.fixture
def flags(dns: MemoryService, tmp_path: Path) -> list[str]:
    assert dns is SERVICES["it"]
    path = write_config(tmp_path, {"class": CLASS, "service": "it"}, ("example.org",))
    return ["--provider=octodns", f"--octodns-config={path}"]


def list_names(dns: MemoryService, rtype: str) -> set[str]:
    """Return the names that have a record of a type."""
    return {name for name, found in dns.zones["example.org."] if found == rtype}


@pytest.mark.parametrize("status", [401, 429, 500])
def test_a_batch_that_fails_halfway_is_completed_later_and_foreign_records_stay(
    dns: MemoryService, flags: list[str], tmp_path: Path, status: int
) -> None:
    dns.failures += ((1, BusyError(status)), (0, BusyError(status)))
    with ApiServer() as server:
        installation = Installation(tmp_path, server, dns_flags=flags)
        installation.apply(*(service(name, address=MANY[name]) for name in ("n01", "n02")))
        with installation.start() as running:
            running.until("successfully updated")
            installation.until(lambda: list_names(dns, "A") == {"n01", "n02", "theirs"})
    assert list_names(dns, "TXT") == {"a-n01", "a-n02"}
    assert dns.get("theirs", "A") == {"type": "A", "ttl": 300, "values": ["192.0.2.99"]}


def test_octodns_reads_the_zone_only_once_before_a_batch_of_many_names(
    dns: MemoryService, flags: list[str], tmp_path: Path
) -> None:
    installation = Installation(tmp_path, dns_flags=flags)
    installation.replace_manifests(*(service(name, address=to) for name, to in MANY.items()))
    assert installation.run_once() == 0
    assert list_names(dns, "A") == {*MANY, "theirs"}
    assert dns.reads == 2, "the first read of the zone, and the one before the batch"


def test_extdns_check_reads_the_zone_and_reports_permissions_as_unknown(
    flags: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    manifests = tmp_path / "manifests"
    manifests.mkdir()
    (manifests / "web.json").write_text(json.dumps(service("web")))
    cli.main(["check", *flags, "--source=service", f"--manifests={manifests}", "--txt-owner-id=me"])
    shown = capsys.readouterr().out
    assert "1 record read, 0 ours" in shown
    assert "octoDNS has no call that checks permissions" in shown


def test_without_octodns_the_error_shows_the_command_that_installs_it(
    flags: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("providers.octodns.spec.find_spec", lambda _: None)
    with pytest.raises(UsageError, match=r"needs octoDNS; install it: pip install 'octodns<2'"):
        build_provider(parse(["--source=service", *flags], {}))


def test_a_plan_from_a_zone_snapshot_needs_no_secrets_of_the_octodns_provider(
    dns: MemoryService, tmp_path: Path
) -> None:
    assert dns is SERVICES["it"]
    provider = {"class": CLASS, "service": "it", "token": "env/NOT_HERE"}
    argv = ["--source=service", "--provider=octodns", f"--octodns-config={write_config(tmp_path, provider)}"]
    assert build_offline_reader(parse(argv, {})).capabilities.reads_full_zones
    with pytest.raises(UsageError, match="environment variable NOT_HERE is not set"):
        build_provider(parse(argv, {}))
