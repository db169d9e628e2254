"""The TSIG secret of `--provider=rfc2136` is never in output, log, page or metrics."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Final

import dns.rcode
import pytest

from tests.fakes.primary_server import PrimaryServer
from tests.integration.test_secrets import end_and_read
from tests.nameservers import HOST
from tests.objects import service
from tests.program.process import once, running
from tests.unit.providers.rfc2136.hostile_answers import close, reject_signature
from tests.updatable import KEY

DECODED: Final = "secret-for-tests-only"
GiveSecret = Callable[[Path], tuple[tuple[str, ...], Mapping[str, str]]]
"""Returns the flags and the environment variables with the secret."""


def give_by_flag(_: Path) -> tuple[tuple[str, ...], Mapping[str, str]]:
    return (f"--rfc2136-tsig-secret={KEY.secret}",), {}


def give_by_variable(_: Path) -> tuple[tuple[str, ...], Mapping[str, str]]:
    return (), {"EXTERNAL_DNS_RFC2136_TSIG_SECRET": KEY.secret}


def give_by_file(folder: Path) -> tuple[tuple[str, ...], Mapping[str, str]]:
    path = folder / "tsig"
    path.write_text(f"{KEY.secret}\n")
    return (f"--rfc2136-tsig-secret-file={path}",), {}


SOURCES_OF_SECRET: Final = (give_by_flag, give_by_variable, give_by_file)


@pytest.fixture
def server() -> Iterator[PrimaryServer]:
    with PrimaryServer("example.org") as found:
        yield found


def build_flags(server: PrimaryServer, folder: Path) -> tuple[str, ...]:
    """Return the flags of a program that publishes one Service, except for those with the secret."""
    manifests = folder / "manifests"
    manifests.mkdir()
    (manifests / "web.json").write_text(json.dumps(service("web", "web.example.org", address="192.0.2.1")))
    return (
        *("--provider=rfc2136", "--rfc2136-zone=example.org", f"--rfc2136-tsig-keyname={KEY.name}"),
        *(f"--rfc2136-tsig-secret-alg={KEY.algorithm}", f"--rfc2136-host={HOST}"),
        *(f"--rfc2136-port={server.address.port}", "--source=service", f"--manifests={manifests}"),
        *("--txt-owner-id=me", "--log-level=debug"),
    )


def assert_hidden(text: str) -> None:
    assert KEY.secret not in text, text
    assert DECODED not in text, text


@pytest.mark.parametrize("give", SOURCES_OF_SECRET)
def test_check_plan_and_explain_do_not_print_the_tsig_secret_whether_or_not_the_server_accepts_it(
    server: PrimaryServer, tmp_path: Path, give: GiveSecret
) -> None:
    flags = build_flags(server, tmp_path)
    secret, env = give(tmp_path)
    for command, answers in (
        ("check", []),
        ("plan", [reject_signature(dns.rcode.BADSIG)] * 2),
        ("explain web.example.org", [close] * 2),
    ):
        server.answers = list(answers)
        done = once(*command.split(), *flags, *secret, env=env)
        assert_hidden(done.stdout + done.stderr)
        assert "example.org" in done.stdout + done.stderr


@pytest.mark.parametrize("secret", ["not-base64-at-all", "c2VjcmV0LWZvci10ZXN0cy1vbmx5L"])
def test_the_error_about_an_invalid_tsig_secret_does_not_show_it(
    server: PrimaryServer, tmp_path: Path, secret: str
) -> None:
    done = once("plan", *build_flags(server, tmp_path), f"--rfc2136-tsig-secret={secret}")
    assert done.returncode == 1
    assert "--rfc2136-tsig-secret is not base64" in done.stderr
    assert secret not in done.stdout + done.stderr


@pytest.mark.parametrize("give", SOURCES_OF_SECRET)
def test_page_metrics_and_log_of_a_running_process_do_not_show_the_tsig_secret(
    server: PrimaryServer, tmp_path: Path, give: GiveSecret
) -> None:
    flags = build_flags(server, tmp_path)
    secret, env = give(tmp_path)
    server.answers = [reject_signature(dns.rcode.BADSIG)] * 2
    addresses = ("--metrics-address=127.0.0.1:0", "--web-address=127.0.0.1:0")
    with running(*flags, *secret, *addresses, env=env) as program:
        line = program.until("Serving the live page")
        program.until("PeerBadSignature")
        assert_hidden(end_and_read(program, line, "web.example.org"))
