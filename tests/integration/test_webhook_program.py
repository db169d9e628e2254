"""The whole program with a webhook provider."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.fakes.service.faults import Refuse
from tests.fakes.webhook.server import Action, WebhookServer
from tests.fakes.webhook.zone import Key
from tests.objects import service
from tests.program.installation import Installation
from tests.program.process import once, running


def build_installation(folder: Path, url: str, *more: str) -> Installation:
    return Installation(folder, dns_flags=["--provider=webhook", f"--webhook-provider-url={url}", *more])


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


@pytest.mark.parametrize(
    ("flags", "sent"),
    [pytest.param((), [], id="none"), pytest.param(("--webhook-provider-properties=scw/",), ["scw/weight"], id="scw")],
)
def test_a_webhook_gets_the_properties_that_it_is_said_to_keep(
    flags: tuple[str, ...], sent: list[str], tmp_path: Path
) -> None:
    with WebhookServer("example.org") as fake:
        installation = build_installation(tmp_path, fake.url, *flags)
        installation.replace_manifests(service("web", annotations={"scw-weight": "7", "aws-weight": "7"}))
        assert installation.run_once() == 0
        found = fake.records()[Key("web.example.org", "A", "")].get("providerSpecific", [])
        assert [one["name"] for one in found] == sent


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
