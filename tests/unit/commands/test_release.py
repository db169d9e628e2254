"""`extdns release` and `extdns status` over a state file."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import msgspec
import pytest
from msgspec import structs

from extdns import cli
from extdns.app.states import KeptState
from extdns.commands import status
from extdns.commands.statusfacts import HeldRecord, StatusFacts, ZoneStatus
from extdns.errors import UsageError
from extdns.facts.document import ZoneName, schema_text
from extdns.kube.places import FilePlace
from extdns.model.saved import Saved, SavedZone

ROOT: Final = Path(__file__).parents[3]
NOW: Final = datetime(2026, 11, 20, 9, 14, 31, tzinfo=UTC)
NOW_S: Final = NOW.timestamp()
ZONE: Final = SavedZone(
    name="example.org",
    fingerprint="f",
    made=((NOW_S - 900, False), (NOW_S - 60, True), (NOW_S - 30, False)),
    most=((NOW_S - 12, 388),),
    shown=(("0000-0001", ("aa",)), ("7f3a-91c2", ("aa", "bb", "cc"))),
    held="7f3a-91c2",
    records=(("api.example.org", "A", "", "object-deleted"), ("shop.example.org", "A", "blue", "absent")),
    released=(("zz", NOW_S + 3600),),
)
OTHER: Final = SavedZone(name="example.net", most=((NOW_S - 7200, 1),))


class StoppedClock:
    def now(self) -> datetime:
        return NOW

    def monotonic_s(self) -> float:
        return 0.0


@pytest.fixture
def kept(tmp_path: Path) -> KeptState:
    state = KeptState(FilePlace(tmp_path / "state"), "prod")
    state.save(Saved(zones=(("Z2ABC", ZONE), ("Z9", OTHER))))
    return state


def test_a_released_code_is_told_with_what_it_releases(
    kept: KeptState, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["release", "7f3a-91c2", f"--state-file={tmp_path / 'state'}"], {}) == 0
    assert capsys.readouterr().out == "Released: 3 deletes in example.org (Z2ABC), owner prod.\n"
    assert kept.released() == ("7f3a-91c2",)


def test_a_set_that_was_shown_before_can_be_released(
    kept: KeptState, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["release", f"--state-file={tmp_path / 'state'}", "0000-0001"], {}) == 0
    assert "Other deletes are held by now" in capsys.readouterr().out
    assert kept.released() == ("0000-0001",)


def test_what_is_released_already_is_no_mistake(
    kept: KeptState, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    whole = SavedZone(name="example.org", shown=(("7f3a-91c2", ("aa",)),), released=(("aa", NOW_S),))
    kept.save(Saved(zones=(("Z2ABC", whole),)))
    assert cli.main(["release", "7f3a-91c2", f"--state-file={tmp_path / 'state'}"], {}) == 0
    assert capsys.readouterr().out == "Already released: 1 delete in example.org (Z2ABC), owner prod.\n"


def test_what_is_not_held_any_more_cannot_be_released_for_later(
    kept: KeptState, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    kept.save(Saved(zones=(("Z2ABC", structs.replace(ZONE, held="")),)))
    assert cli.main(["release", "7f3a-91c2", f"--state-file={tmp_path / 'state'}"], {}) == 1
    assert "nothing is held now" in capsys.readouterr().err
    assert kept.released() == ()


@pytest.mark.usefixtures("kept")
def test_a_code_that_nothing_shows_is_told_with_those_that_are_and_costs_no_other(
    kept: KeptState, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "state"
    assert cli.main(["release", "1234-5678", "7f3a-91c2"], {"EXTERNAL_DNS_STATE_FILE": str(path)}) == 1
    assert capsys.readouterr().err == (
        f"error: no held set shows 1234-5678 in state file {path}\n"
        "  held now: 7f3a-91c2 (3 deletes in example.org (Z2ABC), owner prod)\n"
    )
    assert kept.released() == ("7f3a-91c2",)


@pytest.mark.usefixtures("kept")
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        pytest.param([], "extdns release needs a code\n  held now: 7f3a-91c2 (3", id="no-code"),
        pytest.param(["all"], "all is not a release code\n  allowed: as the log shows it", id="no-such-code"),
        pytest.param(["--stat-file=x"], "--stat-file is not a flag\n  did you mean: --state-file", id="flag"),
        pytest.param(["1234-5678", "--state-file=", "--state-configmap="], "there is no state to look at", id="none"),
    ],
)
def test_a_mistake_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], message: str
) -> None:
    environ = {"EXTERNAL_DNS_STATE_FILE": str(tmp_path / "state")}
    assert cli.main(["release", *arguments], environ) == 1
    assert capsys.readouterr().err.startswith(f"error: {message}")


def test_without_any_state_nothing_is_held(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    flag = f"--state-file={tmp_path / 'none'}"
    assert cli.main(["release", "1234-5678", flag], {}) == 1
    assert "nothing is held now" in capsys.readouterr().err
    assert cli.main(["status", flag], {}) == 0
    assert capsys.readouterr().out == f"Nothing is kept in state file {tmp_path / 'none'} yet.\n"


def test_a_file_that_is_no_state_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "notes").write_text("milk")
    for command in (["release", "1234-5678"], ["status"]):
        assert cli.main([*command, f"--state-file={tmp_path / 'notes'}"], {}) == 1
        assert "allowed: a ConfigMap as JSON" in capsys.readouterr().err


@pytest.mark.usefixtures("kept")
def test_the_status_tells_what_is_held_and_how_to_release_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    flag = f"--state-file={tmp_path / 'state'}"
    assert cli.main(["release", "0000-0001", flag], {}) == 0
    capsys.readouterr()
    assert status.main([flag], {}, StoppedClock()) == 0
    assert capsys.readouterr().out == (
        "3 deletes held.\n"
        "\n"
        "Owner prod\n"
        "  Zone example.org (Z2ABC): 388 records of ours, saved 2026-11-20 09:14:19 UTC, 12s ago\n"
        "    ! 3 deletes HELD under 7f3a-91c2\n"
        "        api.example.org A [object-deleted]\n"
        "        shop.example.org A (blue) [absent]\n"
        "        and 1 more, which the log names\n"
        "    - 2 deletes within the last ten minutes without a release, 1 of them for want of an object\n"
        "    · 1 delete released, until 2026-11-20 10:14:31 UTC at the latest\n"
        "  Zone example.net (Z9): 1 record of ours, saved 2026-11-20 07:14:31 UTC, 2h ago\n"
        "    · its settings are not accepted yet: records that nobody asks for are held\n"
        "\n"
        "Released, and not taken in yet: 0000-0001\n"
        "\n"
        "Why\n"
        "  [held] More of the zone's records would go than --max-delete-count and --max-delete-percent allow; none "
        "goes until a person releases them.\n"
        "  [absent] A complete list lacks the object, and asking for it confirmed that it is gone.\n"
        "  [object-deleted] The object that asked for the record was seen to be deleted.\n"
        "\n"
        "Release them: extdns release 7f3a-91c2\n"
    )


def test_a_time_that_is_none_is_no_failure(kept: KeptState, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    kept.save(Saved(zones=(("Z", SavedZone(most=((1e300, 1),))),)))
    assert status.main([f"--state-file={tmp_path / 'state'}"], {}, StoppedClock()) == 0
    assert "at no time" in capsys.readouterr().out


def test_what_cannot_be_read_is_named_and_hides_nobody_else(
    kept: KeptState, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    FilePlace(tmp_path / "state").update(lambda found: found | {"data": found["data"] | {"other": "{"}})
    assert status.main([f"--state-file={tmp_path / 'state'}"], {}, StoppedClock()) == 0
    said = capsys.readouterr().out
    assert "Not readable: other: " in said
    assert "Owner prod" in said
    assert kept.load().of("Z2ABC") == ZONE


def test_programs_get_the_same_facts(kept: KeptState, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert kept.load().of("Z2ABC") == ZONE
    assert status.main([f"--state-file={tmp_path / 'state'}", "-o", "json"], {}, StoppedClock()) == 0
    facts = msgspec.json.decode(capsys.readouterr().out, type=StatusFacts)
    assert (facts.held, facts.waiting, facts.unreadable, facts.api_version) == (3, (), (), "extdns.io/v1")
    (owner,) = facts.owners
    assert owner.zones[0] == ZoneStatus(
        zone=ZoneName(name="example.org", id="Z2ABC"),
        saved="2026-11-20T09:14:19Z",
        records=388,
        held=3,
        held_records=(
            HeldRecord(name="api.example.org", type="A", set_identifier="", evidence="object-deleted"),
            HeldRecord(name="shop.example.org", type="A", set_identifier="blue", evidence="absent"),
        ),
        release_code="7f3a-91c2",
        deleted=2,
        deleted_by_absence=1,
        released=1,
        released_until="2026-11-20T10:14:31Z",
        accepted=True,
    )


def test_programs_are_told_of_no_state_as_of_an_empty_one(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert status.main([f"--state-file={tmp_path / 'none'}", "--output=json"], {}) == 0
    assert msgspec.json.decode(capsys.readouterr().out, type=StatusFacts).owners == ()


def test_the_schema_in_the_docs_is_that_of_the_status() -> None:
    kept = (ROOT / "docs" / "reference" / "status.schema.json").read_text(encoding="utf-8")
    made = schema_text(StatusFacts, "extdns status --output=json")
    assert kept == made, "run: python -m extdns.commands.statusfacts > docs/reference/status.schema.json"


def test_manifests_have_a_state_only_where_a_file_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["status", "--manifests=shop"], {}) == 1
    assert capsys.readouterr().err == (
        "error: with --manifests state is kept only where --state-file says\n  give --state-file=PATH, too\n"
    )


@pytest.mark.parametrize("command", ["release", "status"])
def test_each_has_a_help_of_its_own(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main([command, "--help"], {}) == 0
    assert capsys.readouterr().out.startswith(f"Usage: extdns {command} ")


def test_a_status_cannot_be_had_with_a_wrong_flag() -> None:
    with pytest.raises(UsageError):
        status.main(["--nonsense"], {})
