"""Failures that a run reports (docs/design/differences.md, "Runs" and "Exit codes")."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest
from msgspec.structs import replace

from extdns.engine.health import find_blockers, find_failures
from extdns.engine.inputs import TimePassed
from extdns.errors import ProviderError, RetryableError
from extdns.model.change import AdjustedRecords, Forbidden, Refusal, Refused, TryLater
from extdns.model.claim import ResolvedClaim
from extdns.model.cluster import Phase
from extdns.model.reason import Reason
from extdns.model.record import DesiredRecord, Record
from extdns.model.zone import AccountFailure, Zone, ZoneList
from extdns.planner.settings import Policy
from extdns.resources.core import NODE
from tests.builders import (
    INGRESS,
    PLAN,
    ZONE,
    build_claim,
    change_before_each_batch,
    change_phase,
    observe,
    observe_gone,
    owned,
    record,
)
from tests.fakes.faulty import NoAnswer
from tests.world import World, build_world, start_published, start_world


def test_no_failure_is_reported_if_every_record_is_published() -> None:
    assert find_failures(start_published().engine) == ()


def test_a_foreign_record_at_a_requested_name_is_no_failure() -> None:
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
def test_a_foreign_record_that_cannot_coexist_with_a_requested_one_is_a_failure(
    current: Record, claim: ResolvedClaim
) -> None:
    world = start_world(current, first=[observe("web", claim)])
    assert find_failures(world.engine) == ("1 record could not be published",)
    assert world.batches == []


def test_a_change_of_record_type_is_a_failure_with_policy_upsert_only() -> None:
    plan = replace(PLAN, policy=Policy.UPSERT_ONLY)
    world = start_world(
        *owned("web"), first=[observe("web", build_claim("web", "web", "lb.test", rtype="CNAME"))], plan=plan
    )
    assert find_failures(world.engine) == ("1 record could not be published",)


def refuse_mixed_cnames(desired: Sequence[DesiredRecord], _: Zone) -> AdjustedRecords:
    """Refuse CNAME records with several targets, as DNS services do."""
    bad = tuple(endpoint for endpoint in desired if endpoint.type == "CNAME" and len(endpoint.targets) > 1)
    refused = tuple(Refusal(desired=endpoint, reason=Reason.UNSUPPORTED, detail="one target") for endpoint in bad)
    return AdjustedRecords(accepted=tuple(endpoint for endpoint in desired if endpoint not in bad), refused=refused)


@pytest.mark.parametrize(
    ("others", "failing"),
    [
        pytest.param((), ("1 record could not be published",), id="alone"),
        pytest.param((build_claim("web", "web"),), (), id="with-an-address-that-takes-precedence"),
    ],
)
def test_a_refused_record_is_a_failure_only_if_no_other_record_takes_precedence_over_it(
    others: tuple[ResolvedClaim, ...], failing: tuple[str, ...]
) -> None:
    world = start_world(
        first=[observe("web", build_claim("web", "web", "x.test", "y.test", rtype="CNAME"), *others)],
        adjust=refuse_mixed_cnames,
    )
    assert find_failures(world.engine) == failing


def test_kinds_and_zones_that_were_not_listed_yet_are_reported_as_failures() -> None:
    assert find_failures(build_world().engine) == (
        "Service objects are listing",
        "Ingress objects are listing",
        "zones have not been listed yet",
    )


def source_down(world: World) -> None:
    """Let the list of Ingresses fail."""
    world.run(change_phase(INGRESS, Phase.FAILING))


def object_broken(world: World) -> None:
    """Observe that the claims of the Service `web` cannot be computed."""
    world.run(observe("web", failure="no such port"))


def account_down(world: World) -> None:
    """Let the list of zones of one account fail."""
    world.provider.zone_list = ZoneList(zones=(ZONE,), failed=(AccountFailure(account="b", message="denied"),))
    world.run(for_s=65.0)


def zone_busy(world: World) -> None:
    """Let the service throttle all writes."""
    world.provider.rule = lambda _: TryLater(message="throttled")
    world.run(observe("api", build_claim("api", "api")))


def zone_forbidden(world: World) -> None:
    """Let the service deny all writes."""
    world.provider.rule = lambda _: Forbidden(message="no right")
    world.run(*(observe(name, build_claim(name, name)) for name in ("a", "b", "c")))


def name_refused(world: World) -> None:
    """Let the service refuse the record `api`."""
    world.provider.rule = lambda _: Refused(message="no")
    world.run(observe("api", build_claim("api", "api")))


def no_answer(world: World) -> None:
    """Let no batch get an answer."""
    world.provider.rule = lambda _: NoAnswer(applied=False)
    world.run(observe("api", build_claim("api", "api")), for_s=10.0)


def name_contested(world: World) -> None:
    """Let another writer change `web` before each write to it."""
    world.provider.rule = change_before_each_batch(world.provider, "web")
    world.run(observe("web", build_claim("web", "web", "192.0.2.9")), for_s=40.0)


@pytest.mark.parametrize(
    ("trouble", "messages"),
    [
        pytest.param(source_down, ["Ingress objects are failing"], id="source"),
        pytest.param(object_broken, ["Service shop/web: no such port"], id="object"),
        pytest.param(account_down, ["zones of b cannot be listed: denied"], id="account"),
        pytest.param(
            zone_busy,
            ["zone example.org: 1 name waits for the service", "1 record could not be published"],
            id="zone-busy",
        ),
        pytest.param(
            zone_forbidden, ["zone example.org: no right", "3 records could not be published"], id="zone-forbidden"
        ),
        pytest.param(
            name_contested,
            ["zone example.org: 1 name is changed by another writer again and again"],
            id="name-contested",
        ),
        pytest.param(name_refused, ["1 record could not be published"], id="name-refused"),
        pytest.param(
            no_answer,
            [
                "zone example.org: no answer",
                "1 record could not be published",
            ],
            id="no-answer",
        ),
    ],
)
def test_each_kind_of_failure_is_reported_with_its_own_message(
    trouble: Callable[[World], None], messages: list[str]
) -> None:
    world = start_published()
    trouble(world)
    assert list(find_failures(world.engine)) == messages


@pytest.mark.parametrize(
    ("trouble", "is_blocked"),
    [
        pytest.param(source_down, True, id="source"),
        pytest.param(account_down, True, id="account"),
        pytest.param(zone_busy, True, id="zone-busy"),
        pytest.param(zone_forbidden, True, id="zone-forbidden"),
        pytest.param(no_answer, True, id="no-answer"),
        pytest.param(object_broken, False, id="object"),
        pytest.param(name_contested, False, id="name-contested"),
        pytest.param(name_refused, False, id="name-refused"),
    ],
)
def test_only_a_failure_that_concerns_more_than_one_object_counts_as_blocking_the_whole_process(
    trouble: Callable[[World], None], is_blocked: bool
) -> None:
    world = start_published()
    assert find_blockers(world.engine) == ()
    trouble(world)
    assert find_failures(world.engine)
    assert any(find_blockers(world.engine)) is is_blocked


def test_the_failure_of_an_object_without_a_namespace_names_only_its_kind_and_name() -> None:
    world = start_published()
    world.run(observe("n1", failure="no address", kind=NODE, namespace=""))
    assert find_failures(world.engine) == ("Node n1: no address",)


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


def test_a_backoff_without_a_waiting_change_is_no_failure() -> None:
    world = start_published()
    zone_busy(world)
    world.run(observe_gone("api"))
    assert find_failures(world.engine) == ()


def test_a_zone_that_has_not_been_read_yet_is_reported_as_a_failure() -> None:
    world = build_world()
    world.feed(TimePassed())
    world.feed(world.answer())
    assert "zone example.org has not been read yet" in find_failures(world.engine)


def test_the_failure_about_an_unread_zone_contains_the_error_of_the_dns_service() -> None:
    world = build_world()
    world.provider.failures.extend([None, RetryableError("denied", retry_after_s=600.0)])
    world.run()
    assert "zone example.org cannot be read: denied" in find_failures(world.engine)


@pytest.mark.parametrize(
    ("results", "message"),
    [
        pytest.param([RetryableError("down", retry_after_s=600.0)], "zones cannot be listed: down", id="the list"),
        pytest.param(
            [None, RetryableError("down", retry_after_s=600.0)], "zone example.org cannot be read: down", id="a zone"
        ),
    ],
)
def test_a_failed_refresh_of_a_zone_or_of_the_list_of_zones_is_a_failure(
    results: list[ProviderError | None], message: str
) -> None:
    world = start_published()
    world.provider.failures.extend(results)
    world.run(for_s=70.0)
    assert find_failures(world.engine) == (message,)
    world.run(for_s=600.0)
    assert find_failures(world.engine) == ()
