"""`extdns owners`, and plans on the zones that it stored."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import pytest

from extdns import cli
from extdns.commands.ownersfacts import OwnersFacts
from extdns.facts.document import schema_text
from tests.integration.stage import Stage, service

ROOT = Path(__file__).parents[3]
HOSTILE = "\x1b[31m\u202e\x9b2J"
BLUE = 'a-blue IN TXT "heritage=external-dns,external-dns/owner=blue,external-dns/resource=service/blue/web"'


@pytest.fixture
def stage(tmp_path: Path) -> Stage:
    """Records of ours, one of them an orphan; of another owner, of nobody; and a mark of a record that is gone."""
    lines = f"www IN A 192.0.2.99\nblue IN A 192.0.2.5\n{BLUE}\n{BLUE.replace('a-blue', 'a-gone')}\n"
    found = Stage(tmp_path, example_org=lines)
    found.apply(service("api", "api.example.org"), service("old", "old.example.org"))
    assert found.once() == 0
    found.apply(service("api", "api.example.org"), service("shop", "shop.example.org"))
    return found


def run(stage: Stage, command: str, *more: str, provider: str = "zonefile") -> int:
    flags = ["--source=service", f"--provider={provider}", f"--manifests={stage.manifests}", "--txt-owner-id=me", *more]
    return cli.main([command, *([f"--zonefile-dir={stage.zones}"] if provider == "zonefile" else []), *flags], {})


def test_owners_come_with_what_is_theirs_and_what_nobody_asks_for(
    stage: Stage, capsys: pytest.CaptureFixture[str]
) -> None:
    before = stage.state()
    assert run(stage, "owners") == 0
    assert capsys.readouterr().out == (
        "Zone example.org (example.org.zone)  5 records, 2 ours\n"
        "\n"
        '  "me" (ours)                        2 records\n'
        '  "blue"                              1 record\n'
        "  nobody                             2 records\n"
        "\n"
        "  Ours, and no object asks for it\n"
        "    A      old.example.org  made for service/shop/old\n"
        "\n"
        "  Ownership records of nothing that stands\n"
        "    TXT    a-gone.example.org\n"
        "\n"
        "1 orphan, 1 stray ownership record.\n"
    )
    assert stage.state() == before


def test_owners_that_keep_state_here_are_told_from_others(
    stage: Stage, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    state = f"--state-file={tmp_path / 'state'}"
    assert stage.once(state) == 0
    assert run(stage, "owners", state) == 0
    lines = [" ".join(line.split()) for line in capsys.readouterr().out.splitlines()]
    assert any(line.startswith('"me" (ours) 2 records kept state here last at 20') for line in lines)
    assert '"blue" 1 record keeps no state here' in lines


def test_state_that_cannot_be_read_makes_it_incomplete(
    stage: Stage, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "state").write_text("{")
    assert run(stage, "owners", f"--state-file={tmp_path / 'state'}") == 1
    assert "\nINCOMPLETE: " in capsys.readouterr().out


def test_without_a_registry_all_is_ours(stage: Stage, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(stage, "owners", "--registry=noop") == 0
    assert "\n  ours " in capsys.readouterr().out


def test_what_zones_and_marks_say_is_escaped(stage: Stage, capsys: pytest.CaptureFixture[str]) -> None:
    evil = 'evil IN A 192.0.2.6\na-evil IN TXT "heritage=external-dns,external-dns/owner=\\027[31m\\226\\128\\174"\n'
    stage.file().write_text(stage.text().replace("www IN", f"{evil}www IN"), encoding="latin-1")
    for output in ("text", "json"):
        assert run(stage, "owners", f"--output={output}") == 0
        assert all(line.isprintable() for line in capsys.readouterr().out.splitlines())


def test_the_schema_in_the_docs_is_that_of_the_document() -> None:
    kept = (ROOT / "docs" / "reference" / "owners.schema.json").read_text(encoding="utf-8")
    made = schema_text(OwnersFacts, "extdns owners --output=json")
    assert kept == made, "run: python -m extdns.commands.ownersfacts > docs/reference/owners.schema.json"


@pytest.fixture
def snapshot(stage: Stage, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    """The zones of *stage*, stored."""
    assert run(stage, "owners", "--output=json") == 0
    path = tmp_path / "zones.json"
    path.write_text(capsys.readouterr().out, encoding="utf-8")
    return path


@pytest.mark.parametrize("output", ["text", "json"])
def test_a_plan_on_stored_zones_is_that_on_the_zones(
    stage: Stage, snapshot: Path, output: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert msgspec.json.decode(snapshot.read_bytes(), type=OwnersFacts).zones[0].zone.ours == 2
    assert run(stage, "plan", f"--output={output}") == 2
    live = capsys.readouterr().out
    stage.file().write_text("nothing that could be read")
    assert run(stage, "plan", f"--output={output}", f"--zone-snapshot={snapshot}") == 2
    assert capsys.readouterr().out == live


@pytest.mark.parametrize("provider", ["aws", "google"])
def test_stored_zones_need_no_credentials(
    stage: Stage, snapshot: Path, provider: str, capsys: pytest.CaptureFixture[str]
) -> None:
    snapshot.write_text(snapshot.read_text().replace('"provider": "zonefile"', f'"provider": "{provider}"'))
    assert run(stage, "plan", f"--zone-snapshot={snapshot}", provider=provider) == 2
    said = capsys.readouterr()
    assert "  + A  shop.example.org  192.0.2.1  " in said.out
    assert said.err == ""


@pytest.mark.parametrize(
    ("change", "message"),
    [
        pytest.param({"provider": "aws"}, "holds zones of another provider", id="provider"),
        pytest.param({"missing": ["zone x cannot be read"]}, "does not hold all: zone x cannot be read", id="missing"),
        pytest.param({"zones": 3}, "holds no stored zones: Expected `array`", id="shape"),
        pytest.param({"kind": HOSTILE}, "holds no stored zones: Invalid enum value", id="kind"),
        pytest.param({"more": 1}, "holds no stored zones: Object contains unknown field", id="more"),
    ],
)
def test_what_is_no_snapshot_is_refused(
    stage: Stage, snapshot: Path, change: dict[str, object], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    snapshot.write_text(json.dumps(json.loads(snapshot.read_text()) | change))
    assert run(stage, "plan", f"--zone-snapshot={snapshot}") == 1
    said = capsys.readouterr().err
    assert said.startswith(f"error: --zone-snapshot={snapshot} {message}")
    assert all(line.isprintable() for line in said.splitlines())


def test_a_snapshot_that_is_not_there_is_refused(stage: Stage, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(stage, "plan", "--zone-snapshot=/nowhere") == 1
    assert capsys.readouterr().err.startswith("error: --zone-snapshot=/nowhere cannot be read: No such file")


def test_a_broken_name_in_a_snapshot_is_refused(
    stage: Stage, snapshot: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    snapshot.write_text(snapshot.read_text().replace("www.example.org", "www..example.org"))
    assert run(stage, "plan", f"--zone-snapshot={snapshot}") == 1
    assert "holds no stored zones: 'www..example.org'" in capsys.readouterr().err
