"""The whole program with `--provider=octodns`, in front of a real BIND and of a fake of Cloudflare's API."""

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
from tests.fakes.cloudflare.server import Cloudflare
from tests.fakes.service.faults import Drop, Fault, Refuse
from tests.objects import service
from tests.octodns_config import describe_cloudflare, write_config
from tests.program.installation import Installation
from tests.updatable import ZONES

ADDRESSES: Final = {f"n{number:02}": f"192.0.2.{number}" for number in range(1, 16)}


@pytest.fixture
def fake() -> Iterator[Cloudflare]:
    with Cloudflare() as found:
        yield found


@pytest.fixture
def zone(fake: Cloudflare) -> str:
    """Create the zone, with a record of another program, and return its id."""
    found = fake.add_zone(ZONES[0], "pro")
    fake.put(found, "theirs.example.org", "A", "192.0.2.99", comment="by hand", tags=["a:b"], proxied=True)
    return found


def build_flags(folder: Path, fake: Cloudflare) -> list[str]:
    """Return the flags for the zone of *fake*."""
    path = write_config(folder, describe_cloudflare(fake), ZONES[:1])
    return ["--provider=octodns", f"--octodns-config={path}"]


def list_records(fake: Cloudflare, zone: str) -> dict[str, str]:
    """Return the content of each value that is not an ownership record, by name and type."""
    return {
        f"{found['name'].removesuffix('.example.org')} {found['type']}": found["content"]
        for found in fake.list_records(zone)
        if found["type"] != "TXT"
    }


def list_owned(fake: Cloudflare, zone: str) -> set[str]:
    """Return the first labels of the names with an ownership record."""
    return {
        found["name"].split(".")[0].removeprefix("a-") for found in fake.list_records(zone) if found["type"] == "TXT"
    }


@pytest.mark.parametrize(
    "fault",
    [
        pytest.param(Refuse(400, "9005", "Content for A record is invalid."), id="refused"),
        pytest.param(Refuse(403, "10000", "Authentication error"), id="forbidden"),
        pytest.param(Refuse(429, "10100", "Rate limited"), id="rate-limit"),
        pytest.param(Refuse(500, "0", "Internal error"), id="500"),
        pytest.param(Drop(), id="lost"),
        pytest.param(Drop(worked=True), id="answer-lost"),
    ],
)
def test_a_batch_that_fails_halfway_is_completed_later_and_foreign_records_stay(
    fake: Cloudflare, zone: str, tmp_path: Path, fault: Fault
) -> None:
    theirs = fake.list_records(zone)
    with ApiServer() as server:
        installation = Installation(tmp_path, server, dns_flags=build_flags(tmp_path, fake))
        installation.apply(*(service(name, f"{name}.example.org", address=ADDRESSES[name]) for name in ("n01", "n02")))
        fake.faults.arm(Fault(), action="POST dns_records", times=1)
        armed = fake.faults.arm(fault, action="POST dns_records", times=2)
        with installation.start() as running:
            armed.wait()
            expected = {"n01 A": "192.0.2.1", "n02 A": "192.0.2.2", "theirs A": "192.0.2.99"}
            installation.until(lambda: list_records(fake, zone) == expected)
            running.until("successfully updated")
    assert list_owned(fake, zone) == {"n01", "n02"}
    assert fake.list_records(zone)[:1] == theirs


def test_deletes_wait_for_the_grace_period_and_those_over_budget_are_held(
    fake: Cloudflare, zone: str, tmp_path: Path
) -> None:
    with ApiServer() as server:
        installation = Installation(tmp_path, server, dns_flags=build_flags(tmp_path, fake))
        objects = {name: service(name, f"{name}.example.org", address=to) for name, to in ADDRESSES.items()}
        installation.apply(*objects.values())
        with installation.start("--delete-grace-period=200ms") as running:
            installation.until(lambda: list_owned(fake, zone) == set(ADDRESSES))
            installation.delete(objects["n01"])
            installation.until(lambda: "n01 A" not in list_records(fake, zone))
            installation.until(lambda: "n01" not in list_owned(fake, zone))
            installation.delete(*(one for name, one in objects.items() if name > "n02"))
            running.until("Deletes are held")
    assert list_owned(fake, zone) == set(ADDRESSES) - {"n01"}
    assert list_records(fake, zone)["theirs A"] == "192.0.2.99"


def test_an_update_changes_the_target_and_keeps_the_other_cloudflare_settings_of_the_record(
    fake: Cloudflare, zone: str, tmp_path: Path
) -> None:
    installation = Installation(tmp_path, dns_flags=build_flags(tmp_path, fake))
    installation.replace_manifests(service("web", "web.example.org", address="192.0.2.1"))
    assert installation.run_once() == 0
    (web,) = (found for found in fake.list_records(zone) if found["name"] == "web.example.org")
    web.update(proxied=True, ttl=1, comment="switched in the dashboard", tags=["team:shop"])
    installation.replace_manifests(service("web", "web.example.org", address="192.0.2.2"))
    assert installation.run_once() == 0
    (now,) = (found for found in fake.list_records(zone) if found["name"] == "web.example.org")
    assert now["content"] == "192.0.2.2"
    assert {key: now[key] for key in ("proxied", "ttl", "comment", "tags", "id")} == {
        key: web[key] for key in ("proxied", "ttl", "comment", "tags", "id")
    }


def test_octodns_reads_the_zone_only_once_before_a_batch_of_many_names(
    fake: Cloudflare, zone: str, tmp_path: Path
) -> None:
    installation = Installation(tmp_path, dns_flags=build_flags(tmp_path, fake))
    installation.replace_manifests(
        *(service(name, f"{name}.example.org", address=to) for name, to in ADDRESSES.items())
    )
    assert installation.run_once() == 0
    assert list_owned(fake, zone) == set(ADDRESSES)
    reads = [
        call.action for call in fake.calls if call.action == "GET pagerules"
    ]  # octodns-cloudflare makes one a read
    assert len(reads) == 2, "the first read of the zone, and the one before the batch"


def test_extdns_check_reads_the_zone_and_reports_permissions_as_unknown(
    fake: Cloudflare, zone: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert zone
    manifests = tmp_path / "manifests"
    manifests.mkdir()
    (manifests / "web.json").write_text(json.dumps(service("web", "web.example.org", address="192.0.2.1")))
    flags = [*build_flags(tmp_path, fake), "--source=service", f"--manifests={manifests}", "--txt-owner-id=me"]
    cli.main(["check", *flags])
    shown = capsys.readouterr().out
    assert "1 record read, 0 ours" in shown
    assert "octoDNS has no call that checks permissions" in shown


def test_without_octodns_the_error_shows_the_command_that_installs_it(
    fake: Cloudflare, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("providers.octodns.spec.find_spec", lambda _: None)
    with pytest.raises(UsageError, match=r"needs octoDNS; install it: pip install 'octodns<2'"):
        build_provider(parse(["--source=service", *build_flags(tmp_path, fake)], {}))


def test_a_plan_from_a_zone_snapshot_needs_no_secrets_of_the_octodns_provider(tmp_path: Path) -> None:
    provider = {"class": "octodns_cloudflare.CloudflareProvider", "token": "env/NOT_HERE"}
    argv = ["--source=service", "--provider=octodns", f"--octodns-config={write_config(tmp_path, provider)}"]
    assert build_offline_reader(parse(argv, {})).capabilities.reads_full_zones
    with pytest.raises(UsageError, match="environment variable NOT_HERE is not set"):
        build_provider(parse(argv, {}))
