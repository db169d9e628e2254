"""One account of two cannot list its zones.

A role was changed; the zones of the second account, one of them a part of a zone in the first, are unknown.

What must hold: names that we own in listed zones are kept up to date; new ones wait, since nobody knows where they
belong; nothing is deleted for that reason. A failure after the zones were listed once changes nothing at all.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from extdns.errors import RetryableError
from extdns.model.name import DnsName
from extdns.model.zone import AccountFailure, Zone, ZoneList
from tests.fakes.apiserver.server import ApiServer
from tests.fakes.route53.server import Route53
from tests.fakes.service.faults import Refuse
from tests.incidents.objects import service
from tests.incidents.production import Production, route53
from tests.incidents.scene import HOUR_S, MINUTE_S, Scene, scene
from tests.unit.engine.stage import ZONE

INNER = Zone(name=DnsName("shop.example.org"), id="inner", account="b")
HALF = ZoneList(zones=(ZONE,), failed=(AccountFailure(account="b", message="no answer"),))
INNER_ID = "Z2INNER"
OUTER, INSIDE = service("web"), service("in", host="in.shop.example.org")


def begun() -> Scene:
    return scene(OUTER, INSIDE, zones={ZONE: (), INNER: ()})


def test_later_it_changes_nothing() -> None:
    world = begun()
    world.provider.zone_list = HALF
    world.run(for_s=HOUR_S)
    world.show(service("in", host="in.shop.example.org", address="192.0.2.9"), service("new"), for_s=5.0)
    assert world.holds(INNER) == {"in.shop A": ("192.0.2.9",)}
    assert world.published() == {"web", "new"}


def test_at_start_new_names_wait_and_ours_are_kept_up_to_date() -> None:
    before = begun()
    before.provider.zone_list = HALF
    after = before.again(for_s=10.0)
    after.show(
        service("web", address="192.0.2.9"),
        service("new"),
        service("in", host="in.shop.example.org", address="192.0.2.9"),
        for_s=60.0,
    )
    assert after.holds() == {"web A": ("192.0.2.9",)}
    assert after.holds(INNER) == {"in.shop A": ("192.0.2.1",)}
    assert after.endings("new") == ["A none zones-unknown"]
    after.provider.zone_list = None
    after.run(for_s=HOUR_S)
    assert after.published() == {"web", "new"}
    assert after.holds(INNER) == {"in.shop A": ("192.0.2.9",)}
    assert not after.deleted()


def test_when_no_list_comes_at_all_nothing_is_done() -> None:
    before = begun()
    before.provider.failures.extend([RetryableError("no answer")] * 1000)
    after = before.again(for_s=HOUR_S)
    assert not after.provider.submissions


@pytest.fixture
def second() -> Iterator[Route53]:
    """Another account's Route 53, with the inner zone; only Route 53 knows several accounts."""
    with Route53() as fake:
        fake.add_zone("shop.example.org", zone_id=INNER_ID)
        yield fake


@pytest.fixture
def two_accounts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, second: Route53) -> Iterator[Production]:
    """A program that publishes into both."""
    with ApiServer() as server, route53() as first:
        variables = dict(first.variables)
        urls = {"one": variables.pop("AWS_ENDPOINT_URL_ROUTE_53"), "two": second.url}
        keys = "aws_access_key_id = AKIDTEST\naws_secret_access_key = secret\n"
        profiles = [f"[profile {name}]\nendpoint_url = {url}\n{keys}" for name, url in urls.items()]
        (tmp_path / "config").write_text("\n".join(profiles))
        variables["AWS_CONFIG_FILE"] = str(tmp_path / "config")
        flags = (*first.flags, "--aws-profile=one", "--aws-profile=two")
        yield Production(tmp_path, server, replace(first, flags=flags, variables=variables), monkeypatch)


def inner(second: Route53) -> dict[str, tuple[str, ...]]:
    return {one.name: one.values for one in second.records(INNER_ID) if one.type == "A"}


def test_the_whole_program_keeps_what_is_ours_up_to_date_and_lets_new_names_wait(
    two_accounts: Production, second: Route53
) -> None:
    production, busy = two_accounts, Refuse(503, "ServiceUnavailable")
    production.put(OUTER, INSIDE)
    with production.process():
        production.until(lambda: inner(second) == {"in.shop.example.org.": ("192.0.2.1",)})
        production.until_published("web")
    second.faults.arm(busy, action="ListHostedZones", times=None)
    production.put(service("in", host="in.shop.example.org", address="192.0.2.9"), service("new"))
    with production.started() as running:
        production.put(service("web", address="192.0.2.9"))
        production.until(lambda: production.dns.holds()["web A"] == ("192.0.2.9",))
        running.until("new.example.org", "zones-unknown")
        assert production.published() == {"web"}
        assert inner(second) == {"in.shop.example.org.": ("192.0.2.1",)}
        second.faults.clear()
        running.pass_time(MINUTE_S)
        production.until_published("web", "new")
        production.until(lambda: inner(second) == {"in.shop.example.org.": ("192.0.2.9",)})


def test_the_whole_program_writes_nothing_while_no_list_comes_at_all(production: Production) -> None:
    production.put(service("web"))
    with production.process():
        production.until_published("web")
    written = production.writes()
    production.delete(service("web"))
    armed = production.dns.faults.arm(production.dns.busy, times=None)
    with production.started() as running:
        armed.wait()
        running.pass_time(HOUR_S)
        running.until("zones")
        assert production.published() == {"web"}
        assert production.writes() == written
        production.dns.faults.clear()
