"""The whole program as webhook client and server: two processes, one port."""

from __future__ import annotations

import json
import signal
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.request import urlopen

import pytest

from extdns.commands.manual_pages import PAGES
from tests.conformance.provider import ZONE_TEXT
from tests.fakes.service.faults import Refuse, Stall
from tests.fakes.webhook.server import Action, WebhookServer
from tests.objects import service
from tests.program.installation import Installation
from tests.program.process import ExtdnsProcess, once, running
from tests.web_server import HANGS_S

FREE = ("--webhook-listen=127.0.0.1:0", "--metrics-address=127.0.0.1:0")


@pytest.fixture
def zone_file(tmp_path: Path) -> Path:
    folder = tmp_path / "served"
    folder.mkdir()
    (folder / "example.org.zone").write_text(ZONE_TEXT)
    return folder / "example.org.zone"


@pytest.fixture
def server(zone_file: Path) -> Iterator[ExtdnsProcess]:
    flags = ("webhook", "--provider=zonefile", f"--zonefile-dir={zone_file.parent}", *FREE)
    with running(*flags) as process:
        process.until("Serving the webhook protocol")
        yield process


def find_url(server: ExtdnsProcess) -> str:
    return f"http://127.0.0.1:{server.lines[-1].rpartition('port=')[2]}"


def build_installation(folder: Path, url: str, *more: str) -> Installation:
    return Installation(folder, dns_flags=["--provider=webhook", f"--webhook-provider-url={url}", *more])


def test_a_pass_through_the_webhook_server_publishes_records_and_the_next_changes_nothing(
    server: ExtdnsProcess, zone_file: Path, tmp_path: Path
) -> None:
    installation = build_installation(tmp_path, find_url(server))
    installation.replace_manifests(service("web", "web.example.org", address="192.0.2.1"))
    assert installation.run_once() == 0
    text = zone_file.read_text()
    assert "192.0.2.1" in text
    assert "external-dns/owner=me" in text
    assert installation.run_once() == 0
    assert zone_file.read_text() == text
    status, metrics = server.get("/metrics")
    assert (status, server.get("/healthz")) == (200, (200, "OK"))
    assert "extdns_api_calls_left" in metrics
    assert server.end(signal.SIGTERM) == 0


def test_the_webhook_server_passes_every_check_of_webhook_check(server: ExtdnsProcess) -> None:
    done = once("webhook-check", find_url(server), "--zone=example.org", "--records=200")
    assert done.returncode == 0, done.stdout


def test_names_are_published_after_the_webhook_stops_failing_and_its_calls_are_counted(tmp_path: Path) -> None:
    with WebhookServer("example.org") as fake:
        fake.faults.arm(Refuse(500, "", "no right now"), action=Action.RECORDS)
        fake.put("foreign.example.org", "A", "192.0.2.9")
        (tmp_path / "web.json").write_text(json.dumps(service("web", "web.example.org", address="192.0.2.1")))
        flags = ("--source=service", f"--manifests={tmp_path}", "--provider=webhook", "--txt-owner-id=me")
        address = "--metrics-address=127.0.0.1:0"
        with running(*flags, f"--webhook-provider-url={fake.url}", address) as extdns:
            extdns.until("no right now")
            extdns.until("successfully updated")
            _, metrics = extdns.get("/metrics")
        assert fake.records().keys() == {
            ("foreign.example.org", "A", ""),
            ("web.example.org", "A", ""),
            ("a-web.example.org", "TXT", ""),
        }
    assert "external_dns_webhook_provider_applychanges_requests_total 1.0" in metrics
    assert "external_dns_webhook_provider_applychanges_errors_total 0.0" in metrics
    assert "external_dns_webhook_provider_records_errors_total 1.0" in metrics
    assert "external_dns_webhook_provider_adjustendpoints_requests_total 1.0" in metrics


def test_plan_with_a_zone_snapshot_or_a_base_and_migrate_show_a_record_that_the_webhook_adjusted(
    tmp_path: Path,
) -> None:
    objects, nothing, snapshot = tmp_path / "objects", tmp_path / "nothing", tmp_path / "zones.json"
    objects.mkdir()
    nothing.mkdir()
    (objects / "web.json").write_text(json.dumps(service("web", "web.example.org", address="192.0.2.1")))
    with WebhookServer("example.org") as fake:
        flags = ["--source=service", f"--manifests={objects}", "--provider=webhook", "--policy=sync"]
        flags += [f"--webhook-provider-url={fake.url}", "--txt-owner-id=me"]
        snapshot.write_text(once("owners", *flags, "--output=json").stdout)
        for command in (("plan", f"--zone-snapshot={snapshot}"), ("plan", f"--base={nothing}"), ("migrate",)):
            done = once(*command, *flags)
            assert "+ A  web.example.org  192.0.2.1" in done.stdout, done.stdout
            assert done.stderr == ""


def test_a_plan_fails_if_the_webhook_cannot_adjust_a_record_and_shows_the_others(tmp_path: Path) -> None:
    for name in ("web", "bad"):
        text = json.dumps(service(name, f"{name}.example.org", address="192.0.2.1"))
        (tmp_path / f"{name}.json").write_text(text)
    with WebhookServer("example.org") as fake:
        fake.failing_names.add("bad.example.org")
        flags = ("--source=service", f"--manifests={tmp_path}", "--provider=webhook")
        done = once("plan", *flags, f"--webhook-provider-url={fake.url}")
    assert done.returncode == 1
    assert "+ A  web.example.org  192.0.2.1" in done.stdout
    assert "cannot adjust bad.example.org" in done.stdout


def test_a_dry_run_sends_no_changes_to_the_webhook(tmp_path: Path) -> None:
    with WebhookServer("example.org") as fake:
        installation = build_installation(tmp_path, fake.url)
        installation.replace_manifests(service("web", "web.example.org", address="192.0.2.1"))
        assert installation.run_once("--dry-run") == 0
        assert Action.APPLY not in {call.action for call in fake.calls}


def test_the_password_in_the_webhook_address_is_in_no_output(tmp_path: Path) -> None:
    with WebhookServer("example.org") as fake:
        fake.faults.arm(Refuse(401, "", "no"), times=None)
        url = fake.url.replace("http://", "http://me:geheimnis@")
        (tmp_path / "web.json").write_text(json.dumps(service("web", "web.example.org", address="192.0.2.1")))
        flags = ("--source=service", f"--manifests={tmp_path}", "--provider=webhook", "--log-level=debug", "--once")
        done = once(*flags, "--metrics-address=127.0.0.1:0", env={"EXTERNAL_DNS_WEBHOOK_PROVIDER_URL": url})
    assert done.returncode == 1
    assert "status 401" in done.stderr
    assert "geheimnis" not in done.stdout + done.stderr


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (("--dry-run",), "extdns webhook has no --dry-run"),
        (("--once",), "extdns webhook has no --once"),
        (("--leader-elect",), "extdns webhook has no --leader-elect"),
        (("--webhook-provider-read-timeout=0s",), "leave no time for a request"),
        (("--webhook-listen=8888",), "--webhook-listen=8888 is not an address to listen on"),
        (("--webhook-listen=192.0.2.1:1",), "--webhook-listen=192.0.2.1:1 cannot be used"),
    ],
    ids=lambda value: value[0] if isinstance(value, tuple) else "",
)
def test_a_flag_that_extdns_webhook_cannot_support_gives_one_clear_message(
    flags: tuple[str, ...], message: str
) -> None:
    done = once(
        "webhook", "--provider=inmemory", "--inmemory-zone=example.org", "--metrics-address=127.0.0.1:0", *flags
    )
    assert done.returncode == 1
    assert message in done.stderr
    assert "Traceback" not in done.stderr


def test_extdns_webhook_ends_at_sigterm_though_the_dns_service_does_not_answer_a_read() -> None:
    stall = Stall()
    with WebhookServer("example.org") as fake:
        fake.faults.arm(stall, action=Action.RECORDS)
        flags = ("--provider=webhook", f"--webhook-provider-url={fake.url}", "--webhook-provider-read-timeout=1h")
        with running("webhook", *flags, *FREE) as process, ThreadPoolExecutor(1) as pool:
            process.until("Serving the webhook protocol")
            answer = pool.submit(urlopen, f"{find_url(process)}/records")
            assert stall.reached.wait(HANGS_S)
            assert process.end(signal.SIGTERM) == 0
            assert isinstance(answer.exception(HANGS_S), OSError)


@pytest.mark.parametrize(
    ("flags", "expected"),
    [
        pytest.param(
            ("--provider=inmemory", "--inmemory-zone=example.org", "--inmemory-zone=example.net"),
            ("External-dns can use these zones", "count=2", "example.net, example.org"),
            id="zones",
        ),
        pytest.param(
            ("--provider=zonefile", "--zonefile-dir=."),
            ("The settings may leave something out by mistake", "--zonefile-dir=. holds no zone file"),
            id="no zone",
        ),
        pytest.param(
            ("--provider=inmemory", "--inmemory-zone=example.org", "--domain-filter=example.com"),
            ("--domain-filter=example.com matches none of your zones: example.org", "--domain-filter=example.org"),
            id="a filter that excludes all zones",
        ),
        pytest.param(
            ("--provider=webhook", "--webhook-provider-url=http://127.0.0.1:1"),
            ("Cannot list the zones that external-dns can use", "cannot connect to 127.0.0.1:1"),
            id="a service that cannot be reached",
        ),
    ],
)
def test_extdns_webhook_logs_at_its_start_which_zones_it_serves_or_why_it_has_none(
    flags: tuple[str, ...], expected: tuple[str, ...], tmp_path: Path
) -> None:
    with running("webhook", *flags, *FREE, cwd=tmp_path) as process:
        process.until(expected[0])
        assert [text for text in expected if text not in process.lines[-1]] == []


def test_extdns_webhook_logs_its_flags_and_those_that_have_no_effect_and_no_secret() -> None:
    dns = ("--provider=rfc2136", "--rfc2136-host=127.0.0.1", "--rfc2136-zone=example.org", "--rfc2136-tsig-keyname=key")
    key = ("--rfc2136-tsig-secret=c2VjcmV0LXNlY3JldA==", "--rfc2136-tsig-secret-alg=hmac-sha256")
    with running(
        "webhook", *dns, *key, "--rfc2136-skip-tls-verify", "--webhook-provider-idle-timeout=1s", *FREE
    ) as process:
        process.until("Serving the webhook protocol")
        text = "\n".join(process.lines)
    assert "--rfc2136-skip-tls-verify has no effect: messages are not encrypted" in text
    assert "--webhook-provider-idle-timeout has no effect: extdns webhook closes a connection after its answer" in text
    assert "rfc2136-tsig-keyname=key" in text
    assert "c2VjcmV0" not in text


def test_the_help_of_extdns_webhook_shows_the_addresses_at_which_it_listens() -> None:
    text = PAGES["webhook"].render()
    assert "127.0.0.1:8888" in text
    assert ":8080" in text
