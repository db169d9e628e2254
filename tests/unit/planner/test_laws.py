"""What holds for every plan (design 2; style habit 25)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from itertools import combinations

from hypothesis import assume, given
from hypothesis import strategies as st
from msgspec.structs import replace

from extdns.model.change import Blocked, Change, Create
from extdns.model.claim import Wanted
from extdns.model.decision import Verdict
from extdns.model.evidence import Evidence
from extdns.model.name import DnsName
from extdns.model.ownership import Owned
from extdns.model.reason import Reason
from extdns.model.record import RecordKey
from extdns.model.zone import Zone
from extdns.planner.merge import Candidate, candidates
from extdns.planner.placement import Placement
from extdns.planner.plan import NamePlan
from extdns.planner.policy import Policy
from tests import strategies
from tests.unit.planner.scene import NAME, SETTINGS, applied, changes, plan

MANAGING = replace(SETTINGS, managed_types=strategies.MANAGED)
SITUATIONS = st.tuples(strategies.rows_held(NAME), st.lists(strategies.candidates(NAME), max_size=5))
POLICIES = st.sampled_from(Policy)
ANSWERS = st.dictionaries(
    strategies.refs().map(lambda ref: ref.key.resource),
    st.sampled_from((Reason.NO_ADDRESS, Reason.CONFLICT_LOST, Reason.ORPHAN_UNCLAIMED, Reason.SOURCE_DOWN)),
)
CHANGING = frozenset({Verdict.CREATE, Verdict.UPDATE, Verdict.DELETE})
Situation = tuple[list[Owned], list[Candidate]]
Answers = dict[str, Reason]


def planned(
    stands: Iterable[Owned], wanted: Iterable[Candidate], answers: Answers, policy: Policy = Policy.SYNC
) -> NamePlan:
    """The plan, by a judge who keeps the records of some objects and gives the others up."""

    def judge(held: Owned) -> Evidence | Blocked:
        reason = answers.get(held.resource)
        return Evidence.OBJECT_DELETED if reason is None else Blocked(reason=reason, detail="")

    return plan(stands, wanted, judge=judge, settings=replace(MANAGING, policy=policy))


@given(SITUATIONS, ANSWERS, POLICIES, st.data())
def test_the_order_of_records_and_candidates_never_matters(
    situation: Situation, answers: Answers, policy: Policy, data: st.DataObject
) -> None:
    stands, wanted = situation
    shuffled = data.draw(st.permutations(stands)), data.draw(st.permutations(wanted))
    assert planned(*shuffled, answers, policy) == planned(stands, wanted, answers, policy)


@given(st.lists(strategies.claims(NAME), max_size=6), st.data())
def test_the_order_of_claims_never_matters(claims: list[Wanted], data: st.DataObject) -> None:
    assert candidates(data.draw(st.permutations(claims)), SETTINGS) == candidates(claims, SETTINGS)


@given(SITUATIONS, ANSWERS, POLICIES)
def test_a_policy_never_adds_a_change(situation: Situation, answers: Answers, policy: Policy) -> None:
    free = changes(planned(*situation, answers))
    assert [change for change in changes(planned(*situation, answers, policy)) if change not in free] == []


@given(SITUATIONS, ANSWERS)
def test_what_is_not_ours_never_occurs_in_a_change(situation: Situation, answers: Answers) -> None:
    stands, wanted = situation
    made = changes(planned(stands, wanted, answers))
    foreign = {one.key for one in stands if not one.ours}
    assert [change for change in made if change.key in foreign] == []
    assert [change for change in made if not isinstance(change, Create) and not change.held.ours] == []


@given(SITUATIONS, ANSWERS, POLICIES)
def test_planning_after_applying_gives_nothing(situation: Situation, answers: Answers, policy: Policy) -> None:
    stands, wanted = situation
    assume(len({one.record.set_identifier == "" for one in stands}) <= 1)  # no service holds both forms
    after = applied(stands, changes(planned(stands, wanted, answers, policy)))
    assert planned(after, wanted, answers, policy).sets == ()


@given(SITUATIONS, ANSWERS, POLICIES)
def test_every_candidate_and_every_managed_record_has_one_decision(
    situation: Situation, answers: Answers, policy: Policy
) -> None:
    stands, wanted = situation
    made = planned(stands, wanted, answers, policy)
    decided = Counter((one.wanted, one.asked_by) for one in made.decisions if one.wanted)
    assert decided == Counter((one.endpoint, one.asked_by) for one in wanted)
    held = [one.held for one in made.decisions if one.held]
    visible = [one for one in stands if one.record.type in strategies.MANAGED]
    assert sorted(one.key for one in held) == sorted(one.key for one in visible)


@given(SITUATIONS, ANSWERS, POLICIES)
def test_decisions_say_what_the_change_sets_do(situation: Situation, answers: Answers, policy: Policy) -> None:
    made = planned(*situation, answers, policy)
    said = {(one.set_identifier, one.type, one.verdict.value) for one in made.decisions if one.verdict in CHANGING}
    assert said == {(one.key.set_identifier, one.key.type, type(one).__name__.lower()) for one in changes(made)}
    unmade = {one.reason for one in made.decisions if one.verdict is Verdict.NONE}
    assert not unmade & {Reason.PROGRAMMED, Reason.WANTED, Reason.CHANGED}


def excluding(keys: Iterable[RecordKey]) -> set[frozenset[RecordKey]]:
    """Pairs of record sets that no service can hold at one name."""
    return {frozenset(pair) for pair in combinations(keys, 2) if _exclude(*pair)}


def _exclude(one: RecordKey, other: RecordKey) -> bool:
    if bool(one.set_identifier) != bool(other.set_identifier):
        return True
    return one.set_identifier == other.set_identifier and "CNAME" in {one.type, other.type}


def some_of(made: NamePlan, data: st.DataObject) -> list[Change]:
    """The changes of some change sets; the others were refused."""
    accepted = [each for each in made.sets if data.draw(st.booleans())]
    return [change for each in accepted for change in each.changes]


@given(SITUATIONS, ANSWERS, POLICIES, st.data())
def test_no_change_set_leaves_side_by_side_what_cannot_stand_so(
    situation: Situation, answers: Answers, policy: Policy, data: st.DataObject
) -> None:
    stands, wanted = situation
    made = some_of(planned(stands, wanted, answers, policy), data)
    visible = [one for one in stands if one.record.type in strategies.MANAGED]
    after = applied(visible, made)
    assert excluding(one.key for one in after) <= excluding(one.key for one in visible)


@given(SITUATIONS, ANSWERS, POLICIES, st.data())
def test_a_pair_that_is_asked_for_never_loses_its_last_record(
    situation: Situation, answers: Answers, policy: Policy, data: st.DataObject
) -> None:
    stands, wanted = situation
    made = some_of(planned(stands, wanted, answers, policy), data)
    asked = {one.endpoint.set_identifier for one in wanted if one.endpoint.type in strategies.MANAGED}
    assume(len({identifier == "" for identifier in asked}) <= 1)  # a form that loses is no longer asked for
    before = {one.record.set_identifier for one in stands if one.ours and one.record.type in strategies.MANAGED}
    sought = {one.endpoint.key for one in wanted}  # what is somebody else's of these does for ours
    after = {one.record.set_identifier for one in applied(stands, made) if one.ours or one.key in sought}
    assert asked & before <= after


@given(strategies.names(), st.lists(strategies.zones(), max_size=6, unique_by=lambda zone: (zone.name, zone.id)))
def test_placement_is_all_private_zones_and_the_longest_public_ones(name: DnsName, zones: list[Zone]) -> None:
    found = Placement(zones).zones_of(name)
    holding = [zone for zone in zones if f".{name}".endswith(f".{zone.name}")]
    longest = max((len(zone.name) for zone in holding if not zone.private), default=0)
    assert list(found) == sorted(zone for zone in holding if zone.private or len(zone.name) == longest)


@given(strategies.names(), st.lists(strategies.zones(), max_size=6, unique_by=lambda zone: (zone.name, zone.id)))
def test_placement_where_the_longest_match_alone_counts_is_that(name: DnsName, zones: list[Zone]) -> None:
    holding = [zone for zone in zones if f".{name}".endswith(f".{zone.name}")]
    longest = max((len(zone.name) for zone in holding), default=0)
    expected = sorted(zone for zone in holding if len(zone.name) == longest)
    assert list(Placement(zones, longest_only=True).zones_of(name)) == expected
