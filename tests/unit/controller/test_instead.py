"""What stands in for an input that the engine could not take in."""

from __future__ import annotations

import pytest

from extdns.controller.instead import Standins
from extdns.engine.inputs import (
    Call,
    Existence,
    Input,
    KindReported,
    NamesRead,
    Observed,
    PageRead,
    ProblemReported,
    ReadFailed,
    Submitted,
    Tick,
    ZonesListed,
)
from extdns.model.cluster import Kind, KindState, ObjectKey, ObjectProblem, Phase
from extdns.model.outcome import Applied, Unknown
from extdns.model.zone import Page, ZoneList
from tests.unit.engine.stage import INGRESS, SERVICE, ZONE, phase, seen, wants

WEB = seen("web", wants("web", "web"))
API = seen("api", wants("api", "api"))
BOTH = Observed(observations=(*WEB.observations, *API.observations))
LOST = seen("web", failure="why")
DOWN = KindReported(state=KindState(kind=SERVICE, phase=Phase.FAILING, detail="why"))
INGRESS_DOWN = KindReported(state=KindState(kind=INGRESS, phase=Phase.FAILING, detail="why"))
LOST_BATCH = Submitted(number=1, zone=ZONE, outcome=Unknown(message=""))
FAILED = ReadFailed(call=Call.ZONES, zone=None, message="")
KEY = ObjectKey(SERVICE, "shop", "web")
NOBODY_KNOWS = Existence(key=KEY, exists=None)


def problem(key: ObjectKey | None, message: str = "no YAML") -> ProblemReported:
    return ProblemReported(problem=ObjectProblem(place="a.yaml:3", key=key, message=message))


@pytest.mark.parametrize(
    ("item", "expected"),
    [
        pytest.param(
            ZonesListed(zones=ZoneList(zones=())), (ReadFailed(call=Call.ZONES, zone=None, message="why"),), id="zones"
        ),
        pytest.param(
            PageRead(zone=ZONE, asked=None, page=Page(records=())),
            (ReadFailed(call=Call.PAGE, zone=ZONE, message="why"),),
            id="a page",
        ),
        pytest.param(
            NamesRead(zone=ZONE, names=(), records=()),
            (ReadFailed(call=Call.NAMES, zone=ZONE, message="why"),),
            id="names",
        ),
        pytest.param(
            Submitted(number=1, zone=ZONE, outcome=Applied(records=())),
            (Submitted(number=1, zone=ZONE, outcome=Unknown(message="why")),),
            id="an outcome",
        ),
        pytest.param(LOST_BATCH, (LOST_BATCH,), id="no outcome"),
        pytest.param(BOTH, (WEB, API), id="several objects, each by itself"),
        pytest.param(WEB, (LOST,), id="an object"),
        pytest.param(LOST, (DOWN,), id="an object that is lost already"),
        pytest.param(phase(SERVICE), (DOWN,), id="a kind"),
        pytest.param(DOWN, (), id="a kind that is down already"),
        pytest.param(problem(KEY), (DOWN,), id="an object that cannot be read"),
        pytest.param(problem(None), (DOWN, INGRESS_DOWN), id="something that cannot be read"),
        pytest.param(problem(KEY, ""), (), id="an object that can be read again"),
        pytest.param(Existence(key=KEY, exists=True), (Existence(key=KEY, exists=None),), id="an answer"),
        pytest.param(NOBODY_KNOWS, (NOBODY_KNOWS,), id="no answer"),
        pytest.param(FAILED, (FAILED,), id="a failed read"),
        pytest.param(Tick(), (), id="time"),
    ],
)
def test_what_is_told_instead_claims_less(item: Input, expected: tuple[Input, ...]) -> None:
    assert Standins((SERVICE, INGRESS)).instead(item, "why") == expected


@pytest.mark.parametrize(
    ("missed", "failing"),
    [
        pytest.param(problem(KEY), {SERVICE}, id="an object that cannot be read"),
        pytest.param(problem(None), {SERVICE, INGRESS}, id="something that cannot be read"),
        pytest.param(LOST, {SERVICE}, id="an object of which nothing can be told"),
        pytest.param(problem(KEY, ""), set(), id="an object that can be read again"),
        pytest.param(WEB, set(), id="an object that is told in other words"),
        pytest.param(DOWN, set(), id="a kind"),
    ],
)
def test_a_kind_of_which_something_was_missed_is_never_synced(missed: Input, failing: set[Kind]) -> None:
    standins = Standins((SERVICE, INGRESS))
    standins.instead(missed, "why")
    told = {kind: standins.truthful(phase(kind)) for kind in (SERVICE, INGRESS)}
    assert {kind for kind in told if told[kind] != phase(kind)} == failing
    assert {told[kind] for kind in failing} <= {DOWN, INGRESS_DOWN}
    assert standins.truthful(phase(SERVICE, Phase.LISTING)) == phase(SERVICE, Phase.LISTING)
