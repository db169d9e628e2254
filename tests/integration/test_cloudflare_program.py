"""The whole program with `--provider=cloudflare`, in front of a fake of Cloudflare's API."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from extdns import cli
from extdns.log import Event
from extdns.model.reason import Reason
from tests.fakes.cloudflare.server import TOKEN, Cloudflare
from tests.log_lines import find_logged_fields
from tests.objects import OLD_PREFIX, service
from tests.program.installation import Installation

READ, BATCH = "GET dns_records", "POST dns_records"


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch) -> Iterator[Cloudflare]:
    with Cloudflare() as found:
        monkeypatch.setenv("CF_API_TOKEN", TOKEN)
        monkeypatch.setenv("CLOUDFLARE_BASE_URL", found.url)
        yield found


@pytest.fixture
def installation(tmp_path: Path) -> Installation:
    return Installation(
        tmp_path, sources=["service"], dns_flags=["--provider=cloudflare", "--domain-filter=example.org"]
    )


def take_calls(fake: Cloudflare) -> list[str]:
    found = [call.action for call in fake.calls]
    fake.calls.clear()
    return found


def read_hosts(fake: Cloudflare, zone: str) -> dict[str, dict[str, Any]]:
    return {one["name"]: one for one in fake.list_records(zone) if one["type"] != "TXT"}


def test_fifty_names_take_one_batch_and_a_second_pass_only_reads(fake: Cloudflare, installation: Installation) -> None:
    zone = fake.add_zone("example.org")
    installation.replace_manifests(*(service(f"n{number:02}", address=f"192.0.2.{number}") for number in range(50)))
    assert installation.run_once() == 0
    assert take_calls(fake).count(BATCH) == 1
    assert len(fake.list_records(zone)) == 100
    assert installation.run_once() == 0
    assert take_calls(fake) == ["GET zones", READ]


def test_a_limit_of_batches_below_that_of_every_plan_has_no_effect(
    fake: Cloudflare, installation: Installation
) -> None:
    zone = fake.add_zone("example.org")
    installation.replace_manifests(service("web"))
    assert installation.run_once("--batch-change-size=1") == 0
    assert len(fake.list_records(zone)) == 2


def test_values_of_one_record_with_different_ttls_get_the_ttl_that_is_asked_for(
    fake: Cloudflare, installation: Installation
) -> None:
    zone = fake.add_zone("example.org")
    web = partial(service, "web", prefix=OLD_PREFIX)
    installation.replace_manifests(web(annotations={"ttl": "600", "target": "192.0.2.1,192.0.2.2"}))
    installation.run_once()
    values = [one for one in fake.list_records(zone) if one["type"] == "A"]
    fake.edit(values[1]["id"], ttl=120)
    installation.run_once()
    assert [one["ttl"] for one in fake.list_records(zone) if one["type"] == "A"] == [600, 600]
    assert [call.body["patches"] for call in fake.calls if call.body][-1] == [{"id": values[1]["id"], "ttl": 600}]
    fake.edit(values[1]["id"], ttl=120)
    installation.replace_manifests(web(annotations={"target": "192.0.2.1,192.0.2.2"}))
    take_calls(fake)
    installation.run_once()
    assert BATCH not in take_calls(fake)


CUSTOMER = "shop.customer.example"
WEB = partial(service, "web", prefix=OLD_PREFIX)


def run_command(installation: Installation, capsys: pytest.CaptureFixture[str], *command: str) -> str:
    capsys.readouterr()
    cli.main([*command, *installation.flags()], {})
    return capsys.readouterr().out


@pytest.mark.parametrize(
    "case",
    [
        ("cloudflare-proxied", "proxied", ("true", "false"), (True, False, False), False),
        ("cloudflare-record-comment", "comment", ("by me", "by us"), ("by me", "by us", None), "by hand"),
        ("cloudflare-tags", "tags", ("b:2, a:1", "a:3"), (["a:1", "b:2"], ["a:3"], []), ["c:4"]),
        ("target", "content", ("203.0.113.1", "203.0.113.2"), ("203.0.113.1", "203.0.113.2", "192.0.2.1"), "192.0.2.9"),
    ],
    ids=["proxied", "comment", "tags", "target"],
)
def test_what_an_annotation_states_is_created_repaired_changed_and_removed(
    fake: Cloudflare,
    installation: Installation,
    capsys: pytest.CaptureFixture[str],
    case: tuple[str, str, tuple[str, str], tuple[Any, Any, Any], object],
) -> None:
    key, field, stated, held, drifted = case
    zone = fake.add_zone("example.org", "pro")
    made = partial(WEB, address="192.0.2.1")
    for value, expected in zip([*stated, None], held, strict=True):
        installation.replace_manifests(made(annotations={"ttl": "600"} | ({key: value} if value else {})))
        for _ in range(2):
            assert installation.run_once() == 0
            take_calls(fake)
            assert installation.run_once() == 0
            assert BATCH not in take_calls(fake)
            record = read_hosts(fake, zone)["web.example.org"]
            assert record[field] == expected
            if value != stated[0]:
                break
            fake.edit(record["id"], **{field: drifted})
            shown = "192.0.2.9" if key == "target" else key
            for command in (["plan"], ["explain", "web.example.org"]):
                assert shown in run_command(installation, capsys, *command), command


@pytest.mark.parametrize(
    ("annotations", "address", "message"),
    [
        ({"cloudflare-proxied": "true"}, "10.0.0.1", "10.0.0.1 cannot be proxied"),
        ({"cloudflare-record-comment": "x" * 101}, "192.0.2.1", "the comment has 101 characters"),
        ({"cloudflare-tags": "a:1"}, "192.0.2.1", "has no tags"),
    ],
    ids=["proxied", "comment", "tags"],
)
def test_what_the_plan_does_not_allow_is_said_on_the_object_and_holds_no_other(
    fake: Cloudflare,
    installation: Installation,
    capsys: pytest.CaptureFixture[str],
    annotations: dict[str, str],
    address: str,
    message: str,
) -> None:
    zone = fake.add_zone("example.org")
    installation.replace_manifests(WEB(annotations=annotations, address=address), service("other"))
    installation.run_once()
    assert set(read_hosts(fake, zone)) == {"other.example.org"}
    assert take_calls(fake).count(BATCH) == 1
    found = run_command(installation, capsys, "explain", "web.example.org")
    assert message in found
    assert Reason.UNSUPPORTED in found


def test_proxying_neither_on_nor_off_is_that_of_the_flag_and_said_on_the_object(
    fake: Cloudflare, installation: Installation, capsys: pytest.CaptureFixture[str]
) -> None:
    zone = fake.add_zone("example.org")
    installation.replace_manifests(WEB(annotations={"cloudflare-proxied": "maybe"}, address="203.0.113.1"))
    for flags, proxied in (((), False), (("--cloudflare-proxied",), True)):
        installation.run_once(*flags)
        assert read_hosts(fake, zone)["web.example.org"]["proxied"] is proxied
    found = run_command(installation, capsys, "explain", "web.example.org")
    assert "cloudflare-proxied: 'maybe' is ignored" in found
    assert "true or false" in found


@pytest.mark.parametrize(
    ("flags", "annotations", "message"),
    [
        (["--cloudflare-regional-services"], {"cloudflare-region-key": "eu"}, "not enabled for this account"),
        (
            ["--cloudflare-custom-hostnames", "--cloudflare-custom-hostnames-certificate-authority=google"],
            {"cloudflare-custom-hostname": CUSTOMER},
            "cannot be chosen with this plan",
        ),
    ],
    ids=["region", "certificate-authority"],
)
def test_what_the_account_cannot_have_is_a_reason_and_holds_no_record(
    fake: Cloudflare,
    installation: Installation,
    caplog: pytest.LogCaptureFixture,
    flags: list[str],
    annotations: dict[str, str],
    message: str,
) -> None:
    zone = fake.add_zone("example.org", "pro")
    installation.replace_manifests(WEB(annotations=annotations), service("other"))
    installation.run_once(*flags)
    assert set(read_hosts(fake, zone)) == {"web.example.org", "other.example.org"}
    (found,) = find_logged_fields(caplog, Event.RECORD_UNCHANGED)
    assert (found["reason"], found["objects"]) == (Reason.REFUSED, ("Service shop/web",))
    assert message in str(found["detail"])
