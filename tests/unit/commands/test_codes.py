"""`extdns explain CODE` explains a reason code."""

from __future__ import annotations

import json

import pytest

from extdns import cli
from extdns.model.reason import Reason


@pytest.mark.parametrize("reason", list(Reason))
def test_every_reason_code_is_explained(reason: Reason, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["explain", reason], {}) == 0
    output = capsys.readouterr().out
    assert output.startswith(f"{reason}: ")
    assert reason.row.text in " ".join(output.split())


def test_explain_prints_a_reason_code_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["explain", "absent", "--output=json"], {}) == 0
    assert json.loads(capsys.readouterr().out) == {
        "apiVersion": "extdns.io/v1",
        "kind": "Reason",
        "code": "absent",
        "group": "Removed",
        "meaning": Reason.ABSENT.row.text,
        "event": "",
        "exitCode": 0,
    }


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        pytest.param(["hold"], "hold is not a reason code\n  did you mean: held\n", id="near"),
        pytest.param(["xyzzy"], "xyzzy is not a reason code\n  a name has a dot, as in shop.example.org", id="far"),
        pytest.param(["xyzzy", "--once"], "xyzzy is not a reason code\n  a name has a dot", id="far-with-flags"),
        pytest.param(["\x1b[31m"], "\\x1b[31m is not a reason code", id="hostile"),
        pytest.param([], "Missing argument 'NAME|KIND/NAMESPACE/NAME|CODE'.", id="nothing"),
        pytest.param(["--output", "json"], "Missing argument 'NAME|KIND/NAMESPACE/NAME|CODE'.", id="only flags"),
        pytest.param(["held", "--once"], "extdns explain held takes no flags but --output", id="flags"),
        pytest.param(["held", "--output"], "--output needs a value\n  write --output=text|json; ", id="no value"),
        pytest.param(["held", "-o", "yaml"], "--output=yaml is not an output format\n  allowed: text, json", id="form"),
        pytest.param(["held", "-o=text", "-o=text"], "--output is given twice", id="twice"),
    ],
)
def test_an_invalid_command_line_of_explain_about_a_reason_code_is_reported(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["explain", *arguments], {}) == 1
    assert capsys.readouterr().err.startswith(f"error: {message}")
