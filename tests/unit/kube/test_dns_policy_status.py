"""The status of a DNSPolicy."""

from __future__ import annotations

import msgspec

from extdns.kube.status_conditions import ObjectWithStatus, build_policy_status
from extdns.model.kind import ObjectKey
from extdns.model.object_status import PolicyStatus
from extdns.resources.extdns import DNS_POLICY

NOW, BEFORE = "2026-01-02T03:04:05Z", "2026-01-01T00:00:00Z"
KEY = ObjectKey(DNS_POLICY, "", "rule")


def found(status: object = None) -> ObjectWithStatus:
    return msgspec.convert({"metadata": {"generation": 4}, "status": status}, ObjectWithStatus)


def test_the_status_of_a_dns_policy_in_use_is_ready_and_counts_matches_and_violations() -> None:
    status = build_policy_status(PolicyStatus(key=KEY, generation=4, matched=7, violations=2), found(), NOW)
    assert status == {
        "observedGeneration": 4,
        "conditions": [
            {
                "type": "Ready",
                "status": "True",
                "reason": "Compiled",
                "message": "The rule is in use.",
                "observedGeneration": 4,
                "lastTransitionTime": NOW,
            }
        ],
        "counts": {"matched": 7, "violations": 2},
    }


def test_the_status_of_an_invalid_dns_policy_says_what_is_wrong_and_what_happens_to_records() -> None:
    problems = tuple(f"problem {number}\n" for number in range(7))
    policy = PolicyStatus(key=KEY, generation=4, problems=problems, is_used=False)
    (condition,) = build_policy_status(policy, found(), NOW)["conditions"]
    assert (condition["status"], condition["reason"]) == ("False", "Invalid")
    assert condition["message"] == (
        "problem 0\\n; problem 1\\n; problem 2\\n; problem 3\\n; problem 4\\n; and 2 more. "
        "No version of this policy is in use: new records that may match it wait, published records stay."
    )


def test_the_transition_time_in_a_dns_policy_status_changes_only_when_the_condition_does() -> None:
    before = build_policy_status(PolicyStatus(key=KEY, generation=3), found(), BEFORE)
    same = build_policy_status(PolicyStatus(key=KEY, generation=4, matched=1), found(before), NOW)
    other = build_policy_status(PolicyStatus(key=KEY, generation=4, problems=("a",)), found(before), NOW)
    assert [one["conditions"][0]["lastTransitionTime"] for one in (same, other)] == [BEFORE, NOW]
