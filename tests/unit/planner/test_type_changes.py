"""Both or neither: changes of type and switches between simple and routed (design 2, law 6; design 4; spec plan 11)."""

from __future__ import annotations

import pytest

from extdns.model.change import Delete
from extdns.model.evidence import Evidence
from extdns.model.ownership import Owned
from extdns.model.reason import Reason
from extdns.planner.merge import Candidate
from extdns.planner.plan import Judge
from tests.unit.planner.scene import (
    API,
    OLD,
    WEB,
    changes,
    decision_on,
    endings,
    gone,
    held,
    managing,
    plan,
    waiting,
    wanted,
    words,
)

S1, S2 = "s1", "s2"
A_S1, CNAME_S2 = wanted("A", "1.1.1.1", set_identifier=S1), wanted("CNAME", "b.test", resource=API, set_identifier=S2)
HELD_S1 = held("CNAME", "a.test", resource=WEB, set_identifier=S1)
HELD_S2 = held("CNAME", "b.test", resource=API, set_identifier=S2)
A, AAAA, CNAME = wanted("A", "1.1.1.1"), wanted("AAAA", "::1"), wanted("CNAME", "lb.test")
V1, V2 = wanted("A", "1.1.1.1", set_identifier="v1"), wanted("A", "2.2.2.2", set_identifier="v2", resource=API)
WITH_TXT = managing("A", "AAAA", "CNAME", "TXT")


@pytest.mark.parametrize(
    ("stands", "candidates"),
    [
        pytest.param((held("A", "1.1.1.1"), held("TXT", "x", owner="other")), (AAAA,), id="11-create-is-blocked"),
        pytest.param((held("A", "1.1.1.1"), held("TXT", "x", owner=None)), (CNAME,), id="11-blocked-by-nobodys"),
        pytest.param((held("CNAME", "lb.test"), held("TXT", "x", owner=None)), (A, AAAA), id="11-one-for-two"),
    ],
)
def test_a_type_change_that_somebody_blocks_is_not_begun(
    stands: tuple[Owned, ...], candidates: tuple[Candidate, ...]
) -> None:
    made = plan(stands, candidates, settings=WITH_TXT)
    assert words(made) == []
    blocked = decision_on(made, stands[0].record.type)
    assert (blocked.verdict, blocked.detail) == ("keep", f"{candidates[0].endpoint.type} cannot replace it")


@pytest.mark.parametrize("owner", [pytest.param("other", id="2.9-of-others"), pytest.param(None, id="2.9-nobodys")])
@pytest.mark.parametrize("address", ["::1", "::2"])
def test_a_type_that_is_asked_for_no_more_goes_though_the_one_that_stays_is_not_ours(
    owner: str | None, address: str
) -> None:
    made = plan((held("A", "1.1.1.1"), held("AAAA", address, owner=owner)), (AAAA,))
    assert words(made) == ["delete A"]


@pytest.mark.parametrize(
    ("stands", "candidates"),
    [
        pytest.param((held("A", "1.1.1.1"),), (CNAME,), id="a-to-cname"),
        pytest.param((held("CNAME", "lb.test"),), (A, AAAA), id="cname-to-addresses"),
        pytest.param((held("A", "1.1.1.1", resource=WEB),), (V1,), id="simple-to-routed"),
        pytest.param((held("A", "1.1.1.1", resource=WEB),), (V1, V2), id="simple-to-two-sets"),
        pytest.param((held("A", "1.1.1.1", resource=WEB, set_identifier="v1"),), (A,), id="routed-to-simple"),
        pytest.param((held("A", "1.1.1.1", resource=WEB), held("AAAA", "::1", resource=WEB)), (V1,), id="both-types"),
    ],
)
def test_an_exchange_of_forms_is_one_change_set(stands: tuple[Owned, ...], candidates: tuple[Candidate, ...]) -> None:
    made = plan(stands, candidates, judge=waiting(WEB))  # the judge is not asked: what replaces it is known
    (change_set,) = made.sets
    deletes = [change for change in change_set.changes if isinstance(change, Delete)]
    assert [(delete.held, delete.evidence) for delete in deletes] == [(one, Evidence.REPLACED) for one in stands]
    assert len(change_set.changes) == len(stands) + len(candidates)


def test_sets_of_one_routed_name_change_each_alone() -> None:
    made = plan((held("A", "9.9.9.9", set_identifier="v1"),), (V1, V2))
    assert [[change.key.set_identifier for change in each.changes] for each in made.sets] == [["v1"], ["v2"]]


@pytest.mark.parametrize(
    ("stands", "candidates", "judge", "expected"),
    [
        pytest.param(
            (held("A", "1.1.1.1", resource=OLD),),
            (V1,),
            gone,
            ["delete A", "create A v1: 1.1.1.1"],
            id="old-object-gone",
        ),
        pytest.param((held("A", "1.1.1.1", resource=OLD),), (V1,), waiting(OLD), [], id="old-object-waits"),
        pytest.param(
            (held("A", "1.1.1.1", resource=OLD),),
            (CNAME,),
            waiting(OLD),
            ["delete A", "create CNAME: lb.test"],
            id="live-claim-excludes",
        ),
        pytest.param(
            (held("A", "1.1.1.1", resource=OLD),), (AAAA,), waiting(OLD), ["create AAAA: ::1"], id="can-stand-beside"
        ),
        pytest.param(
            (held("A", "1.1.1.1", resource=WEB), held("AAAA", "::1", resource=OLD)),
            (V1,),
            waiting(OLD),
            [],
            id="one-half-waits",
        ),
        pytest.param((held("A", "1.1.1.1", owner=None),), (V1,), gone, [], id="foreign-simple"),
        pytest.param(
            (held("A", "1.1.1.1", owner="other", set_identifier="theirs"),), (A,), gone, [], id="foreign-routed"
        ),
        pytest.param(
            (held("A", "1.1.1.1", owner="other", set_identifier="theirs"),),
            (V1,),
            gone,
            ["create A v1: 1.1.1.1"],
            id="foreign-set-beside-ours",
        ),
        pytest.param((HELD_S1, HELD_S2), (A_S1,), waiting(API), [], id="cname-of-another-set-waits"),
        pytest.param((HELD_S1, HELD_S2), (A_S1, CNAME_S2), gone, [], id="cname-of-another-set-is-wanted"),
        pytest.param(
            (HELD_S1, held("CNAME", "c.test", resource=API, set_identifier=S2)),
            (A_S1, CNAME_S2),
            gone,
            ["update CNAME s2: b.test"],
            id="cname-of-another-set-is-updated",
        ),
        pytest.param(
            (held("CNAME", "b.test", owner="other", set_identifier=S2),),
            (A_S1,),
            gone,
            [],
            id="foreign-cname-of-another-set",
        ),
        pytest.param((), (A_S1, CNAME_S2), gone, ["create A s1: 1.1.1.1"], id="cname-yields-across-sets"),
    ],
)
def test_what_cannot_stand_beside_what_stays_waits_with_it(
    stands: tuple[Owned, ...], candidates: tuple[Candidate, ...], judge: Judge, expected: list[str]
) -> None:
    assert words(plan(stands, candidates, judge=judge)) == expected


def test_what_waits_says_for_what() -> None:
    made = plan((held("A", "1.1.1.1", resource=OLD),), (V1,), judge=waiting(OLD))
    decision = decision_on(made, "A", "v1")
    assert (decision.verdict, decision.reason) == ("none", "no-address")
    assert decision.detail == "cannot stand beside the A record, which stays"


@pytest.mark.parametrize(
    ("stands", "judge", "reason"),
    [
        pytest.param(HELD_S2, waiting(API), Reason.NO_ADDRESS, id="waits-with-it"),
        pytest.param(
            held("CNAME", "b.test", owner="other", set_identifier=S2), gone, Reason.OWNED_BY_OTHER, id="anothers"
        ),
    ],
)
def test_what_waits_for_another_set_says_why(stands: Owned, judge: Judge, reason: Reason) -> None:
    decision = decision_on(plan((stands,), (A_S1,), judge=judge), "A", S1)
    assert (decision.verdict, decision.reason) == ("none", reason)
    assert decision.detail == "cannot stand beside the CNAME record 's2', which stays"


def test_sets_that_are_wanted_as_cname_and_as_another_type_conflict() -> None:
    stays = plan((HELD_S1, HELD_S2), (A_S1, CNAME_S2))
    assert [(one.type, one.set_identifier, one.reason) for one in stays.decisions] == [
        ("A", S1, Reason.ROUTING_CONFLICT),
        ("CNAME", S1, Reason.ROUTING_CONFLICT),
        ("CNAME", S2, Reason.PROGRAMMED),
    ]
    fresh = decision_on(plan((), (A_S1, CNAME_S2)), "CNAME", S2)
    assert (fresh.reason, fresh.detail) == (Reason.ROUTING_CONFLICT, "cannot stand beside the A record 's1'")


def test_sets_that_all_change_their_type_are_one_change_set() -> None:
    made = plan((HELD_S1, HELD_S2), (A_S1, wanted("A", "2.2.2.2", resource=API, set_identifier=S2)))
    (change_set,) = made.sets
    assert [(change.key.set_identifier, change.key.type) for change in change_set.changes] == [
        (S1, "A"),
        (S1, "CNAME"),
        (S2, "A"),
        (S2, "CNAME"),
    ]


@pytest.mark.parametrize("owner", [pytest.param(None, id="nobodys"), pytest.param("other", id="anothers")])
def test_somebody_elses_simple_record_leaves_no_place_for_routed_ones(owner: str | None) -> None:
    made = plan((held("A", "1.1.1.1", owner=owner),), (V1,))
    assert words(made) == []
    assert decision_on(made, "A", "v1").reason is Reason.ROUTING_CONFLICT


SINCE = {WEB: "2026-01-01T00:00:00Z", API: "2026-02-01T00:00:00Z"}
SIMPLE_OLDER = (
    wanted("A", "1.1.1.1", resource=WEB, created=SINCE[WEB]),
    wanted("A", "2.2.2.2", resource=API, created=SINCE[API], set_identifier="v1"),
)
ROUTED_OLDER = (
    wanted("A", "1.1.1.1", resource=API, created=SINCE[API]),
    wanted("A", "2.2.2.2", resource=WEB, created=SINCE[WEB], set_identifier="v1"),
)


@pytest.mark.parametrize(
    ("stands", "candidates", "expected"),
    [
        pytest.param((), SIMPLE_OLDER, ["create A: 1.1.1.1"], id="oldest-wants-simple"),
        pytest.param((), ROUTED_OLDER, ["create A v1: 2.2.2.2"], id="oldest-wants-routed"),
        pytest.param((held("A", "9.9.9.9"),), ROUTED_OLDER, ["update A: 1.1.1.1"], id="simple-stands"),
        pytest.param(
            (held("A", "9.9.9.9", set_identifier="v1"),), SIMPLE_OLDER, ["update A v1: 2.2.2.2"], id="routed-stands"
        ),
        pytest.param(
            (held("A", "9.9.9.9", set_identifier="v0"),),
            SIMPLE_OLDER,
            ["delete A v0", "create A v1: 2.2.2.2"],
            id="another-set-stands",
        ),
        pytest.param(
            (held("A", "9.9.9.9", owner="other", set_identifier="v0"),),
            SIMPLE_OLDER,
            ["create A v1: 2.2.2.2"],
            id="a-foreign-set-stands",
        ),
    ],
)
def test_a_name_is_simple_or_routed(
    stands: tuple[Owned, ...], candidates: tuple[Candidate, ...], expected: list[str]
) -> None:
    made = plan(stands, candidates)
    assert words(made) == expected
    assert [one.verdict for one in made.decisions if one.reason is Reason.ROUTING_CONFLICT] == ["none"]


def test_of_the_form_that_lost_every_candidate_is_told() -> None:
    routed = [
        wanted("A", "2.2.2.2", resource=API, set_identifier="v1", created=SINCE[API]),
        wanted("A", "3.3.3.3", resource=OLD, set_identifier="v1", created=SINCE[API]),
        wanted("CNAME", "lb.test", resource=API, set_identifier="v1", created=SINCE[API]),
    ]
    made = plan((), (SIMPLE_OLDER[0], *routed))
    lost = [one.wanted for one in made.decisions if one.reason is Reason.ROUTING_CONFLICT]
    assert sorted(map(repr, lost)) == sorted(repr(candidate.endpoint) for candidate in routed)


@pytest.mark.parametrize(
    "reason",
    [Reason.NO_ADDRESS, Reason.OBJECT_FAILED, Reason.SOURCE_DOWN, Reason.INVALID_TARGET, Reason.TARGETS_FILTERED],
)
def test_a_type_whose_object_is_undecided_stays_beside_live_claims(reason: Reason) -> None:
    stands = (held("A", "1.1.1.1", resource=WEB), held("AAAA", "::1", resource=OLD))
    made = plan(stands, (A,), judge=waiting(OLD, reason=reason))
    assert endings(made) == [("A", "keep", "programmed"), ("AAAA", "keep", reason.value)]


@pytest.mark.parametrize("reason", [Reason.CONFLICT_LOST, Reason.ORPHAN_UNCLAIMED, Reason.HOSTNAME_REMOVED])
def test_live_claims_decide_where_nobody_is_undecided(reason: Reason) -> None:
    stands = (held("A", "1.1.1.1", resource=WEB), held("AAAA", "::1", resource=OLD))
    (delete,) = changes(plan(stands, (A,), judge=waiting(OLD, reason=reason)))
    assert delete == Delete(held=stands[1], evidence=Evidence.REPLACED)
