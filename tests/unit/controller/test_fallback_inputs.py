"""Inputs for the engine that replace an input on which it raised."""

from __future__ import annotations

import pytest

from extdns.controller.inputs import FallbackInputs
from extdns.engine.inputs import (
    AdjustmentsLoaded,
    BatchCompleted,
    Call,
    ExistenceChecked,
    Input,
    KindStateChanged,
    NamesRead,
    Observed,
    PageRead,
    ProblemChanged,
    ReadFailed,
    StateAnswered,
    StateFailed,
    StateLoaded,
    TimePassed,
    ZonesListed,
)
from extdns.model.change import Applied, Unknown
from extdns.model.cluster import KindState, ObjectProblem, Phase
from extdns.model.kind import Kind, ObjectKey
from extdns.model.saved_state import Saved
from extdns.model.zone import ZoneList, ZonePage
from tests.builders import INGRESS, SERVICE, ZONE, build_claim, change_phase, observe

WEB = observe("web", build_claim("web", "web"))
API = observe("api", build_claim("api", "api"))
BOTH = Observed(observations=(*WEB.observations, *API.observations))
FAILED_OBJECT = observe("web", failure="why")
DOWN = KindStateChanged(state=KindState(kind=SERVICE, phase=Phase.FAILING, detail="why"))
INGRESS_DOWN = KindStateChanged(state=KindState(kind=INGRESS, phase=Phase.FAILING, detail="why"))
UNKNOWN_OUTCOME = BatchCompleted(number=1, zone=ZONE, outcome=Unknown(message=""))
FAILED = ReadFailed(call=Call.ZONES, zone=None, message="")
KEY = ObjectKey(SERVICE, "shop", "web")
STATE_FAILED = StateFailed(message="no answer")
NOT_ADJUSTED = AdjustmentsLoaded(failure="why")
NOBODY_KNOWS = ExistenceChecked(key=KEY, exists=None)


def problem(key: ObjectKey | None, message: str = "no YAML") -> ProblemChanged:
    return ProblemChanged(problem=ObjectProblem(location="a.yaml:3", key=key, message=message))


@pytest.mark.parametrize(
    ("item", "expected"),
    [
        pytest.param(
            ZonesListed(zones=ZoneList(zones=())), (ReadFailed(call=Call.ZONES, zone=None, message="why"),), id="zones"
        ),
        pytest.param(
            PageRead(zone=ZONE, after=None, page=ZonePage(records=())),
            (ReadFailed(call=Call.PAGE, zone=ZONE, message="why"),),
            id="a page",
        ),
        pytest.param(
            NamesRead(zone=ZONE, names=(), records=()),
            (ReadFailed(call=Call.NAMES, zone=ZONE, message="why"),),
            id="names",
        ),
        pytest.param(
            BatchCompleted(number=1, zone=ZONE, outcome=Applied(records=())),
            (BatchCompleted(number=1, zone=ZONE, outcome=Unknown(message="why")),),
            id="an outcome",
        ),
        pytest.param(UNKNOWN_OUTCOME, (UNKNOWN_OUTCOME,), id="no outcome"),
        pytest.param(StateLoaded(saved=Saved()), (StateFailed(message="why"),), id="the saved state"),
        pytest.param(StateAnswered(), (StateFailed(message="why"),), id="an answer of the state store"),
        pytest.param(STATE_FAILED, (STATE_FAILED,), id="a failure of the state store"),
        pytest.param(AdjustmentsLoaded(), (NOT_ADJUSTED,), id="adjusted records"),
        pytest.param(NOT_ADJUSTED, (NOT_ADJUSTED,), id="records that could not be adjusted"),
        pytest.param(BOTH, (WEB, API), id="several objects, each by itself"),
        pytest.param(WEB, (FAILED_OBJECT,), id="an object"),
        pytest.param(FAILED_OBJECT, (DOWN,), id="an object that failed already"),
        pytest.param(change_phase(SERVICE), (DOWN,), id="a kind"),
        pytest.param(DOWN, (), id="a kind that is down already"),
        pytest.param(problem(KEY), (DOWN,), id="an object that cannot be read"),
        pytest.param(problem(None), (DOWN, INGRESS_DOWN), id="something that cannot be read"),
        pytest.param(problem(KEY, ""), (), id="an object that can be read again"),
        pytest.param(ExistenceChecked(key=KEY, exists=True), (ExistenceChecked(key=KEY, exists=None),), id="an answer"),
        pytest.param(NOBODY_KNOWS, (NOBODY_KNOWS,), id="no answer"),
        pytest.param(FAILED, (FAILED,), id="a failed read"),
        pytest.param(TimePassed(), (), id="time"),
    ],
)
def test_an_input_on_which_the_engine_raised_is_replaced_by_a_report_of_a_failure(
    item: Input, expected: tuple[Input, ...]
) -> None:
    assert FallbackInputs((SERVICE, INGRESS)).build_fallbacks(item, "why") == expected


@pytest.mark.parametrize(
    ("missed", "failing"),
    [
        pytest.param(problem(KEY), {SERVICE}, id="an object that cannot be read"),
        pytest.param(problem(None), {SERVICE, INGRESS}, id="something that cannot be read"),
        pytest.param(FAILED_OBJECT, {SERVICE}, id="an object that failed already"),
        pytest.param(problem(KEY, ""), set(), id="an object that can be read again"),
        pytest.param(WEB, set(), id="an object"),
        pytest.param(DOWN, set(), id="a kind"),
    ],
)
def test_a_kind_is_not_reported_as_synced_after_an_object_of_it_was_missed(missed: Input, failing: set[Kind]) -> None:
    fallbacks = FallbackInputs((SERVICE, INGRESS))
    fallbacks.build_fallbacks(missed, "why")
    corrected = {kind: fallbacks.correct(change_phase(kind)) for kind in (SERVICE, INGRESS)}
    assert {kind for kind in corrected if corrected[kind] != change_phase(kind)} == failing
    assert {corrected[kind] for kind in failing} <= {DOWN, INGRESS_DOWN}
    assert fallbacks.correct(change_phase(SERVICE, Phase.LISTING)) == change_phase(SERVICE, Phase.LISTING)
