"""What a namespace requests at a name of another one does not stop the changes of that one (law 6).

See docs/design/laws.md and docs/design/retries.md.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import islice

import pytest

from extdns.engine.batches import find_names
from extdns.model.change import Action, Batch, Outcome, Refused, TryLater, Unknown, Write, WriteConflict
from extdns.model.dns_name import DnsName
from extdns.model.reason import Reason
from registry.aws_sd.registry import DescriptionRegistry
from tests.builders import ZONE, accept_only, build_claim, combine, host, observe, observe_gone, record
from tests.cluster_world import HOUR_S, MINUTE_S, start_cluster
from tests.objects import Json
from tests.swap.objects import dnsendpoint, endpoint, service
from tests.world import start_published, start_world

LONG = "w" * 60
OURS = '"heritage=external-dns,external-dns/owner=me,external-dns/resource=service/victim/web"'
UNPUBLISHABLE = [
    pytest.param("web", [endpoint("web.example.org", "AAAA", "2001:db8::66", labels={"k": "v" * 9000})], id="labels"),
    pytest.param(LONG, [endpoint(f"{LONG}.example.org", "AAAA", "2001:db8::66")], id="long-name"),
    pytest.param(
        "web",
        [
            endpoint("aaaa-web.example.org", "CNAME", "evil.example.com"),
            endpoint("web.example.org", "AAAA", "2001:db8::66"),
        ],
        id="taken-ownership-name",
    ),
]


def web(*targets: str, name: str = "web") -> Json:
    return service("victim/web", f"{name}.example.org", *targets)


def attack(*endpoints: Json) -> Json:
    return dnsendpoint("attacker/x", *endpoints, day=9)


@pytest.mark.parametrize(("name", "endpoints"), UNPUBLISHABLE)
def test_a_record_goes_its_way_beside_an_unpublishable_one_of_others(name: str, endpoints: list[Json]) -> None:
    world = start_cluster(attack(*endpoints))
    steps = []
    for target in ("192.0.2.1", "192.0.2.2"):
        world.apply(web(target, name=name), for_s=60)
        steps.append(world.list_records().get(f"{name} A"))
    world.delete(web(name=name), for_s=HOUR_S)
    assert [*steps, world.list_records().get(f"{name} A")] == [("192.0.2.1",), ("192.0.2.2",), None]


def test_with_merged_namespaces_what_a_name_requests_changes_together() -> None:
    bad = endpoint("web.example.org", "AAAA", "2001:db8::66", labels={"k": "v" * 9000})
    world = start_cluster(web("192.0.2.1"), attack(bad), flags=["--merge-across-namespaces"])
    assert world.list_records() == {}


def test_an_address_is_exchanged_together_with_one_that_others_request_too() -> None:
    world = start_cluster(web("192.0.2.1", name=LONG))
    for one in (service("other/x", f"{LONG}.example.org", "2001:db8::1"), web("2001:db8::1", name=LONG)):
        world.apply(one, for_s=HOUR_S)
    assert world.list_records() == {f"{LONG} A": ("192.0.2.1",)}


def test_records_with_a_common_old_ownership_record_change_together() -> None:
    mx = "10 mx.example.com"
    records = record("web"), record("web", mx, rtype="MX"), record("web", OURS, rtype="TXT")
    flags = ["--managed-record-types=A", "--managed-record-types=MX"]
    both = [service("other/web", "web.example.org", "192.0.2.1"), attack(endpoint("web.example.org", "MX", mx))]
    world = start_cluster(*both, flags=flags, records=records)
    world.run(for_s=HOUR_S)
    (made,) = world.provider.submissions
    assert [len(one.changes) for one in made.batch.change_sets] == [2]


def test_records_of_one_service_of_cloud_map_change_together() -> None:
    registry = DescriptionRegistry(owner="me", managed_types=frozenset({"A", "AAAA"}))
    world = start_world(registry=registry)
    aaaa = build_claim("x", "web", "2001:db8::1", rtype="AAAA", namespace="attacker")
    both = observe("web", build_claim("web", "web")), observe("x", aaaa, namespace="attacker")
    world.run(combine(*both), for_s=1.0)
    (made,) = world.provider.submissions
    assert [len(one.changes) for one in made.batch.change_sets] == [2]


@pytest.mark.parametrize("rtype", ["A", "CNAME"])
@pytest.mark.parametrize(("before", "after"), [("192.0.2.1", "lb.example.com"), ("lb.example.com", "192.0.2.1")])
def test_a_record_changes_its_type_beside_a_request_with_a_set_identifier(before: str, after: str, rtype: str) -> None:
    target = "192.0.2.66" if rtype == "A" else "evil.example.com"
    routed = attack(endpoint("web.example.org", rtype, target, setIdentifier="x"))
    world = start_cluster(web(before), flags=["--managed-record-types=A", "--managed-record-types=CNAME"])
    for one in (routed, web(after)):
        world.apply(one, for_s=60)
    assert list(world.list_records().values()) == [(after,)]


def test_a_request_with_a_set_identifier_is_no_evidence_for_a_delete() -> None:
    flags = [f"--managed-record-types={rtype}" for rtype in ("A", "CNAME", "MX")]
    mx = dnsendpoint("victim/x", endpoint("web.example.org", "MX", "10 mx.example.com"))
    world = start_cluster(web("192.0.2.1"), mx, flags=flags)
    world.drop_from_list(web())
    world.apply(attack(endpoint("web.example.org", "CNAME", "evil.example.com", setIdentifier="x")), for_s=60)
    assert set(world.list_records()) == {"web A", "web MX"}


def test_a_refused_request_of_others_keeps_no_record() -> None:
    world = start_published(adjust=accept_only(lambda one: one.type == "A"))
    aaaa = build_claim("x", "web", "2001:db8::1", rtype="AAAA", namespace="attacker")
    world.run(observe("x", aaaa, namespace="attacker"), observe_gone("web"), for_s=HOUR_S)
    assert world.list_records() == {}


def refuse(rtype: str, *, blames: bool = False) -> Callable[[Batch], Outcome | None]:
    offending = (DnsName("web.example.org"),) if blames else ()

    def rule(batch: Batch) -> Outcome | None:
        return Refused(message="bad", offending_names=offending) if list_writes(batch, rtype) else None

    return rule


def list_writes(batch: Batch, rtype: str) -> list[Write]:
    return [
        write for write in batch.writes if write.new and write.new.type == rtype and write.new.targets[0][-2:] == "66"
    ]


def test_a_record_is_deleted_alone_if_what_others_request_cannot_be_written() -> None:
    world = start_cluster(web("192.0.2.1"))
    routed = endpoint("web.example.org", "A", "192.0.2.66", setIdentifier="q", labels={"k": "v" * 9000})
    world.apply(attack(routed), for_s=60)
    world.delete(web(), for_s=HOUR_S)
    assert world.list_records() == {}


@pytest.mark.parametrize("blames", [False, True])
@pytest.mark.parametrize(
    ("rtype", "bad", "targets"),
    [("AAAA", "2001:db8::66", ("192.0.2.1", "192.0.2.2")), ("A", "192.0.2.66", ("2001:db8::1", "2001:db8::2"))],
)
@pytest.mark.parametrize("changes", [False, True])
def test_a_record_follows_its_object_beside_a_refused_one(
    rtype: str, bad: str, targets: tuple[str, ...], *, blames: bool, changes: bool
) -> None:
    world = start_cluster()
    world.provider.rule = refuse(rtype, blames=blames)
    for target in targets:
        world.apply(web(target), for_s=0.0)
        for ttl_s in range(5):
            again = endpoint("web.example.org", rtype, bad, recordTTL=100 + ttl_s * changes)
            world.apply(attack(again), for_s=1.0)
        assert list(world.list_records().values()) == [(target,)]


def test_the_pause_of_a_refused_record_goes_on_while_another_of_its_name_changes() -> None:
    world = start_cluster(web("192.0.2.1"))
    world.provider.rule = refuse("AAAA")
    world.apply(attack(endpoint("web.example.org", "AAAA", "2001:db8::66")), for_s=10)
    for minute in range(15):
        world.apply(web(f"192.0.2.{minute}"), for_s=MINUTE_S)
        assert world.list_records() == {"web A": (f"192.0.2.{minute}",)}
    tries = [one for one in world.provider.submissions if list_writes(one.batch, "AAAA")]
    assert len(tries) == 5  # after 0, 1, 3, 7 and 15 minutes
    assert ("AAAA", Action.NONE, Reason.REFUSED) in world.list_decisions("web")


@pytest.mark.parametrize("changes", [False, True])
def test_a_contended_record_is_not_written_more_often_beside_a_refused_one(*, changes: bool) -> None:
    world = start_cluster(web("192.0.2.1"), flags=["--interval=5s", "--max-refresh-interval=5s"])
    world.provider.rule = refuse("AAAA")
    before = len(world.provider.submissions)
    for number in range(360):
        world.provider.put_records(ZONE, record("web", "192.0.2.99"))
        aaaa = endpoint("web.example.org", "AAAA", "2001:db8::66", recordTTL=100 + number * changes)
        world.apply(attack(aaaa), for_s=10.0)
    writes = [write for one in world.provider.submissions[before:] for write in one.batch.writes]
    assert len([one for one in writes if one.new and one.new.type == "A"]) == 5  # as without the other record
    refused, contended = ("AAAA", Action.NONE, Reason.REFUSED), ("A", Action.KEEP, Reason.CONTENDED)
    assert world.list_decisions("web") == [contended, refused]


def test_a_refused_record_stays_refused_while_another_of_its_name_changes() -> None:
    world = start_cluster(web("192.0.2.1"))
    world.provider.rule = refuse("AAAA")
    world.apply(attack(endpoint("web.example.org", "AAAA", "2001:db8::66")), for_s=10)
    world.reported.clear()
    world.apply(web("192.0.2.2"), for_s=10)
    assert [(one.type, one.reason) for one in world.reported] == [("A", Reason.CHANGED), ("A", Reason.PUBLISHED)]


@pytest.mark.parametrize("blames", [False, True])
def test_refused_records_that_keep_changing_delay_no_other_record(*, blames: bool) -> None:
    names = ["web.example.org", *(f"x{number}.example.org" for number in range(40))]
    world = start_cluster(web("192.0.2.1"))

    def rule(batch: Batch) -> Outcome | None:
        found = tuple(write.key.name for write in list_writes(batch, "AAAA"))
        return Refused(message="bad", offending_names=found if blames else ()) if found else None

    world.provider.rule = rule
    for second in range(120):
        bad = [endpoint(name, "AAAA", "2001:db8::66", recordTTL=100 + second) for name in names]
        world.apply(attack(*bad), for_s=1.0)
    before = len(world.provider.submissions)
    for second in range(20):
        bad = [endpoint(name, "AAAA", "2001:db8::66", recordTTL=300 + second) for name in names]
        world.apply(attack(*bad), web(f"192.0.2.{second // 4}"), for_s=1.0)
        assert second % 4 < 3 or world.list_records() == {"web A": (f"192.0.2.{second // 4}",)}
    assert len(world.provider.submissions) <= before + 30


@pytest.mark.parametrize("before", [5, 120])
def test_a_new_name_each_second_without_an_answer_delays_no_other_by_minutes(before: int) -> None:
    world = start_cluster(web("192.0.2.1"))
    world.provider.rule = lambda batch: Unknown(message="502") if list_writes(batch, "A") else None
    for number in range(before):
        world.apply(attack(endpoint(f"x{number}.example.org", "A", "192.0.2.66")), for_s=1.0)
    world.apply(web("192.0.2.2"), for_s=0.0)
    for number in range(10):
        world.apply(attack(endpoint(f"y{number}.example.org", "A", "192.0.2.66")), for_s=1.0)
    assert world.list_records() == {"web A": ("192.0.2.2",)}


@pytest.mark.parametrize("outcome", [Refused, WriteConflict])
def test_a_new_refused_record_in_each_batch_delays_no_other_record(outcome: type[Refused | WriteConflict]) -> None:
    world, numbers = start_cluster(web("192.0.2.1")), iter(range(100))

    def rule(batch: Batch) -> Outcome | None:
        found = tuple(one.name for one in batch.change_sets if one.name != "web.example.org")
        for number in islice(numbers, 1):  # while the service decides
            world.apply(attack(endpoint(f"x{number}.example.org", "A", "192.0.2.66")), for_s=0.0)
        return outcome(message="bad", offending_names=found) if found else None

    world.provider.rule = rule
    world.apply(attack(endpoint("x.example.org", "A", "192.0.2.66")), web("192.0.2.2"), for_s=1.0)
    of_web = [one for one in world.provider.submissions if "web.example.org" in find_names(one.batch)]
    assert len(of_web) == 3  # it is created, sent beside a refused record, and sent alone
    assert world.list_records() == {"web A": ("192.0.2.2",)}


@pytest.mark.parametrize(
    ("once", "outcome"),
    [
        pytest.param(True, Unknown(message="no answer"), id="single-pass-without-answer"),
        pytest.param(False, Unknown(message="no answer"), id="no-answer"),
        pytest.param(False, Refused(message="bad"), id="refused"),
        pytest.param(True, TryLater(message="busy"), id="single-pass-busy"),
        pytest.param(False, TryLater(message="busy"), id="busy"),
    ],
)
def test_hundreds_of_names_at_which_the_service_fails_delay_no_name_of_others(*, once: bool, outcome: Outcome) -> None:
    world = start_world(once=once)
    bad = [f"bad{number}" for number in range(300)]
    good = {f"{space}{number}": space for space in ("pay", "shop") for number in range(3)}
    world.provider.rule = lambda batch: None if {one.labels[0] for one in find_names(batch)} <= good.keys() else outcome
    requests = [
        observe(name, build_claim(name, name, namespace=space), namespace=space)
        for name, space in [*((name, "attacker") for name in bad), *good.items()]
    ]
    world.run(combine(*requests), for_s=20.0)
    assert set(world.list_records()) == {f"{name} A" for name in good}


def test_a_namespace_keeps_its_turn_while_its_name_is_planned_again_and_again() -> None:
    world = start_world()
    bad = [observe(name, build_claim(name, name, namespace="attacker"), namespace="attacker") for name in ("x", "y")]
    world.provider.rule = lambda batch: None if find_names(batch) == (host("web"),) else TryLater(message="busy")
    world.run(*bad, for_s=0.1)
    for number in range(60):
        world.run(observe("web", build_claim("web", "web", f"192.0.2.{number}")), for_s=0.5)
    assert "web A" in world.list_records()


@pytest.mark.parametrize("has_new", [False, True], ids=["the-same", "new-ones"])
def test_records_that_are_always_told_to_try_later_delay_a_change_of_another_namespace_by_a_minute(
    has_new: bool,
) -> None:
    world = start_world()
    world.provider.rule = lambda batch: None if find_names(batch) == (host("web"),) else TryLater(message="busy")
    bad = [observe(f"x{n}", build_claim(f"x{n}", f"x{n}", namespace=f"n{n}"), namespace=f"n{n}") for n in range(5)]
    world.run(*bad, for_s=1900.0)
    world.run(observe("web", build_claim("web", "web")), for_s=0.0)
    for at in range(0, 60, 20):
        for one in range(5 * has_new):
            claims = [
                build_claim(f"x{one}", f"x{one}-{at}", namespace=f"n{one}"),
                build_claim(f"x{one}", f"x{one}", namespace=f"n{one}"),
            ]
            world.run(observe(f"x{one}", *claims, namespace=f"n{one}"), for_s=0.0)
        world.run(for_s=20.0)
    assert world.list_records() == {"web A": ("192.0.2.1",)}
