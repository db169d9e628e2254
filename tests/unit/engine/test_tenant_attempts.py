"""A namespace tries to change the record of another one, without rules (docs/multi-tenancy.md, "Attempts")."""

from __future__ import annotations

import pytest

from tests.builders import ZONE
from tests.cluster_world import key_of, start_cluster
from tests.objects import Json
from tests.rules import FakeRule, FakeRules
from tests.swap.objects import dnsendpoint, endpoint, service

FLAGS = [f"--managed-record-types={rtype}" for rtype in ("A", "AAAA", "CNAME", "NS", "TXT", "DNAME")]
OURS = "heritage=external-dns,external-dns/owner=me,external-dns/resource=crd/attacker/x"
OLDER = service("attacker/x", "web.example.org", "192.0.2.66", day=1)


def publish(name: str, rtype: str, target: str, **fields: object) -> Json:
    return dnsendpoint("attacker/x", endpoint(name, rtype, target, **fields), day=1)


@pytest.mark.parametrize(
    "attempt",
    [
        pytest.param(OLDER, id="an-older-object"),
        pytest.param(service("attacker/x", "web.example.org", day=1), id="without-address"),
        pytest.param(publish("web.example.org", "CNAME", "evil.example.com"), id="cname"),
        pytest.param(publish("web.example.org", "A", "192.0.2.66", setIdentifier="x"), id="set-identifier"),
        pytest.param(publish("WEB.Example.ORG", "A", "192.0.2.66"), id="capitals"),
        pytest.param(publish("\\119eb.example.org", "A", "192.0.2.66"), id="escape"),
        pytest.param(publish("example.org", "DNAME", "evil.example.com"), id="dname-at-the-zone"),
        pytest.param(publish("example.org", "NS", "evil.example.com"), id="ns-at-the-zone"),
        pytest.param(publish("a-web.example.org", "CNAME", "evil.example.com"), id="cname-at-the-ownership-record"),
        pytest.param(publish("a-web.example.org", "TXT", OURS), id="txt-at-the-ownership-record"),
    ],
)
def test_a_record_of_another_namespace_stays_and_follows_its_object(attempt: Json) -> None:
    world = start_cluster(service("victim/web", "web.example.org", "192.0.2.1", day=2), flags=FLAGS)
    before = world.provider.contents(ZONE)
    world.apply(attempt, for_s=60.0)
    world.apply(service("victim/web", "web.example.org", day=2), for_s=60.0)
    world = world.restart(*FLAGS, for_s=60.0)
    assert world.provider.contents(ZONE).items() >= before.items()
    world.apply(service("victim/web", "web.example.org", "192.0.2.2", day=2), for_s=60.0)
    assert world.list_records()["web A"] == ("192.0.2.2",)


WEB = service("victim/web", "web.example.org", "192.0.2.1", day=2)


@pytest.mark.parametrize(("is_valid", "left"), [(True, {}), (False, {"web A": ("192.0.2.1",)})])
def test_an_object_without_an_address_keeps_no_record_that_a_rule_denies_it(
    *, is_valid: bool, left: dict[str, tuple[str, ...]]
) -> None:
    attackers = FakeRule(
        name="attackers",
        matches=lambda item: item.object is not None and item.object.namespace == "attacker",
        allows=lambda _: False,
        is_valid=is_valid,
    )
    world = start_cluster(WEB, service("attacker/x", "web.example.org", day=1), rules=FakeRules((attackers,)))
    world.delete(WEB, for_s=120.0)
    assert world.list_records() == left


def test_an_object_that_fails_does_not_keep_records_of_another_namespace() -> None:
    fails = '--fqdn-template={{ if eq .Namespace "attacker" }}{{ index .Spec.Ports 9 }}{{ end }}'
    world = start_cluster(WEB, flags=[fails])
    world.objects |= {key_of(one): one for one in [service("attacker/x")]}
    del world.objects[key_of(WEB)]
    world = world.restart(fails, for_s=180.0)
    assert world.list_records() == {}
