"""Properties of every plan (docs/design/laws.md)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from itertools import combinations

from hypothesis import assume, given
from hypothesis import strategies as st
from msgspec.structs import replace

from extdns.model.change import Action, Blocked, Change, Create, Delete, Update
from extdns.model.claim import ResolvedClaim
from extdns.model.dns_name import DnsName
from extdns.model.evidence import Evidence
from extdns.model.reason import Reason
from extdns.model.record import DesiredRecord, OwnedRecord, Record, RecordKey
from extdns.model.zone import Zone, ZonePlacement
from extdns.planner.proposal import Candidate, merge_claims
from extdns.planner.settings import Policy
from tests import strategies
from tests.unit.planner.name_plan import NAME, SETTINGS, NamePlan, apply_changes, list_changes, plan

MANAGING = replace(SETTINGS, managed_types=strategies.MANAGED)
SITUATIONS = st.tuples(strategies.rows_held(NAME), st.lists(strategies.candidates(NAME), max_size=5))
POLICIES = st.sampled_from(Policy)
ANSWERS = st.dictionaries(
    strategies.refs().map(lambda ref: ref.key.resource),
    st.sampled_from((Reason.NO_ADDRESS, Reason.REQUESTED_BY_OTHER, Reason.ORPHAN_UNCLAIMED, Reason.SOURCE_DOWN)),
)
ACTIONS: dict[type[Change], Action] = {Create: Action.CREATE, Update: Action.UPDATE, Delete: Action.DELETE}
Situation = tuple[list[OwnedRecord], list[Candidate]]
Answers = dict[str, Reason]


def plan_with_answers(
    current: Iterable[OwnedRecord], candidates: Iterable[Candidate], answers: Answers, policy: Policy = Policy.SYNC
) -> NamePlan:
    """Plan with evidence against all records except those of the objects in *answers*, which have a reason to stay."""

    def find(owned: OwnedRecord) -> Evidence | Blocked:
        reason = answers.get(owned.resource)
        return Evidence.OBJECT_DELETED if reason is None else Blocked(reason=reason, detail="")

    return plan(current, candidates, find=find, settings=replace(MANAGING, policy=policy))


@given(SITUATIONS, ANSWERS, POLICIES, st.data())
def test_plan_does_not_depend_on_the_order_of_records_and_candidates(
    situation: Situation, answers: Answers, policy: Policy, data: st.DataObject
) -> None:
    current, candidates = situation
    shuffled = data.draw(st.permutations(current)), data.draw(st.permutations(candidates))
    assert plan_with_answers(*shuffled, answers, policy) == plan_with_answers(current, candidates, answers, policy)


@given(st.lists(strategies.claims(NAME), max_size=6), st.data())
def test_merged_candidates_do_not_depend_on_the_order_of_claims(
    claims: list[ResolvedClaim], data: st.DataObject
) -> None:
    assert merge_claims(data.draw(st.permutations(claims)), SETTINGS) == merge_claims(claims, SETTINGS)


@given(SITUATIONS, ANSWERS, POLICIES)
def test_no_policy_adds_a_change_to_the_plan_of_sync(situation: Situation, answers: Answers, policy: Policy) -> None:
    free = list_changes(plan_with_answers(*situation, answers))
    assert [
        change for change in list_changes(plan_with_answers(*situation, answers, policy)) if change not in free
    ] == []


@given(SITUATIONS, ANSWERS)
def test_no_change_contains_a_foreign_record(situation: Situation, answers: Answers) -> None:
    current, candidates = situation
    made = list_changes(plan_with_answers(current, candidates, answers))
    foreign = {one.key for one in current if not one.is_ours}
    assert [change for change in made if change.key in foreign] == []
    assert [change for change in made if not isinstance(change, Create) and not change.current.is_ours] == []


@given(SITUATIONS, ANSWERS, POLICIES)
def test_plan_is_empty_after_all_changes_were_applied(situation: Situation, answers: Answers, policy: Policy) -> None:
    current, candidates = situation
    assume(has_one_routing_a_type(one.record for one in current))  # no service can hold two
    for _ in range(2):  # a request that a record kept from being published comes after the delete of that
        current = [*apply_changes(current, list_changes(plan_with_answers(current, candidates, answers, policy)))]
    assert plan_with_answers(current, candidates, answers, policy).sets == ()


@given(SITUATIONS, ANSWERS, POLICIES)
def test_every_candidate_and_managed_record_has_one_decision(
    situation: Situation, answers: Answers, policy: Policy
) -> None:
    current, candidates = situation
    made = plan_with_answers(current, candidates, answers, policy)
    decided = Counter((one.desired, one.requested_by) for one in made.decisions if one.desired)
    assert decided == Counter((one.desired, one.requested_by) for one in candidates)
    owned = [one.current for one in made.decisions if one.current]
    visible = [one for one in current if one.record.type in strategies.MANAGED]
    assert sorted(one.key for one in owned) == sorted(one.key for one in visible)


@given(SITUATIONS, ANSWERS, POLICIES)
def test_decisions_equal_the_changes_of_the_plan(situation: Situation, answers: Answers, policy: Policy) -> None:
    made = plan_with_answers(*situation, answers, policy)
    decided = {(one.set_identifier, one.type, one.action) for one in made.decisions if one.action in ACTIONS.values()}
    assert decided == {(one.key.set_identifier, one.key.type, ACTIONS[type(one)]) for one in list_changes(made)}
    unmade = {one.reason for one in made.decisions if one.action is Action.NONE}
    assert not unmade & {Reason.PUBLISHED, Reason.REQUESTED, Reason.CHANGED}


def find_exclusive_pairs(records: Iterable[Record]) -> set[frozenset[RecordKey]]:
    """Return the pairs of records that no service can hold at one name."""
    return {frozenset(one.key for one in two) for two in combinations(records, 2) if _exclude(*two)}


def _exclude(one: Record, other: Record) -> bool:
    if one.type != other.type:
        return "CNAME" in {one.type, other.type}
    return _routing(one) != _routing(other)


def _routing(content: Record | DesiredRecord) -> str:
    """Return the property that states the routing policy, or "" for a simple record."""
    return next((name for name, _ in content.properties if name.startswith("aws/")), "")


def has_one_routing_a_type(contents: Iterable[Record | DesiredRecord]) -> bool:
    """Return whether each record type in *contents* has one routing policy only."""
    found = {(content.type, _routing(content)) for content in contents}
    return len(found) == len({rtype for rtype, _ in found})


def draw_accepted(made: NamePlan, data: st.DataObject) -> list[Change]:
    """Draw which change sets the service accepts. Return their changes."""
    accepted = [each for each in made.sets if data.draw(st.booleans())]
    return [change for each in accepted for change in each.changes]


@given(SITUATIONS, ANSWERS, POLICIES, st.data())
def test_records_that_cannot_coexist_never_result_even_if_some_are_refused(
    situation: Situation, answers: Answers, policy: Policy, data: st.DataObject
) -> None:
    current, candidates = situation
    made = draw_accepted(plan_with_answers(current, candidates, answers, policy), data)
    visible = [one for one in current if one.record.type in strategies.MANAGED]
    after = apply_changes(visible, made)
    assert find_exclusive_pairs(one.record for one in after) <= find_exclusive_pairs(one.record for one in visible)


@given(SITUATIONS, ANSWERS, POLICIES, st.data())
def test_requested_set_identifier_never_loses_its_last_record(
    situation: Situation, answers: Answers, policy: Policy, data: st.DataObject
) -> None:
    current, candidates = situation
    assume(has_one_routing_a_type(one.desired for one in candidates))  # one that loses is no longer requested
    found = plan_with_answers(current, candidates, answers, policy)
    made = draw_accepted(found, data)
    published = {one.set_identifier for one in found.decisions if one.desired and one.action is not Action.NONE}
    requested = {one.desired.set_identifier for one in candidates if one.desired.type in strategies.MANAGED}
    replaced = {one.key.set_identifier for one in made if getattr(one, "evidence", None) is Evidence.REPLACED}
    before = {one.record.set_identifier for one in current if one.is_ours and one.record.type in strategies.MANAGED}
    sought = {one.desired.key for one in candidates}  # a foreign record that is requested counts like one of ours
    after = {one.record.set_identifier for one in apply_changes(current, made) if one.is_ours or one.key in sought}
    assert published & before <= after
    assert requested & replaced <= after


@given(strategies.names(), st.lists(strategies.zones(), max_size=6, unique_by=lambda zone: (zone.name, zone.id)))
def test_name_is_in_all_private_zones_and_public_ones_of_the_longest_match(name: DnsName, zones: list[Zone]) -> None:
    found = ZonePlacement(zones).find_zones(name)
    containing = [zone for zone in zones if f".{name}".endswith(f".{zone.name}")]
    longest = max((len(zone.name) for zone in containing if not zone.private), default=0)
    assert list(found) == sorted(zone for zone in containing if zone.private or len(zone.name) == longest)


@given(strategies.names(), st.lists(strategies.zones(), max_size=6, unique_by=lambda zone: (zone.name, zone.id)))
def test_name_is_in_the_zones_of_the_longest_match_with_longest_only(name: DnsName, zones: list[Zone]) -> None:
    containing = [zone for zone in zones if f".{name}".endswith(f".{zone.name}")]
    longest = max((len(zone.name) for zone in containing), default=0)
    expected = sorted(zone for zone in containing if len(zone.name) == longest)
    assert list(ZonePlacement(zones, longest_only=True).find_zones(name)) == expected
