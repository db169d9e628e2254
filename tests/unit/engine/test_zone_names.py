"""Records at the name of a zone, and where their ownership records are (docs/design/zone-names.md)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import pytest
from msgspec.structs import replace

from extdns.engine.delete_settings import DeleteSettings
from extdns.engine.engine import Engine
from extdns.engine.inputs import Cause, ClusterIdentified, Input, LeadershipChanged, Observed
from extdns.errors import RetryableError
from extdns.model import rrtype
from extdns.model.change import Action, Batch, Refused, Unknown, WriteConflict
from extdns.model.claim import NameClaim
from extdns.model.cluster import ClusterIdentity
from extdns.model.dns_name import DnsName
from extdns.model.reason import Reason
from extdns.model.record import Record
from extdns.model.saved_state import Saved, SavedZone
from extdns.model.value import StringMap
from extdns.model.zone import AccountFailure, Zone, ZoneList
from extdns.planner.settings import PlanSettings, Policy
from providers.inmemory.provider import InMemoryProvider
from registry.rows.service import RowService
from tests.bench.largest import count_calls
from tests.builders import (
    INGRESS,
    PLAN,
    SERVICE,
    ZONE,
    build_claim,
    build_codec,
    build_registry,
    build_row_registry,
    build_unresolved,
    change_phase,
    observe,
    observe_gone,
    owned,
    ownership_record,
    record,
)
from tests.fakes.faulty import FaultyProvider, NoAnswer
from tests.fakes.row_store import RowStoreInMemory
from tests.rules import FakeRule, change_rules
from tests.world import World, build_world, engine_settings

DEV: Final = Zone(name=DnsName("dev.example.org"), id="dev")
SHOP: Final = Zone(name=DnsName("shop.example.org"), id="inner")  # sorts after the parent zone
PRIVATE: Final = replace(DEV, private=True)
OTHER_DEV: Final = Zone(name=DEV.name, id="private", private=True)
THEIRS: Final = (record("dev", "192.0.2.9"),)
FOREIGN: Final = [("A", Action.KEEP, Reason.FOREIGN_RECORD)]
OURS: Final = ownership_record("dev")
INSIDE: Final = record(
    "_extdns-a.dev",
    '"heritage=external-dns,external-dns/ownedRecord=dev.example.org,external-dns/owner=me,'
    'external-dns/resource=service/shop/web"',
    rtype="TXT",
)


def start_zones(
    zones: dict[Zone, tuple[Record, ...]],
    target: str = "192.0.2.1",
    *,
    at: str = "dev",
    refusing: Zone | None = None,
    for_s: float = 5.0,
    **changes: object,
) -> World:
    """Start an engine with *zones* and the Service `web`, which requests *target* at *at*.example.org.

    Writes to *refusing* are refused; an empty target is no request.
    """
    world = build_world(zones=zones, **changes)  # type: ignore[arg-type]
    refuse(world, refusing)
    claims = [build_claim("web", at, target)] if target else []
    world.run(observe("web", *claims), change_phase(SERVICE), change_phase(INGRESS), for_s=for_s)
    return world


def refuse(world: World, zone: Zone | None) -> None:
    world.provider.rule = lambda batch: Refused(message="no") if batch.zone == zone else None


def list_writes(world: World) -> list[tuple[str, Action, str]]:
    """Return zone, kind and record type of each write that was submitted; restated records are left out."""
    return [
        (one.batch.zone.id, Action.CREATE if write.new else Action.DELETE, write.key.type)
        for one in world.provider.submissions
        for write in one.batch.writes
        if write.new is None or write.old is None or write.new.targets != write.old.targets
    ]


def test_ownership_record_is_created_in_the_parent_before_the_record() -> None:
    world = start_zones({ZONE: (), DEV: ()})
    assert list_writes(world) == [("example.org", Action.CREATE, "TXT"), ("dev", Action.CREATE, "A")]
    assert world.list_records(DEV) == {"dev A": ("192.0.2.1",)}
    assert world.list_ownership_labels() == {"a-dev"}
    assert world.list_decisions("dev") == [("A", Action.KEEP, Reason.PUBLISHED)]


@pytest.mark.parametrize(
    ("above", "below", "target", "is_written", "decision"),
    [
        pytest.param(OURS, record("dev"), "192.0.2.1", False, (Action.KEEP, Reason.PUBLISHED), id="ours"),
        pytest.param(OURS, record("dev"), "192.0.2.7", True, (Action.KEEP, Reason.PUBLISHED), id="ours-and-updated"),
        pytest.param(OURS, None, "192.0.2.1", True, (Action.KEEP, Reason.PUBLISHED), id="unused-ownership-record"),
        pytest.param(
            None, record("dev", "192.0.2.9"), "192.0.2.1", False, (Action.KEEP, Reason.FOREIGN_RECORD), id="none"
        ),
        pytest.param(
            ownership_record("dev", owner="other"),
            record("dev", "192.0.2.9"),
            "192.0.2.1",
            False,
            (Action.KEEP, Reason.OWNED_BY_OTHER),
            id="another-owner",
        ),
        pytest.param(
            record("a-dev", '"x"', rtype="TXT"),
            None,
            "192.0.2.1",
            False,
            (Action.NONE, Reason.NO_OWNERSHIP_NAME),
            id="foreign-record-at-the-ownership-name",
        ),
    ],
)
def test_ownership_record_in_the_parent_decides_about_the_record(
    above: Record | None, below: Record | None, target: str, is_written: bool, decision: tuple[Action, Reason]
) -> None:
    world = start_zones({ZONE: (above,) if above else (), DEV: (below,) if below else ()}, target)
    assert list_writes(world) == ([("dev", Action.CREATE, "A")] if is_written else [])
    assert world.list_decisions("dev") == [("A", *decision)]
    assert not is_written or world.list_records(DEV) == {"dev A": (target,)}


def test_ownership_record_in_the_parent_is_deleted_after_the_record() -> None:
    world = start_zones({ZONE: (OURS,), DEV: (record("dev"),)})
    world.run(observe_gone("web"), for_s=120.0)
    assert list_writes(world) == [("dev", Action.DELETE, "A"), ("example.org", Action.DELETE, "TXT")]
    assert (world.list_records(DEV), world.list_ownership_labels()) == ({}, set())


def test_ownership_record_is_inside_the_zone_without_a_parent() -> None:
    world = start_zones({DEV: ()})
    assert world.list_records(DEV) == {"dev A": ("192.0.2.1",)}
    assert world.list_decisions("dev") == [("A", Action.KEEP, Reason.PUBLISHED)]
    world.run(observe("web", build_claim("web", "dev", "192.0.2.7")), for_s=5.0)
    assert world.list_records(DEV) == {"dev A": ("192.0.2.7",)}
    world.run(observe_gone("web"), for_s=120.0)
    assert world.provider.contents(DEV) == {}
    assert list_writes(world) == [
        ("dev", Action.CREATE, "TXT"),
        ("dev", Action.CREATE, "A"),
        ("dev", Action.CREATE, "A"),
        ("dev", Action.DELETE, "TXT"),
        ("dev", Action.DELETE, "A"),
    ]
    assert len(world.provider.submissions) == 3


@pytest.mark.parametrize(
    ("zone", "name"),
    [
        pytest.param(DEV, "dev", id="name-of-the-zone"),
        pytest.param(ZONE, "a" * 63, id="label-too-long-for-an-ownership-name"),
    ],
)
def test_with_compat_a_record_is_created_without_ownership_record_where_none_can_be_and_counts_as_published(
    zone: Zone, name: str
) -> None:
    registry = build_registry(unmarked_creates=True)
    world = start_zones({zone: ()}, at=name, plan=replace(PLAN, compat=True), registry=registry)
    assert list_writes(world) == [(zone.id, Action.CREATE, "A")]
    assert world.list_decisions(name) == [("A", Action.KEEP, Reason.PUBLISHED)]


def test_ownership_record_inside_stays_valid_when_the_parent_is_managed_later() -> None:
    world = start_zones({ZONE: (), DEV: (record("dev"), INSIDE)})
    assert list_writes(world) == []
    assert world.list_decisions("dev") == [("A", Action.KEEP, Reason.PUBLISHED)]
    world.run(observe("web", build_claim("web", "dev", "192.0.2.7")), for_s=5.0)
    assert list_writes(world) == [("dev", Action.CREATE, "A")]
    world.run(observe_gone("web"), for_s=120.0)
    assert (world.provider.contents(DEV), world.list_ownership_labels()) == ({}, set())


@pytest.mark.parametrize("zones", [{}, {ZONE: ()}], ids=["alone", "with-a-parent-zone"])
def test_each_of_two_zones_of_one_name_can_have_its_own_ownership_record(zones: dict[Zone, tuple[Record, ...]]) -> None:
    held = (record("dev"), INSIDE)
    world = start_zones({**zones, DEV: held, OTHER_DEV: held})
    assert list_writes(world) == []
    world.run(observe_gone("web"), for_s=120.0)
    assert (world.provider.contents(DEV), world.provider.contents(OTHER_DEV)) == ({}, {})


@pytest.mark.parametrize("outcome", [Refused(message="no"), WriteConflict(message="it exists")])
def test_record_is_not_created_before_its_ownership_record_in_the_parent(outcome: Refused | WriteConflict) -> None:
    world = build_world(zones={ZONE: (), DEV: ()})
    world.provider.rule = lambda batch: outcome if batch.zone == ZONE else None
    world.run(observe("web", build_claim("web", "dev")), change_phase(SERVICE), change_phase(INGRESS), for_s=5.0)
    assert (world.list_records(DEV), world.list_ownership_labels()) == ({}, set())
    assert world.list_decisions("dev") in (
        [("A", Action.NONE, Reason.REFUSED)],
        [("A", Action.NONE, Reason.WRITE_CONFLICT)],
    )
    refuse(world, None)
    world.run(for_s=120.0)
    assert world.list_records(DEV) == {"dev A": ("192.0.2.1",)}


def test_new_ownership_record_in_the_parent_stays_if_the_record_is_refused() -> None:
    world = start_zones({ZONE: (), DEV: ()}, refusing=DEV)
    assert (world.list_records(DEV), world.list_ownership_labels()) == ({}, {"a-dev"})
    assert world.list_decisions("dev") == [("A", Action.NONE, Reason.REFUSED)]
    refuse(world, None)
    world.run(for_s=120.0)
    assert world.list_records(DEV) == {"dev A": ("192.0.2.1",)}


def test_updated_after_a_late_first_read_of_the_parent() -> None:
    world = build_world(zones={ZONE: (OURS,), DEV: (record("dev"),)})
    world.provider.failures.extend([None, *[RetryableError("timeout")] * 2])
    world.run(
        observe("web", build_claim("web", "dev", "192.0.2.7"), build_claim("web", "x.dev")),
        change_phase(SERVICE),
        change_phase(INGRESS),
        for_s=60.0,
    )
    assert world.list_records(DEV) == {"dev A": ("192.0.2.7",), "x.dev A": ("192.0.2.1",)}


@pytest.mark.parametrize(
    ("zone", "ownership", "zones"),
    [
        pytest.param(ZONE, OURS, {ZONE: (OURS,), DEV: (record("dev"),)}, id="in-the-parent"),
        pytest.param(DEV, INSIDE, {DEV: (record("dev"), INSIDE)}, id="inside"),
    ],
)
def test_foreign_after_its_ownership_record_is_removed(
    zone: Zone, ownership: Record, zones: dict[Zone, tuple[Record, ...]]
) -> None:
    world = start_zones(zones)
    world.provider.remove_records(zone, ownership.key)
    world.run(for_s=120.0)
    assert world.list_decisions("dev") == [("A", Action.KEEP, Reason.FOREIGN_RECORD)]
    world.run(observe("web", build_claim("web", "dev", "192.0.2.7")), for_s=5.0)
    assert list_writes(world) == []


def test_old_ownership_record_is_not_deleted_if_it_also_covers_another() -> None:
    old = replace(ownership_record("dev"), name=DnsName("a-dev.example.org"))
    world = start_zones({ZONE: (old, record("a-dev", "192.0.2.5")), DEV: ()})
    assert ("example.org", Action.DELETE, "TXT") not in list_writes(world)
    assert world.list_records(DEV) == {}


def test_encrypted_ownership_record_is_not_written_again_with_an_update() -> None:
    world = start_zones({ZONE: (), DEV: ()}, registry=build_registry(codec=build_codec()))
    assert list_writes(world) == [("example.org", Action.CREATE, "TXT"), ("dev", Action.CREATE, "A")]
    world.run(observe("web", build_claim("web", "dev", "192.0.2.7")), for_s=5.0)
    assert list_writes(world)[2:] == [("dev", Action.CREATE, "A")]
    world.run(observe_gone("web"), for_s=120.0)
    assert list_writes(world)[3:] == [("dev", Action.DELETE, "A"), ("example.org", Action.DELETE, "TXT")]


def test_ownership_record_in_the_parent_is_encrypted_anew_when_the_record_changes() -> None:
    old, new = "k" * 32, "n" * 32
    text = build_codec(old).encode(StringMap.from_items({"owner": "me", "resource": "service/shop/web"}))
    assert text
    registry = build_registry(codec=build_codec(f"{new}\n{old}\n"))
    world = start_zones(
        {ZONE: (record("a-dev", text, rtype="TXT"),), DEV: (record("dev"),)}, "192.0.2.7", registry=registry
    )
    assert list_writes(world) == [("example.org", Action.CREATE, "TXT"), ("dev", Action.CREATE, "A")]


def test_ownership_record_without_record_goes_if_nobody_requests_the_name() -> None:
    """Test a start after a crash between the two writes."""
    world = start_zones({ZONE: (OURS, ownership_record("dev", owner="other", rtype="AAAA")), DEV: ()}, "")
    assert list_writes(world) == [("example.org", Action.DELETE, "TXT")]
    assert world.list_ownership_labels() == {"aaaa-dev"}


def test_ownership_record_goes_if_it_is_not_known_what_is_to_be_created() -> None:
    world = build_world(zones={ZONE: (OURS,), DEV: ()})
    world.run(observe("web", build_unresolved("web", "dev")), change_phase(SERVICE), change_phase(INGRESS), for_s=5.0)
    assert list_writes(world) == [("example.org", Action.DELETE, "TXT")]


def test_ownership_record_goes_beside_a_foreign_record_although_several_namespaces_request_the_name() -> None:
    world = start_zones({ZONE: (), DEV: ()}, refusing=DEV)
    world.run(observe("x", build_claim("x", "dev", "192.0.2.8", namespace="other"), namespace="other"))
    world.provider.put_records(DEV, *THEIRS)
    world.run(for_s=3600.0)
    assert world.list_ownership_labels() == set()


@pytest.mark.parametrize(
    ("listed", "state"),
    [
        (ZoneList(zones=(DEV, ZONE), failed=(AccountFailure(account="other", message="down"),)), Saved()),
        (ZoneList(zones=(DEV, ZONE), excluded=(DEV.name,)), Saved()),
        (None, Saved(zones=(("gone", SavedZone(name=str(DEV.name))),))),
    ],
    ids=["unknown-account", "excluded-zone", "saved-zone"],
)
def test_ownership_record_stays_while_another_zone_of_the_name_may_exist(listed: ZoneList | None, state: Saved) -> None:
    aaaa = record("dev", "2001:db8::1", rtype="AAAA")
    world = build_world(zones={ZONE: (OURS, ownership_record("dev", "AAAA")), DEV: (aaaa,)}, has_state_store=True)
    world.provider.zone_list, world.state = listed, state
    world.run(observe("web", build_claim("web", "dev", "2001:db8::1", rtype="AAAA")), change_phase(SERVICE))
    world.run(change_phase(INGRESS), for_s=60.0)
    assert list_writes(world) == []


def test_ownership_record_stays_after_a_zone_of_the_name_is_not_listed() -> None:
    world = start_zones({ZONE: (OURS,), DEV: (record("dev"),), OTHER_DEV: (record("dev"),)})
    world.provider.zone_list = ZoneList(zones=(DEV, ZONE))
    world.run(for_s=1500.0)
    world.run(observe_gone("web"), for_s=120.0)
    assert (world.list_records(DEV), world.list_ownership_labels()) == ({}, {"a-dev"})


@pytest.mark.parametrize(("rtype", "labels"), [("MX", {"owner-dev"}), ("NS", set())])
def test_ownership_record_without_type_stays_with_a_record_of_unmanaged_type(rtype: str, labels: set[str]) -> None:
    registry = build_registry(prefix="owner-")
    above = [replace(OURS, name=DnsName(f"{label}.example.org")) for label in ("owner-dev", "owner-a-dev")]
    target = {"MX": "10 mail.test", "NS": "ns.test"}[rtype]
    world = start_zones({ZONE: tuple(above), DEV: (record("dev", target, rtype=rtype),)}, "", registry=registry)
    assert world.list_ownership_labels() == labels


def test_ownership_record_stays_while_objects_come_from_another_cluster() -> None:
    world = build_world(zones={ZONE: (OURS,), DEV: ()}, has_state_store=True)
    world.state = Saved(cluster=ClusterIdentity(uid="blue"))
    world.run(ClusterIdentified(identity=ClusterIdentity(uid="green")), observe("web"))
    world.run(change_phase(SERVICE), change_phase(INGRESS), for_s=60.0)
    assert world.engine.delete_guard.cluster.is_other
    assert list_writes(world) == []


def test_created_before_the_cluster_is_identified() -> None:
    deletes = DeleteSettings(owner="me", identity_timeout_s=30.0)
    world = build_world(zones={ZONE: (), DEV: ()}, has_state_store=True, deletes=deletes)
    world.state = Saved(cluster=ClusterIdentity(uid="blue"))
    world.run(observe("web", build_claim("web", "dev")), change_phase(SERVICE), change_phase(INGRESS), for_s=5.0)
    assert "dev A" in world.list_records(DEV)


@pytest.mark.parametrize("plan", [replace(PLAN, policy=Policy.UPSERT_ONLY), replace(PLAN, owner="new")])
def test_ownership_record_stays_with_upsert_only_or_of_a_previous_owner(plan: PlanSettings) -> None:
    registry = build_registry(owner=plan.owner, migrate_from="me")
    assert list_writes(start_zones({ZONE: (OURS,), DEV: ()}, "", plan=plan, registry=registry)) == []


def test_ownership_record_is_updated_first_when_another_object_takes_the_name() -> None:
    world = start_zones({ZONE: (OURS,), DEV: (record("dev"),)})
    api = observe("api", build_claim("api", "dev", "192.0.2.7"))
    world.run(observe_gone("web"), api, for_s=120.0)
    assert list_writes(world) == [("example.org", Action.CREATE, "TXT"), ("dev", Action.CREATE, "A")]
    assert world.list_records(DEV) == {"dev A": ("192.0.2.7",)}


def test_change_of_type_replaces_record_and_ownership_record() -> None:
    world = start_zones({ZONE: (OURS,), DEV: (record("dev"),)})
    world.run(observe("web", build_claim("web", "dev", "2001:db8::1", rtype="AAAA")), for_s=120.0)
    assert world.list_records(DEV) == {"dev AAAA": ("2001:db8::1",)}
    assert world.list_ownership_labels() == {"aaaa-dev"}


def test_two_zones_of_one_name_share_the_ownership_record_in_the_parent() -> None:
    world = start_zones({ZONE: (), DEV: (), OTHER_DEV: ()})
    assert list_writes(world)[0] == ("example.org", Action.CREATE, "TXT")
    assert sorted(list_writes(world)[1:]) == [("dev", Action.CREATE, "A"), ("private", Action.CREATE, "A")]
    world.run(observe_gone("web"), for_s=120.0)
    assert (world.list_records(DEV), world.list_records(OTHER_DEV), world.list_ownership_labels()) == ({}, {}, set())


def test_planning_the_name_of_several_zones_takes_time_in_proportion_to_its_records() -> None:
    def count(records: int) -> int:
        world = start_zones({ZONE: (), DEV: (), OTHER_DEV: ()}, "")
        first, second = (
            [build_claim("web", "dev", target, set_identifier=str(number)) for number in range(records)]
            for target in ("192.0.2.1", "192.0.2.7")
        )
        world.run(observe("web", *first), for_s=60.0)
        return count_calls(world.feed, observe("web", *second))[1]

    assert count(80) <= 2.3 * count(40)


def test_shared_ownership_record_is_deleted_after_both_records() -> None:
    world = start_zones({ZONE: (OURS,), DEV: (record("dev"),), OTHER_DEV: (record("dev"),)})
    refuse(world, OTHER_DEV)
    world.run(observe_gone("web"), for_s=30.0)
    assert (world.list_records(DEV), world.list_records(OTHER_DEV), world.list_ownership_labels()) == (
        {},
        {"dev A": ("192.0.2.1",)},
        {"a-dev"},
    )
    refuse(world, None)
    world.run(for_s=600.0)
    assert (world.list_records(OTHER_DEV), world.list_ownership_labels()) == ({}, set())


@pytest.mark.parametrize("refusing", [ZONE, PRIVATE], ids=["public", "private"])
def test_shared_ownership_record_stays_while_a_record_cannot_be_deleted(refusing: Zone) -> None:
    world = start_zones({ZONE: (), PRIVATE: ()})
    refuse(world, refusing)
    world.run(observe_gone("web"), for_s=120.0)
    records = {"dev A": ("192.0.2.1",)}
    assert world.list_records() == (records if refusing is ZONE else {})
    assert world.list_records(PRIVATE) == (records if refusing is PRIVATE else {})
    assert world.list_ownership_labels() == {"a-dev"}
    refuse(world, None)
    world.run(for_s=600.0)
    assert (world.list_records(), world.list_records(PRIVATE), world.list_ownership_labels()) == ({}, {}, set())


def test_not_published_in_a_private_zone_if_the_public_parent_refuses() -> None:
    world = start_zones({ZONE: (), PRIVATE: ()}, refusing=ZONE)
    assert world.list_decisions("dev") == [("A", Action.NONE, Reason.REFUSED), ("A", Action.NONE, Reason.REFUSED)]


def test_ownership_record_stays_while_it_covers_a_record_in_the_parent() -> None:
    """Test the name of a zone that was private, and so also had a record in its public parent zone."""
    world = start_zones({ZONE: (OURS, record("dev")), DEV: (record("dev"),)})
    assert world.list_decisions("dev") == [("A", Action.KEEP, Reason.PUBLISHED), ("A", Action.KEEP, Reason.ZONE_MOVED)]
    world.run(observe_gone("web"), for_s=120.0)
    assert (world.list_records(DEV), world.list_ownership_labels()) == ({}, {"a-dev"})


@pytest.mark.parametrize("is_restarted", [False, True])
@pytest.mark.parametrize("private", [False, True])
def test_foreign_record_in_another_zone_of_the_name_is_not_touched(*, private: bool, is_restarted: bool) -> None:
    """Test a zone that is delegated, or created as a private one, when its name already has a record of ours."""
    new = Zone(name=DEV.name, id="new", private=private)
    ours = {DEV: (record("dev"),), ZONE: (OURS,)} if private else {ZONE: owned("dev")}
    home = next(iter(ours))
    world = build_world(zones={**ours, new: (record("dev", "192.0.2.9"),)})
    world.provider.zone_list = None if is_restarted else ZoneList(zones=tuple(ours))
    world.run(observe("web", build_claim("web", "dev")), change_phase(SERVICE), change_phase(INGRESS), for_s=5.0)
    world.provider.zone_list = None
    world.run(for_s=600.0)
    other = build_claim("x", "dev", "192.0.2.9", namespace="other")
    world.run(observe("x", other, namespace="other"), for_s=120.0)
    world.run(observe("x", namespace="other", cause=Cause.DELETED), for_s=120.0)
    world.run(observe("web", build_claim("web", "dev", "192.0.2.7")), for_s=120.0)
    assert world.list_records(new) == {"dev A": ("192.0.2.9",)}
    assert world.list_records(home) == {"dev A": ("192.0.2.7",) if private else ("192.0.2.1",)}
    world.run(observe_gone("web"), for_s=120.0)
    assert world.list_records(new) == {"dev A": ("192.0.2.9",)}
    assert world.list_ownership_labels() == (set() if private else {"a-dev"})


@pytest.mark.parametrize(
    "first",
    [[], [build_claim("web", "dev")], [build_claim("web", "dev"), build_unresolved("web", "dev")]],
    ids=["not-requested", "refused", "without-address"],
)
def test_foreign_record_that_appears_before_the_record_is_created_stays(first: list[NameClaim]) -> None:
    world = start_zones({ZONE: (), DEV: ()}, "", refusing=DEV)
    for claim in first:
        world.run(observe("web", claim), for_s=5.0)
    world.provider.put_records(DEV, *THEIRS)
    world.run(for_s=3600.0)
    refuse(world, None)
    world.run(observe("web", build_claim("web", "dev")), for_s=3600.0)
    world.run(observe("web", build_claim("web", "dev", "192.0.2.7")), for_s=600.0)
    assert (world.list_decisions("dev"), world.list_ownership_labels()) == (FOREIGN, set())
    world.run(observe_gone("web"), for_s=600.0)
    assert world.list_records(DEV) == {"dev A": ("192.0.2.9",)}


@pytest.mark.parametrize(
    ("refusing", "loses_answer"),
    [(None, False), (OTHER_DEV, False), (OTHER_DEV, True)],
    ids=["applied", "refused", "refused-after-a-lost-answer"],
)
def test_foreign_record_stays_although_its_target_was_once_to_be_created(
    refusing: Zone | None, loses_answer: bool
) -> None:
    world = start_zones({ZONE: (), DEV: (), OTHER_DEV: ()}, "", refusing=refusing)
    if loses_answer:
        world.provider.rule = lambda batch: NoAnswer(applied=False) if batch.zone == OTHER_DEV else None
        world.run(observe("web", build_claim("web", "dev", "192.0.2.8")), for_s=0.1)
        refuse(world, refusing)
    world.run(observe("web", build_claim("web", "dev", "192.0.2.1", "192.0.2.9")), for_s=600.0)
    world.run(*(() if refusing else (observe_gone("web"),)), for_s=600.0)
    refuse(world, OTHER_DEV)
    world.run(observe("web", build_claim("web", "dev")), for_s=600.0)
    world.provider.put_records(OTHER_DEV, *THEIRS)
    world.run(for_s=3600.0)
    refuse(world, None)
    for target in ("192.0.2.1", "192.0.2.7"):
        world.run(observe("web", build_claim("web", "dev", target)), for_s=600.0)
        assert world.list_records(OTHER_DEV) == {"dev A": ("192.0.2.9",)}


@pytest.mark.parametrize("targets", [["192.0.2.1"], ["192.0.2.1", "192.0.2.2"]], ids=["all", "a-part"])
def test_record_whose_create_is_applied_late_is_ours_although_another_one_is_requested_meanwhile(
    targets: list[str],
) -> None:
    world = start_zones({ZONE: (), DEV: ()}, target="")
    sent: list[Batch] = []

    def rule(batch: Batch) -> Unknown | None:
        if batch.zone == DEV and len(sent) < 2:
            sent.append(batch)
            if len(sent) == 1:
                return Unknown(message="no answer")
            world.provider.put_records(DEV, record("dev"))
        return None

    world.provider.rule = rule
    world.run(observe("web", build_claim("web", "dev", *targets)), for_s=0.1)
    world.run(observe("web", build_claim("web", "dev", "192.0.2.7")), for_s=600.0)
    assert world.list_records(DEV) == {"dev A": ("192.0.2.7",)}


def start_standby() -> World:
    """Start a standby that read the zones before its leader created the record of `shop`."""
    leader = start_zones({ZONE: (), SHOP: ()}, target="", has_election=True)
    settings = engine_settings(leader.provider, has_election=True)
    standby = World(engine=Engine(settings), reader=leader.provider, writer=leader.provider)
    standby.run(change_phase(SERVICE), change_phase(INGRESS), for_s=1.0)
    for world in (leader, standby):
        world.run(LeadershipChanged(is_leader=world is leader), observe("web", build_claim("web", "shop")), for_s=5.0)
    assert standby.list_records(SHOP) == {"shop A": ("192.0.2.1",)}
    return standby


@pytest.mark.parametrize(
    ("last", "records"),
    [
        (observe("web", build_claim("web", "shop", "192.0.2.7")), {"shop A": ("192.0.2.7",)}),
        (observe("web", build_unresolved("web", "shop")), {"shop A": ("192.0.2.1",)}),
    ],
    ids=["another-requested", "without-address"],
)
def test_record_that_a_former_leader_created_is_ours_although_it_is_not_requested_now(
    last: Observed, records: dict[str, tuple[str, ...]]
) -> None:
    standby = start_standby()
    standby.run(last)
    standby.run(LeadershipChanged(is_leader=True), for_s=600.0)
    assert (standby.list_records(SHOP), standby.list_ownership_labels()) == (records, {"a-shop"})


def test_record_that_the_leader_creates_is_ours_to_a_standby() -> None:
    standby = start_standby()
    standby.run(observe("web", build_claim("web", "shop", "192.0.2.7")), for_s=3600.0)
    assert standby.list_decisions("shop") == [("A", Action.UPDATE, Reason.CHANGED)]


@pytest.mark.parametrize("reads_before", [False, True], ids=["read-after-the-answer", "read-before-it"])
def test_record_that_a_former_leader_created_is_ours_although_a_write_fails_before_it_is_read(
    reads_before: bool,
) -> None:
    standby = start_standby()
    standby.run(observe("web", build_claim("web", "shop", "192.0.2.7")))
    refuse(standby, SHOP)
    standby.feed(LeadershipChanged(is_leader=True))
    while standby.waiting:
        if reads_before:
            standby.waiting.rotate(-1)
        standby.feed(standby.answer())
    refuse(standby, None)
    standby.run(observe_gone("web"), for_s=600.0)
    assert (standby.list_records(SHOP), standby.list_ownership_labels()) == ({}, set())


def test_record_of_another_zone_of_the_name_stays_ours_when_the_process_leads_again_before_it_is_updated() -> None:
    world = start_zones({ZONE: (), DEV: (), OTHER_DEV: ()}, has_election=True)
    world.run(LeadershipChanged(is_leader=True), for_s=60.0)
    refuse(world, OTHER_DEV)
    for target in ("192.0.2.2", "192.0.2.3"):
        world.run(observe("web", build_claim("web", "dev", target)), for_s=5.0)
    assert world.list_records(OTHER_DEV) == {"dev A": ("192.0.2.1",)}
    for is_leader in (False, True):
        world.run(LeadershipChanged(is_leader=is_leader), for_s=5.0)
    refuse(world, None)
    world.run(for_s=3600.0)
    assert world.list_records(OTHER_DEV) == {"dev A": ("192.0.2.3",)}


@pytest.mark.parametrize("targets", [("192.0.2.1",), ("192.0.2.1", "192.0.2.9")], ids=["later", "among-others-before"])
def test_foreign_record_of_another_zone_stays_foreign_although_an_object_requests_what_it_holds(
    targets: tuple[str, ...],
) -> None:
    theirs = record("dev", "there.test", rtype="CNAME")
    world = start_zones({ZONE: (), DEV: (), OTHER_DEV: (theirs,)}, target="")
    world.run(observe("web", build_claim("web", "dev", *targets)), for_s=60.0)
    assert world.list_records(DEV) == {"dev A": targets}
    world.provider.remove_records(OTHER_DEV, theirs.key)
    world.provider.put_records(OTHER_DEV, *THEIRS)
    world.run(for_s=3600.0)
    for target in ("192.0.2.9", "192.0.2.66"):
        world.run(observe("web", build_claim("web", "dev", target)), for_s=3600.0)
    assert world.list_records(OTHER_DEV) == {"dev A": ("192.0.2.9",)}


def test_ownership_record_goes_if_a_rule_denies_the_record_that_was_not_created() -> None:
    world = start_zones({ZONE: (), DEV: ()}, refusing=DEV, has_rules=True)
    world.run(change_rules())
    assert world.list_ownership_labels() == {"a-dev"}
    world.run(change_rules(FakeRule(name="no", allows=lambda _: False)), for_s=600.0)
    assert (world.list_decisions("dev"), world.list_ownership_labels()) == (
        [("A", Action.NONE, Reason.POLICY_DENIED)],
        set(),
    )


def test_decision_says_that_an_answer_is_missing_while_the_parent_zone_cannot_be_read() -> None:
    world = start_zones({ZONE: (), DEV: ()}, target="")
    world.provider.answers.append(NoAnswer(applied=True))
    world.provider.failures.extend([RetryableError("timeout")] * 2)
    world.run(observe("web", build_claim("web", "dev")), for_s=0.1)
    assert world.list_decisions("dev") == [("A", Action.NONE, Reason.NO_ANSWER)]


def test_record_requested_again_before_the_delete_of_its_ownership_record_is_answered_gets_one() -> None:
    world = build_world(zones={ZONE: (OURS,), DEV: ()})
    world.provider.answers.append(NoAnswer(applied=True))
    world.run(observe("web"), change_phase(SERVICE), change_phase(INGRESS), for_s=0.1)
    world.provider.failures.extend([RetryableError("timeout")] * 2)
    world.run(observe("web", build_claim("web", "dev")), for_s=0.1)
    assert world.list_decisions("dev") == [("A", Action.CREATE, Reason.REQUESTED)]
    world.run(for_s=60.0)
    assert (world.list_records(DEV), world.list_ownership_labels()) == ({"dev A": ("192.0.2.1",)}, {"a-dev"})


def test_record_that_could_not_be_read_is_ours_although_another_one_is_requested_now() -> None:
    unreadable = record("dev", "?", rtype=rrtype.UNREADABLE + "A")
    world = start_zones({ZONE: (OURS,), DEV: (unreadable,)}, "192.0.2.7")
    assert world.list_decisions("dev") == [("A", Action.NONE, Reason.RECORD_UNREADABLE)]
    world.provider.remove_records(DEV, unreadable.key)
    world.provider.put_records(DEV, record("dev"))
    world.run(for_s=600.0)
    assert world.list_records(DEV) == {"dev A": ("192.0.2.7",)}


def test_record_that_namespaces_request_together_is_ours_although_that_of_another_zone_differs() -> None:
    both = record("dev", "192.0.2.1", "192.0.2.2")
    plan = replace(PLAN, merges_namespaces=True)
    world = build_world(zones={ZONE: (OURS,), DEV: (both,), OTHER_DEV: THEIRS}, plan=plan)
    world.run(
        observe("web", build_claim("web", "dev")),
        observe("x", build_claim("x", "dev", "192.0.2.2", namespace="other"), namespace="other"),
        change_phase(SERVICE),
        change_phase(INGRESS),
        for_s=600.0,
    )
    assert world.list_decisions("dev") == [("A", Action.KEEP, Reason.PUBLISHED), *FOREIGN]


def test_foreign_record_stays_foreign_after_that_in_the_parent_is_removed() -> None:
    world = start_zones({ZONE: owned("dev"), DEV: (record("dev", "192.0.2.9"),)})
    world.provider.remove_records(ZONE, record("dev").key)
    world.run(for_s=600.0)
    assert world.list_records(DEV) == {"dev A": ("192.0.2.9",)}
    assert world.list_ownership_labels() == set()


def test_ours_by_ownership_record_inside_although_another_zone_differs() -> None:
    world = start_zones({ZONE: owned("dev", "192.0.2.9"), DEV: (record("dev"), INSIDE)}, "192.0.2.7")
    assert world.list_records(DEV) == {"dev A": ("192.0.2.7",)}


def test_shared_ownership_record_stays_while_it_may_be_that_of_either() -> None:
    world = start_zones({ZONE: owned("dev"), DEV: (record("dev", "192.0.2.9"),)}, "")
    assert list_writes(world) == []


@pytest.mark.parametrize(
    ("zones", "others"),
    [
        pytest.param({ZONE: THEIRS, DEV: ()}, [], id="in-the-parent"),
        pytest.param({ZONE: THEIRS, PRIVATE: ()}, FOREIGN, id="in-the-public-parent"),
        pytest.param({ZONE: (), PRIVATE: THEIRS}, FOREIGN, id="in-a-private-zone"),
    ],
)
def test_no_ownership_record_is_created_if_it_would_cover_a_foreign_record(
    zones: dict[Zone, tuple[Record, ...]], others: list[tuple[str, Action, Reason]]
) -> None:
    world = start_zones(zones, for_s=60.0)
    assert list_writes(world) == []
    assert sorted(world.list_decisions("dev")) == [*others, ("A", Action.NONE, Reason.NO_OWNERSHIP_NAME)]


def test_queued_ownership_record_is_written_after_zones_are_listed_again() -> None:
    world = build_world(zones={ZONE: (), SHOP: ()}, interval_s=30.0)
    refuse(world, ZONE)
    world.run(observe("web", build_claim("web", "shop")), change_phase(SERVICE), change_phase(INGRESS), for_s=45.0)
    assert world.list_decisions("shop") == [("A", Action.NONE, Reason.REFUSED)]
    refuse(world, None)
    world.run(for_s=30.0)
    assert world.list_records(SHOP) == {"shop A": ("192.0.2.1",)}


INSIDE_ORG: Final = Zone(name=ZONE.name, id="inside", private=True)
SPLIT: Final = pytest.mark.parametrize("public", [ZONE, DEV], ids=["of-one-name", "below-a-private-zone"])
"""A public zone that has names in common with the private zone `INSIDE_ORG`."""


class RowsWorld:
    """An engine with rows whose name `web.dev` is in the public and in the private zone, and can be restarted."""

    def __init__(self, public: Zone, *, inside: Sequence[Record] = ()) -> None:
        self.public = public
        self.provider = FaultyProvider(inner=InMemoryProvider(seed={public: (), INSIDE_ORG: inside}))
        self.store = RowStoreInMemory()
        self.restart(for_s=0.0)

    def restart(self, *observed: Observed, for_s: float = 600.0) -> None:
        service = RowService(
            self.provider,
            self.provider,
            self.store,
            owner="me",
            managed_types=PLAN.managed_types,
            read_term=lambda: 0,
        )
        settings = engine_settings(service, registry=build_row_registry())
        self.world = World(engine=Engine(settings), reader=service, writer=service)
        self.run(*observed, change_phase(SERVICE), change_phase(INGRESS), for_s=for_s)

    def run(self, *observed: Input, for_s: float = 600.0) -> None:
        self.world.run(*observed, for_s=for_s)

    def targets(self) -> list[tuple[str, ...]]:
        """Return the targets of the record in the public zone, and of that in the private zone."""
        name = DnsName("web.dev.example.org")
        found = [self.provider.inner.read_names(zone, [name]) for zone in (self.public, INSIDE_ORG)]
        return [one.targets for records in found for one in records]


def request(target: str) -> Observed:
    return observe("web", build_claim("web", "web.dev", target))


@SPLIT
@pytest.mark.parametrize("is_restarted", [False, True])
def test_with_rows_a_foreign_record_in_another_zone_keeps_a_record_from_being_created(
    public: Zone, *, is_restarted: bool
) -> None:
    site = RowsWorld(public, inside=[record("web.dev", "192.0.2.9")])
    for step in (request("192.0.2.1"), request("192.0.2.9"), request("192.0.2.7"), observe_gone("web")):
        (site.restart if is_restarted else site.run)(step)
        assert (site.targets(), site.store.rows) == ([("192.0.2.9",)], {})


@SPLIT
@pytest.mark.parametrize("is_restarted", [False, True])
def test_with_rows_a_foreign_record_that_appears_in_another_zone_stays(public: Zone, *, is_restarted: bool) -> None:
    site = RowsWorld(public)
    site.provider.rule = lambda batch: Refused(message="no") if batch.zone == INSIDE_ORG else None
    site.run(request("192.0.2.1"))
    assert site.targets() == [("192.0.2.1",)]
    site.provider.put_records(INSIDE_ORG, record("web.dev", "192.0.2.9"))
    site.provider.rule = lambda _: None
    site.run()
    if is_restarted:
        site.restart(request("192.0.2.1"))
    for target in ("192.0.2.7", "192.0.2.9", "192.0.2.8"):
        site.run(request(target))
        assert site.targets() == [(target,), ("192.0.2.9",)]
    site.run(observe_gone("web"))
    assert (site.targets(), site.store.rows) == ([("192.0.2.9",)], {})


@SPLIT
def test_with_rows_a_record_is_ours_although_another_one_is_requested_while_it_is_created(public: Zone) -> None:
    site = RowsWorld(public)

    def change_object(_: Batch) -> None:
        site.provider.rule = lambda _: None
        site.world.feed(request("192.0.2.7"))

    site.provider.rule = change_object
    site.run(request("192.0.2.1"))
    assert site.targets() == [("192.0.2.7",), ("192.0.2.7",)]


def test_with_rows_a_row_without_record_is_removed_that_would_make_a_foreign_record_ours() -> None:
    site = RowsWorld(ZONE)
    site.provider.answers.append(NoAnswer(applied=False))  # after which the row stays
    site.provider.rule = lambda batch: Refused(message="no") if batch.zone == INSIDE_ORG else None
    site.run(request("192.0.2.1"), for_s=0.0)
    site.provider.put_records(INSIDE_ORG, record("web.dev", "192.0.2.9"))
    site.provider.rule = lambda _: Refused(message="no")
    site.run()
    site.restart(request("192.0.2.7"))
    assert (site.targets(), site.store.rows) == ([("192.0.2.9",)], {})


@SPLIT
@pytest.mark.parametrize("is_restarted", [False, True])
def test_with_rows_the_records_of_all_zones_follow_their_object(public: Zone, *, is_restarted: bool) -> None:
    site = RowsWorld(public)
    again = site.restart if is_restarted else site.run
    for target in ("192.0.2.1", "192.0.2.7"):
        again(request(target))
        assert site.targets() == [(target,), (target,)]
    again(observe_gone("web"))
    assert (site.targets(), site.store.rows) == ([], {})


@SPLIT
def test_with_rows_a_row_stays_while_the_record_of_another_zone_cannot_be_deleted(public: Zone) -> None:
    site = RowsWorld(public)
    site.run(request("192.0.2.1"))
    site.provider.rule = lambda batch: Refused(message="no") if batch.zone == public else None
    site.run(observe_gone("web"))
    assert (site.targets(), len(site.store.rows)) == ([("192.0.2.1",)], 1)
    site.provider.rule = lambda _: None
    site.run()
    assert (site.targets(), site.store.rows) == ([], {})


def test_with_rows_the_record_of_a_zone_gets_a_row_and_its_text_in_the_parent_goes_with_it() -> None:
    provider = FaultyProvider(inner=InMemoryProvider(seed={ZONE: [OURS], DEV: [record("dev", "192.0.2.9")]}))
    store, registry = RowStoreInMemory(), build_row_registry()
    service = RowService(provider, provider, store, owner="me", managed_types=PLAN.managed_types, read_term=lambda: 0)
    world = World(engine=Engine(engine_settings(service, registry=registry)), reader=service, writer=service)
    observed = observe("web", build_claim("web", "dev", "192.0.2.1"))
    world.run(observed, change_phase(SERVICE), change_phase(INGRESS), for_s=5.0)
    assert world.list_decisions("dev") == [("A", Action.KEEP, Reason.PUBLISHED)]
    assert [row.owner for row in store.rows.values()] == ["me"]
    assert [(one.batch.zone.id, len(one.batch.writes)) for one in provider.submissions] == [("dev", 1)]
    world.run(observe_gone("web"), for_s=60.0)
    assert (list(provider.read_names(DEV, [DEV.name])), store.rows) == ([], {})
    assert list(provider.read_names(ZONE, [OURS.name])) == []
