"""Which Routes Gateways and listeners accept (docs/spec/sources.md 5.5, 5.7)."""

from __future__ import annotations

import pytest

from extdns.ports import NotSyncedError
from extdns.resources.core import NAMESPACE
from extdns.resources.gateway_api import (
    HTTP_ROUTE,
    AllowedRouteKind,
    LabelRequirement,
    LabelSelector,
    RouteNamespaces,
)
from extdns.sources.gateway.admission import accepts_kind, accepts_namespace
from tests.fakes.view import FakeView
from tests.unit.sources.routes import ALL, NONE, SAME, listener, namespace, selecting

UNSAID = RouteNamespaces()


def expression(operator: str, *values: str, key: str = "team") -> RouteNamespaces:
    return selecting(
        expressions=LabelSelector(match_expressions=(LabelRequirement(key=key, operator=operator, values=values),))
    )


# docs/spec/sources.md 5.5
@pytest.mark.parametrize(
    ("allowed", "expected"),
    [
        pytest.param(ALL, True, id="5.5-all"),
        pytest.param(SAME, False, id="5.5-same"),
        pytest.param(UNSAID, False, id="5.5-default"),
        pytest.param(NONE, False, id="5.5-none"),
        pytest.param(RouteNamespaces(from_="all"), False, id="5.5-other-values"),
        pytest.param(selecting(team="shop"), True, id="5.5-label"),
        pytest.param(selecting(team="blog"), False, id="5.5-other-label"),
        pytest.param(selecting(expressions=LabelSelector()), True, id="5.5-empty-selector-takes-all"),
        pytest.param(RouteNamespaces(from_="Selector"), False, id="5.5-absent-selector-takes-none"),
        pytest.param(
            selecting(expressions=LabelSelector(match_labels={"kubernetes.io/metadata.name": "shop"})),
            True,
            id="label-that-every-namespace-has",
        ),
        pytest.param(expression("In", "blog", "shop"), True, id="5.5-in"),
        pytest.param(expression("NotIn", "shop"), False, id="5.5-notin"),
        pytest.param(expression("NotIn", "x", key="absent"), True, id="5.5-notin-of-an-absent-label"),
        pytest.param(expression("Exists"), True, id="5.5-exists"),
        pytest.param(expression("DoesNotExist"), False, id="5.5-does-not-exist"),
        pytest.param(expression("In"), False, id="5.5-in-without-values-is-invalid"),
        pytest.param(expression("Exists", "shop"), False, id="5.5-exists-with-values-is-invalid"),
        pytest.param(expression("Gt", "1"), False, id="5.5-invalid-operator"),
        pytest.param(expression("Exists", key="-"), False, id="5.5-invalid-key"),
        pytest.param(selecting(team="not a value"), False, id="5.5-invalid-value"),
    ],
)
def test_allowed_namespaces_of_a_listener_decide_which_routes_attach_to_it(
    allowed: RouteNamespaces, expected: bool
) -> None:
    view = FakeView(namespace("shop", team="shop"))
    assert accepts_namespace(allowed, "shop", home="infra", default="Same", view=view) is expected


@pytest.mark.parametrize(
    ("default", "home", "expected"),
    [
        pytest.param("Same", "shop", True, id="5.5-same-namespace"),
        pytest.param("Same", "infra", False, id="5.5-another-namespace"),
        pytest.param("None", "shop", False, id="5.7-listener-sets-not-allowed-by-default"),
    ],
)
def test_a_listener_without_allowed_namespaces_uses_the_default_of_its_resource(
    default: str, home: str, expected: bool
) -> None:
    assert accepts_namespace(UNSAID, "shop", home=home, default=default, view=FakeView()) is expected


# docs/spec/sources.md 5.5
def test_a_namespace_that_does_not_exist_is_selected_by_no_selector() -> None:
    everything = selecting(expressions=LabelSelector())
    view = FakeView(listed=[NAMESPACE])
    assert not accepts_namespace(everything, "shop", home="infra", default="Same", view=view)


def test_namespaces_are_looked_up_only_if_a_listener_selects_them_by_label() -> None:
    assert accepts_namespace(ALL, "shop", home="infra", default="Same", view=FakeView())
    with pytest.raises(NotSyncedError):
        accepts_namespace(selecting(a="b"), "shop", home="infra", default="Same", view=FakeView())


# docs/spec/sources.md 5.5
@pytest.mark.parametrize(
    ("kinds", "expected"),
    [
        pytest.param(None, True, id="5.5-all-kinds"),
        pytest.param([], True, id="5.5-empty-list"),
        pytest.param([AllowedRouteKind(kind="HTTPRoute")], True, id="5.5-group-by-default"),
        pytest.param(
            [AllowedRouteKind(kind="TLSRoute"), AllowedRouteKind(kind="HTTPRoute")], True, id="5.5-one-of-them"
        ),
        pytest.param([AllowedRouteKind(kind="GRPCRoute")], False, id="5.5-another-kind"),
        pytest.param([AllowedRouteKind(group="example.org", kind="HTTPRoute")], False, id="5.5-another-group"),
    ],
)
def test_allowed_kinds_of_a_listener_decide_which_routes_attach_to_it(
    kinds: list[AllowedRouteKind] | None, expected: bool
) -> None:
    assert accepts_kind(listener(kinds=kinds), HTTP_ROUTE) is expected
