"""`extdns adopt`: records without an owner that equal a request become ours; only ownership records are written."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import pytest

from extdns import cli
from extdns.documents.adoption import AdoptionDocument
from extdns.documents.document import format_schema
from tests.integration.stage import Stage, service

ROOT = Path(__file__).parents[3]
BLUE = '"heritage=external-dns,external-dns/owner=blue"'


@pytest.fixture
def stage(tmp_path: Path) -> Stage:
    """Return a stage with records that equal a request but for the TTL, have another target, or have an owner."""
    found = Stage(
        tmp_path,
        example_org=(
            "www 900 IN A 192.0.2.1\nother IN A 192.0.2.99\nblue IN A 192.0.2.1\n"
            f"a-blue IN TXT {BLUE}\ntaken IN A 192.0.2.1\na-taken IN TXT text\n"
        ),
    )
    names = ("www", "other", "blue", "taken", "new")
    found.apply(*(service(name, f"{name}.example.org") for name in names))
    return found


def adopt(stage: Stage, *more: str, owner: str = "me") -> int:
    flags = ["--source=service", "--provider=zonefile", f"--zonefile-dir={stage.zones}", f"--txt-owner-id={owner}"]
    return cli.main(["adopt", *flags, f"--manifests={stage.manifests}", *more], {})


HEADING = "Zone example.org (example.org.zone, zonefile)  6 records, 0 ours\n\n"
CANNOT = "  ! A  taken.example.org  kept       Service shop/taken: annotation hostname  [no-ownership-name]\n"
DETAIL = "       TXT a-taken.example.org already exists, so TXT a-taken.example.org cannot be written\n"
CAN = "  · A  www.example.org    192.0.2.1  Service shop/www: annotation hostname\n"


def test_adopt_without_yes_lists_records_and_writes_nothing(stage: Stage, capsys: pytest.CaptureFixture[str]) -> None:
    stage.apply(service("www", "www.example.org"))
    before = stage.state()
    assert adopt(stage) == 2
    assert stage.state() == before
    assert capsys.readouterr().out == (
        f"{HEADING}  · A  www.example.org  192.0.2.1  Service shop/www: annotation hostname\n\n"
        "1 record can be adopted. To adopt them: extdns adopt --yes [flags]\n"
    )


def test_adopt_lists_records_that_cannot_be_adopted_before_writing(
    stage: Stage, capsys: pytest.CaptureFixture[str]
) -> None:
    assert adopt(stage) == 1
    assert capsys.readouterr().out == (
        f"{HEADING}{CANNOT}{DETAIL}{CAN}\n1 record cannot be adopted.\n"
        "1 record can be adopted. To adopt them: extdns adopt --yes [flags]\n"
    )


def test_adopt_writes_only_ownership_records(stage: Stage, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    by_hand = stage.text()
    state = tmp_path / "state"
    assert adopt(stage, "--yes", f"--state-file={state}") == 1
    assert capsys.readouterr().out == (
        f"{HEADING}{CANNOT}{DETAIL}{CAN}\n1 record could not be adopted.\n"
        "1 record adopted. Only ownership records were written.\n"
    )
    manual, _, ours = stage.text().partition("; BEGIN extdns")
    assert manual.replace(" 2026", "").splitlines()[3:] == by_hand.splitlines()[3:]
    assert [line.split()[0] for line in ours.splitlines()[1:-1]] == ["a-www.example.org."]
    assert not state.exists()


def test_a_second_adopt_finds_nothing_because_adopted_records_are_ours(
    stage: Stage, capsys: pytest.CaptureFixture[str]
) -> None:
    stage.apply(service("www", "www.example.org"))
    assert adopt(stage, "--yes") == 0
    assert adopt(stage) == 0
    assert capsys.readouterr().out.endswith(
        "Nothing to adopt: no record without an owner is exactly as an object requests.\n"
    )
    stage.apply()
    assert stage.once() == 0
    assert "www" not in stage.text()


def test_adopt_prints_json(stage: Stage, capsys: pytest.CaptureFixture[str]) -> None:
    assert adopt(stage, "--output=json") == 1
    document = msgspec.json.decode(capsys.readouterr().out, type=AdoptionDocument)
    assert [one.name for one in document.records] == ["www.example.org"]
    assert [(one.name, one.reason) for one in document.refused] == [("taken.example.org", "no-ownership-name")]
    assert (document.taken, document.owner) == (False, "me")


def test_adopt_writes_nothing_while_a_manifest_cannot_be_read(stage: Stage, capsys: pytest.CaptureFixture[str]) -> None:
    stage.apply(service("www", "www.example.org"))
    (stage.manifests / "broken.yaml").write_text("kind: [")
    before = stage.state()
    assert adopt(stage, "--yes") == 1
    assert stage.state() == before
    output = capsys.readouterr().out
    assert "\nINCOMPLETE: " in output
    assert output.endswith("\n1 record can be adopted; nothing is written until all can be read.\n")
    assert adopt(stage) == 1
    assert capsys.readouterr().out == output


def test_the_create_only_policy_forbids_adoption(stage: Stage, capsys: pytest.CaptureFixture[str]) -> None:
    before = stage.state()
    for yes, cannot in (((), "cannot"), (("--yes",), "could not")):
        assert adopt(stage, "--policy=create-only", *yes) == 1
        output = capsys.readouterr().out
        assert output.count("[policy-keeps]") == 2
        assert output.endswith(f"\n\n2 records {cannot} be adopted.\n")
    assert stage.state() == before


@pytest.mark.parametrize("flags", [["--registry=noop"], ["--txt-owner-id="]])
def test_adopt_needs_a_registry_with_ownership_records(
    stage: Stage, flags: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["--source=service", "--provider=zonefile", f"--zonefile-dir={stage.zones}", "--manifests=x"]
    assert cli.main(["adopt", *arguments, *flags], {}) == 1
    assert capsys.readouterr().err.startswith("error: ")


@pytest.mark.parametrize(
    ("flag", "message"),
    [
        pytest.param("--dry-run", "error: --yes writes, and --dry-run forbids it\n", id="dry-run"),
        pytest.param("--manifests=-", "error: extdns adopt reads the objects several times", id="stdin"),
    ],
)
def test_adopt_refuses_dry_run_and_standard_input(
    stage: Stage, flag: str, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    before = stage.state()
    assert adopt(stage, "--yes", flag) == 1
    assert stage.state() == before
    assert capsys.readouterr().err.startswith(message)


def test_the_adopt_schema_in_the_docs_equals_the_generated_schema() -> None:
    schema = (ROOT / "docs" / "reference" / "adopt.schema.json").read_text(encoding="utf-8")
    generated = format_schema(AdoptionDocument, "extdns adopt --output=json")
    assert schema == generated, "run: python -m extdns.documents.adoption > docs/reference/adopt.schema.json"
    assert json.loads(schema)["title"]


OTHER = '"heritage=external-dns,external-dns/owner=me,external-dns/resource=service/shop/www"'
ENCRYPTED = f'"{"QUJD" * 24}"'


@pytest.mark.parametrize(
    ("name", "text"),
    [
        pytest.param("edns.a-www", OTHER, id="prefix-with-a-dot"),
        pytest.param("edns-a-www", OTHER, id="prefix"),
        pytest.param("edns-www", OTHER, id="prefix-before-types"),
        pytest.param("edns-a.www", OTHER, id="prefix-with-the-type"),
        pytest.param("a-www-own", OTHER, id="suffix"),
        pytest.param("a-www.own", OTHER, id="suffix-with-a-dot"),
        pytest.param("www-a-own", OTHER, id="suffix-with-the-type"),
        pytest.param("cname-www", OTHER, id="alias"),
        pytest.param(
            "x",
            OTHER.replace("service", "x").replace("owner=", "ownedRecord=www.example.org,external-dns/owner="),
            id="stated",
        ),
        pytest.param("edns-a-www", f'{OTHER} "more"', id="several-strings"),
    ],
)
def test_a_record_with_an_ownership_record_in_another_naming_format_is_not_adopted(
    stage: Stage, capsys: pytest.CaptureFixture[str], name: str, text: str
) -> None:
    stage.apply(service("www", "www.example.org"))
    zone = next(stage.zones.iterdir())
    zone.write_text(zone.read_text() + f"{name} IN TXT {text}\n")
    before = stage.text()
    assert adopt(stage, "--yes", owner="thief") == 1
    assert stage.text() == before
    output = capsys.readouterr().out
    assert "[owned-by-other]" in output
    assert f'TXT {name}.example.org, an ownership record of "me", may belong to it under other settings' in output


@pytest.mark.parametrize("name", ["edns-a-www", "a-www"])
def test_a_record_with_an_encrypted_ownership_record_is_not_adopted(
    stage: Stage, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    stage.apply(service("www", "www.example.org"))
    zone = next(stage.zones.iterdir())
    zone.write_text(zone.read_text() + f"{name} IN TXT {ENCRYPTED}\n")
    before = stage.text()
    assert adopt(stage, "--yes") == (1 if name != "a-www" else 0)
    assert stage.text() == before
    if name != "a-www":
        assert f"TXT {name}.example.org looks like its ownership record, encrypted" in capsys.readouterr().out


@pytest.mark.parametrize(
    "line",
    [
        pytest.param(f"edns-a-api IN TXT {OTHER}", id="another-name"),
        pytest.param(f"a-www.sub IN TXT {OTHER}\nwww.sub IN A 192.0.2.9", id="of-another-current-name"),
        pytest.param(f"txt-www IN TXT {OTHER}\nwww IN TXT text", id="of-another-current-type"),
        pytest.param(
            f"edns-www IN TXT {OTHER.replace('owner=', 'ownedRecord=api.example.org,external-dns/owner=')}", id="stated"
        ),
    ],
)
def test_ownership_records_of_other_names_do_not_prevent_adoption(stage: Stage, line: str) -> None:
    stage.apply(service("www", "www.example.org"))
    zone = next(stage.zones.iterdir())
    zone.write_text(f"{zone.read_text()}{line}\n")
    assert adopt(stage, "--yes") == 0
