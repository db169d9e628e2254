"""Which deletes are made, and on what evidence (design 6; grace and budget are not here)."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from msgspec.structs import replace

from extdns.engine.budget import Limits
from extdns.engine.deletesettings import DeleteSettings
from extdns.engine.inputs import Cause, Input, Observed
from extdns.model.claim import Claim, Filtered
from extdns.model.cluster import Kind, ObjectKey, Phase
from extdns.model.objects import POD
from extdns.model.reason import Reason
from tests.unit.engine.stage import (
    INGRESS,
    PLAN,
    SERVICE,
    gone,
    mark,
    owned,
    phase,
    published,
    record,
    ref,
    running,
    seen,
    stage,
    wants,
    withholds,
)

GRACE = DeleteSettings(owner="me", grace_s=60.0, limits=Limits(percent=100))
GATEWAYS = Kind("gateway.networking.k8s.io", "v1", "Gateway", "gateways")
GATEWAY = ObjectKey(GATEWAYS, "shop", "front")
FILTERED = Filtered(ref=ref("web"), by="--label-filter")
COMPAT = replace(PLAN, compat=True)
AT_ONCE = DeleteSettings(owner="me", grace_s=0.0, limits=Limits(percent=100), stale_hold_s=0.0, at_once=True)


@pytest.mark.parametrize(
    ("news", "expected"),
    [
        pytest.param([gone("web")], "object-deleted", id="object-deleted"),
        pytest.param([seen("web")], "hostname-removed", id="hostname-removed"),
        pytest.param([seen("web", wants("web", "api"))], "hostname-removed", id="another-hostname"),
        pytest.param([seen("web", FILTERED)], "filtered-out", id="filtered-out"),
        pytest.param(
            [seen("web", Filtered(ref=ref("web"), by="--ingress-class", name=wants("web", "web").name))],
            "filtered-out",
            id="one-name-filtered-out",
        ),
        pytest.param([seen("web", cause=Cause.DEPENDENCY)], "dependency-changed", id="dependency-changed"),
        pytest.param([seen("web", withholds("web", "web", Reason.NO_ENDPOINTS))], "no-endpoints", id="no-endpoints"),
        pytest.param([gone("web", Cause.MISSING)], "absent", id="absent"),
        pytest.param([seen("web", failure="broken"), gone("web")], "object-deleted", id="failed-then-deleted"),
        pytest.param([gone("web", Cause.MISSING), seen("web")], "hostname-removed", id="missing-then-back"),
    ],
)
def test_each_way_in_which_a_claim_ends_is_evidence(news: Sequence[Observed], expected: str) -> None:
    world = published()
    world.run(*news)
    assert "web A" not in world.holds()
    assert "a-web" not in world.marks()
    assert world.evidence == [expected]


def test_an_object_seen_again_unchanged_can_still_go() -> None:
    world = published()
    world.run(seen("web", wants("web", "web")), seen("web", wants("web", "web")))
    world.run(gone("web"))
    assert world.evidence == ["object-deleted"]


@pytest.mark.parametrize(
    ("news", "reason"),
    [
        pytest.param([seen("web", withholds("web", "web"))], "no-address", id="status-blank"),
        pytest.param([seen("web", failure="broken")], "programmed", id="claims-not-computable"),
        pytest.param([seen("web", failure="no pods", parked_on=POD)], "programmed", id="parked"),
        pytest.param([phase(SERVICE, Phase.FAILING)], "programmed", id="source-failing"),
        pytest.param([phase(SERVICE, Phase.NOT_SERVED)], "programmed", id="source-not-served"),
        pytest.param([phase(SERVICE, Phase.FAILING), gone("web", Cause.MISSING)], "source-down", id="missing-and-down"),
        pytest.param([phase(SERVICE, Phase.NOT_SERVED), gone("web")], "source-down", id="deleted-while-down"),
    ],
)
def test_what_is_no_evidence_keeps_the_record(news: Sequence[Observed], reason: str) -> None:
    world = published()
    world.run(*news, for_s=600.0)
    assert world.holds() == {"web A": ("192.0.2.1",)}
    assert world.endings("web") == [f"A keep {reason}"]


def test_what_was_kept_while_a_source_was_down_goes_when_it_is_back() -> None:
    world = published()
    world.run(phase(SERVICE, Phase.FAILING), gone("web"))
    world.run(phase(SERVICE), for_s=1.0)
    assert world.evidence == ["object-deleted"]


# absence


@pytest.mark.parametrize(
    ("answers", "expected"),
    [
        pytest.param([False], ["absent"], id="gone"),
        pytest.param([None, None, False], ["absent"], id="gone-but-hard-to-ask"),
        pytest.param([True], [], id="exists"),
        pytest.param([True, True, False], ["absent"], id="gone-later"),
    ],
)
def test_absence_wants_confirmation(answers: list[bool | None], expected: list[str]) -> None:
    world = published()
    left = iter(answers)
    world.exists = lambda _: next(left)
    world.run(gone("web", Cause.MISSING), for_s=100.0 if len(answers) == 1 else 700.0)
    assert world.evidence == expected
    assert world.calls.count("Confirm") == len(answers)
    if not expected:
        assert world.endings("web") == ["A keep absent"]


def test_while_absence_is_not_confirmed_the_record_stays() -> None:
    world = published()
    world.exists = lambda _: None
    world.run(gone("web", Cause.MISSING), for_s=300.0)
    assert world.endings("web") == ["A keep absent"]
    assert world.decision("web").detail == "waiting for confirmation that the object is gone"


def test_an_object_that_comes_back_is_not_absent() -> None:
    world = published()
    world.exists = lambda _: None
    world.run(gone("web", Cause.MISSING), for_s=10.0)
    world.run(seen("web", wants("web", "web")), for_s=100.0)
    assert world.endings("web") == ["A keep programmed"]
    assert world.calls.count("Confirm") == 1


def test_an_answer_from_before_the_object_was_seen_again_counts_for_nothing() -> None:
    world = published()
    world.feed(gone("web", Cause.MISSING))
    world.run(for_s=0.0)
    world.now_s += 0.1
    world.feed(seen("other"))
    world.now_s += 0.1
    world.feed(seen("other"))
    late = world.answer()
    world.exists = lambda _: None
    world.feed(seen("web", wants("web", "web")))
    world.feed(gone("web", Cause.MISSING))
    world.feed(late)
    world.run(for_s=20.0)
    assert world.endings("web") == ["A keep absent"]
    assert world.evidence == []


def test_a_single_pass_takes_one_complete_list_for_absence() -> None:
    world = running(*owned("web"), once=True)
    assert world.evidence == ["orphan-gone"]
    assert "Confirm" not in world.calls


# modes


@pytest.mark.parametrize(
    "news",
    [
        pytest.param([seen("web", withholds("web", "web"))], id="status-blank"),
        pytest.param([gone("web", Cause.MISSING)], id="missing"),
        pytest.param([seen("web")], id="hostname-removed"),
    ],
)
def test_compat_deletes_at_once_what_nobody_asks_for(news: Sequence[Observed]) -> None:
    world = published(plan=COMPAT)
    world.exists = lambda _: None
    world.run(*news)
    assert world.holds() == {}


def test_compat_deletes_orphans() -> None:
    assert running(*owned("web", resource=""), plan=COMPAT).holds() == {}


@pytest.mark.parametrize(
    "news",
    [
        pytest.param([seen("web", failure="broken"), seen("web", failure="broken")], id="object-failed"),
        pytest.param([phase(SERVICE, Phase.FAILING), gone("web", Cause.MISSING)], id="source-down"),
        pytest.param([seen("web", withholds("web", "web", Reason.INVALID_TARGET))], id="a-target-no-service-takes"),
        pytest.param([seen("web", withholds("web", "web", Reason.UNSUPPORTED))], id="no-target-at-all"),
    ],
)
def test_compat_deletes_nothing_because_of_a_failure(news: Sequence[Observed]) -> None:
    world = published(plan=COMPAT, deletes=AT_ONCE)
    world.run(*news)
    assert world.holds() == {"web A": ("192.0.2.1",)}


@pytest.mark.parametrize("compat", [pytest.param(True, id="compat"), pytest.param(False, id="default")])
@pytest.mark.parametrize(
    ("news", "reason"),
    [
        pytest.param(seen("web", failure="broken"), "object-failed", id="object-failed"),
        pytest.param(phase(INGRESS, Phase.NOT_SERVED), "source-down", id="source-down"),
    ],
)
def test_what_a_mark_without_an_object_proves_stays_while_any_object_is_unknown(
    news: Input, reason: str, *, compat: bool
) -> None:
    world = stage(*owned("web", resource=""), plan=COMPAT if compat else PLAN, deletes=AT_ONCE if compat else GRACE)
    world.run(phase(SERVICE), phase(INGRESS), news, for_s=600.0)
    assert world.endings("web") == [f"A keep {reason}"]
    world.run(seen("web"), phase(INGRESS), for_s=600.0)
    assert world.holds() == {} or not compat


def test_another_owners_record_never_goes() -> None:
    world = running(record("web"), mark("web", owner="other"))
    world.run(seen("web", wants("web", "web", "192.0.2.9")), gone("web"), for_s=600.0)
    assert world.holds() == {"web A": ("192.0.2.1",)}
    assert world.evidence == []


def test_a_kind_that_is_not_served_any_more_makes_deleted_objects_missing_ones() -> None:
    world = published(deletes=GRACE)
    world.run(gone("web"), for_s=5.0)
    world.run(phase(SERVICE, Phase.NOT_SERVED), for_s=600.0)
    world.run(phase(SERVICE), for_s=30.0)
    assert world.endings("web") == ["A keep absent"]
    world.run(for_s=40.0)
    assert world.evidence == ["absent"]


@pytest.mark.parametrize(
    "news",
    [
        pytest.param(seen("web", cause=Cause.DEPENDENCY), id="dependency-changed"),
        pytest.param(seen("web", withholds("web", "web", Reason.NO_ENDPOINTS)), id="no-endpoints"),
    ],
)
def test_while_a_kind_that_objects_rest_on_is_down_what_they_do_not_find_is_no_evidence(news: Observed) -> None:
    world = published(deletes=GRACE)
    world.run(phase(GATEWAYS), news, for_s=5.0)
    world.run(phase(GATEWAYS, Phase.FAILING), for_s=600.0)
    assert "A keep source-down" in world.endings("web")
    world.run(phase(GATEWAYS), for_s=59.0)
    assert "A keep in-grace" in world.endings("web")


def test_what_was_not_found_when_a_kind_went_out_of_service_is_no_evidence_later() -> None:
    world = published(deletes=GRACE)
    world.run(phase(GATEWAYS), seen("web", cause=Cause.DEPENDENCY), for_s=5.0)
    world.run(phase(GATEWAYS, Phase.NOT_SERVED), phase(GATEWAYS), for_s=600.0)
    assert world.endings("web") == ["A keep source-down"]
    world.run(seen("web", cause=Cause.DEPENDENCY), for_s=600.0)
    assert world.evidence == ["dependency-changed"], "it was looked at again"


@pytest.mark.parametrize(
    ("claims", "expected"),
    [
        pytest.param((), "dependency-changed", id="dependency-changed"),
        pytest.param((withholds("web", "web", Reason.NO_ENDPOINTS),), "no-endpoints", id="no-endpoints"),
    ],
)
def test_what_an_object_rests_on_and_a_list_lacks_has_to_be_gone(claims: tuple[Claim, ...], expected: str) -> None:
    world = published(deletes=GRACE)
    world.exists = lambda key: key == GATEWAY
    world.run(phase(GATEWAYS), seen("web", *claims, cause=Cause.DEPENDENCY, lacking=(GATEWAY,)), for_s=600.0)
    assert "A keep absent" in world.endings("web")
    world.run(seen("web", *claims, lacking=(GATEWAY,)), for_s=600.0)
    assert "A keep absent" in world.endings("web"), "another version sees no more"
    world.exists = lambda _: False
    world.run(for_s=600.0)
    assert world.evidence == [expected]


def test_what_an_object_rests_on_and_a_list_lacked_is_there_again() -> None:
    world = published(deletes=GRACE)
    world.run(phase(GATEWAYS), seen("web", cause=Cause.DEPENDENCY, lacking=(GATEWAY,)), for_s=30.0)
    world.run(seen("web", cause=Cause.DEPENDENCY), for_s=59.0)
    assert world.endings("web") == ["A keep in-grace"]
    world.run(for_s=2.0)
    assert world.evidence == ["dependency-changed"]
