"""`extdns owners`, and plans on the zone snapshots that it prints."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import msgspec
import pytest

from extdns import cli
from extdns.app import assembly
from extdns.documents.owners import OwnersDocument
from tests.objects import service
from tests.program.installation import Installation
from tests.program.running import HastyClock

HOSTILE = "\x1b[31m\u202e\x9b2J"
BLUE = 'a-blue IN TXT "heritage=external-dns,external-dns/owner=blue,external-dns/resource=service/blue/web"'


@pytest.fixture
def installation(tmp_path: Path) -> Installation:
    """Create our records and an orphan, foreign records, and an ownership record without its record."""
    lines = f"www IN A 192.0.2.99\nblue IN A 192.0.2.5\n{BLUE}\n{BLUE.replace('a-blue', 'a-gone')}\n"
    found = Installation(tmp_path, example_org=lines)
    found.replace_manifests(service("api", "api.example.org"), service("old", "old.example.org"))
    assert found.run_once() == 0
    found.replace_manifests(service("api", "api.example.org"), service("shop", "shop.example.org"))
    return found


def run(installation: Installation, command: str, *more: str, provider: str = "zonefile") -> int:
    flags = [flag.replace("=zonefile", f"={provider}") for flag in installation.flags(*more)]
    return cli.main([command, *(flag for flag in flags if provider == "zonefile" or "--zonefile" not in flag)], {})


def test_owners_are_listed_with_the_number_of_their_records_and_with_orphans_and_stray_ownership_records(
    installation: Installation, capsys: pytest.CaptureFixture[str]
) -> None:
    before = installation.zones.contents()
    assert run(installation, "owners") == 0
    assert capsys.readouterr().out == (
        "Zone example.org (example.org.zone)  5 records, 2 ours\n"
        "\n"
        '  "me" (ours)                        2 records\n'
        '  "blue"                              1 record\n'
        "  no owner                           2 records\n"
        "\n"
        "  Records of ours that no object requests\n"
        "    A      old.example.org  resource service/shop/old\n"
        "\n"
        "  Ownership records that cover no current record\n"
        "    TXT    a-gone.example.org\n"
        "\n"
        f'Answered by this command, in one pass, owner "me", files {installation.manifests}\n'
        "\n"
        "1 orphan, 1 stray ownership record.\n"
    )
    assert installation.zones.contents() == before


def test_owners_lists_when_each_owner_last_saved_its_state(
    installation: Installation, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    state = f"--state-file={tmp_path / 'state'}"
    assert installation.run_once(state) == 0
    assert run(installation, "owners", state) == 0
    lines = [" ".join(line.split()) for line in capsys.readouterr().out.splitlines()]
    assert any(line.startswith('"me" (ours) 2 records last saved state at 20') for line in lines)
    assert '"blue" 1 record no saved state here' in lines


def test_unreadable_saved_state_makes_the_list_of_owners_incomplete(
    installation: Installation, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "state").write_text("{")
    monkeypatch.setattr(assembly, "SystemClock", HastyClock)
    assert run(installation, "owners", f"--state-file={tmp_path / 'state'}") == 1
    assert "\nINCOMPLETE: " in capsys.readouterr().out


def test_with_the_noop_registry_owners_counts_all_records_as_ours_without_an_owner_id(
    installation: Installation, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(installation, "owners", "--registry=noop") == 0
    assert capsys.readouterr().out.startswith(
        "Zone example.org (example.org.zone)  9 records, 9 ours\n\n  ours                               9 records\n"
    )


@pytest.fixture
def snapshot(installation: Installation, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    """Store the zones of *installation* in a file, and return its path."""
    assert run(installation, "owners", "--output=json") == 0
    path = tmp_path / "zones.json"
    path.write_text(capsys.readouterr().out, encoding="utf-8")
    return path


@pytest.mark.parametrize("output", ["text", "json"])
def test_a_plan_on_a_zone_snapshot_equals_the_plan_on_the_zones(
    installation: Installation, snapshot: Path, output: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert msgspec.json.decode(snapshot.read_bytes(), type=OwnersDocument).zones[0].zone.ours == 2
    assert run(installation, "plan", f"--output={output}") == 2
    live = capsys.readouterr().out
    installation.zones.path().write_text("nothing that could be read")
    assert run(installation, "plan", f"--output={output}", f"--zone-snapshot={snapshot}") == 2
    assert capsys.readouterr().out == live


def test_a_ttl_of_zero_is_a_ttl_in_a_zone_snapshot_and_in_the_plan_on_it(
    installation: Installation, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    zone = installation.zones.path()
    zone.write_text(re.sub(r"^(api\S*)\s+\d*\s*(IN\s+A)", r"\1 0 \2", zone.read_text(), flags=re.MULTILINE))
    assert run(installation, "owners", "--output=json") == 0
    snapshot = tmp_path / "zones.json"
    snapshot.write_text(capsys.readouterr().out, encoding="utf-8")
    installation.replace_manifests(service("api", "api.example.org", address="192.0.2.8", annotations={"ttl": "60"}))
    assert run(installation, "plan", f"--zone-snapshot={snapshot}") == 2
    assert "ttl 0 s → 60 s" in capsys.readouterr().out
    assert run(installation, "plan", "--output=json", f"--zone-snapshot={snapshot}") == 2
    (change,) = (one for one in json.loads(capsys.readouterr().out)["changes"] if one["name"] == "api.example.org")
    assert change["before"]["ttlSeconds"] == 0


@pytest.mark.parametrize("provider", ["aws", "google", "zonefile"])
def test_a_plan_from_a_zone_snapshot_needs_no_credentials_and_no_zone_files(
    installation: Installation, snapshot: Path, provider: str, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.rmtree(installation.zones.folder)
    snapshot.write_text(snapshot.read_text().replace('"provider": "zonefile"', f'"provider": "{provider}"'))
    assert run(installation, "plan", f"--zone-snapshot={snapshot}", provider=provider) == 2
    output = capsys.readouterr()
    assert "  + A  shop.example.org  192.0.2.1  " in output.out
    assert output.err == ""


@pytest.mark.parametrize(
    ("change", "message"),
    [
        pytest.param({"provider": "aws"}, "holds zones of another provider", id="provider"),
        pytest.param({"missing": ["zone x cannot be read"]}, "is incomplete: zone x cannot be read", id="missing"),
        pytest.param({"zones": 3}, "is not a zone snapshot: Expected `array`", id="shape"),
        pytest.param({"kind": HOSTILE}, "is not a zone snapshot: Invalid value", id="kind"),
        pytest.param({"more": 1}, "is not a zone snapshot: Object contains unknown field", id="more"),
    ],
)
def test_an_invalid_zone_snapshot_is_refused(
    installation: Installation,
    snapshot: Path,
    change: dict[str, object],
    message: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    snapshot.write_text(json.dumps(json.loads(snapshot.read_text()) | change))
    assert run(installation, "plan", f"--zone-snapshot={snapshot}") == 1
    output = capsys.readouterr().err
    assert output.startswith(f"error: --zone-snapshot={snapshot} {message}")
    assert all(line.isprintable() for line in output.splitlines())


def test_a_zone_snapshot_file_that_does_not_exist_is_refused(
    installation: Installation, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(installation, "plan", "--zone-snapshot=/nowhere") == 1
    assert capsys.readouterr().err.startswith("error: --zone-snapshot=/nowhere cannot be read: No such file")


def test_a_zone_snapshot_with_an_invalid_name_is_refused(
    installation: Installation, snapshot: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    snapshot.write_text(snapshot.read_text().replace("www.example.org", "www..example.org"))
    assert run(installation, "plan", f"--zone-snapshot={snapshot}") == 1
    assert "is not a zone snapshot: 'www..example.org'" in capsys.readouterr().err


def test_owners_lists_forged_ownership_records(installation: Installation, capsys: pytest.CaptureFixture[str]) -> None:
    text = '"heritage=external-dns,external-dns/owner=me"'
    zone = next(installation.zones.folder.iterdir())
    forged = f"mail IN A 192.0.2.7\na-mail IN TXT {text}\ntxt-a-mail IN TXT {text}\n"
    zone.write_text(zone.read_text() + forged)
    assert run(installation, "owners", "--managed-record-types=A", "--managed-record-types=TXT") == 0
    assert (
        "  TXT records that read as ownership records but count as ordinary records\n    TXT    a-mail.example.org\n"
    ) in capsys.readouterr().out
