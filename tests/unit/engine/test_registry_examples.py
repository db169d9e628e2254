"""Whole passes over zones that were marked before: spec plan 3.2.10 and 10.1, until nothing changes any more."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from extdns.errors import RetryableError
from extdns.model.claim import Wanted
from extdns.model.domains import DomainFilter
from extdns.model.record import Record
from extdns.planner.policy import Policy
from tests.unit.engine.stage import INGRESS, PLAN, SERVICE, Stage, mark, phase, record, seen, stage, wants

POLICIES = list(Policy)


def old_mark(at: str, owner: str = "me") -> Record:
    """The mark of `at` before types were part of its name."""
    return record(at, *mark(at, owner=owner).targets, rtype="TXT")


def passes(*standing: Record, policy: Policy, asked: tuple[Wanted, ...]) -> Stage:
    """Ten minutes and as many rounds over what stands, with one Service that asks."""
    world = stage(*standing, plan=replace(PLAN, policy=policy))
    world.run(seen("web", *asked), phase(SERVICE), phase(INGRESS), for_s=600.0)
    return world


OLD = (record("foo"), old_mark("foo"))  # a CNAME and a TXT, as in the spec, cannot stand at one name
DUAL = (wants("web", "dual"), wants("web", "dual", "2001:db8::1", rtype="AAAA"))


@pytest.mark.parametrize(
    ("standing", "asked", "added"),
    [
        pytest.param(OLD, (wants("web", "foo"),), {"a-foo"}, id="3.2.10-1-old-mark"),
        pytest.param(
            (
                record("dual"),
                old_mark("dual"),
                record("dual", "2001:db8::1", rtype="AAAA"),
                mark("dual", "AAAA", owner="owner-2"),
            ),
            DUAL,
            {"a-dual"},
            id="3.2.10-2-of-two-families-one-is-anothers",
        ),
        pytest.param((record("rec"),), (wants("web", "rec"),), set(), id="3.2.10-5-record-without-mark"),
    ],
)
@pytest.mark.parametrize("policy", [Policy.SYNC, Policy.UPSERT_ONLY])
def test_only_a_missing_mark_is_added_and_then_nothing(
    standing: tuple[Record, ...], asked: tuple[Wanted, ...], added: set[str], policy: Policy
) -> None:
    world = passes(*standing, policy=policy, asked=asked)
    before = passes(*standing, policy=policy, asked=())
    assert world.holds() == before.holds()
    assert world.marks() - before.marks() == added
    assert len(world.provider.submissions) == bool(added)


@pytest.mark.parametrize("policy", POLICIES)
def test_3_2_10_4_a_lone_mark_is_used_again_and_then_nothing(policy: Policy) -> None:
    world = passes(mark("new"), policy=policy, asked=(wants("web", "new"),))
    assert world.holds() == {"new A": ("192.0.2.1",)}
    assert world.marks() == {"a-new"}
    assert len(world.provider.submissions) == 1


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("set_identifier", ["", "set-1"], ids=["simple", "routed"])
@pytest.mark.parametrize("gone", [("A",), ("A", "TXT")], ids=["10.3-record-gone", "10.3-both-gone"])
def test_what_went_missing_is_made_again_once(policy: Policy, set_identifier: str, gone: tuple[str, ...]) -> None:
    claim = wants("web", "new", set_identifier=set_identifier)
    first = passes(policy=policy, asked=(claim,))
    whole = first.provider.contents(first.engine.zones.of(claim.endpoint.name)[0].zone)
    kept = [found for key, found in whole.items() if key.type not in gone]
    again = passes(*kept, policy=policy, asked=(claim,))
    assert again.provider.contents(again.engine.zones.of(claim.endpoint.name)[0].zone) == whole
    assert len(again.provider.submissions) == 1


@pytest.mark.parametrize(
    ("include", "made"),
    [
        pytest.param(("used.example.org",), {"a.used A"}, id="10.1-filter"),
        pytest.param((), {"a.used A", "a.other A"}, id="10.1-no-filter"),
        pytest.param(("nothing.tld",), set(), id="10.1-nothing-in-scope-no-call"),
    ],
)
def test_only_names_that_pass_the_domain_filter_are_made(include: tuple[str, ...], made: set[str]) -> None:
    world = stage(plan=replace(PLAN, domains=DomainFilter(include=include)))
    world.run(
        seen("a", wants("a", "a.used")), seen("b", wants("b", "a.other")), phase(SERVICE), phase(INGRESS), for_s=60.0
    )
    assert set(world.holds()) == made
    assert len(world.provider.submissions) == bool(made)


def test_10_1_failing_three_times_does_not_stop_the_loop() -> None:
    world = stage()
    world.provider.failures.extend([RetryableError("later")] * 3)
    world.run(seen("web", wants("web", "web")), phase(SERVICE), phase(INGRESS), for_s=60.0)
    assert set(world.holds()) == {"web A"}
