"""`extdns adopt`: records of nobody that stand just as objects ask become ours, by their marks alone."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import pytest

from extdns import cli
from extdns.commands.adopt import AdoptionFacts
from extdns.facts.document import schema_text
from tests.integration.stage import Stage, service

ROOT = Path(__file__).parents[3]
BLUE = '"heritage=external-dns,external-dns/owner=blue"'


@pytest.fixture
def stage(tmp_path: Path) -> Stage:
    """Of what objects ask for stands: a record just so, with a TTL of its own; another target; somebody else's."""
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


def adopt(stage: Stage, *more: str) -> int:
    flags = ["--source=service", "--provider=zonefile", f"--zonefile-dir={stage.zones}", "--txt-owner-id=me"]
    return cli.main(["adopt", *flags, f"--manifests={stage.manifests}", *more], {})


HEADING = "Zone example.org (example.org.zone, zonefile)  6 records, 0 ours\n\n"
CANNOT = "  ! A  taken.example.org  kept       Service shop/taken: annotation hostname  [no-ownership-name]\n"
WHY = "       TXT a-taken.example.org stands where TXT a-taken.example.org must be\n"
CAN = "  · A  www.example.org    192.0.2.1  Service shop/www: annotation hostname\n"


def test_what_can_be_taken_is_shown_and_nothing_is_written(stage: Stage, capsys: pytest.CaptureFixture[str]) -> None:
    stage.apply(service("www", "www.example.org"))
    before = stage.state()
    assert adopt(stage) == 2
    assert stage.state() == before
    assert capsys.readouterr().out == (
        f"{HEADING}  · A  www.example.org  192.0.2.1  Service shop/www: annotation hostname\n\n"
        "1 record can be taken. To write their ownership records: extdns adopt --yes [flags]\n"
    )


def test_what_cannot_be_taken_is_known_before_it_is_tried(stage: Stage, capsys: pytest.CaptureFixture[str]) -> None:
    assert adopt(stage) == 1
    assert capsys.readouterr().out == (
        f"{HEADING}{CANNOT}{WHY}{CAN}\n1 record cannot be taken.\n"
        "1 record can be taken. To write their ownership records: extdns adopt --yes [flags]\n"
    )


def test_only_ownership_records_are_written(stage: Stage, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    by_hand = stage.text()
    state = tmp_path / "state"
    assert adopt(stage, "--yes", f"--state-file={state}") == 1
    assert capsys.readouterr().out == (
        f"{HEADING}{CANNOT}{WHY}{CAN}\n1 record could not be taken.\n"
        "1 record taken; only ownership records were written.\n"
    )
    kept, _, ours = stage.text().partition("; BEGIN extdns")
    assert kept.replace(" 2026", "").splitlines()[3:] == by_hand.splitlines()[3:]
    assert [line.split()[0] for line in ours.splitlines()[1:-1]] == ["a-www.example.org."]
    assert not state.exists()


def test_what_was_taken_is_ours_and_there_is_nothing_left_to_take(
    stage: Stage, capsys: pytest.CaptureFixture[str]
) -> None:
    stage.apply(service("www", "www.example.org"))
    assert adopt(stage, "--yes") == 0
    assert adopt(stage) == 0
    assert capsys.readouterr().out.endswith("No record stands that objects ask for just so and nobody owns.\n")
    stage.apply()
    assert stage.once() == 0
    assert "www" not in stage.text()


def test_programs_get_the_facts(stage: Stage, capsys: pytest.CaptureFixture[str]) -> None:
    assert adopt(stage, "--output=json") == 1
    facts = msgspec.json.decode(capsys.readouterr().out, type=AdoptionFacts)
    assert [one.name for one in facts.records] == ["www.example.org"]
    assert [(one.name, one.reason) for one in facts.refused] == [("taken.example.org", "no-ownership-name")]
    assert (facts.taken, facts.owner) == (False, "me")


def test_nothing_is_taken_while_something_cannot_be_read(stage: Stage, capsys: pytest.CaptureFixture[str]) -> None:
    stage.apply(service("www", "www.example.org"))
    (stage.manifests / "broken.yaml").write_text("kind: [")
    before = stage.state()
    assert adopt(stage, "--yes") == 1
    assert stage.state() == before
    said = capsys.readouterr().out
    assert "\nINCOMPLETE: " in said
    assert said.endswith("\n1 record can be taken once all can be read; nothing is written before.\n")
    assert adopt(stage) == 1
    assert capsys.readouterr().out == said


def test_a_policy_that_forbids_updates_forbids_this(stage: Stage, capsys: pytest.CaptureFixture[str]) -> None:
    before = stage.state()
    for yes, cannot in (((), "cannot"), (("--yes",), "could not")):
        assert adopt(stage, "--policy=create-only", *yes) == 1
        said = capsys.readouterr().out
        assert said.count("[policy-keeps]") == 2
        assert said.endswith(f"\n\n2 records {cannot} be taken.\n")
    assert stage.state() == before


@pytest.mark.parametrize("flags", [["--registry=noop"], ["--txt-owner-id="]])
def test_without_ownership_records_there_is_nothing_to_take(
    stage: Stage, flags: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    given = ["--source=service", "--provider=zonefile", f"--zonefile-dir={stage.zones}", "--manifests=x"]
    assert cli.main(["adopt", *given, *flags], {}) == 1
    assert capsys.readouterr().err.startswith("error: ")


@pytest.mark.parametrize(
    ("flag", "message"),
    [
        pytest.param("--dry-run", "error: --yes writes, and --dry-run forbids it\n", id="dry-run"),
        pytest.param("--manifests=-", "error: extdns adopt reads the objects more than once", id="stdin"),
    ],
)
def test_what_forbids_writing_or_reading_again_forbids_taking(
    stage: Stage, flag: str, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    before = stage.state()
    assert adopt(stage, "--yes", flag) == 1
    assert stage.state() == before
    assert capsys.readouterr().err.startswith(message)


def test_the_schema_in_the_docs_is_that_of_the_document() -> None:
    kept = (ROOT / "docs" / "reference" / "adopt.schema.json").read_text(encoding="utf-8")
    made = schema_text(AdoptionFacts, "extdns adopt --output=json")
    assert kept == made, "run: python -m extdns.commands.adopt > docs/reference/adopt.schema.json"
    assert json.loads(kept)["title"]
