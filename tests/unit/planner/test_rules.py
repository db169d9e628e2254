"""What rules are evaluated on, and which address record a PTR claim needs (docs/design/rules.md)."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from extdns.model.change import Action, Decision, RuleAction, Violation
from extdns.model.claim import Derivation, ResolvedClaim
from extdns.model.dns_name import DnsName
from extdns.model.reason import Reason
from extdns.model.record import OwnedRecord, Record, restate_record
from extdns.planner.desired import Requested, adjust, build_candidates
from extdns.planner.rules import apply_rules
from extdns.planner.view import NameView, ObjectInput, RuleFacts
from extdns.rules.evaluation import Evaluation
from extdns.rules.rule_input import Operation, RuleInput
from tests.unit.planner.name_plan import API, SETTINGS, ZONE, build_current, build_planner, claim

OBJECT = ObjectInput(object=None, namespace=None)


def apply(view: NameView, *, denies: str = "") -> Requested:
    """Apply rules that deny records with the target *denies* to the claims of *view*."""

    def evaluate(inputs: list[RuleInput]) -> list[Evaluation]:
        denial = Evaluation(violations=(Violation(rule="r", action=RuleAction.DENY, message="no"),))
        return [denial if denies in one.record.targets else Evaluation() for one in inputs]

    planner = build_planner(
        settings=replace(SETTINGS, managed_types=SETTINGS.managed_types | {"PTR"}), evaluate=evaluate
    )
    desired = adjust(build_candidates(view.claims, planner.settings), view, planner)
    return apply_rules(view, Requested(claims=view.claims, desired=desired), planner)


def build_view(
    *claims: ResolvedClaim, current: tuple[OwnedRecord, ...] = (), about: tuple[Decision, ...] = ()
) -> NameView:
    """Build a view whose PTR records are *about* the decisions of one host."""
    rules = RuleFacts(
        requesters=dict.fromkeys((one.provenance.ref.key for one in claims), OBJECT), resources={}, hosts={HOST: about}
    )
    return NameView(zone=ZONE, name=claims[0].name, claims=claims, current=current, rules=rules)


@pytest.mark.parametrize(
    ("current", "operation"),
    [
        pytest.param(build_current("A", "9.9.9.9"), Operation.UPDATE, id="ours"),
        pytest.param(build_current("A", "9.9.9.9", owner="other"), Operation.CREATE, id="foreign"),
        pytest.param(build_current("AAAA", "::9"), Operation.CREATE, id="another-type"),
        pytest.param(
            build_current("A", "9.9.9.9", set_identifier="one"), Operation.CREATE, id="another-set-identifier"
        ),
    ],
)
def test_rules_see_the_current_record_of_the_key_and_an_update_if_it_is_ours(
    current: OwnedRecord, operation: Operation
) -> None:
    web = claim("A", "1.1.1.1")
    (found,) = apply(build_view(web, current=(current,))).inputs
    assert found == RuleInput(
        operation=operation,
        record=web.desired,
        zone=ZONE,
        source="service",
        current=current if current.key == web.desired.key else None,
    )


def test_rules_see_whether_an_object_states_the_targets_itself() -> None:
    web, api = claim("A", "1.1.1.1"), claim("A", "2.2.2.2", resource=API)
    stating = replace(web, provenance=replace(web.provenance, states_targets=True))
    found = apply(build_view(stating, api)).inputs
    assert {one.record.targets: one.stated for one in found} == {("1.1.1.1",): True, ("2.2.2.2",): False}


def test_rules_see_what_each_object_alone_requests_and_deny_its_request_only() -> None:
    web, api = claim("A", "1.1.1.1"), claim("A", "2.2.2.2", resource=API)
    found = apply(build_view(web, api), denies="2.2.2.2")
    assert {one.record.targets for one in found.inputs} == {("1.1.1.1",), ("2.2.2.2",)}
    assert found.claims == [web]
    assert [one.desired.targets for one in found.desired.taken] == [("1.1.1.1",)]
    assert [(one.desired, one.block.reason) for one in found.rejected] == [(api.desired, Reason.POLICY_DENIED)]


HOST = DnsName("web.example.org")
REVERSE = DnsName("1.2.0.192.in-addr.arpa")
_STATED = claim("PTR", HOST)
PTR = ResolvedClaim(
    desired=replace(_STATED.desired, name=REVERSE), provenance=replace(_STATED.provenance, derivation=Derivation.PTR)
)
ADDRESS = Record(name=HOST, type="A", targets=("192.0.2.1",), ttl_s=300)
OURS = OwnedRecord(record=ADDRESS, owner="me", is_ours=True)
PUBLISHED = OwnedRecord(record=Record(name=REVERSE, type="PTR", targets=(HOST,), ttl_s=300), owner="me", is_ours=True)


def decide(action: Action, **fields: Any) -> Decision:  # noqa: ANN401 - any field of Decision
    """Build the decision about the address record of the host."""
    chosen: dict[str, Any] = {
        "desired": restate_record(ADDRESS),
        "requested_by": (PTR.provenance,),
        "zone": ZONE,
        "name": HOST,
        "set_identifier": "",
        "type": "A",
        "reason": Reason.REQUESTED,
    }
    return Decision(action=action, **chosen | fields)


DENIED = (Violation(rule="r", action=RuleAction.DENY, message="no"),)
MOVED = restate_record(replace(ADDRESS, targets=("192.0.2.9",)))


@pytest.mark.parametrize(
    ("about", "current", "reason"),
    [
        pytest.param((decide(Action.CREATE),), (), None, id="created"),
        pytest.param((decide(Action.UPDATE, current=OURS),), (), None, id="updated"),
        pytest.param((decide(Action.KEEP, current=OURS),), (), None, id="kept"),
        pytest.param(
            (decide(Action.KEEP, current=replace(OURS, is_ours=False)),), (), Reason.POLICY_UNAVAILABLE, id="foreign"
        ),
        pytest.param((decide(Action.DELETE, current=OURS),), (), Reason.POLICY_UNAVAILABLE, id="deleted"),
        pytest.param((decide(Action.CREATE, desired=MOVED),), (), Reason.POLICY_UNAVAILABLE, id="another-address"),
        pytest.param((decide(Action.CREATE, requested_by=()),), (), Reason.POLICY_UNAVAILABLE, id="of-another-object"),
        pytest.param((), (), Reason.POLICY_UNAVAILABLE, id="unknown"),
        pytest.param((), (PUBLISHED,), None, id="unknown-and-published"),
        pytest.param((), (replace(PUBLISHED, is_ours=False),), Reason.POLICY_UNAVAILABLE, id="unknown-and-foreign"),
        pytest.param((decide(Action.NONE, violations=DENIED),), (), Reason.POLICY_DENIED, id="denied"),
        pytest.param(
            (decide(Action.NONE, violations=DENIED),), (PUBLISHED,), Reason.POLICY_VIOLATION, id="denied-and-published"
        ),
        pytest.param(
            (decide(Action.NONE, violations=DENIED, desired=MOVED),), (PUBLISHED,), None, id="another-address-denied"
        ),
        pytest.param((decide(Action.CREATE, violations=DENIED),), (), None, id="created-before-it-was-denied"),
    ],
)
def test_a_ptr_claim_counts_while_its_object_has_an_address_record_at_the_host(
    about: tuple[Decision, ...], current: tuple[OwnedRecord, ...], reason: Reason | None
) -> None:
    found = apply(build_view(PTR, current=current, about=about))
    if reason is None:
        assert found.claims == (PTR,)
    else:
        blocks = [one.block.reason for one in found.rejected] + [one.reason for one in found.stays.values()]
        assert PTR not in found.claims
        assert reason in blocks
