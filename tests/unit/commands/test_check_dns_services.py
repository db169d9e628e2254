"""`extdns check` says what to do if a DNS service cannot be reached, or refuses the credentials."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from extdns import cli
from extdns.app import assembly
from extdns.documents.check import CheckDocument, CheckResult
from tests.fakes.route53.server import Route53
from tests.fakes.service.faults import Refuse
from tests.program.running import HastyClock
from tests.route53 import environ


@pytest.fixture(autouse=True)
def _hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(assembly, "SystemClock", HastyClock)


def find_unread(tmp_path: Path, capsys: pytest.CaptureFixture[str], *dns: str) -> CheckResult:
    """Return the result about the one thing that cannot be read."""
    flags = ("--source=service", f"--manifests={tmp_path}", "--txt-owner-id=me", *dns)
    assert cli.main(["check", *flags, "--output=json"], {}) == 1
    document = msgspec.json.decode(capsys.readouterr().out, type=CheckDocument)
    (found,) = (one for one in document.checks if one.what == "reading")
    return found


@pytest.mark.parametrize(
    ("dns", "detail", "remedy"),
    [
        pytest.param(
            ["--provider=webhook", "--webhook-provider-url=http://127.0.0.1:1"],
            "zones cannot be listed: Webhook negotiate: cannot connect to 127.0.0.1:1: Connection refused",
            "start the webhook provider, or correct --webhook-provider-url",
            id="webhook",
        ),
        pytest.param(
            ["--provider=rfc2136"]
            + [f"--rfc2136-{one}" for one in ("host=127.0.0.1", "port=1", "zone=b.test", "insecure")],
            "zone b.test cannot be read: Transfer on b.test at 127.0.0.1 port 1: Connection refused",
            "check --rfc2136-host, --rfc2136-port and --rfc2136-zone, and that the server allows the transfer",
            id="rfc2136",
        ),
    ],
)
def test_check_says_which_flags_to_correct_if_the_dns_service_cannot_be_reached(
    dns: list[str], detail: str, remedy: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = find_unread(tmp_path, capsys, *dns)
    assert (found.detail, found.next) == (detail, remedy)


@pytest.mark.parametrize(
    ("code", "remedy"),
    [
        ("InvalidClientTokenId", "correct the access key, such as AWS_ACCESS_KEY_ID"),
        ("SignatureDoesNotMatch", "correct the secret key, such as AWS_SECRET_ACCESS_KEY; if it is right"),
        ("ExpiredToken", "renew the credentials, such as AWS_SESSION_TOKEN"),
        ("AccessDenied", "the policy that allows it: extdns iam-policy [flags]"),
    ],
)
def test_check_says_what_to_do_about_each_refusal_of_aws_credentials(
    code: str, remedy: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with Route53() as fake:
        fake.faults.arm(Refuse(403, code), times=None)
        for name, value in environ(fake).items():
            monkeypatch.setenv(name, value)
        found = find_unread(tmp_path, capsys, "--provider=aws")
    assert code in found.detail
    assert found.next.startswith(remedy)
