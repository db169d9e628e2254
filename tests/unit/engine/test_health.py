"""What counts as failing (design 5, "A run"; design 6, `--once`)."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest
from msgspec.structs import replace

from extdns.engine.health import failures
from extdns.engine.inputs import Tick
from extdns.errors import ProviderError, RetryableError
from extdns.model.adjusted import Adjusted, Refusal
from extdns.model.claim import Wanted
from extdns.model.cluster import Phase
from extdns.model.outcome import Conflict, Forbidden, Refused, TryLater
from extdns.model.reason import Reason
from extdns.model.record import Endpoint, Record
from extdns.model.zone import AccountFailure, Zone, ZoneList
from extdns.planner.policy import Policy
from tests.fakes.faulty import Lost
from tests.unit.engine.stage import (
    INGRESS,
    PLAN,
    ZONE,
    Stage,
    gone,
    host,
    owned,
    phase,
    published,
    record,
    running,
    seen,
    stage,
    wants,
)


def test_nothing_fails_where_everything_is_published() -> None:
    assert failures(published().engine) == ()


def test_somebody_elses_record_in_the_way_is_no_failure() -> None:
    assert failures(running(record("web"), first=[seen("web", wants("web", "web"))]).engine) == ()


@pytest.mark.parametrize(
    ("stands", "asked"),
    [
        pytest.param(record("web"), wants("web", "web", set_identifier="v1"), id="simple-where-routed-is-wanted"),
        pytest.param(record("a-web", '"x"', rtype="TXT"), wants("web", "web"), id="in-the-place-of-the-mark"),
    ],
)
def test_what_the_service_would_refuse_for_somebody_elses_record_is_one(stands: Record, asked: Wanted) -> None:
    world = running(stands, first=[seen("web", asked)])
    assert failures(world.engine) == ("1 record could not be published",)
    assert world.batches == []


def test_what_the_policy_lets_nothing_stand_beside_is_a_failure() -> None:
    plan = replace(PLAN, policy=Policy.UPSERT_ONLY)
    world = running(*owned("web"), first=[seen("web", wants("web", "web", "lb.test", rtype="CNAME"))], plan=plan)
    assert failures(world.engine) == ("1 record could not be published",)


def unmixed(wanted: Sequence[Endpoint], _: Zone) -> Adjusted:
    """Refuse CNAMEs with several targets, as services do."""
    bad = tuple(endpoint for endpoint in wanted if endpoint.type == "CNAME" and len(endpoint.targets) > 1)
    refused = tuple(Refusal(endpoint=endpoint, reason=Reason.UNSUPPORTED, detail="one target") for endpoint in bad)
    return Adjusted(wanted=tuple(endpoint for endpoint in wanted if endpoint not in bad), refused=refused)


@pytest.mark.parametrize(
    ("beside", "failing"),
    [
        pytest.param((), ("1 record could not be published",), id="alone"),
        pytest.param((wants("web", "web"),), (), id="beside-an-address-it-yields-to"),
    ],
)
def test_what_the_service_would_refuse_is_one_only_if_it_would_be_sent(
    beside: tuple[Wanted, ...], failing: tuple[str, ...]
) -> None:
    world = running(
        first=[seen("web", wants("web", "web", "x.test", "y.test", rtype="CNAME"), *beside)], adjust=unmixed
    )
    assert failures(world.engine) == failing


def test_at_the_start_everything_is_still_to_come() -> None:
    assert failures(stage().engine) == (
        "Service objects are listing",
        "Ingress objects are listing",
        "zones have not been listed yet",
    )


def source_down(world: Stage) -> None:
    world.run(phase(INGRESS, Phase.FAILING))


def object_broken(world: Stage) -> None:
    world.run(seen("web", failure="no such port"))


def account_down(world: Stage) -> None:
    world.provider.zone_list = ZoneList(zones=(ZONE,), failed=(AccountFailure(account="b", message="denied"),))
    world.run(for_s=65.0)


def zone_busy(world: Stage) -> None:
    world.provider.rule = lambda _: TryLater(message="throttled")
    world.run(seen("api", wants("api", "api")))


def zone_forbidden(world: Stage) -> None:
    world.provider.rule = lambda _: Forbidden(message="no right")
    world.run(*(seen(name, wants(name, name)) for name in ("a", "b", "c")))


def name_refused(world: Stage) -> None:
    world.provider.rule = lambda _: Refused(message="no")
    world.run(seen("api", wants("api", "api")))


def no_answer(world: Stage) -> None:
    world.provider.rule = lambda _: Lost(applied=False)
    world.provider.failures.append(RetryableError("down", retry_after_s=600.0))
    world.run(seen("api", wants("api", "api")))


def name_contested(world: Stage) -> None:
    world.provider.rule = lambda _: Conflict(message="changed", culprits=(host("api"),))
    world.run(seen("api", wants("api", "api")), for_s=40.0)


@pytest.mark.parametrize(
    ("trouble", "sentences"),
    [
        pytest.param(source_down, ["Ingress objects are failing"], id="source"),
        pytest.param(object_broken, ["Service shop/web: no such port"], id="object"),
        pytest.param(account_down, ["zones of b: denied"], id="account"),
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
            ["zone example.org: 1 name is changed by somebody else again and again"],
            id="name-contested",
        ),
        pytest.param(name_refused, ["1 record could not be published"], id="name-refused"),
        pytest.param(
            no_answer,
            [
                "zone example.org cannot be read: down",
                "zone example.org: a batch was not answered",
                "1 record could not be published",
            ],
            id="no-answer",
        ),
    ],
)
def test_what_fails_is_said_in_one_sentence_each(trouble: Callable[[Stage], None], sentences: list[str]) -> None:
    world = published()
    trouble(world)
    assert list(failures(world.engine)) == sentences


def test_a_conflict_or_two_are_no_failure_and_many_are_forgotten_once_the_name_is_written() -> None:
    world = published()
    world.provider.rule = lambda _: Conflict(message="changed", culprits=(host("api"),))
    world.run(seen("api", wants("api", "api")), for_s=2.0)
    assert failures(world.engine) == ()
    world.run(for_s=40.0)
    assert failures(world.engine)
    world.provider.rule = lambda _: None
    world.run(for_s=60.0)
    assert failures(world.engine) == ()


def test_a_pause_that_holds_up_nothing_any_more_is_no_failure() -> None:
    world = published()
    zone_busy(world)
    world.run(gone("api"))
    assert failures(world.engine) == ()


def test_a_zone_that_was_not_read_yet_is_none_in_order() -> None:
    world = stage()
    world.feed(Tick())
    world.feed(world.answer())
    assert "zone example.org has not been read yet" in failures(world.engine)


def test_a_zone_that_could_not_be_read_fails_with_what_the_service_said() -> None:
    world = stage()
    world.provider.failures.extend([None, RetryableError("denied", retry_after_s=600.0)])
    world.run()
    assert "zone example.org cannot be read: denied" in failures(world.engine)


@pytest.mark.parametrize(
    ("results", "sentence"),
    [
        pytest.param([RetryableError("down", retry_after_s=600.0)], "zones cannot be listed: down", id="the list"),
        pytest.param(
            [None, RetryableError("down", retry_after_s=600.0)], "zone example.org cannot be read: down", id="a zone"
        ),
    ],
)
def test_a_zone_that_was_read_once_and_cannot_be_read_again_fails(
    results: list[ProviderError | None], sentence: str
) -> None:
    world = published()
    world.provider.failures.extend(results)
    world.run(for_s=70.0)
    assert failures(world.engine) == (sentence,)
    world.run(for_s=600.0)
    assert failures(world.engine) == ()
