"""Zones with ownership records, run until nothing changes.

See docs/spec/plan.md 3.2.10 and 10.1.
"""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from extdns.errors import RetryableError
from extdns.model.claim import ResolvedClaim
from extdns.model.record import Record
from extdns.model.selection import DomainFilter
from extdns.planner.settings import Policy
from tests.builders import INGRESS, PLAN, SERVICE, build_claim, change_phase, observe, ownership_record, record
from tests.world import World, build_world

POLICIES = list(Policy)


def old_ownership_record(at: str, owner: str = "me") -> Record:
    """Build the ownership record of `at` in the old naming format, without the record type in its name."""
    return record(at, *ownership_record(at, owner=owner).targets, rtype="TXT")


def run_ten_minutes(*current: Record, policy: Policy, requested: tuple[ResolvedClaim, ...]) -> World:
    """Run an engine for ten minutes over a zone with *current* and one Service with the claims *requested*."""
    world = build_world(*current, plan=replace(PLAN, policy=policy))
    world.run(observe("web", *requested), change_phase(SERVICE), change_phase(INGRESS), for_s=600.0)
    return world


OLD = (record("foo"), old_ownership_record("foo"))  # not a CNAME as in the spec, which cannot coexist with a TXT
DUAL = (build_claim("web", "dual"), build_claim("web", "dual", "2001:db8::1", rtype="AAAA"))


@pytest.mark.parametrize(
    ("current", "requested", "added"),
    [
        pytest.param(OLD, (build_claim("web", "foo"),), {"a-foo"}, id="3.2.10-1-old-ownership-record"),
        pytest.param(
            (
                record("dual"),
                old_ownership_record("dual"),
                record("dual", "2001:db8::1", rtype="AAAA"),
                ownership_record("dual", "AAAA", owner="owner-2"),
            ),
            DUAL,
            {"a-dual"},
            id="3.2.10-2-aaaa-record-of-another-owner",
        ),
        pytest.param(
            (record("rec"),), (build_claim("web", "rec"),), set(), id="3.2.10-5-record-without-ownership-record"
        ),
    ],
)
@pytest.mark.parametrize("policy", [Policy.SYNC, Policy.UPSERT_ONLY])
def test_only_a_record_of_ours_gets_the_missing_ownership_record_in_the_current_format_and_only_once(
    current: tuple[Record, ...], requested: tuple[ResolvedClaim, ...], added: set[str], policy: Policy
) -> None:
    world = run_ten_minutes(*current, policy=policy, requested=requested)
    before = run_ten_minutes(*current, policy=policy, requested=())
    assert world.list_records() == before.list_records()
    assert world.list_ownership_labels() - before.list_ownership_labels() == added
    assert len(world.provider.submissions) == bool(added)


# docs/spec/plan.md 3.2.10
@pytest.mark.parametrize("policy", POLICIES)
def test_a_record_is_created_in_one_batch_if_only_its_ownership_record_exists(policy: Policy) -> None:
    world = run_ten_minutes(ownership_record("new"), policy=policy, requested=(build_claim("web", "new"),))
    assert world.list_records() == {"new A": ("192.0.2.1",)}
    assert world.list_ownership_labels() == {"a-new"}
    assert len(world.provider.submissions) == 1


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("set_identifier", ["", "set-1"], ids=["simple", "routed"])
@pytest.mark.parametrize(
    "gone", [("A",), ("A", "TXT")], ids=["10.3-record-removed", "10.3-record-and-ownership-record-removed"]
)
def test_a_record_that_was_removed_is_created_again_in_one_batch(
    policy: Policy, set_identifier: str, gone: tuple[str, ...]
) -> None:
    claim = build_claim("web", "new", set_identifier=set_identifier)
    first = run_ten_minutes(policy=policy, requested=(claim,))
    whole = first.provider.contents(first.engine.zones.containing(claim.desired.name)[0].zone)
    remaining = [found for key, found in whole.items() if key.type not in gone]
    again = run_ten_minutes(*remaining, policy=policy, requested=(claim,))
    assert again.provider.contents(again.engine.zones.containing(claim.desired.name)[0].zone) == whole
    assert len(again.provider.submissions) == 1


@pytest.mark.parametrize(
    ("include", "made"),
    [
        pytest.param(("used.example.org",), {"a.used A"}, id="10.1-filter"),
        pytest.param((), {"a.used A", "a.other A"}, id="10.1-no-filter"),
        pytest.param(("nothing.tld",), set(), id="10.1-no-name-in-filter"),
    ],
)
def test_only_names_within_the_domain_filter_are_created(include: tuple[str, ...], made: set[str]) -> None:
    world = build_world(plan=replace(PLAN, domains=DomainFilter(include=include)))
    world.run(
        observe("a", build_claim("a", "a.used")),
        observe("b", build_claim("b", "a.other")),
        change_phase(SERVICE),
        change_phase(INGRESS),
        for_s=60.0,
    )
    assert set(world.list_records()) == made
    assert len(world.provider.submissions) == bool(made)


# docs/spec/plan.md 10.1
def test_records_are_created_although_the_first_three_calls_to_the_dns_service_fail() -> None:
    world = build_world()
    world.provider.failures.extend([RetryableError("later")] * 3)
    world.run(observe("web", build_claim("web", "web")), change_phase(SERVICE), change_phase(INGRESS), for_s=60.0)
    assert set(world.list_records()) == {"web A"}
