"""`extdns approve` and `extdns status` with a state file."""

from __future__ import annotations

import getpass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import msgspec
import pytest
from msgspec import structs

from extdns import cli
from extdns.app.state_store import DocumentStateStore
from extdns.command import run_command
from extdns.commands import running_process
from extdns.documents.held import SavedStateDocument
from extdns.kube.state_store import FileStateStore
from extdns.model.saved_state import Approval, Saved, SavedHolds, SavedScope, SavedZone
from tests.fakes.clocks import MovedClock

NOW: Final = datetime(2026, 11, 20, 9, 14, 31, tzinfo=UTC)
NOW_S: Final = NOW.timestamp()
SCOPE: Final = SavedScope(
    made=((NOW_S - 900, False, 1), (NOW_S - 60, True, 1), (NOW_S - 30, False, 1)),
    most=((NOW_S - 12, 388),),
    code="7f3a-91c2",
    holds=(SavedHolds(since_s=NOW_S - 30, digests=("aa", "bb", "cc"), records=("a1", "b1", "c1")),),
    shown=(("0000-0001", ("aa",)),),
    records=(
        ("Z2ABC", "api.example.org", "A", "", "object-deleted"),
        ("Z2ABC", "shop.example.org", "A", "blue", "absent"),
    ),
)
ZONE: Final = SavedZone(name="example.org", fingerprint="f", whole=SCOPE)
OTHER: Final = SavedZone(name="example.net", whole=SavedScope(most=((NOW_S - 7200, 1),)))
SAVED: Final = Saved(zones=(("Z2ABC", ZONE), ("Z9", OTHER)), approved=(("zz", NOW_S + 3600),))


def show_status(arguments: list[str], **context: object) -> int:
    return run_command("status", arguments, {}, **context)


@pytest.fixture
def store(tmp_path: Path) -> DocumentStateStore:
    state = DocumentStateStore(FileStateStore(tmp_path / "state"), "prod")
    state.save(SAVED)
    return state


def test_approve_shows_the_deletes_that_it_approves(
    store: DocumentStateStore, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["approve", "7f3a-91c2", f"--state-file={tmp_path / 'state'}"], {}) == 0
    assert capsys.readouterr().out == "Approved: 3 deletes in zone example.org (Z2ABC), owner prod.\n"
    assert store.load_approvals() == (Approval(code="7f3a-91c2", claimed_user=getpass.getuser()),)


def test_a_former_code_of_a_scope_can_be_approved_with_a_note_that_the_held_deletes_changed(
    store: DocumentStateStore, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["approve", f"--state-file={tmp_path / 'state'}", "0000-0001", "--by=alice"], {}) == 0
    assert "The held deletes have changed since" in capsys.readouterr().out
    assert store.load_approvals() == (Approval(code="0000-0001", claimed_user="alice"),)


def test_approving_a_code_whose_deletes_are_already_approved_succeeds(
    store: DocumentStateStore, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    zone = SavedZone(name="example.org", whole=SavedScope(shown=(("7f3a-91c2", ("aa",)),)))
    store.save(Saved(zones=(("Z2ABC", zone),), approved=(("aa", NOW_S),)))
    assert cli.main(["approve", "7f3a-91c2", f"--state-file={tmp_path / 'state'}"], {}) == 0
    assert capsys.readouterr().out == "Already approved: 1 delete in zone example.org (Z2ABC), owner prod.\n"


def test_deletes_that_are_no_longer_held_cannot_be_approved(
    store: DocumentStateStore, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    store.save(Saved(zones=(("Z2ABC", structs.replace(ZONE, whole=structs.replace(SCOPE, code="", holds=()))),)))
    assert cli.main(["approve", "7f3a-91c2", f"--state-file={tmp_path / 'state'}"], {}) == 1
    assert "nothing is held now" in capsys.readouterr().err
    assert store.load_approvals() == ()


def test_an_unknown_approval_code_is_reported_and_other_codes_are_approved(
    store: DocumentStateStore, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "state"
    assert cli.main(["approve", "1234-5678", "7f3a-91c2", "--by=alice"], {"EXTERNAL_DNS_STATE_FILE": str(path)}) == 1
    assert capsys.readouterr().err == (
        f"error: no held deletes have the code 1234-5678 in state file {path}\n"
        "  held now: 7f3a-91c2 (3 deletes in zone example.org (Z2ABC), owner prod)\n"
    )
    assert store.load_approvals() == (Approval(code="7f3a-91c2", claimed_user="alice"),)


@pytest.mark.usefixtures("store")
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        pytest.param([], "extdns approve needs a code\n  held now: 7f3a-91c2 (3", id="no-code"),
        pytest.param(
            ["all"], "all is not an approval code\n  allowed: a code that extdns status shows", id="no-such-code"
        ),
        pytest.param(["--stat-file=x"], "--stat-file is not a flag\n  did you mean: --state-file", id="flag"),
        pytest.param(["1234-5678", "--state-file=", "--state-configmap="], "the flags name no saved state", id="none"),
    ],
)
def test_an_invalid_command_line_of_approve_is_reported(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], message: str
) -> None:
    environ = {"EXTERNAL_DNS_STATE_FILE": str(tmp_path / "state")}
    assert cli.main(["approve", *arguments], environ) == 1
    assert capsys.readouterr().err.startswith(f"error: {message}")


def test_without_saved_state_approve_says_that_nothing_is_held_and_status_that_nothing_is_saved(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    flag = f"--state-file={tmp_path / 'none'}"
    assert cli.main(["approve", "1234-5678", flag], {}) == 1
    assert "nothing is held now" in capsys.readouterr().err
    assert cli.main(["status", flag], {}) == 0
    output = capsys.readouterr().out
    assert output.startswith(
        f"Nothing is saved in state file {tmp_path / 'none'} yet. Whether deletes are held is not known"
    )


def test_approve_and_status_refuse_a_state_file_that_is_not_a_configmap(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "notes").write_text("milk")
    for command in (["approve", "1234-5678"], ["status"]):
        assert cli.main([*command, f"--state-file={tmp_path / 'notes'}"], {}) == 1
        assert "allowed: a ConfigMap as JSON" in capsys.readouterr().err


@pytest.mark.usefixtures("store")
def test_status_shows_held_deletes_and_the_command_that_approves_them(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    flag = f"--state-file={tmp_path / 'state'}"
    assert cli.main(["approve", "0000-0001", flag], {}) == 0
    capsys.readouterr()
    assert show_status([flag], clock=MovedClock(beginning=NOW)) == 0
    assert capsys.readouterr().out == (
        "3 deletes were held when the state was saved, 12s ago.\n"
        "\n"
        "Owner prod\n"
        "  Zone example.org (Z2ABC): 388 names with records of ours, saved 2026-11-20 09:14:19 UTC, 12s ago\n"
        "    ! 3 deletes HELD, code 7f3a-91c2\n"
        "        api.example.org A [object-deleted]\n"
        "        shop.example.org A (blue) [absent]\n"
        "        and 1 more delete; the log lists all\n"
        "    - 2 names with deletes in the last ten minutes without an approval, 1 of them by absence\n"
        "  Zone example.net (Z9): 1 name with records of ours, saved 2026-11-20 07:14:31 UTC, 2h ago\n"
        "    · the settings are not accepted yet: deletes of orphans are held\n"
        "  · 1 delete approved, until 2026-11-20 10:14:31 UTC at the latest\n"
        "\n"
        "Codes that a person approved and no process has read yet: 0000-0001\n"
        "\n"
        f"Read from state file {tmp_path / 'state'}\n"
        "What is held now is not known; to ask a running process: extdns status --controller=URL\n"
        "\n"
        "Why\n"
        "  [held] The deletes in zone example.org within ten minutes exceeded --max-delete-count and "
        "--max-delete-percent.\n"
        "  [absent] A complete list lacks the object, and a GET, or with manifests a second reading, confirmed that it "
        "does not exist.\n"
        "  [object-deleted] The object that requested the record was deleted.\n"
        "\n"
        f"Approve them: extdns approve 7f3a-91c2 --state-file={tmp_path / 'state'}\n"
    )


def test_status_says_that_a_number_of_names_is_not_known_if_it_was_saved_before_they_were_counted(
    store: DocumentStateStore, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    store.save(Saved(zones=(("Z", SavedZone(whole=SavedScope(most=((NOW_S - 60, 0),)))),)))
    assert show_status([f"--state-file={tmp_path / 'state'}"], clock=MovedClock(beginning=NOW)) == 0
    output = capsys.readouterr().out
    assert output.startswith("No delete was held when the state was saved, 1m ago.\n")
    assert "  Zone Z: number of names with records of ours not known, saved 2026-11-20 09:13:31 UTC, 1m ago\n" in output


def test_status_leaves_out_a_save_time_that_is_out_of_range(
    store: DocumentStateStore, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    store.save(Saved(zones=(("Z", SavedZone(whole=SavedScope(most=((1e300, 1),)))),)))
    assert show_status([f"--state-file={tmp_path / 'state'}"], clock=MovedClock(beginning=NOW)) == 0
    assert "  Zone Z: 1 name with records of ours\n" in capsys.readouterr().out


def test_status_reports_unreadable_state_of_one_owner_and_shows_other_owners(
    store: DocumentStateStore, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    FileStateStore(tmp_path / "state").update(lambda found: found | {"data": found["data"] | {"other": "{"}})
    assert show_status([f"--state-file={tmp_path / 'state'}"], clock=MovedClock(beginning=NOW)) == 0
    output = capsys.readouterr().out
    assert "Unreadable: other: " in output
    assert "Owner prod" in output
    assert store.load().find_zone("Z2ABC") == ZONE


@pytest.mark.usefixtures("store")
def test_status_prints_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    state = f"--state-file={tmp_path / 'state'}"
    assert show_status([state, "-o", "json"], clock=MovedClock(beginning=NOW)) == 0
    document = msgspec.json.decode(capsys.readouterr().out, type=SavedStateDocument)
    assert (document.held, document.waiting, document.unreadable, document.api_version) == (3, (), (), "extdns.io/v1")
    (owner,) = document.owners
    assert (owner.approved, owner.approved_until) == (1, "2026-11-20T10:14:31Z")
    assert [(one.saved, one.records, one.held, one.deleted) for one in owner.zones] == [
        ("2026-11-20T09:14:19Z", 388, 3, 2),
        ("2026-11-20T07:14:31Z", 1, 0, 0),
    ]


def test_status_prints_an_empty_json_document_without_saved_state(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert show_status([f"--state-file={tmp_path / 'none'}", "--output=json"]) == 0
    assert msgspec.json.decode(capsys.readouterr().out, type=SavedStateDocument).owners == ()


def test_status_with_manifests_requires_a_state_file(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["status", "--manifests=shop"], {}) == 1
    assert capsys.readouterr().err == (
        "error: with --manifests, state is saved only in a --state-file\n  give --state-file=PATH, too\n"
    )


@pytest.mark.parametrize("command", [["status"], ["approve", "1234-5678"]])
def test_without_a_cluster_approve_and_status_say_that_the_state_may_be_in_a_file(
    command: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("KUBECONFIG", raising=False)
    monkeypatch.delenv("KUBERNETES_SERVICE_HOST", raising=False)
    monkeypatch.setattr(running_process, "LOCAL_ADDRESS", "http://127.0.0.1:1")
    assert cli.main(command, {}) == 1
    shown = capsys.readouterr().err
    assert shown.startswith("error: there is no cluster to read")
    assert shown.endswith(
        "\n  if extdns saves its state in a file: give --state-file=PATH, as the running extdns has\n"
    )
