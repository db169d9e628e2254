"""The output of the demo, on terminals of any width and with untrusted text from objects."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from extdns.commands.screen import Screen
from extdns.model.change import Action, Decision
from extdns.model.claim import InvalidClaim, ResolvedClaim
from extdns.model.reason import Reason
from tests.builders import ZONE, build_claim, host, origin

EVIL = "[red]evil[/] :smile: \\ \x1b[31m 2001:db8:a:b::1 [link=http://x]"
IN_SYNC = Decision(
    zone=ZONE,
    name=host("web"),
    set_identifier="",
    type="AAAA",
    action=Action.KEEP,
    reason=Reason.PUBLISHED,
    desired=build_claim("web", "web", "2001:db8:a:b::1", rtype="AAAA").desired,
    requested_by=(origin("web"),),
)
REFUSED = replace(IN_SYNC, action=Action.NONE, reason=Reason.REFUSED, detail=EVIL, set_identifier=EVIL)
CREATED = replace(IN_SYNC, action=Action.CREATE, reason=Reason.REQUESTED)


@pytest.fixture
def plain(monkeypatch: pytest.MonkeyPatch) -> None:
    """Remove the environment variables of terminals."""
    for name in ("FORCE_COLOR", "TTY_COMPATIBLE", "COLUMNS"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """Set the environment variables of a terminal with colours and 60 columns."""
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "60")
    monkeypatch.delenv("NO_COLOR", raising=False)


@pytest.mark.usefixtures("plain")
def test_the_demo_lists_published_names_then_unpublished_ones_with_reasons(capsys: pytest.CaptureFixture[str]) -> None:
    Screen().show_names([IN_SYNC, REFUSED])
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "Symbols:  · published    + to create    ~ to update    - to delete    ! kept or not published"
    assert lines[2] == "Published"
    assert lines[3] == "  · AAAA  web.example.org  2001:db8:a:b::1  Service shop/web: annotation"
    assert lines[5] == "Not published, and why"
    assert lines[6].startswith("  ! AAAA  web.example.org")
    assert "  refused: The DNS service rejected the change. extdns retries with back-off." in lines
    assert lines[-1] == "1 record is published, 1 is not as objects request."


@pytest.mark.usefixtures("plain")
def test_text_from_objects_is_not_interpreted_as_markup_on_the_screen(capsys: pytest.CaptureFixture[str]) -> None:
    Screen().show_names([REFUSED])
    text = capsys.readouterr().out
    assert text.count("[red]evil[/] :smile: \\ \\x1b[31m 2001:db8:a:b::1 [link=http://x]") == 2


@pytest.mark.usefixtures("terminal")
def test_lines_of_the_demo_are_coloured_and_wrapped_on_a_narrow_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    screen = Screen()
    screen.follow(lambda _: "")
    screen.report([CREATED])
    first, second = capsys.readouterr().out.splitlines()
    assert first == "\x1b[32m  + AAAA  web.example.org  2001:db8:a:b::1\x1b[0m"
    assert second.strip() == "Service shop/web: annotation"


@pytest.mark.usefixtures("terminal")
def test_terminal_escape_sequences_from_objects_are_escaped(capsys: pytest.CaptureFixture[str]) -> None:
    screen = Screen()
    screen.follow(lambda _: "")
    screen.report([REFUSED])
    screen.print("\x1b[2J")
    output = capsys.readouterr().out
    assert "\x1b[31m" not in output
    assert "\x1b[2J" not in output


@pytest.mark.usefixtures("plain")
def test_the_demo_prints_no_decisions_until_it_starts_to_follow_them(capsys: pytest.CaptureFixture[str]) -> None:
    screen = Screen()
    screen.report([CREATED])
    assert capsys.readouterr().out == ""


@pytest.mark.usefixtures("plain")
def test_the_demo_prints_an_invalid_value_with_object_field_and_what_is_allowed(
    capsys: pytest.CaptureFixture[str],
) -> None:
    where = origin("web")
    invalid = InvalidClaim(provenance=where, reason=Reason.INVALID_NAME, value=EVIL, allowed="a name")
    valid: ResolvedClaim = build_claim("web", "web")
    Screen().show_problems([(where.ref.key, (invalid, valid))])
    text = capsys.readouterr().out
    assert "  ! Service shop/web: annotation: '[red]evil[/]" in text
    assert "[invalid-name]\n    allowed: a name\n" in text


@pytest.mark.usefixtures("plain")
def test_the_demo_does_not_list_objects_without_invalid_values(capsys: pytest.CaptureFixture[str]) -> None:
    Screen().show_problems([(origin("web").ref.key, (build_claim("web", "web"),))])
    assert capsys.readouterr().out == ""


@pytest.mark.usefixtures("plain")
def test_the_demo_prints_zone_files_with_unprintable_characters_escaped(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = tmp_path / "a.zone"
    path.write_bytes(b"$TTL 60\n@ IN A 192.0.2.1 ; [bold] \xff \x1b[31m\n\n")
    Screen().show_file(path)
    output = capsys.readouterr().out
    assert f"\n{path}\n" in output
    assert "@ IN A 192.0.2.1 ; [bold] \ufffd \\x1b[31m\n" in output
