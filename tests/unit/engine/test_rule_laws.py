"""Laws of rules: they hold for every set of rules, valid or broken (docs/design/rules.md, "What a violation does")."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import permutations

from hypothesis import assume, given
from hypothesis import strategies as st

from extdns.engine.delete_settings import DeleteLimits, DeleteSettings
from extdns.engine.inputs import Observed
from extdns.model.change import Decision, RuleAction
from extdns.model.claim import NameClaim
from extdns.model.evidence import Evidence
from extdns.model.reason import Reason
from extdns.model.record import Record
from extdns.rules.rule_input import Operation
from tests.builders import ZONE, build_claim, build_unresolved, host, observe, owned, ownership_record, record
from tests.rules import FakeRule, change_rules
from tests.world import World, start_world

NAMES = ("web", "api")
TARGETS = ("192.0.2.1", "192.0.2.2")
NAMESPACES = ("shop", "other")
POLICY_REASONS = {Reason.POLICY_DENIED, Reason.POLICY_VIOLATION, Reason.POLICY_UNAVAILABLE}
NO_BUDGET = DeleteSettings(owner="me", grace_s=60.0, limits=DeleteLimits(percent=100))


@st.composite
def rules(draw: st.DrawFn, *, may_delete: bool = False) -> FakeRule:
    names = draw(st.sampled_from([NAMES, NAMES, ("web",), ("api",)]))
    targets = draw(st.sets(st.sampled_from(TARGETS), min_size=1))
    namespaces = draw(st.sampled_from([NAMESPACES, NAMESPACES, ("shop",)]))
    return FakeRule(
        name=draw(st.sampled_from(["one", "two", "three"])),
        matches=lambda item: (
            str(item.record.name).partition(".")[0] in names
            and (item.object is None or item.object.namespace in namespaces)
        ),
        allows=lambda item: not targets & {*item.record.targets},
        action=draw(st.sampled_from(RuleAction)),
        operations=draw(st.sampled_from([frozenset(Operation), frozenset({Operation.CREATE, Operation.UPDATE})])),
        deletes=may_delete and draw(st.booleans()),
        is_valid=draw(st.integers(0, 4)) > 0,
    )


RULES = st.lists(rules(), max_size=4)
DELETING_RULES = st.lists(rules(may_delete=True), max_size=4)


@st.composite
def observations(draw: st.DrawFn) -> Observed:
    namespace, name = draw(st.sampled_from(["shop", "shop", "other"])), draw(st.sampled_from(["one", "two"]))
    claims: list[NameClaim] = []
    for at in draw(st.sampled_from([("web",), ("web",), ("api", "web"), ()])):
        if draw(st.integers(0, 4)) == 0:
            claims.append(build_unresolved(name, at, namespace=namespace))
        else:
            targets = draw(st.sets(st.sampled_from(TARGETS), min_size=1, max_size=2))
            claims.append(build_claim(name, at, *targets, namespace=namespace))
    return observe(name, *claims, namespace=namespace)


CLAIMS = st.lists(observations(), max_size=4)


@st.composite
def seeds(draw: st.DrawFn) -> tuple[Record, ...]:
    """Draw records of ours, made for one of the objects, and foreign records."""
    found: list[Record] = []
    for at in NAMES:
        match draw(st.sampled_from(["none", "ours", "foreign"])):
            case "ours":
                resource = f"service/{draw(st.sampled_from(NAMESPACES))}/{draw(st.sampled_from(['one', 'two']))}"
                found += owned(at, draw(st.sampled_from(TARGETS)), resource=resource)
            case "foreign":
                found.append(record(at, draw(st.sampled_from(TARGETS))))
            case _:
                pass
    return tuple(found)


def contents(world: World) -> dict[object, tuple[str, ...]]:
    return {key: found.targets for key, found in world.provider.contents(ZONE).items()}


def list_decisions(world: World) -> list[Decision]:
    return [*world.engine.decisions]


def is_foreign(seed: Iterable[Record], at: str) -> bool:
    keys = {one.key for one in seed}
    return record(at).key in keys and ownership_record(at).key not in keys


@given(seeds(), CLAIMS, DELETING_RULES, CLAIMS, DELETING_RULES)
def test_no_rules_change_a_foreign_record(
    seed: tuple[Record, ...],
    first: list[Observed],
    early: list[FakeRule],
    later: list[Observed],
    late: list[FakeRule],
) -> None:
    world = start_world(*seed, first=[change_rules(*early), *first], deletes=NO_BUDGET)
    world.run(change_rules(*late), *later, for_s=600.0)
    foreign = [at for at in NAMES if is_foreign(seed, at)]
    before = {one.key: one.targets for one in seed}
    assert [contents(world).get(record(at).key) for at in foreign] == [before[record(at).key] for at in foreign]


@given(seeds(), CLAIMS, RULES, RULES)
def test_published_records_never_change_without_on_violation_delete(
    seed: tuple[Record, ...], claims: list[Observed], early: list[FakeRule], late: list[FakeRule]
) -> None:
    world = start_world(*seed, first=claims, deletes=NO_BUDGET)
    world.run(for_s=7200.0)
    # A record that external-dns merged from several namespaces changes as soon as one of them does.
    assume(all(one.reason is not Reason.MERGED_BEFORE for one in list_decisions(world)))
    before = contents(world)
    world.run(change_rules(*early), for_s=3600.0)
    world.run(change_rules(*late), for_s=3600.0)
    assert contents(world) == before


@given(seeds(), CLAIMS, DELETING_RULES)
def test_no_matched_record_changes_while_a_rule_has_no_valid_version(
    seed: tuple[Record, ...], claims: list[Observed], found: list[FakeRule]
) -> None:
    broken = FakeRule(name="broken", allows=lambda _: True, operations=frozenset(Operation), is_valid=False)
    world = start_world(*seed, first=[change_rules(broken, *found), *claims], deletes=NO_BUDGET)
    world.run(change_rules(*found, broken), for_s=3600.0)
    assert contents(world) == {one.key: one.targets for one in seed}


@given(seeds(), CLAIMS, RULES, CLAIMS, RULES)
def test_no_record_is_deleted_for_a_violation_without_on_violation_delete(
    seed: tuple[Record, ...],
    first: list[Observed],
    early: list[FakeRule],
    later: list[Observed],
    late: list[FakeRule],
) -> None:
    world = start_world(*seed, first=[change_rules(*early), *first], deletes=NO_BUDGET)
    world.run(change_rules(*late), *later, for_s=600.0)
    assert Evidence.POLICY_VIOLATION not in world.evidence


@given(seeds(), CLAIMS, st.lists(rules(may_delete=True), max_size=3), st.sampled_from(NAMES))
def test_name_that_no_rule_matches_is_not_affected(
    seed: tuple[Record, ...], claims: list[Observed], found: list[FakeRule], at: str
) -> None:
    others = [
        FakeRule(
            name=one.name,
            matches=lambda item, one=one: item.record.name != host(at) and one.matches(item),  # type: ignore[misc]
            allows=one.allows,
            action=one.action,
            operations=one.operations,
            deletes=one.deletes,
            is_valid=one.is_valid,
        )
        for one in found
    ]
    free = start_world(*seed, first=claims, deletes=NO_BUDGET)
    ruled = start_world(*seed, first=[change_rules(*others), *claims], deletes=NO_BUDGET)
    for world in (free, ruled):
        world.run(for_s=600.0)
    assert ruled.engine.decisions.decisions(host(at)) == free.engine.decisions.decisions(host(at))
    key = record(at).key
    assert contents(ruled).get(key) == contents(free).get(key)


@given(seeds(), CLAIMS, DELETING_RULES)
def test_plan_is_the_same_as_without_rules_after_all_are_removed(
    seed: tuple[Record, ...], claims: list[Observed], found: list[FakeRule]
) -> None:
    free = start_world(*seed, first=claims, has_writer=False, deletes=NO_BUDGET)
    ruled = start_world(*seed, first=[change_rules(*found), *claims], has_writer=False, deletes=NO_BUDGET)
    ruled.run(change_rules(), for_s=1.0)
    free.run(for_s=1.0)
    assert [replace_times(one) for one in list_decisions(ruled)] == [replace_times(one) for one in list_decisions(free)]


def replace_times(decision: Decision) -> tuple[object, ...]:
    """Return *decision* without its detail: that of a delete has the end of its grace period."""
    return (decision.key, decision.action, decision.reason, decision.desired, decision.current, decision.violations)


@given(seeds(), CLAIMS, st.lists(rules(may_delete=True), min_size=2, max_size=3))
def test_order_of_rules_does_not_change_the_decisions(
    seed: tuple[Record, ...], claims: list[Observed], found: list[FakeRule]
) -> None:
    plans = []
    for order in permutations(found):
        world = start_world(*seed, first=[change_rules(*order), *claims], has_writer=False, deletes=NO_BUDGET)
        plans.append(list_decisions(world))
    assert all(plan == plans[0] for plan in plans)


@given(seeds(), CLAIMS, DELETING_RULES)
def test_decision_about_denied_record_names_a_rule_that_denied_it(
    seed: tuple[Record, ...], claims: list[Observed], found: list[FakeRule]
) -> None:
    world = start_world(*seed, first=[change_rules(*found), *claims], has_writer=False, deletes=NO_BUDGET)
    for decision in list_decisions(world):
        if decision.reason in POLICY_REASONS and decision.type:
            assert decision.rules, decision
            assert any(rule in decision.detail for rule in decision.rules), decision
