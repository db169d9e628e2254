"""The secrets of an octoDNS configuration are never in output, log, page or metrics."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from tests.fakes.cloudflare.server import TOKEN, Cloudflare
from tests.fakes.service.faults import Refuse
from tests.integration.test_secrets import get
from tests.objects import service
from tests.octodns_config import describe_cloudflare, write_config
from tests.program.process import once, running

VARIABLES: Final = {"CLOUDFLARE_TOKEN": TOKEN}
QUOTED: Final = Refuse(403, "10000", f"the service repeats Bearer {TOKEN}")


@pytest.fixture
def fake() -> Iterator[Cloudflare]:
    with Cloudflare() as found:
        found.add_zone("example.org")
        yield found


def build_flags(fake: Cloudflare, folder: Path, token: str) -> tuple[str, ...]:
    """Return the flags of a program that publishes one Service."""
    manifests = folder / "manifests"
    manifests.mkdir()
    (manifests / "web.json").write_text(json.dumps(service("web", "web.example.org", address="192.0.2.1")))
    path = write_config(folder, {**describe_cloudflare(fake), "token": token}, ("example.org",))
    return (
        *("--provider=octodns", f"--octodns-config={path}", "--source=service", f"--manifests={manifests}"),
        *("--txt-owner-id=me", "--log-level=debug"),
    )


def assert_hidden(text: str) -> None:
    assert TOKEN not in text, text


@pytest.mark.parametrize("token", ["env/CLOUDFLARE_TOKEN", TOKEN], ids=["variable", "file"])
def test_check_plan_and_explain_do_not_print_the_api_token_even_if_the_dns_service_repeats_it_in_an_error(
    fake: Cloudflare, tmp_path: Path, token: str
) -> None:
    flags = build_flags(fake, tmp_path, token)
    for command in ("check", "plan", "explain web.example.org"):
        for faulty in (False, True):
            if faulty:
                fake.faults.arm(QUOTED, times=None)
            done = once(*command.split(), *flags, env=VARIABLES)
            fake.faults.clear()
            assert_hidden(done.stdout + done.stderr)
            assert ("repeats Bearer ******" in done.stdout + done.stderr) is faulty


def test_the_error_about_a_variable_that_is_not_set_names_the_variable_and_the_provider_argument(
    fake: Cloudflare, tmp_path: Path
) -> None:
    done = once("plan", *build_flags(fake, tmp_path, "env/CLOUDFLARE_TOKEN"))
    assert done.returncode == 1
    assert "provider here: token=env/…: environment variable CLOUDFLARE_TOKEN is not set" in done.stderr
    assert len(done.stderr.splitlines()) <= 3


def test_page_metrics_and_log_of_a_running_process_do_not_show_the_api_token(fake: Cloudflare, tmp_path: Path) -> None:
    flags = build_flags(fake, tmp_path, "env/CLOUDFLARE_TOKEN")
    fake.faults.arm(QUOTED, action="POST dns_records", times=None)
    addresses = ("--metrics-address=127.0.0.1:0", "--web-address=127.0.0.1:0")
    with running(*flags, *addresses, env=VARIABLES) as program:
        line = program.until("Serving the live page")
        program.until("repeats Bearer")
        port = int(re.findall(r"port=(\d+)", line)[0])
        bodies = [program.get(path)[1] for path in ("/readyz", "/metrics", "/healthz")]
        documents = ("status", "zones", "sources", "changes", "held", "plan", "names", "names/web.example.org")
        bodies += [get(port, f"/{path}") for path in ("", "zones", *(f"api/v1/{one}" for one in documents))]
        program.end()
    for text in (*bodies, *program.lines):
        assert_hidden(text)
