"""When settings are accepted, and what that means for orphans (docs/design/state.md).

While a record of ours in a zone was not judged, its hold stays, and other settings are not accepted for the zone.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import pytest
from msgspec.structs import replace

from extdns.engine import reconcile
from extdns.engine.delete_settings import DeleteLimits, DeleteSettings
from extdns.engine.effects import SubmitBatch
from extdns.engine.engine import Engine
from extdns.engine.inputs import ClusterIdentified, Input, RulesChanged
from extdns.errors import RetryableError
from extdns.model import rrtype
from extdns.model.change import Action
from extdns.model.cluster import ClusterIdentity, Phase
from extdns.model.dns_name import DnsName
from extdns.model.reason import Reason
from extdns.model.zone import AccountFailure, Zone, ZoneList, ZonePage
from extdns.rules.rule_input import Operation
from tests.builders import (
    INGRESS,
    SERVICE,
    ZONE,
    build_claim,
    change_phase,
    host,
    observe,
    observe_gone,
    observe_new,
    ownership_record,
    record,
)
from tests.fakes.adjusting import AdjustingProvider
from tests.rules import FakeRule, FakeRules
from tests.unit.engine.forty_services import DELETES, NAMES, build_records
from tests.world import World, build_world, engine_settings


def test_not_accepted_while_a_source_cannot_be_read() -> None:
    world = build_world(
        *build_records(*NAMES, "old"), deletes=DELETES, has_state_store=True, settings_digest="tomorrow"
    )
    world.run(
        observe_new(*NAMES), observe("old"), change_phase(SERVICE), change_phase(INGRESS, Phase.FORBIDDEN), for_s=600.0
    )
    assert world.list_decisions("old") == [("A", Action.KEEP, Reason.SOURCE_DOWN)]
    assert world.state.find_zone("example.org").fingerprint == ""
    world.run(change_phase(INGRESS), for_s=600.0)
    assert world.list_decisions("old") == [("A", Action.KEEP, Reason.ORPHAN_UNCLAIMED)]


DEV: Final = Zone(name=DnsName("dev.example.org"), id="dev")
OTHERS: Final = [f"s{number}.dev" for number in range(4)]
TIGHT: Final = DeleteSettings(owner="me", grace_s=60.0, limits=DeleteLimits(count=2, percent=10))
HELD: Final = [("A", Action.KEEP, Reason.HELD)]
ORPHAN: Final = [("A", Action.KEEP, Reason.ORPHAN_UNCLAIMED)]
UNREADABLE: Final = record("a-dev", "line 12 is not valid", rtype=rrtype.UNREADABLE, ttl_s=0)

Hindrance = Callable[[World, pytest.MonkeyPatch], None]


def publish() -> World:
    """Start a process that publishes a record at the name of a zone, for the Service `web`, and four others below."""
    zones = {ZONE: (ownership_record("dev"),), DEV: (record("dev"), *build_records(*OTHERS))}
    world = build_world(zones=zones, has_state_store=True, deletes=TIGHT, settings_digest="today")
    sync(world, observe("web", build_claim("web", "dev")), observe_new(*OTHERS), for_s=60.0)
    return world


def hold_one(world: World) -> None:
    """Let the delete of the record of `web` be held: it was one of too many, but the others returned."""
    world.run(observe_gone("web"), *map(observe_gone, OTHERS[:3]), for_s=100.0)
    world.run(observe_new(*OTHERS[:3]), for_s=700.0)
    assert world.list_decisions("dev") == HELD


def build_next(
    before: World, settings_digest: str = "today", *, deletes: DeleteSettings = TIGHT, has_rules: bool = False
) -> World:
    world = build_world(has_state_store=True, settings_digest=settings_digest, deletes=deletes, has_rules=has_rules)
    world.provider.inner, world.state, world.now_s = before.provider.inner, before.state, before.now_s
    return world


def sync(world: World, *items: Input, for_s: float) -> None:
    world.run(*items, change_phase(SERVICE), change_phase(INGRESS), for_s=for_s)


def patch_parent(world: World, patch: pytest.MonkeyPatch, read: Callable[[ZonePage], ZonePage]) -> None:
    read_page = world.provider.read_page
    patch.setattr(
        world.provider,
        "read_page",
        lambda zone, after: read(read_page(zone, after)) if zone == ZONE else read_page(zone, after),
    )


def fail_to_read_the_parent_zone(world: World, patch: pytest.MonkeyPatch) -> None:
    def fail(_: ZonePage) -> ZonePage:
        raise RetryableError("down")

    patch_parent(world, patch, fail)


def damage_the_ownership_record(world: World, patch: pytest.MonkeyPatch) -> None:
    patch_parent(world, patch, lambda page: replace(page, records=(UNREADABLE,)))


def leave_out_the_parent_zone(world: World, patch: pytest.MonkeyPatch) -> None:
    patch.setattr(world.provider, "zone_list", ZoneList(zones=(DEV,)))


def leave_out_the_parent_zone_and_load_late(world: World, patch: pytest.MonkeyPatch) -> None:
    world.state_fails, world.state_forbidden = 2, False
    leave_out_the_parent_zone(world, patch)


def fail_to_list_an_account(world: World, patch: pytest.MonkeyPatch) -> None:
    failed = (AccountFailure(account="other", message="down"),)
    patch.setattr(world.provider, "zone_list", ZoneList(zones=(DEV,), failed=failed))


def fail_to_plan(_: World, patch: pytest.MonkeyPatch) -> None:
    plan_in_zones = reconcile.plan_in_zones

    def fail(name: DnsName, *args: object) -> object:
        return 1 / 0 if name == DEV.name else plan_in_zones(name, *args)  # type: ignore[arg-type]

    patch.setattr(reconcile, "plan_in_zones", fail)


# unjudged names


@pytest.mark.parametrize(
    "hinder",
    [
        fail_to_read_the_parent_zone,
        damage_the_ownership_record,
        leave_out_the_parent_zone,
        leave_out_the_parent_zone_and_load_late,
        fail_to_list_an_account,
        fail_to_plan,
    ],
)
@pytest.mark.parametrize("is_held", [False, True])
def test_restarted_process_concludes_nothing_while_a_name_cannot_be_judged(hinder: Hindrance, *, is_held: bool) -> None:
    before = publish()
    if is_held:
        hold_one(before)
    world = build_next(before, "today" if is_held else "tomorrow")
    with pytest.MonkeyPatch.context() as patch:
        hinder(world, patch)
        sync(world, *([] if is_held else [observe("web")]), observe_new(*OTHERS), for_s=400.0)
        assert world.engine.is_planned
    world.exists = lambda key: key.name == "web" and not is_held
    world.run(for_s=1500.0)
    assert world.list_decisions("dev") == (HELD if is_held else ORPHAN)


def test_hold_stays_while_the_parent_zone_is_not_listed_for_long() -> None:
    world = publish()
    hold_one(world)
    world.provider.zone_list = ZoneList(zones=(DEV,))
    world.run(for_s=1500.0)
    assert world.list_decisions("dev") == [("A", Action.KEEP, Reason.FOREIGN_RECORD)]
    world.provider.zone_list = None
    world.run(for_s=1500.0)
    assert world.list_decisions("dev") == HELD


def test_hold_stays_if_state_is_loaded_while_ownership_records_are_written() -> None:
    before = publish()
    hold_one(before)
    world = build_next(before)
    world.state_fails, world.exists = 1000, lambda _: None
    sync(world, observe_new(*OTHERS), for_s=298.0)
    world.feed(observe("other", build_claim("other", "dev", "2001:db8::1", rtype="AAAA")))
    (write,) = [effect for effect in world.waiting if isinstance(effect, SubmitBatch)]
    world.waiting.remove(write)
    world.state_fails = 0
    world.run(for_s=40.0)
    assert world.engine.delete_guard.has_any_unread
    world.exists = lambda _: False
    world.waiting.append(write)
    world.run(for_s=1000.0)
    assert world.list_decisions("dev") == [*HELD, ("AAAA", Action.KEEP, Reason.PUBLISHED)]


def test_hold_stays_while_another_record_at_its_name_cannot_be_adjusted() -> None:
    before = publish()
    hold_one(before)
    service = AdjustingProvider(inner=before.provider.inner, failing_names={host("dev")})
    settings = engine_settings(service, has_state_store=True, deletes=TIGHT, settings_digest="today")
    world = World(engine=Engine(settings), reader=service, writer=service, state=before.state, now_s=before.now_s)
    other = observe("other", build_claim("other", "dev", "2001:db8::1", rtype="AAAA"))
    sync(world, observe_new(*OTHERS), other, for_s=400.0)
    world.run(observe("other"), for_s=4000.0)
    assert world.list_decisions("dev") == HELD


def test_not_accepted_while_objects_come_from_another_cluster() -> None:
    deletes = replace(TIGHT, identity_timeout_s=30.0)
    before = publish()
    before.run(ClusterIdentified(identity=ClusterIdentity(uid="blue")))
    world = build_next(before, "tomorrow", deletes=deletes)
    world.exists = lambda _: True
    other = ClusterIdentified(identity=ClusterIdentity(uid="green"))
    sync(world, other, observe("web"), observe_new(*OTHERS), for_s=60.0)
    assert world.list_decisions("dev") == [("A", Action.KEEP, Reason.OTHER_CLUSTER)]
    world.approvals = (world.engine.delete_guard.cluster.other_id,)
    world.run(for_s=1500.0)
    assert world.list_decisions("dev") == ORPHAN


def test_not_accepted_while_a_rule_denies_the_delete_of_an_orphan() -> None:
    world = build_next(publish(), "tomorrow", has_rules=True)
    world.exists = lambda _: True
    rule = FakeRule(name="keep", allows=lambda _: False, operations=frozenset({Operation.DELETE}))
    sync(world, RulesChanged(rules=FakeRules((rule,))), observe("web"), observe_new(*OTHERS), for_s=60.0)
    assert world.list_decisions("dev") == [("A", Action.KEEP, Reason.POLICY_DENIED)]
    world.run(RulesChanged(rules=FakeRules(())), for_s=1500.0)
    assert world.list_decisions("dev") == ORPHAN


def test_not_accepted_for_a_zone_with_a_record_that_belongs_to_another() -> None:
    world = build_next(publish(), "tomorrow")
    world.provider.put_records(ZONE, *build_records("old.dev"))
    world.exists = lambda _: True
    sync(world, observe("web", build_claim("web", "dev")), observe_new(*OTHERS), observe("old.dev"), for_s=60.0)
    assert world.list_decisions("old.dev") == [("A", Action.KEEP, Reason.ZONE_MOVED)]
    world.provider.zone_list = ZoneList(zones=(ZONE,))
    world.run(for_s=2000.0)
    assert world.list_decisions("old.dev") == ORPHAN


def test_accepted_after_a_zone_returns_without_the_unjudged_record() -> None:
    world = build_next(publish(), "tomorrow")
    world.exists = lambda _: True
    first = observe("web", build_claim("web", "dev"))
    sync(world, first, observe(OTHERS[0]), observe_new(*OTHERS[1:]), for_s=60.0)
    world.provider.zone_list = ZoneList(zones=(ZONE,))
    world.run(for_s=1500.0)
    world.provider.remove_records(DEV, record(OTHERS[0]).key)
    world.provider.zone_list = None
    world.run(for_s=1500.0)
    assert world.state.find_zone("dev").fingerprint == "tomorrow"
