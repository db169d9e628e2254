"""Which parents of a Route are used, and what a Route waits for (docs/spec/sources.md 5.4)."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from extdns.model.claim import Claim, UnresolvedClaim
from extdns.model.kind import KubernetesObject
from extdns.resources.gateway_api import GATEWAY, LabelSelector, ParentRef, Route
from extdns.sources.common.annotation_names import PREFIX
from tests.fakes.view import FakeView
from tests.unit.sources.cluster import compute_claims
from tests.unit.sources.expected_claims import reduce_claims, resolved
from tests.unit.sources.made import build_source
from tests.unit.sources.routes import gateway, http, listener, namespace, parent, selecting
from tests.unit.sources.samples import CountedReads, meta

pytestmark = pytest.mark.usefixtures("cluster")

WILD = gateway(listener("*.acme.test"))
ANY = gateway(listener())


def claims(obj: Route, *others: KubernetesObject) -> tuple[Claim, ...]:
    source = build_source("gateway-httproute")
    return compute_claims(source, obj, *others, listed=[GATEWAY])


def a(*names: str, address: str = "203.0.113.9") -> list[str]:
    return [resolved(name, "A", address) for name in names]


def test_annotations_of_a_parent_are_read_once_for_all_listeners_that_a_route_names() -> None:
    stated = CountedReads({PREFIX + "target": "192.0.2.1"})
    names = [f"l{number}" for number in range(32)]
    metadata = replace(meta("infra/gw"), annotations=stated)
    shared = replace(gateway(*(listener(f"{name}.t", name=name) for name in names)), metadata=metadata)
    found = build_source("gateway-httproute").find_claims(
        http(parents=[parent(section=name) for name in names]), FakeView(shared)
    )
    assert (len(found), stated.reads) == (32, 1)


class ComparedText(str):
    """A text that counts how often it is compared."""

    __slots__ = ("times",)

    def __eq__(self, other: object) -> bool:
        self.times: int = getattr(self, "times", 0) + 1
        return super().__eq__(other)

    __hash__ = str.__hash__


def test_a_selector_of_a_listener_is_read_once_and_labels_of_a_namespace_are_compared_with_it_once_for_all_routes() -> (
    None
):
    selector, team = CountedReads(team="shop"), ComparedText("shop")
    shared = gateway(listener(allow=selecting(expressions=LabelSelector(match_labels=selector))))
    view, source = FakeView(shared, namespace("shop", team=team)), build_source("gateway-httproute")
    for name in ("a.t", "b.t"):
        assert reduce_claims(source.find_claims(http(name), view)) == a(name)
    assert (selector.reads, team.times) == (1, 1)


SECTIONS = gateway(listener("*.one.t", name="one", port=80, protocol="HTTP"), listener("*.two.t", name="two", port=443))


# docs/spec/sources.md 5.4
@pytest.mark.parametrize(
    ("ref", "expected"),
    [
        pytest.param(parent(), ["*.one.t", "*.two.t"], id="5.4-all-listeners"),
        pytest.param(parent(section="two"), ["*.two.t"], id="5.4-section"),
        pytest.param(parent(port=80), ["*.one.t"], id="5.5-port"),
        pytest.param(parent(section="two", port=80), [], id="5.5-section-and-port"),
        pytest.param(parent(section="none"), [], id="5.4-no-such-section"),
        pytest.param(parent(group="gateway.networking.k8s.io", kind="Gateway"), ["*.one.t", "*.two.t"], id="5.4-spelt"),
    ],
)
def test_section_name_and_port_of_a_parent_reference_select_listeners(ref: ParentRef, expected: list[str]) -> None:
    assert reduce_claims(claims(http(parents=[ref]), SECTIONS)) == a(*expected)


# docs/spec/sources.md 5.4
@pytest.mark.parametrize(
    ("obj", "expected"),
    [
        pytest.param(http("a.t", parents=[]), "a.t: excluded by spec.parentRefs, which is empty", id="5.4-no-parent"),
        pytest.param(http("a.t", parents=[parent("infra/gone")]), "a.t: no-gateway", id="5.4-missing-parent"),
        pytest.param(
            http(parents=[parent("infra/gone")]),
            "excluded by spec.parentRefs: there is no Gateway infra/gone",
            id="5.4-missing-parent-that-has-the-hostnames",
        ),
        pytest.param(
            http("a.t", parents=[parent("gw")]), "a.t: no-gateway", id="5.4-the-route's-own-namespace-by-default"
        ),
        pytest.param(
            http("a.t", parents=[parent(kind="Service", group="core")]),
            "a.t: excluded by spec.parentRefs: Service infra/gw is not a Gateway",
            id="5.4-another-kind",
        ),
        pytest.param(
            http("a.t", parents=[parent(kind="ListenerSet")]),
            "a.t: excluded by --gateway-listener-sets",
            id="5.7-no-flag",
        ),
        pytest.param(http("a.t", status="False"), "a.t: not-accepted", id="5.4-refused"),
        pytest.param(http("a.t", status="Unknown"), "a.t: not-accepted", id="5.4-undecided"),
        pytest.param(http("a.t", accepted_by=[]), "a.t: not-accepted", id="5.4-no-parent-status"),
        pytest.param(http("a.t", accepted_by=[parent("other/gw")]), "a.t: not-accepted", id="5.4-of-another-parent"),
    ],
)
def test_parents_of_unknown_kinds_or_that_have_not_accepted_the_route_are_not_used(obj: Route, expected: str) -> None:
    assert reduce_claims(claims(obj, ANY)) == [expected]


def test_the_unresolved_claim_of_a_route_names_the_parent_that_has_not_accepted_it() -> None:
    for obj, detail in (
        (http("a.t", status="False"), "Gateway infra/gw has not accepted the Route"),
        (http("a.t", accepted_by=[]), "Gateway infra/gw has not reported yet whether it accepts the Route"),
        (http("a.t", parents=[parent("infra/gone")]), "spec.parentRefs: there is no Gateway infra/gone"),
    ):
        (found,) = claims(obj, ANY)
        assert isinstance(found, UnresolvedClaim)
        assert (found.detail, found.provenance.field) == (detail, "spec.hostnames[0]")


def test_hostnames_from_a_listener_are_unresolved_while_the_route_is_not_accepted() -> None:
    assert reduce_claims(claims(http(status="False"), WILD)) == ["*.acme.test: not-accepted"]


# docs/spec/sources.md 5.4
def test_only_parents_that_accept_the_route_are_used() -> None:
    others = [gateway(listener(), location=f"infra/g{at}", addresses=[f"203.0.113.{at}"]) for at in (1, 2, 3)]
    parents = [parent(f"infra/g{at}") for at in (1, 2, 3)]
    obj = http("a.t", parents=parents, accepted_by=parents[:2])
    assert reduce_claims(claims(obj, *others)) == ["a.t A 203.0.113.1, 203.0.113.2"]


# docs/spec/sources.md 5.4
def test_a_parent_that_accepts_a_route_but_is_missing_in_its_spec_is_not_used() -> None:
    others = [gateway(listener(), location=f"infra/g{at}", addresses=[f"203.0.113.{at}"]) for at in (1, 2)]
    obj = http("a.t", parents=[parent("infra/g1")], accepted_by=[parent("infra/g1"), parent("infra/g2")])
    assert reduce_claims(claims(obj, *others)) == a("a.t", address="203.0.113.1")
