"""The secrets of an octoDNS configuration are never in output, log, page or metrics."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Final

import pytest

from tests.fakes.octodns_package import CLASS
from tests.integration.test_secrets import end_and_read
from tests.objects import service
from tests.octodns_config import write_config
from tests.program.process import once, running

TOKEN: Final = "token-of-the-service"
VARIABLE: Final = "env/SERVICE_TOKEN"
VARIABLES: Final = {"SERVICE_TOKEN": TOKEN}


def build_flags(folder: Path, token: str, quotes: str = "") -> tuple[str, ...]:
    """Return the flags of a program that publishes one Service; *quotes* is the call whose error has the token."""
    manifests = folder / "manifests"
    manifests.mkdir(exist_ok=True)
    (manifests / "web.json").write_text(json.dumps(service("web", "web.example.org", address="192.0.2.1")))
    path = write_config(folder, {"class": CLASS, "service": "any", "token": token, "quotes": quotes}, ("example.org",))
    return (
        *("--provider=octodns", f"--octodns-config={path}", "--source=service", f"--manifests={manifests}"),
        *("--txt-owner-id=me", "--log-level=debug"),
    )


def assert_hidden(text: str) -> None:
    assert TOKEN not in text, text


@pytest.mark.parametrize("token", [VARIABLE, TOKEN], ids=["variable", "file"])
def test_check_plan_and_explain_do_not_print_the_api_token_even_if_the_dns_service_repeats_it_in_an_error(
    tmp_path: Path, token: str
) -> None:
    for command in ("check", "plan", "explain web.example.org"):
        for quotes in ("", "read"):
            done = once(*command.split(), *build_flags(tmp_path, token, quotes), env=VARIABLES)
            assert_hidden(done.stdout + done.stderr)
            assert ("repeats Bearer ******" in done.stdout + done.stderr) is bool(quotes)


def test_the_error_about_a_variable_that_is_not_set_names_the_variable_and_the_provider_argument(
    tmp_path: Path,
) -> None:
    done = once("plan", *build_flags(tmp_path, VARIABLE))
    assert done.returncode == 1
    assert "provider here: token=env/…: environment variable SERVICE_TOKEN is not set" in done.stderr
    assert len(done.stderr.splitlines()) <= 3


def test_page_metrics_and_log_of_a_running_process_do_not_show_the_api_token(tmp_path: Path) -> None:
    flags = build_flags(tmp_path, VARIABLE, "write")
    addresses = ("--metrics-address=127.0.0.1:0", "--web-address=127.0.0.1:0")
    with running(*flags, *addresses, env=VARIABLES) as program:
        line = program.until("Serving the live page")
        program.until("repeats Bearer")
        assert_hidden(end_and_read(program, line, "web.example.org"))
