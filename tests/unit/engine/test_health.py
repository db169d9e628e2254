"""Failures that a run reports (docs/design/differences.md, "Runs" and "Exit codes")."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from msgspec.structs import replace

from extdns.engine.health import find_blockers, find_failures, find_unfinished, find_unread, reference_fails
from extdns.engine.inputs import Cause, TimePassed
from extdns.errors import ProviderError, RetryableError
from extdns.model.change import Forbidden, Refused, TryLater
from extdns.model.claim import InvalidClaim, ResolvedClaim
from extdns.model.cluster import Phase
from extdns.model.reason import Reason
from extdns.model.record import Record
from extdns.model.zone import AccountFailure, ZoneList
from extdns.planner.settings import PlanSettings, Policy
from registry.noop.registry import NoopRegistry
from tests.builders import (
    INGRESS,
    PLAN,
    ZONE,
    accept_only,
    build_claim,
    change_before_each_batch,
    change_phase,
    observe,
    observe_gone,
    origin,
    owned,
    record,
)
from tests.fakes.faulty import NoAnswer
from tests.world import World, build_world, start_published, start_world


def test_no_failure_if_requested_name_has_a_foreign_record() -> None:
    assert find_failures(start_world(record("web"), first=[observe("web", build_claim("web", "web"))]).engine) == ()


@pytest.mark.parametrize(
    ("current", "claim"),
    [
        pytest.param(
            record("web"),
            build_claim("web", "web", set_identifier="v1"),
            id="simple-record-at-the-name-of-a-routed-one",
        ),
        pytest.param(
            record("a-web", '"x"', rtype="TXT"),
            build_claim("web", "web"),
            id="record-at-the-name-of-the-ownership-record",
        ),
    ],
)
def test_failure_if_foreign_record_cannot_coexist_with_the_requested(current: Record, claim: ResolvedClaim) -> None:
    world = start_world(current, first=[observe("web", claim)])
    assert find_failures(world.engine) == ("1 record could not be published",)
    assert world.batches == []


def test_change_of_type_is_a_failure_with_policy_upsert_only() -> None:
    plan = replace(PLAN, policy=Policy.UPSERT_ONLY)
    world = start_world(
        *owned("web"), first=[observe("web", build_claim("web", "web", "lb.test", rtype="CNAME"))], plan=plan
    )
    assert find_failures(world.engine) == ("1 record could not be published",)


ONE_CNAME_TARGET = accept_only(lambda one: one.type != "CNAME" or len(one.targets) == 1, detail="one target")


@pytest.mark.parametrize(
    ("others", "failing"),
    [
        pytest.param((), ("1 record could not be published",), id="alone"),
        pytest.param((build_claim("web", "web"),), (), id="with-an-address-that-takes-precedence"),
    ],
)
def test_refused_record_is_a_failure_only_if_no_other_takes_precedence(
    others: tuple[ResolvedClaim, ...], failing: tuple[str, ...]
) -> None:
    world = start_world(
        first=[observe("web", build_claim("web", "web", "x.test", "y.test", rtype="CNAME"), *others)],
        adjust=ONE_CNAME_TARGET,
    )
    assert find_failures(world.engine) == failing


def test_unlisted_kinds_and_zones_are_failures_and_unfinished_unless_reading_them_failed() -> None:
    world = build_world()
    unlisted = ("Service objects are listing", "Ingress objects are listing", "zones have not been listed yet")
    assert find_failures(world.engine) == find_unfinished(world.engine) == find_unread(world.engine) == unlisted
    assert reference_fails(world.engine)
    source_down(world)
    assert find_failures(world.engine)[:2] == ("Service objects are listing", "Ingress objects are failing")
    assert "Ingress objects are failing" not in find_unfinished(world.engine)


@pytest.mark.parametrize(
    ("limit", "has_writer", "fails"),
    [
        pytest.param(Reason.UNSUPPORTED, True, True, id="refused"),
        pytest.param(Reason.TOO_LARGE, True, False, id="too-large"),
        pytest.param(Reason.UNSUPPORTED, False, False, id="refused-in-a-dry-run"),
    ],
)
def test_external_dns_fails_by_a_refused_record_unless_it_is_too_large_or_in_a_dry_run(
    limit: Reason, has_writer: bool, fails: bool
) -> None:
    adjust = accept_only(lambda _: False, limit)
    request = observe("web", build_claim("web", "web"))
    plan = replace(PLAN, compat=True)
    world = start_world(first=[request], adjust=adjust, has_writer=has_writer, plan=plan)
    assert reference_fails(world.engine) is fails


def source_down(world: World) -> None:
    world.run(change_phase(INGRESS, Phase.FAILING))


def object_broken(world: World) -> None:
    world.run(observe("web", failure="no such port"))


def account_down(world: World) -> None:
    world.provider.zone_list = ZoneList(zones=(ZONE,), failed=(AccountFailure(account="b", message="denied"),))
    world.run(for_s=65.0)


def zone_busy(world: World) -> None:
    world.provider.rule = lambda _: TryLater(message="throttled")
    world.run(observe("api", build_claim("api", "api")))


def zone_forbidden(world: World) -> None:
    world.provider.rule = lambda _: Forbidden(message="no right")
    world.run(*(observe(name, build_claim(name, name)) for name in ("a", "b", "c")))


def name_refused(world: World) -> None:
    world.provider.rule = lambda _: Refused(message="no")
    world.run(observe("api", build_claim("api", "api")))


def no_answer(world: World) -> None:
    world.provider.rule = lambda _: NoAnswer(applied=False)
    world.run(observe("api", build_claim("api", "api")), for_s=10.0)


def name_contested(world: World) -> None:
    world.provider.rule = change_before_each_batch(world.provider, "web")
    world.run(observe("web", build_claim("web", "web", "192.0.2.9")), for_s=40.0)


@pytest.mark.parametrize(
    ("trouble", "messages", "is_blocked"),
    [
        pytest.param(source_down, ["Ingress objects are failing"], True, id="source"),
        pytest.param(object_broken, ["Service shop/web: no such port"], False, id="object"),
        pytest.param(account_down, ["zones of b cannot be listed: denied"], True, id="account"),
        pytest.param(
            zone_busy,
            ["zone example.org: 1 name waits for the service", "1 record could not be published"],
            True,
            id="zone-busy",
        ),
        pytest.param(
            zone_forbidden,
            ["zone example.org: no right", "3 records could not be published"],
            True,
            id="zone-forbidden",
        ),
        pytest.param(
            name_contested,
            ["zone example.org: 1 name is changed by another writer again and again"],
            False,
            id="name-contested",
        ),
        pytest.param(name_refused, ["1 record could not be published"], False, id="name-refused"),
        pytest.param(
            no_answer, ["zone example.org: no answer", "1 record could not be published"], True, id="no-answer"
        ),
    ],
)
def test_each_failure_has_its_own_message_and_blocks_if_it_concerns_many(
    trouble: Callable[[World], None], messages: list[str], is_blocked: bool
) -> None:
    world = start_published()
    assert find_failures(world.engine) == find_blockers(world.engine) == ()
    trouble(world)
    assert list(find_failures(world.engine)) == messages
    assert any(find_blockers(world.engine)) is is_blocked


def test_repeated_write_conflicts_are_a_failure_until_the_name_is_written() -> None:
    world = start_published()
    world.provider.rule = change_before_each_batch(world.provider, "web")
    world.run(observe("web", build_claim("web", "web", "192.0.2.9")), for_s=2.0)
    assert find_failures(world.engine) == ()
    world.run(for_s=40.0)
    assert find_failures(world.engine)
    world.provider.rule = lambda _: None
    world.run(for_s=60.0)
    assert find_failures(world.engine) == ()


def test_no_failure_if_a_backoff_has_no_waiting_change() -> None:
    world = start_published()
    zone_busy(world)
    world.run(observe_gone("api"))
    assert find_failures(world.engine) == ()


@pytest.mark.parametrize(
    ("results", "message"),
    [
        pytest.param([], "zone example.org has not been read yet", id="no-answer"),
        pytest.param(
            [None, RetryableError("denied", retry_after_s=600.0)], "zone example.org cannot be read: denied", id="error"
        ),
    ],
)
def test_unread_zone_is_a_failure(results: list[ProviderError | None], message: str) -> None:
    world = build_world()
    world.provider.failures.extend(results)
    world.feed(TimePassed())
    for _ in range(len(results) or 1):
        world.feed(world.answer())
    assert message in find_failures(world.engine)


@pytest.mark.parametrize(
    ("results", "message"),
    [
        pytest.param([RetryableError("down", retry_after_s=600.0)], "zones cannot be listed: down", id="the list"),
        pytest.param(
            [None, RetryableError("down", retry_after_s=600.0)], "zone example.org cannot be read: down", id="a zone"
        ),
    ],
)
def test_failed_refresh_of_a_zone_or_of_the_list_is_a_failure(
    results: list[ProviderError | None], message: str
) -> None:
    world = start_published()
    world.provider.failures.extend(results)
    world.run(for_s=70.0)
    assert find_failures(world.engine) == (message,)
    world.run(for_s=600.0)
    assert find_failures(world.engine) == ()


ALLOWED = "a name"


def build_invalid_claim(text: str, reason: Reason = Reason.INVALID_NAME) -> InvalidClaim:
    """Build a claim of the Service `web` to the name *text*, which is invalid for *reason*."""
    return InvalidClaim(provenance=origin("web"), reason=reason, value=text, allowed=ALLOWED)


def start_with_empty_zone() -> World:
    """Start an engine without registry, with the empty zone example.org, which was read."""
    return start_world(plan=PlanSettings(owner=""), registry=NoopRegistry())


# names that are not DNS names (docs/design/delete-safety.md, "One pass and dry runs")


@pytest.mark.parametrize("text", ["a..example.org", "A..Example.ORG.", "a b.example.org", f"a..{'x' * 63}.example.org"])
def test_invalid_hostname_in_a_zone_is_a_failure(text: str) -> None:
    world = start_with_empty_zone()
    world.run(observe("web", build_invalid_claim(text)))
    assert find_failures(world.engine) == (f"Service shop/web: {text!r} is not a DNS name; allowed: {ALLOWED}",)


@pytest.mark.parametrize(
    "claim",
    [
        pytest.param(build_invalid_claim("a..elsewhere.org"), id="outside every zone"),
        pytest.param(build_invalid_claim(f"{'x' * 64}.example.org"), id="0.1 a label of more than 63 bytes"),
        pytest.param(build_invalid_claim(f"{'é' * 32}.example.org"), id="0.1 a label of 32 characters in 64 bytes"),
        pytest.param(build_invalid_claim("0", Reason.INVALID_TTL), id="an invalid TTL"),
    ],
)
def test_no_failure_if_external_dns_would_also_skip_the_invalid_claim(claim: InvalidClaim) -> None:
    world = start_with_empty_zone()
    world.run(observe("web", claim))
    assert find_failures(world.engine) == ()


def test_messages_for_the_readiness_endpoint_are_limited_in_number() -> None:
    world = start_with_empty_zone()
    world.run(observe("web", *(build_invalid_claim(f"{number}..example.org") for number in range(900))))
    world.run(*(observe(f"bad-{number}", failure="planted") for number in range(60)))
    assert len(find_failures(world.engine)) == 960
    shown = find_failures(world.engine, 50)
    assert [shown.index("there may be more like this one"), len(shown)] == [50, 102]


@pytest.mark.parametrize("cause", [Cause.VERSION, Cause.DELETED])
def test_invalid_hostname_is_no_failure_after_nobody_requests_it(cause: Cause) -> None:
    world = start_with_empty_zone()
    world.run(observe("web", build_invalid_claim("a..example.org")), observe("web", cause=cause))
    assert find_failures(world.engine) == ()
