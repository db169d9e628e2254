"""What stands in for an input that the engine could not take in."""

from __future__ import annotations

import pytest

from extdns.controller.instead import instead
from extdns.engine.inputs import (
    Call,
    Existence,
    Input,
    KindReported,
    NamesRead,
    Observed,
    PageRead,
    ReadFailed,
    Submitted,
    Tick,
    ZonesListed,
)
from extdns.model.cluster import KindState, ObjectKey, Phase
from extdns.model.outcome import Applied, Unknown
from extdns.model.zone import Page, ZoneList
from tests.unit.engine.stage import SERVICE, ZONE, phase, seen, wants

WEB = seen("web", wants("web", "web"))
API = seen("api", wants("api", "api"))
BOTH = Observed(observations=(*WEB.observations, *API.observations))
LOST = seen("web", failure="why")
DOWN = KindReported(state=KindState(kind=SERVICE, phase=Phase.FAILING, detail="why"))


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
        pytest.param(Submitted(number=1, zone=ZONE, outcome=Unknown(message="")), (), id="no outcome"),
        pytest.param(BOTH, (WEB, API), id="several objects, each by itself"),
        pytest.param(WEB, (LOST,), id="an object"),
        pytest.param(LOST, (), id="an object that is lost already"),
        pytest.param(phase(SERVICE), (DOWN,), id="a kind"),
        pytest.param(DOWN, (), id="a kind that is down already"),
        pytest.param(Existence(key=ObjectKey(SERVICE, "shop", "web"), exists=True), (), id="an answer"),
        pytest.param(ReadFailed(call=Call.ZONES, zone=None, message=""), (), id="a failed read"),
        pytest.param(Tick(), (), id="time"),
    ],
)
def test_what_is_told_instead_claims_less(item: Input, expected: tuple[Input, ...]) -> None:
    assert instead(item, "why") == expected
