"""`extdns explain CODE`."""

from __future__ import annotations

import json

import pytest

from extdns import cli
from extdns.model.reason import MEANINGS, Reason


@pytest.mark.parametrize("reason", list(Reason))
def test_every_code_is_explained(reason: Reason, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["explain", reason], {}) == 0
    said = capsys.readouterr().out
    assert said.startswith(f"{reason}: ")
    assert MEANINGS[reason] in " ".join(said.split())


def test_the_answer_comes_first_and_the_next_step_last(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["explain", "[held]"], {}) == 0
    assert capsys.readouterr().out == (
        "held: Kept as it is\n"
        "\n"
        "More of the zone's records would go than --max-delete-count and --max-delete-percent allow; none\n"
        "goes until a person releases them.\n"
        "\n"
        "Next: See and release what is held: extdns status\n"
    )


def test_programs_get_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["explain", "absent", "--output=json"], {}) == 0
    assert json.loads(capsys.readouterr().out) == {
        "apiVersion": "extdns.io/v1",
        "kind": "Reason",
        "code": "absent",
        "group": "Removed",
        "meaning": MEANINGS[Reason.ABSENT],
    }


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        pytest.param(["hold"], "hold is not a reason code\n  did you mean: held\n", id="near"),
        pytest.param(["xyzzy"], "xyzzy is not a reason code\n  all codes: docs/reference/reasons.md", id="far"),
        pytest.param(["\x1b[31m"], "\\x1b[31m is not a reason code", id="hostile"),
        pytest.param([], "extdns explain needs a", id="nothing"),
        pytest.param(["--output", "json"], "extdns explain needs a", id="only flags"),
        pytest.param(["held", "--once"], "extdns explain held takes no flags but --output", id="flags"),
        pytest.param(["held", "--output"], "--output needs a value\n  allowed: text, json", id="no value"),
        pytest.param(["held", "-o", "yaml"], "--output=yaml is not a form of output\n  allowed: text, json", id="form"),
        pytest.param(["held", "-o=text", "-o=text"], "--output is given twice", id="twice"),
    ],
)
def test_a_mistake_is_told(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["explain", *arguments], {}) == 1
    assert capsys.readouterr().err.startswith(f"error: {message}")


def test_it_has_a_help(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["explain", "--help"], {}) == 0
    assert capsys.readouterr().out.startswith("Usage: extdns explain ")
