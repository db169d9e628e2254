"""Services of Cloud Map: what they become for records, what happens in which order, failures, and foreign services."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from extdns.model.change import Applied, Batch, Forbidden, Outcome, Refused, TryLater, Unknown, Write, WriteConflict
from extdns.model.reason import Reason
from extdns.model.record import Record
from extdns.model.selection import DomainFilter
from providers.aws.cloudmap.provider import CloudMapReader, CloudMapSettings, CloudMapWriter
from providers.aws.settings import Route53ZoneFilter
from providers.common.api_calls import RateLimiter
from tests import cloudmap
from tests.conformance.provider import (
    Rig,
    build_batch,
    build_cloudmap_rig,
    build_desired,
    create,
    delete,
    restate,
    update,
)
from tests.conformance.provider_world import ProviderWorld
from tests.fakes.cloudmap.server import CloudMap
from tests.fakes.service.faults import Drop, Fault, Refuse

MINE = '"heritage=external-dns,external-dns/owner=me"'
LB = "web-1.eu-central-1.elb.amazonaws.com"
A, AAAA, CNAME, ALIAS = (
    "AWS_INSTANCE_IPV4",
    "AWS_INSTANCE_IPV6",
    "AWS_INSTANCE_CNAME",
    "AWS_ALIAS_DNS_NAME",
)


@pytest.fixture
def rig(tmp_path: Path) -> Rig:
    return build_cloudmap_rig(tmp_path)


@pytest.fixture
def fake(rig: Rig) -> Iterator[CloudMap]:  # noqa: ARG001 - the rig resets it
    found = cloudmap.service()[0]
    yield found
    found.faults.clear()


def build(rig: Rig, settings: CloudMapSettings) -> Rig:
    """Return a rig with other settings in the same namespace."""
    client = cloudmap.service()[1]
    writer = CloudMapWriter(settings, client)
    return Rig(reader=CloudMapReader(settings, client), writer=writer, other=writer, zone=rig.zone)


def publish(rig: Rig, rtype: str, *targets: str, ttl_s: int = 0) -> dict[str, Record]:
    """Create a record of `web` with its description, and return both by type."""
    name = "web.example.org"
    return {one.type: one for one in rig.apply(create(name, rtype, *targets, ttl_s=ttl_s), create(name, "TXT", MINE))}


@pytest.mark.parametrize(
    ("rtype", "targets", "config", "values"),
    [
        ("A", ["192.0.2.1", "192.0.2.2"], (["A"], "MULTIVALUE"), [(A, "192.0.2.1"), (A, "192.0.2.2")]),
        ("AAAA", ["2001:db8::1"], (["AAAA"], "MULTIVALUE"), [(AAAA, "2001:db8::1")]),
        ("CNAME", ["lb.example.net"], (["CNAME"], "WEIGHTED"), [(CNAME, "lb.example.net")]),
        ("CNAME", [LB], (["A"], "WEIGHTED"), [(ALIAS, LB)]),
        ("CNAME", [f"{'n' * 60}.elb.cn-1.amazonaws.com"], (["A"], "WEIGHTED"), None),
        ("CNAME", ["x.us-gov-west-1.elb.amazonaws.com"], (["CNAME"], "WEIGHTED"), None),
    ],
    ids=["A", "AAAA", "CNAME", "load-balancer", "long-name", "no-alias-in-govcloud"],
)
def test_a_service_has_the_type_and_routing_that_its_record_needs(
    rig: Rig,
    fake: CloudMap,
    rtype: str,
    targets: list[str],
    config: tuple[list[str], str],
    values: list[tuple[str, str]] | None,
) -> None:
    made = publish(rig, rtype, *targets, ttl_s=60)
    service = fake.find("web") or {}
    assert (
        [one["Type"] for one in service["DnsConfig"]["DnsRecords"]],
        service["DnsConfig"]["RoutingPolicy"],
    ) == config
    assert service["Description"] == MINE.strip('"')
    assert values is None or fake.list_values("web") == values
    assert (made[rtype].targets, made[rtype].ttl_s) == (tuple(targets), 60)
    assert rig.read() == tuple(made[one] for one in sorted(made))


def test_a_and_aaaa_of_a_name_are_in_one_service_whose_instances_have_both(rig: Rig, fake: CloudMap) -> None:
    writes = [
        create("web.example.org", "A", "192.0.2.1", "192.0.2.2"),
        create("web.example.org", "AAAA", "2001:db8::1"),
    ]
    made = {one.type: one for one in rig.apply(*writes, create("web.example.org", "TXT", MINE))}
    assert [value for key, value in fake.list_values("web") if key == AAAA] == ["2001:db8::1"] * 2
    assert rig.read() == tuple(made[one] for one in sorted(made))
    rig.apply(delete(made["AAAA"]), restate(made["TXT"]))
    assert [(one.type, one.targets) for one in rig.read() if one.type != "TXT"] == [("A", ("192.0.2.1", "192.0.2.2"))]


def test_an_update_registers_new_instances_first_and_leaves_the_others_alone(rig: Rig, fake: CloudMap) -> None:
    made = publish(rig, "A", "192.0.2.1", "192.0.2.2")
    fake.calls.clear()
    rig.apply(update(made["A"], "192.0.2.2", "192.0.2.3"), restate(made["TXT"]))
    assert [one for one in fake.actions if one != "GetOperation"] == ["RegisterInstance", "DeregisterInstance"]
    assert fake.actions.index("DeregisterInstance") > fake.actions.index("GetOperation")
    assert fake.list_values("web") == [(A, "192.0.2.2"), (A, "192.0.2.3")]


def test_an_instance_whose_address_is_written_otherwise_is_replaced_and_stays(rig: Rig, fake: CloudMap) -> None:
    publish(rig, "AAAA", "2001:db8::1")
    (service,) = fake.instances.values()
    service["2001:db8::1"] = {AAAA: "2001:DB8::1"}
    made = {one.type: one for one in rig.read()}
    rig.apply(update(made["AAAA"], "2001:db8::1", "2001:db8::2"), restate(made["TXT"]))
    assert fake.list_values("web") == [(AAAA, "2001:db8::1"), (AAAA, "2001:db8::2")]


def test_instances_stay_as_somebody_paired_their_values_while_no_target_changes(rig: Rig, fake: CloudMap) -> None:
    publish(rig, "A", "192.0.2.1")
    (service,) = fake.services.values()
    service["DnsConfig"]["DnsRecords"] = [{"Type": "A", "TTL": 300}, {"Type": "AAAA", "TTL": 300}]
    by_hand = {
        "i-1": {A: "192.0.2.1", AAAA: "2001:db8::2", "stage": "test"},
        "i-2": {A: "192.0.2.2", AAAA: "2001:db8::1"},
    }
    fake.instances[service["Id"]] = dict(by_hand)
    made = {one.type: one for one in rig.read()}
    rig.apply(update(made["A"], *made["A"].targets, ttl_s=60), restate(made["TXT"]))
    assert fake.instances[service["Id"]] == by_hand


def test_a_change_of_ttl_or_description_keeps_the_rest_of_the_service(rig: Rig, fake: CloudMap) -> None:
    publish(rig, "A", "192.0.2.1")
    service = fake.find("web") or {}
    service["HealthCheckConfig"] = {"Type": "TCP", "FailureThreshold": 2}
    made = {one.type: one for one in rig.read()}
    text = MINE.replace("me", "me,external-dns/resource=service/shop/web")
    new = build_desired("web.example.org", "TXT", text)
    rig.apply(update(made["A"], "192.0.2.1", ttl_s=60), Write(old=made["TXT"], new=new))
    assert service["HealthCheckConfig"] == {"Type": "TCP", "FailureThreshold": 2}
    assert service["DnsConfig"]["DnsRecords"] == [{"Type": "A", "TTL": 60}]
    assert service["Description"] == text.strip('"')


def test_a_target_that_changes_without_a_ttl_keeps_the_ttl(rig: Rig, fake: CloudMap) -> None:
    made = publish(rig, "A", "192.0.2.1", ttl_s=60)
    rig.apply(update(made["A"], "192.0.2.2", ttl_s=0), restate(made["TXT"]))
    assert "UpdateService" not in fake.actions


@pytest.mark.parametrize("rtype", ["A", "CNAME"])
def test_without_cleanup_a_service_stays_empty_and_is_used_again_by_its_owner(
    rig: Rig, fake: CloudMap, rtype: str
) -> None:
    rig = build(rig, CloudMapSettings())
    made = publish(rig, "A", "192.0.2.1")
    (left,) = rig.apply(*map(delete, made.values()))
    assert (left.type, fake.list_values("web"), rig.read()) == ("TXT", [], (left,))
    target = {"A": "192.0.2.2", "CNAME": "lb.example.net"}[rtype]
    rig.apply(create("web.example.org", rtype, target), restate(left))
    assert [value for _, value in fake.list_values("web")] == [target]


def test_without_a_registry_an_empty_service_is_used_again(rig: Rig, fake: CloudMap) -> None:
    rig = build(rig, CloudMapSettings(shows_descriptions=False))
    (made,) = rig.apply(create("web.example.org", "A", "192.0.2.1"))
    rig.apply(delete(made))
    rig.apply(create("web.example.org", "A", "192.0.2.2"))
    assert (fake.list_values("web"), len(fake.services), len(rig.read())) == ([(A, "192.0.2.2")], 1, 1)


def test_two_change_sets_of_a_name_are_written_to_one_service(rig: Rig, fake: CloudMap) -> None:
    rig = build(rig, CloudMapSettings(shows_descriptions=False))
    batches = [
        build_batch(rig.zone, [create("web.example.org", *record)])
        for record in (("A", "192.0.2.1"), ("AAAA", "2001:db8::1"))
    ]
    both = Batch(number=1, zone=rig.zone, change_sets=tuple(one for batch in batches for one in batch.change_sets))
    assert isinstance(rig.writer.submit(rig.zone, both), Applied)
    assert sorted(fake.list_values("web")) == [(A, "192.0.2.1"), (AAAA, "2001:db8::1")]


@pytest.mark.parametrize("records", [[{"Type": "SRV", "TTL": 60}], []], ids=["SRV", "HTTP"])
def test_without_a_registry_a_service_of_other_types_stays(
    rig: Rig, fake: CloudMap, records: list[dict[str, object]]
) -> None:
    rig = build(rig, CloudMapSettings(shows_descriptions=False))
    rig.apply(create("web.example.org", "A", "192.0.2.1"))
    (service,) = fake.services.values()
    service["DnsConfig"]["DnsRecords"] = records
    assert isinstance(rig.submit(create("web.example.org", "A", "192.0.2.2")), WriteConflict)
    assert fake.list_values("web") == [(A, "192.0.2.1")]


def test_reading_a_namespace_page_by_page_lists_its_services_once(rig: Rig, fake: CloudMap) -> None:
    rig.apply(*(create(f"n{number}.example.org", "A", "192.0.2.1") for number in range(6)))
    fake.calls.clear()
    assert len({one.name for one in rig.read()}) == 6
    assert (fake.actions.count("ListServices"), fake.actions.count("ListInstances")) == (3, 6)


def test_new_services_have_the_tags_of_the_flag(rig: Rig, fake: CloudMap) -> None:
    publish(build(rig, CloudMapSettings(tags=(("team", "shop"),))), "A", "192.0.2.1")
    assert list(fake.tags.values()) == [[{"Key": "team", "Value": "shop"}]]


@pytest.mark.parametrize(
    ("selection", "found"),
    [
        (Route53ZoneFilter(), ["a.example True", "a.example False", "b.example False"]),
        (Route53ZoneFilter(visibility="private"), ["a.example True"]),
        (Route53ZoneFilter(domains=DomainFilter(include=("b.example",))), ["b.example False"]),
    ],
    ids=["all", "private", "domain"],
)
def test_namespaces_of_the_account_with_dns_that_match_the_filters_are_zones(
    rig: Rig, fake: CloudMap, selection: Route53ZoneFilter, found: list[str]
) -> None:
    fake.reset()
    for name, kind in (("a.example", "DNS_PRIVATE"), ("a.example", "DNS_PUBLIC"), ("b.example", "DNS_PUBLIC")):
        fake.add_namespace(name, kind)
    fake.add_namespace("c.example", "HTTP")
    fake.add_namespace("b.example", owner="OTHER_ACCOUNTS")
    zones = build(rig, CloudMapSettings(zone_filter=selection)).reader.list_zones().zones
    assert sorted(f"{one.name} {one.private}" for one in zones) == sorted(found)


@pytest.mark.parametrize("description", ["", "made by hand", MINE.replace("me", "other").strip('"')])
@pytest.mark.parametrize("instances", [{}, {"i": {A: "192.0.2.9"}}], ids=["empty", "used"])
def test_a_service_that_somebody_else_made_is_never_changed(
    rig: Rig, fake: CloudMap, description: str, instances: dict[str, dict[str, str]]
) -> None:
    publish(rig, "A", "192.0.2.9")
    (key,) = fake.services
    fake.services[key]["Description"] = description
    fake.instances[key] = dict(instances)
    before = repr((fake.services, fake.instances))
    world = ProviderWorld(rig, {"web": "192.0.2.1", "other": "192.0.2.2"})
    assert [type(one) for one in world.line.outcomes] == [Applied]
    assert fake.list_values("other") == [(A, "192.0.2.2")]
    fake.services.pop((fake.find("other") or {})["Id"])
    fake.instances = {key: fake.instances[key]}
    assert repr((fake.services, fake.instances)) == before


def test_a_service_that_appears_between_read_and_write_is_a_conflict_and_stays(rig: Rig, fake: CloudMap) -> None:
    publish(rig, "A", "192.0.2.9")
    outcome = rig.submit(create("web.example.org", "A", "192.0.2.1"), create("web.example.org", "TXT", MINE))
    assert isinstance(outcome, WriteConflict)
    assert (outcome.offending_names, fake.list_values("web")) == (("web.example.org",), [(A, "192.0.2.9")])


@pytest.mark.parametrize(
    ("fault", "action", "outcome"),
    [
        (Refuse(400, "RequestLimitExceeded"), "CreateService", TryLater),
        (Refuse(400, "AccessDeniedException"), "CreateService", Forbidden),
        (Refuse(400, "InvalidInput"), "CreateService", Refused),
        (Refuse(404, "NamespaceNotFound"), "CreateService", TryLater),
        (Drop(worked=True), "CreateService", Unknown),
        (Refuse(400, "ResourceLimitExceeded"), "RegisterInstance", Unknown),
        (Refuse(400, "RequestLimitExceeded"), "GetOperation", Unknown),
    ],
)
def test_the_outcome_of_a_failed_call_names_the_service_and_whether_anything_was_written(
    rig: Rig, fake: CloudMap, fault: Fault, action: str, outcome: type[Outcome]
) -> None:
    fake.faults.arm(fault, action=action)
    found = rig.submit(create("web.example.org", "A", "192.0.2.1"), create("web.example.org", "TXT", MINE))
    assert isinstance(found, outcome)
    assert not isinstance(found, Applied)
    assert f"{action} on service web.example.org in namespace example.org (ns-1)" in found.message


@pytest.mark.parametrize(
    ("code", "outcome"),
    [("ACCESS_DENIED", Forbidden), ("THROTTLED_REQUEST", TryLater), ("INVALID_CHANGE_BATCH", Refused)],
)
def test_an_operation_that_fails_later_says_why_and_nothing_else_is_undone(
    rig: Rig, fake: CloudMap, code: str, outcome: type[Outcome]
) -> None:
    made = publish(rig, "A", "192.0.2.1")
    fake.fails.append(code)
    found = rig.submit(update(made["A"], "192.0.2.2"), restate(made["TXT"]))
    assert isinstance(found, outcome)
    assert not isinstance(found, Applied)
    assert f"RegisterInstance on service web.example.org in namespace example.org (ns-1): {code}" in found.message
    assert fake.list_values("web") == [(A, "192.0.2.1")]


def test_an_operation_that_does_not_end_has_an_unknown_outcome_and_no_other_is_waited_for(
    rig: Rig, fake: CloudMap
) -> None:
    fake.delay = 1000
    outcome = rig.submit(*(create(f"n{number}.example.org", "A", "192.0.2.1") for number in range(3)))
    assert isinstance(outcome, Unknown)
    assert "is not done after 60 s" in outcome.message
    assert fake.actions.count("GetOperation") == 60


def test_an_operation_whose_end_cannot_be_found_out_may_have_been_carried_out(rig: Rig, fake: CloudMap) -> None:
    made = publish(rig, "A", "192.0.2.1")
    fake.faults.arm(Refuse(400, "AccessDeniedException"), action="GetOperation")
    assert isinstance(rig.submit(update(made["A"], "192.0.2.2"), restate(made["TXT"])), Unknown)


def test_an_instance_that_an_earlier_operation_still_changes_is_tried_later(rig: Rig, fake: CloudMap) -> None:
    made = publish(rig, "A", "192.0.2.1")
    fake.delay = 1000
    change = (update(made["A"], "192.0.2.2"), restate(made["TXT"]))
    assert isinstance(rig.submit(*change), Unknown)
    assert isinstance(rig.submit(*change), TryLater)


def test_names_of_one_batch_wait_together_and_a_refused_one_stops_no_other(rig: Rig, fake: CloudMap) -> None:
    fake.fails += ["INVALID_CHANGE_BATCH"]
    writes = [
        create(f"n{number}.example.org", *data) for number in range(3) for data in (("A", "192.0.2.1"), ("TXT", MINE))
    ]
    assert isinstance(rig.submit(*writes), Unknown)
    steps = [one for one in fake.actions if one in {"RegisterInstance", "GetOperation"}]
    assert steps[:4] == ["RegisterInstance", "RegisterInstance", "RegisterInstance", "GetOperation"]
    assert [bool(fake.list_values(f"n{number}")) for number in range(3)] == [False, True, True]


def test_no_batch_takes_more_calls_than_those_that_replace_100_targets(rig: Rig, fake: CloudMap) -> None:
    name, many = "web.example.org", [f"2001:db8::{number}" for number in range(100)]
    made = rig.apply(create(name, "A", "192.0.2.1"), create(name, "AAAA", *many), create(name, "TXT", MINE))
    change = update(made[0], "192.0.2.2")  # changes the other attribute of all 100 instances
    (change_set,) = build_batch(rig.zone, [change]).change_sets
    limits, before = rig.reader.capabilities, len(fake.actions)
    assert isinstance(rig.submit(change), Applied)
    assert limits.measure
    assert limits.measure(change_set) == limits.max_batch_size == len(fake.actions) - before == 400
    more = [f"2001:db8:1::{number}" for number in range(901)]
    (refused,) = rig.reader.adjust([build_desired(name, "AAAA", *many, *more)], rig.zone).refused
    assert (refused.reason, refused.detail[:27]) == (Reason.TOO_LARGE, "1001 targets; allowed: 1000")


def test_a_throttled_call_ends_the_batch(rig: Rig, fake: CloudMap) -> None:
    fake.faults.arm(Refuse(400, "RequestLimitExceeded"), action="CreateService")
    writes = [create(f"n{number}.example.org", "A", "192.0.2.1") for number in range(3)]
    assert isinstance(rig.submit(*writes), TryLater)
    assert fake.actions.count("CreateService") == 1


class Killed(BaseException):
    """Ends the process before a call."""


class Mortal(RateLimiter):
    """A rate limiter with which the process ends instead of making a write after *left* others."""

    def __init__(self, left: int) -> None:
        super().__init__(wait=lambda _: None)
        self.left = left

    def acquire(self, action: str, *, changes: int = 0) -> None:
        self.left -= bool(changes)
        if self.left < 0:
            raise Killed(action)


@pytest.mark.parametrize("left", range(6))
@pytest.mark.parametrize("replaced", [False, True], ids=["create", "change-of-type"])
def test_a_process_that_ends_before_any_write_leaves_no_service_without_owner_and_the_next_one_finishes(
    rig: Rig, fake: CloudMap, left: int, replaced: bool
) -> None:
    if replaced:
        made = publish(rig, "CNAME", "lb.example.net")
        writes = [delete(made["CNAME"]), create("web.example.org", "A", "192.0.2.1"), restate(made["TXT"])]
    else:
        writes = [create("web.example.org", "A", "192.0.2.1"), create("web.example.org", "TXT", MINE)]
    client = cloudmap.client(fake)
    client.rate_limiter = Mortal(left)
    mortal = replace(rig, writer=CloudMapWriter(CloudMapSettings(), client))
    try:
        mortal.submit(*writes)
    except Killed:
        assert left < 4
    assert all(one["Description"] == MINE.strip('"') for one in fake.services.values())
    ProviderWorld(rig, {"web": "192.0.2.1"}).check_converged({"web": "192.0.2.1"})
