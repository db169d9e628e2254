"""`extdns check` and the right to change zones: what DNS services tell of it, and that asking changes nothing."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from extdns import cli
from tests.fakes.clouddns.server import PROJECT, CloudDns
from tests.fakes.service.faults import Refuse
from tests.integration.stage import service

RECORDS = "dns.resourceRecordSets"
TEST = "managedZones.testIamPermissions"


@pytest.fixture
def manifests(tmp_path: Path) -> str:
    path = tmp_path / "web.json"
    path.write_text(json.dumps(service("web", "web.example.org")))
    return str(path)


@pytest.fixture
def google() -> Iterator[CloudDns]:
    with CloudDns() as fake:
        fake.add_zone("example.org", name="main")
        fake.add_zone("example.net", name="other")
        yield fake


def check_google(fake: CloudDns, manifests: str) -> int:
    where = (f"--google-api-endpoint={fake.url}", f"--google-project={PROJECT}", "--provider=google")
    return cli.main(["check", *where, "--source=service", "--txt-owner-id=me", f"--manifests={manifests}"], {})


def test_cloud_dns_tells_zone_by_zone(google: CloudDns, manifests: str, capsys: pytest.CaptureFixture[str]) -> None:
    google.api.lacking["other"] = {f"{RECORDS}.delete", f"{RECORDS}.update"}
    assert check_google(google, manifests) == 1
    assert capsys.readouterr().out.splitlines()[-4:] == [
        f"missing  right to change zone example.net (other): {RECORDS}.delete, {RECORDS}.update not granted",
        "         grant roles/dns.admin, or a role with these, on the project or on the zone",
        "ok       right to change zone example.org (main): as testIamPermissions tells",
        "1 thing missing.",
    ]
    assert {call.action for call in google.log.calls()} == {
        "projects.get",
        "managedZones.list",
        "resourceRecordSets.list",
        TEST,
    }


def test_where_cloud_dns_does_not_tell_nobody_knows(
    google: CloudDns, manifests: str, capsys: pytest.CaptureFixture[str]
) -> None:
    google.denied.add(TEST)
    google.faults.arm(Refuse(503, "backendError", "Backend Error"), action=TEST)
    assert check_google(google, manifests) == 0
    said = capsys.readouterr().out
    assert f"unknown  right to change zone example.net (other): dns.{TEST} on zone example.net (other): " in said
    assert f"unknown  right to change zone example.org (main): dns.{TEST} on zone example.org (main): forbidden" in said
    assert said.endswith("\nNothing is missing.\n")
