"""Which claims of objects cannot be computed."""

from __future__ import annotations

from extdns.engine.claims import ClaimIndex
from extdns.engine.inputs import Observed
from extdns.model.kind import ObjectKey
from tests.builders import INGRESS, PLAN, SERVICE, build_claim, observe, observe_gone

WEB, API = ObjectKey(SERVICE, "shop", "web"), ObjectKey(SERVICE, "shop", "api")


def build_index(*observed: Observed) -> ClaimIndex:
    index = ClaimIndex(PLAN)
    for one in observed:
        for seen in one.observations:
            index.update(seen)
    return index


def test_objects_whose_claims_cannot_be_computed_are_listed_with_the_error() -> None:
    waiting = observe("api", failure="waits for Ingress", awaited_kind=INGRESS)
    index = build_index(observe("web", failure="error"), waiting, observe("old", build_claim("old", "old")))
    assert (index.find_failure(WEB), index.find_failure(API)) == ("error", "waits for Ingress")
    assert index.find_failure(ObjectKey(SERVICE, "shop", "old")) == ""
    assert index.failures() == [(API, "waits for Ingress"), (WEB, "error")]
    assert index.unexpected_failures() == [(WEB, "error")]
    assert index.find_failing("shop") == index.find_failing("") == (WEB, "error")
    assert index.find_failing("other") is None
    assert index.copy().failures() == index.failures()


def test_claims_stay_while_they_cannot_be_computed_and_the_failure_ends_with_the_next_result() -> None:
    claim = build_claim("web", "web")
    index = build_index(observe("web", claim), observe("web", failure="error"))
    assert index.claims(claim.name) == (claim,)
    assert index.uncertainty == (("shop",), False)
    for later in (observe("web", claim), observe_gone("web")):
        recovered = build_index(observe("web", claim), observe("web", failure="error"), later)
        assert (recovered.find_failing(""), recovered.find_failure(WEB)) == (None, "")
        assert recovered.uncertainty == ((), False)
        assert not recovered.failures()
