"""What the demo shows: on terminals of any width, and whatever objects say."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from extdns.commands.screen import Screen
from extdns.model.claim import Invalid, Wanted
from extdns.model.decision import Decision, Verdict
from extdns.model.reason import Reason
from tests.unit.engine.stage import ZONE, host, origin, wants

EVIL = "[red]evil[/] :smile: \\ \x1b[31m 2001:db8:a:b::1 [link=http://x]"
IN_ORDER = Decision(
    zone=ZONE,
    name=host("web"),
    set_identifier="",
    type="AAAA",
    verdict=Verdict.KEEP,
    reason=Reason.PROGRAMMED,
    wanted=wants("web", "web", "2001:db8:a:b::1", rtype="AAAA").endpoint,
    asked_by=(origin("web"),),
)
REFUSED = replace(IN_ORDER, verdict=Verdict.NONE, reason=Reason.REFUSED, detail=EVIL, set_identifier=EVIL)
CREATED = replace(IN_ORDER, verdict=Verdict.CREATE, reason=Reason.WANTED)


@pytest.fixture
def plain(monkeypatch: pytest.MonkeyPatch) -> None:
    """No terminal."""
    for name in ("FORCE_COLOR", "TTY_COMPATIBLE", "COLUMNS"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """A narrow one with colours."""
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "60")
    monkeypatch.delenv("NO_COLOR", raising=False)


@pytest.mark.usefixtures("plain")
def test_the_first_pass_is_shown_in_two_parts_with_reasons(capsys: pytest.CaptureFixture[str]) -> None:
    Screen().show_names([IN_ORDER, REFUSED])
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "Published"
    assert lines[1] == "  · AAAA  web.example.org  2001:db8:a:b::1  Service shop/web: annotation"
    assert lines[3] == "Not published, and why"
    assert lines[4].startswith("  ! AAAA  web.example.org")
    assert "  refused: The DNS service refused the change; it is tried again with growing pauses." in lines
    assert lines[-1] == "1 record is published, 1 is not as objects ask."


@pytest.mark.usefixtures("plain")
def test_what_objects_say_is_no_markup(capsys: pytest.CaptureFixture[str]) -> None:
    Screen().show_names([REFUSED])
    text = capsys.readouterr().out
    assert text.count("[red]evil[/] :smile: \\ \\x1b[31m 2001:db8:a:b::1 [link=http://x]") == 2


@pytest.mark.usefixtures("terminal")
def test_colour_only_adds_and_a_narrow_terminal_gets_more_lines(capsys: pytest.CaptureFixture[str]) -> None:
    screen = Screen()
    screen.follow()
    screen.tell([CREATED])
    first, second = capsys.readouterr().out.splitlines()
    assert first == "\x1b[32m  + AAAA  web.example.org  2001:db8:a:b::1\x1b[0m"
    assert second.strip() == "Service shop/web: annotation"


@pytest.mark.usefixtures("terminal")
def test_no_escape_of_an_object_reaches_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    screen = Screen()
    screen.follow()
    screen.tell([REFUSED])
    screen.say("\x1b[2J")
    shown = capsys.readouterr().out
    assert "\x1b[31m" not in shown
    assert "\x1b[2J" not in shown


@pytest.mark.usefixtures("plain")
def test_nothing_is_told_before_it_follows(capsys: pytest.CaptureFixture[str]) -> None:
    screen = Screen()
    screen.tell([CREATED])
    assert capsys.readouterr().out == ""


@pytest.mark.usefixtures("plain")
def test_mistakes_name_object_field_value_and_what_is_allowed(capsys: pytest.CaptureFixture[str]) -> None:
    where = origin("web")
    wrong = Invalid(provenance=where, reason=Reason.INVALID_NAME, value=EVIL, allowed="a name")
    fine: Wanted = wants("web", "web")
    Screen().show_mistakes([(where.ref.key, (wrong, fine))])
    text = capsys.readouterr().out
    assert "  ! Service shop/web: annotation: '[red]evil[/]" in text
    assert "[invalid-name]\n    allowed: a name\n" in text


@pytest.mark.usefixtures("plain")
def test_objects_without_mistakes_are_not_spoken_of(capsys: pytest.CaptureFixture[str]) -> None:
    Screen().show_mistakes([(origin("web").ref.key, (wants("web", "web"),))])
    assert capsys.readouterr().out == ""


@pytest.mark.usefixtures("plain")
def test_a_file_is_shown_as_it_is_but_for_what_cannot_be_printed(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = tmp_path / "a.zone"
    path.write_bytes(b"$TTL 60\n@ IN A 192.0.2.1 ; [bold] \xff \x1b[31m\n\n")
    Screen().show_file(path)
    shown = capsys.readouterr().out
    assert f"\n{path}\n" in shown
    assert "@ IN A 192.0.2.1 ; [bold] \ufffd \\x1b[31m\n" in shown
