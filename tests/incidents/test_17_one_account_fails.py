"""One of two accounts cannot list its zones.

After a change of a role, the zones of the second account are unknown. One of them is a child of a zone in the first
account.

What must hold: names that we own in listed zones are updated; new names wait, because their zone is unknown; nothing is
deleted. A failure after the zones were listed once changes nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from extdns.model.change import Action
from extdns.model.dns_name import DnsName
from extdns.model.reason import Reason
from extdns.model.zone import AccountFailure, Zone, ZoneList
from tests.builders import ZONE
from tests.cluster_world import HOUR_S, MINUTE_S, ClusterWorld, start_cluster
from tests.fakes.apiserver.server import ApiServer
from tests.fakes.route53.server import Route53
from tests.fakes.service.faults import Refuse
from tests.incidents.production import Production, route53
from tests.objects import service

INNER = Zone(name=DnsName("shop.example.org"), id="inner", account="b")
HALF = ZoneList(zones=(ZONE,), failed=(AccountFailure(account="b", message="no answer"),))
INNER_ID = "Z2INNER"
OUTER, INSIDE = service("web"), service("in", host="in.shop.example.org")


def start_scene() -> ClusterWorld:
    return start_cluster(OUTER, INSIDE, zones={ZONE: (), INNER: ()})


def test_zones_that_were_listed_before_are_still_written_if_listing_fails_later() -> None:
    world = start_scene()
    world.provider.zone_list = HALF
    world.run(for_s=HOUR_S)
    world.apply(service("in", host="in.shop.example.org", address="192.0.2.9"), service("new"), for_s=5.0)
    assert world.list_records(INNER) == {"in.shop A": ("192.0.2.9",)}
    assert world.published() == {"web", "new"}


def test_at_start_new_names_wait_until_all_accounts_list_their_zones_and_names_in_listed_zones_are_updated() -> None:
    before = start_scene()
    before.provider.zone_list = HALF
    after = before.restart(for_s=10.0)
    after.apply(
        service("web", address="192.0.2.9"),
        service("new"),
        service("in", host="in.shop.example.org", address="192.0.2.9"),
        for_s=60.0,
    )
    assert after.list_records() == {"web A": ("192.0.2.9",)}
    assert after.list_records(INNER) == {"in.shop A": ("192.0.2.1",)}
    assert after.list_decisions("new") == [("A", Action.NONE, Reason.ZONES_UNKNOWN)]
    after.provider.zone_list = None
    after.run(for_s=HOUR_S)
    assert after.published() == {"web", "new"}
    assert after.list_records(INNER) == {"in.shop A": ("192.0.2.9",)}
    assert not after.deleted()


@pytest.fixture
def second() -> Iterator[Route53]:
    """Run the Route 53 of a second account with the inner zone; only Route 53 supports several accounts."""
    with Route53() as fake:
        fake.add_zone("shop.example.org", zone_id=INNER_ID)
        yield fake


@pytest.fixture
def two_accounts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, second: Route53) -> Iterator[Production]:
    """Set up extdns with two AWS profiles, one for each account."""
    with ApiServer() as server, route53() as first:
        variables = dict(first.variables)
        urls = {"one": variables.pop("AWS_ENDPOINT_URL_ROUTE_53"), "two": second.url}
        keys = "aws_access_key_id = AKIDTEST\naws_secret_access_key = secret\n"
        profiles = [f"[profile {name}]\nendpoint_url = {url}\n{keys}" for name, url in urls.items()]
        (tmp_path / "config").write_text("\n".join(profiles))
        variables["AWS_CONFIG_FILE"] = str(tmp_path / "config")
        flags = (*first.flags, "--aws-profile=one", "--aws-profile=two")
        yield Production(tmp_path, server, replace(first, flags=flags, variables=variables), monkeypatch)


def list_inner_records(second: Route53) -> dict[str, tuple[str, ...]]:
    return {one.name: one.values for one in second.records(INNER_ID) if one.type == "A"}


def test_the_program_updates_names_in_listed_zones_and_new_names_wait_if_one_account_fails(
    two_accounts: Production, second: Route53
) -> None:
    production, busy = two_accounts, Refuse(503, "ServiceUnavailable")
    production.apply(OUTER, INSIDE)
    with production.process():
        production.until(lambda: list_inner_records(second) == {"in.shop.example.org.": ("192.0.2.1",)})
        production.until_published("web")
    second.faults.arm(busy, action="ListHostedZones", times=None)
    production.apply(service("in", host="in.shop.example.org", address="192.0.2.9"), service("new"))
    with production.start() as running:
        production.apply(service("web", address="192.0.2.9"))
        production.until(lambda: production.dns.records()["web A"] == ("192.0.2.9",))
        running.until("new.example.org", "zones-unknown")
        assert production.published() == {"web"}
        assert list_inner_records(second) == {"in.shop.example.org.": ("192.0.2.1",)}
        second.faults.clear()
        running.pass_time(MINUTE_S)
        production.until_published("web", "new")
        production.until(lambda: list_inner_records(second) == {"in.shop.example.org.": ("192.0.2.9",)})


def test_the_program_writes_nothing_while_zones_cannot_be_listed(production: Production) -> None:
    production.apply(service("web"))
    with production.process():
        production.until_published("web")
    written = production.writes()
    production.delete(service("web"))
    armed = production.dns.faults.arm(production.dns.busy, times=None)
    with production.start() as running:
        armed.wait()
        running.pass_time(HOUR_S)
        running.until("zones")
        assert production.published() == {"web"}
        assert production.writes() == written
        production.dns.faults.clear()
