"""Which Routes, Gateways and ListenerSets are used, and how ListenerSets attach.

See docs/spec/sources.md 5.2, 5.7.
"""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from extdns.errors import UsageError
from extdns.model.claim import Claim
from extdns.model.kind import KubernetesObject
from extdns.model.selection import parse_annotation_selector
from extdns.resources.gateway_api import (
    GATEWAY,
    LISTENER_SET,
    Gateway,
    ListenerSet,
    ListenerSetStatus,
    Route,
    RouteStatus,
)
from extdns.sources.common.claim_builder import SourceSettings
from tests.unit.sources.cluster import compute_claims
from tests.unit.sources.expected_claims import excluded, reduce_claims, resolved
from tests.unit.sources.made import build_source, settings_with
from tests.unit.sources.routes import (
    ALL,
    NONE,
    SAME,
    gateway,
    http,
    listener,
    listener_set,
    namespace,
    parent,
    selecting,
)
from tests.unit.sources.samples import PREFIX, ours

pytestmark = pytest.mark.usefixtures("cluster")

PUBLISHED = "a.t A 203.0.113.9"
ROUTE = http("a.t", labels={"app": "web"}, annotations={"team": "shop"})
LABELLED = gateway(listener(), labels={"edge": "yes"})


def claims(obj: Route, *others: KubernetesObject, settings: SourceSettings) -> tuple[Claim, ...]:
    source = build_source("gateway-httproute", settings)
    return compute_claims(source, obj, *others, listed=[GATEWAY, LISTENER_SET])


# docs/spec/sources.md 5.2
@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        pytest.param(settings_with(), PUBLISHED, id="5.2-no-filter"),
        pytest.param(
            settings_with(annotation_filter=parse_annotation_selector("team=shop")),
            PUBLISHED,
            id="5.2-annotations-of-routes-not-of-gateways",
        ),
        pytest.param(settings_with(gateway_name="gw"), PUBLISHED, id="5.2-gateway-name"),
        pytest.param(settings_with(gateway_name="x"), "a.t: excluded by --gateway-name", id="5.2-other-gateway-name"),
        pytest.param(settings_with(gateway_namespace="infra"), PUBLISHED, id="5.2-gateway-namespace"),
        pytest.param(
            settings_with(gateway_namespace="shop"),
            "a.t: excluded by --gateway-namespace",
            id="5.2-other-gateway-namespace",
        ),
        pytest.param(settings_with(gateway_label_filter="edge=yes"), PUBLISHED, id="5.2-gateway-labels"),
        pytest.param(
            settings_with(gateway_label_filter="edge=no"),
            "a.t: excluded by --gateway-label-filter",
            id="5.2-other-gateway-labels",
        ),
    ],
)
def test_filter_flags_exclude_routes(settings: SourceSettings, expected: str) -> None:
    assert reduce_claims(claims(ROUTE, LABELLED, settings=settings)) == [expected]


# docs/spec/sources.md 5.2
def test_routes_and_gateways_with_a_controller_annotation_for_another_program_are_excluded() -> None:
    other, by = ours(controller="other"), f"annotation {PREFIX}controller"
    assert reduce_claims(claims(http("a.t", annotations=other), LABELLED, settings=settings_with())) == [excluded(by)]
    theirs = gateway(listener(), annotations=other)
    assert reduce_claims(claims(ROUTE, theirs, settings=settings_with())) == [
        excluded(f"{by} of Gateway infra/gw", "a.t")
    ]


ON_SET = http("a.t", parents=[parent("shop/ls", kind="ListenerSet")])
SETS = settings_with(gateway_listener_sets=True)
OPEN = gateway(listener("*.own.t"), allow_sets=ALL)
CLOSED = "a.t: excluded by spec.allowedListeners of Gateway infra/gw"


@pytest.mark.parametrize(
    ("obj", "attached", "expected"),
    [
        pytest.param(replace(http("a.t"), status=RouteStatus()), (), PUBLISHED, id="route-without-status"),
        pytest.param(http("a.t", accepted_by=[]), (), "a.t: not-accepted", id="no-parent-in-status"),
        pytest.param(http("a.t", status="False"), (), "a.t: not-accepted", id="refused"),
        pytest.param(
            http("a.t", parents=[parent("infra/gone"), parent()], accepted_by=[parent("infra/gone")]),
            (),
            "a.t: not-accepted",
            id="status-of-another-parent-only",
        ),
        pytest.param(
            replace(http("a.t", parents=[parent("shop/ls", kind="ListenerSet")]), status=RouteStatus()),
            (replace(listener_set(listener()), status=ListenerSetStatus()),),
            PUBLISHED,
            id="listener-set-without-status",
        ),
    ],
)
def test_in_manifests_a_route_or_listener_set_without_any_status_counts_as_accepted(
    obj: Route, attached: tuple[ListenerSet, ...], expected: str
) -> None:
    settings = settings_with(gateway_listener_sets=True, reads_manifests=True)
    assert reduce_claims(claims(obj, gateway(listener(), allow_sets=ALL), *attached, settings=settings)) == [expected]


# docs/spec/sources.md 5.7
@pytest.mark.parametrize(
    ("parent_object", "attached", "expected"),
    [
        pytest.param(OPEN, listener_set(listener()), PUBLISHED, id="5.7-attached"),
        pytest.param(gateway(allow_sets=NONE), listener_set(listener()), CLOSED, id="5.7-none"),
        pytest.param(gateway(), listener_set(listener()), CLOSED, id="5.7-none-by-default"),
        pytest.param(gateway(allow_sets=SAME), listener_set(listener()), CLOSED, id="5.7-same-namespace-only"),
        pytest.param(
            gateway(allow_sets=SAME, location="shop/gw"),
            listener_set(listener(), parent="gw"),
            PUBLISHED,
            id="5.7-same-namespace-which-is-the-default",
        ),
        pytest.param(
            gateway(allow_sets=selecting(team="shop")), listener_set(listener()), PUBLISHED, id="5.7-selector"
        ),
        pytest.param(
            gateway(allow_sets=selecting(team="x")), listener_set(listener()), CLOSED, id="5.7-other-selector"
        ),
        pytest.param(OPEN, listener_set(listener(), status="False"), "a.t: not-accepted", id="5.7-set-refused"),
        pytest.param(OPEN, listener_set(listener(), entries="False"), "a.t: not-accepted", id="5.7-entry-refused"),
        pytest.param(OPEN, listener_set(listener(), entries=""), "a.t: not-accepted", id="5.7-entry-without-status"),
        pytest.param(
            OPEN,
            listener_set(listener("*.x.t")),
            "a.t: excluded by the listeners of ListenerSet shop/ls, none of which accepts the Route with this hostname",
            id="5.7-the-gateway's-own-listeners-do-not-count",
        ),
        pytest.param(OPEN, listener_set(listener(), parent="infra/gone"), "a.t: no-gateway", id="5.7-missing-gateway"),
        pytest.param(
            OPEN, listener_set(listener(), location="shop/other"), "a.t: no-gateway", id="5.4-missing-listener-set"
        ),
        pytest.param(OPEN, listener_set(listener(allow=SAME)), PUBLISHED, id="5.5-same-is-the-set's-namespace"),
    ],
)
def test_a_route_can_attach_to_a_gateway_through_a_listener_set(
    parent_object: Gateway, attached: ListenerSet, expected: str
) -> None:
    others = (parent_object, attached, namespace("shop", team="shop"))
    assert reduce_claims(claims(ON_SET, *others, settings=SETS)) == [expected]


# docs/spec/sources.md 5.7
@pytest.mark.parametrize(
    ("on_set", "on_gateway", "expected"),
    [
        pytest.param(ours(target="192.0.2.1"), ours(target="192.0.2.2"), "192.0.2.1", id="5.7-the-set's"),
        pytest.param({}, ours(target="192.0.2.2"), "192.0.2.2", id="5.7-gateway-value-without-own-one"),
        pytest.param({}, {}, "203.0.113.9", id="5.7-addresses-of-the-gateway-without-own-ones"),
    ],
)
def test_the_targets_of_a_listener_set_come_from_its_own_annotation_or_from_its_gateway(
    on_set: dict[str, str], on_gateway: dict[str, str], expected: str
) -> None:
    others = (gateway(annotations=on_gateway, allow_sets=ALL), listener_set(listener(), annotations=on_set))
    assert reduce_claims(claims(ON_SET, *others, settings=SETS)) == [resolved("a.t", "A", expected)]


# docs/spec/sources.md 5.2
@pytest.mark.parametrize(
    ("settings", "annotations", "expected"),
    [
        pytest.param(
            settings_with(gateway_listener_sets=True, gateway_name="ls"),
            {},
            "a.t: excluded by --gateway-name",
            id="5.2-its-gateway's-name",
        ),
        pytest.param(
            settings_with(gateway_listener_sets=True, gateway_namespace="shop"),
            {},
            "a.t: excluded by --gateway-namespace",
            id="5.2-its-gateway's-namespace",
        ),
        pytest.param(
            SETS,
            ours(controller="x"),
            excluded(f"annotation {PREFIX}controller of ListenerSet shop/ls", "a.t"),
            id="5.2",
        ),
    ],
)
def test_filters_exclude_listener_sets(settings: SourceSettings, annotations: dict[str, str], expected: str) -> None:
    found = claims(ON_SET, OPEN, listener_set(listener(), annotations=annotations), settings=settings)
    assert reduce_claims(found) == [expected]


# docs/spec/sources.md 5.2
def test_the_annotation_filter_applies_to_routes_and_listener_sets() -> None:
    selection = settings_with(annotation_filter=parse_annotation_selector("team"))
    settings = settings_with(selection, gateway_listener_sets=True)
    obj = http("a.t", parents=[parent("shop/ls", kind="ListenerSet")], annotations={"team": "x"})
    assert reduce_claims(claims(obj, OPEN, listener_set(listener()), settings=settings)) == [
        "a.t: excluded by --annotation-filter"
    ]
    annotated = listener_set(listener(), annotations={"team": "y"})
    assert reduce_claims(claims(obj, OPEN, annotated, settings=settings)) == [PUBLISHED]


# docs/spec/sources.md 5.7
def test_only_accepted_listeners_of_a_listener_set_are_used() -> None:
    attached = listener_set(listener("a.t", name="one"), listener("b.t", name="two"))
    accepted_by = attached.status.listeners or ()
    half = replace(attached, status=replace(attached.status, listeners=accepted_by[:1]))
    obj = http(parents=[parent("shop/ls", kind="ListenerSet")])
    assert reduce_claims(claims(obj, OPEN, half, settings=SETS)) == [PUBLISHED, "b.t: not-accepted"]


# docs/spec/sources.md 5.2
def test_an_invalid_gateway_label_filter_is_a_usage_error() -> None:
    with pytest.raises(UsageError, match=r"--gateway-label-filter=edge!=yes is not a label selector.*\n  allowed: key"):
        build_source("gateway-httproute", settings_with(gateway_label_filter="edge!=yes"))
