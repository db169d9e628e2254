"""Which version of each policy is used while documents, files and lists change or break."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from extdns.cel import policy_index
from extdns.cel.policy_document import MATCH_EVERYTHING, PolicyMatch
from extdns.cel.policy_index import PolicyIndex, PolicyState
from extdns.cel.policy_rules import UnavailablePolicy
from extdns.model.change import RuleAction
from extdns.model.cluster import ClusterChange, KindChange, KindState, ObjectChange, ObjectProblem, Phase, Sighting
from extdns.model.kind import ObjectKey, ObjectMeta
from extdns.resources.core import NAMESPACE
from extdns.resources.extdns import DNS_POLICY, DnsPolicy

SYNCED = KindChange(state=KindState(kind=DNS_POLICY, phase=Phase.SYNCED))
VALID = {"validations": [{"expression": "record.ttl >= 60"}]}
INVALID = {"match": {"recordTypes": ["TXT"]}, "validations": [{"expression": "record.nmae == 'x'"}]}
KEY = ObjectKey(DNS_POLICY, "", "rule")
NOT_YAML = "not YAML: found unexpected end of stream"


def change(spec: object, name: str = "rule", generation: int = 1) -> ObjectChange:
    policy = DnsPolicy(metadata=ObjectMeta(name=name, generation=generation), spec=spec)
    return ObjectChange(key=ObjectKey(DNS_POLICY, "", name), old=None, new=policy)


def delete(name: str = "rule") -> ObjectChange:
    return ObjectChange(key=ObjectKey(DNS_POLICY, "", name), old=None, new=None, seen=Sighting.DELETED)


def problem(location: str, message: str, key: ObjectKey | None = None) -> ObjectProblem:
    return ObjectProblem(location=location, key=key, message=message)


def build_index(*changes: ClusterChange) -> PolicyIndex:
    index = PolicyIndex()
    index.apply(changes)
    return index


def list_used(index: PolicyIndex) -> list[str]:
    return [policy.text.validations[0].expression for policy in index.policies]


def test_a_valid_policy_is_used() -> None:
    index = build_index(change(VALID), SYNCED)
    assert (list_used(index), list(index.find_unavailable())) == (["record.ttl >= 60"], [])


def test_the_last_valid_version_is_used_while_the_policy_is_invalid() -> None:
    index = build_index(change(VALID), SYNCED)
    index.apply([change(INVALID, generation=2)])
    assert (list_used(index), list(index.find_unavailable())) == (["record.ttl >= 60"], [])
    (state,) = index.list_states()
    assert (state.generation, state.is_used, state.problems[0][:45]) == (
        2,
        True,
        "spec.validations[0].expression refers to reco",
    )


def test_while_a_policy_has_never_been_valid_the_records_that_its_match_selects_get_no_answer() -> None:
    (found,) = build_index(change(INVALID), SYNCED).find_unavailable()
    assert found.match == PolicyMatch(record_types=("TXT",))
    assert found.problem.startswith("DNSPolicy rule: spec.validations[0].expression refers to record.nmae")


def test_the_problem_of_a_policy_from_a_file_names_the_file() -> None:
    index = build_index(replace(change(INVALID), file="rules.yaml"), SYNCED)
    (problem,), (found,) = index.list_problems(), index.find_unavailable()
    assert problem.startswith("DNSPolicy rule in rules.yaml: spec.validations[0].expression refers to record.nmae")
    assert found.problem == problem


def test_a_policy_is_used_once_it_has_been_corrected() -> None:
    index = build_index(change(INVALID), SYNCED)
    index.apply([change(VALID)])
    assert (list_used(index), list(index.find_unavailable())) == (["record.ttl >= 60"], [])


@pytest.mark.parametrize("spec", [VALID, INVALID])
def test_a_deleted_policy_is_no_longer_used_and_blocks_no_answer(spec: object) -> None:
    index = build_index(change(spec), SYNCED)
    index.apply([delete()])
    assert (list_used(index), list(index.find_unavailable()), list(index.list_states())) == ([], [], [])


def test_no_record_gets_an_answer_until_the_list_of_policies_is_complete() -> None:
    index = build_index(change(VALID))
    assert not index.is_ready
    assert [one.match for one in index.find_unavailable()] == [MATCH_EVERYTHING]


@pytest.mark.parametrize("phase", [Phase.FAILING, Phase.FORBIDDEN, Phase.NOT_SERVED])
def test_no_record_gets_an_answer_if_listing_the_policies_fails_at_the_start(phase: Phase) -> None:
    index = build_index(KindChange(state=KindState(kind=DNS_POLICY, phase=phase, detail="HTTP 403")))
    assert index.is_ready
    assert list(index.find_unavailable()) == [
        UnavailablePolicy(problem="DNSPolicies: HTTP 403", match=MATCH_EVERYTHING)
    ]


def test_policies_stay_in_use_if_watching_them_fails_later() -> None:
    index = build_index(change(VALID), SYNCED)
    index.apply([KindChange(state=KindState(kind=DNS_POLICY, phase=Phase.FAILING, detail="HTTP 500"))])
    assert (list_used(index), list(index.find_unavailable())) == (["record.ttl >= 60"], [])
    assert list(index.list_problems()) == ["DNSPolicies: HTTP 500"]


def test_no_record_gets_an_answer_while_a_policy_file_is_unreadable_since_the_start() -> None:
    index = build_index(change(VALID), problem("rules.yaml:3", NOT_YAML), SYNCED)
    assert [one.problem for one in index.find_unavailable()] == [f"rules.yaml:3: {NOT_YAML}"]
    index.apply([problem("rules.yaml:3", ""), problem("rules.yaml:7", NOT_YAML)])
    assert [one.problem for one in index.find_unavailable()] == [f"rules.yaml:7: {NOT_YAML}"]
    index.apply([problem("rules.yaml:7", "")])
    assert list(index.find_unavailable()) == []


def test_policies_stay_in_use_if_a_policy_file_becomes_unreadable() -> None:
    index = build_index(change(VALID), SYNCED)
    index.apply([problem("rules.yaml:3", NOT_YAML)])
    assert (list_used(index), list(index.find_unavailable())) == (["record.ttl >= 60"], [])
    assert list(index.list_problems()) == [f"rules.yaml:3: {NOT_YAML}"]


def test_an_undecodable_policy_blocks_all_answers_unless_an_earlier_version_of_it_is_used() -> None:
    unreadable = problem("rules.yaml:3", "metadata.labels is a list", KEY)
    assert [one.match for one in build_index(unreadable, SYNCED).find_unavailable()] == [MATCH_EVERYTHING]
    index = build_index(replace(change(VALID), file="rules.yaml"), SYNCED)
    index.apply([unreadable])
    assert list(index.find_unavailable()) == []
    assert list(index.list_states()) == [
        PolicyState(
            key=KEY,
            generation=1,
            problems=("rules.yaml:3: metadata.labels is a list",),
            warnings=(),
            is_used=True,
            is_former=True,
            action=RuleAction.DENY,
            file="rules.yaml",
        )
    ]


def test_of_several_documents_with_the_name_of_one_policy_each_is_named_with_its_file_and_line() -> None:
    message = "DNSPolicy rule is also in a.yaml:1, which is used"
    index = build_index(
        replace(change(VALID), file="a.yaml"),
        problem("c.yaml:5", message, KEY),
        problem("b.yaml:9", message, KEY),
        SYNCED,
    )
    (state,) = index.list_states()
    assert (state.file, state.problems) == ("a.yaml", (f"b.yaml:9: {message}", f"c.yaml:5: {message}"))
    assert (state.is_used, state.is_former) == (True, False)


def test_the_state_of_a_policy_that_was_never_readable_has_its_file_if_it_comes_from_one() -> None:
    states = [
        next(build_index(problem(location, "metadata.labels is a list", KEY), SYNCED).list_states())
        for location in ("rules.yaml:3", "DNSPolicy rule")
    ]
    assert [(state.file, state.problems[0]) for state in states] == [
        ("rules.yaml", "rules.yaml:3: metadata.labels is a list"),
        ("", "metadata.labels is a list"),
    ]


def test_an_invalid_object_of_another_kind_does_not_affect_policies() -> None:
    other = problem("shop.yaml:3", "spec is a list", ObjectKey(NAMESPACE, "", "shop"))
    assert list(build_index(other, SYNCED).find_unavailable()) == []


@pytest.mark.parametrize(
    ("limit", "most"), [("MAX_POLICIES", 2), ("MAX_ALL_VALIDATIONS", 2), ("MAX_ALL_VALIDATIONS", 3)]
)
def test_policies_beyond_a_limit_are_not_used_and_what_they_match_gets_no_answer(
    monkeypatch: pytest.MonkeyPatch, limit: str, most: int
) -> None:
    monkeypatch.setattr(policy_index, limit, most)
    cnames = {"match": {"recordTypes": ["CNAME"]}, "validations": [{"expression": "true"}] * 2}
    index = build_index(change(cnames, "c"), change(VALID, "b"), change(VALID, "a"), SYNCED)
    assert [policy.name for policy in index.policies] == ["a", "b"]
    assert [state.is_used for state in index.list_states()] == [True, True, False]
    (unavailable,) = index.find_unavailable()
    assert unavailable.match.record_types == ("CNAME",)
    (message,) = index.list_problems()
    assert message.startswith("DNSPolicies: there are 3 valid DNSPolicies with 4 validations; allowed: ")
    assert message.endswith("; those from c on, sorted by name, are not used")


def test_policy_beyond_the_limit_is_used_once_another_one_is_deleted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(policy_index, "MAX_POLICIES", 1)
    index = build_index(change(VALID, "b"), change(VALID, "a"), SYNCED)
    index.apply([delete("a")])
    assert [policy.name for policy in index.policies] == ["b"]
    assert (list(index.find_unavailable()), list(index.list_problems())) == ([], [])
