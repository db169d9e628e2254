"""Policies, and what they leave of a change of type (spec plan 2.8; design 6, "Replacement")."""

from __future__ import annotations

import pytest

from extdns.model.change import Change, Create, Delete, Update
from extdns.model.evidence import Evidence
from extdns.model.ownership import Owned
from extdns.planner.merge import Candidate
from extdns.planner.policy import Policy, allows
from tests.unit.planner.scene import decision_on, held, plan, wanted, with_policy, words

HELD = held("A", "1.1.1.1")
WANTED = wanted("A", "2.2.2.2")
CREATE = Create(wanted=WANTED.endpoint)
UPDATE = Update(held=HELD, wanted=WANTED.endpoint, differences=("targets",))
DELETE = Delete(held=HELD, evidence=Evidence.OBJECT_DELETED)


@pytest.mark.parametrize(
    ("policy", "allowed"),
    [
        pytest.param(Policy.SYNC, [CREATE, UPDATE, DELETE], id="2.8-sync"),
        pytest.param(Policy.UPSERT_ONLY, [CREATE, UPDATE], id="2.8-upsert-only"),
        pytest.param(Policy.CREATE_ONLY, [CREATE], id="2.8-create-only"),
    ],
)
def test_a_policy_lets_through(policy: Policy, allowed: list[Change]) -> None:
    assert [change for change in (CREATE, UPDATE, DELETE) if allows(policy, change)] == allowed


A, AAAA = wanted("A", "1.1.1.1"), wanted("AAAA", "::1")
ROUTED = wanted("A", "1.1.1.1", set_identifier="v1")
CNAME = wanted("CNAME", "lb.test")


@pytest.mark.parametrize(
    ("policy", "stands", "candidates", "expected", "reason"),
    [
        pytest.param(
            "upsert-only", (held("CNAME", "lb.test"),), (A,), [], "policy-keeps-type", id="2.8-cname-stays-so-no-a"
        ),
        pytest.param("upsert-only", (HELD,), (CNAME,), [], "policy-keeps-type", id="2.8-a-stays-so-no-cname"),
        pytest.param("create-only", (HELD,), (CNAME,), [], "policy-keeps-type", id="2.8-create-only-no-cname"),
        pytest.param("upsert-only", (HELD,), (ROUTED,), [], "policy-keeps-type", id="6-simple-stays-so-no-routed"),
        pytest.param(
            "upsert-only", (HELD,), (AAAA,), ["create AAAA: ::1"], "wanted", id="6-what-can-stand-beside-is-made"
        ),
        pytest.param("create-only", (HELD,), (A, AAAA), ["create AAAA: ::1"], "wanted", id="2.8-further-type"),
        pytest.param("create-only", (HELD,), (WANTED,), [], "policy-keeps", id="2.8-create-only-no-update"),
        pytest.param("upsert-only", (HELD,), (WANTED,), ["update A: 2.2.2.2"], "changed", id="2.8-upsert-updates"),
        pytest.param(
            "sync", (held("CNAME", "lb.test"),), (A,), ["create A: 1.1.1.1", "delete CNAME"], "wanted", id="2.8-sync"
        ),
    ],
)
def test_a_policy_never_tears_a_name_apart(
    policy: str, stands: tuple[Owned, ...], candidates: tuple[Candidate, ...], expected: list[str], reason: str
) -> None:
    made = plan(stands, candidates, settings=with_policy(policy))
    last = candidates[-1].endpoint
    assert words(made) == expected
    assert decision_on(made, last.type, last.set_identifier).reason == reason


def test_a_kept_record_names_the_policy() -> None:
    made = plan((HELD,), (), settings=with_policy("upsert-only"))
    (decision,) = made.decisions
    assert (decision.verdict, decision.reason, decision.detail) == ("keep", "policy-keeps", "--policy=upsert-only")
