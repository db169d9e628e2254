"""Whom Gateways and listeners let in (spec sources 5.5, 5.7)."""

from __future__ import annotations

import pytest

from extdns.model.gatewayapi import HTTP_ROUTE, FromNamespaces, LabelRequirement, LabelSelector, RouteKind
from extdns.model.objects import NAMESPACE
from extdns.ports import NotReadyError
from extdns.sources.gateway.admission import admits_kind, admits_namespace
from tests.fakes.view import FakeView
from tests.unit.sources.routes import ALL, NONE, SAME, listener, namespace, selecting

UNSAID = FromNamespaces()


def expression(operator: str, *values: str, key: str = "team") -> FromNamespaces:
    return selecting(
        expressions=LabelSelector(match_expressions=(LabelRequirement(key=key, operator=operator, values=values),))
    )


@pytest.mark.parametrize(
    ("allowed", "expected"),
    [
        pytest.param(ALL, True, id="5.5-all"),
        pytest.param(SAME, False, id="5.5-same"),
        pytest.param(UNSAID, False, id="5.5-default"),
        pytest.param(NONE, False, id="5.5-none"),
        pytest.param(FromNamespaces(origin="all"), False, id="5.5-anything-else"),
        pytest.param(selecting(team="shop"), True, id="5.5-label"),
        pytest.param(selecting(team="blog"), False, id="5.5-other-label"),
        pytest.param(selecting(expressions=LabelSelector()), True, id="5.5-empty-selector-takes-all"),
        pytest.param(FromNamespaces(origin="Selector"), False, id="5.5-absent-selector-takes-none"),
        pytest.param(
            selecting(expressions=LabelSelector(match_labels={"kubernetes.io/metadata.name": "shop"})),
            True,
            id="label-that-every-namespace-has",
        ),
        pytest.param(expression("In", "blog", "shop"), True, id="5.5-in"),
        pytest.param(expression("NotIn", "shop"), False, id="5.5-notin"),
        pytest.param(expression("NotIn", "x", key="absent"), True, id="5.5-notin-of-what-is-absent"),
        pytest.param(expression("Exists"), True, id="5.5-exists"),
        pytest.param(expression("DoesNotExist"), False, id="5.5-does-not-exist"),
        pytest.param(expression("In"), False, id="5.5-in-without-values-is-invalid"),
        pytest.param(expression("Exists", "shop"), False, id="5.5-exists-with-values-is-invalid"),
        pytest.param(expression("Gt", "1"), False, id="5.5-operator-that-is-none"),
        pytest.param(expression("Exists", key="-"), False, id="5.5-key-that-is-none"),
        pytest.param(selecting(team="not a value"), False, id="5.5-value-that-is-none"),
    ],
)
def test_5_5_namespaces(allowed: FromNamespaces, expected: bool) -> None:
    view = FakeView(namespace("shop", team="shop"))
    assert admits_namespace(allowed, "shop", home="infra", default="Same", view=view) is expected


@pytest.mark.parametrize(
    ("default", "home", "expected"),
    [
        pytest.param("Same", "shop", True, id="5.5-same-namespace"),
        pytest.param("Same", "infra", False, id="5.5-another-namespace"),
        pytest.param("None", "shop", False, id="5.7-listener-sets-are-not-let-in-by-default"),
    ],
)
def test_what_holds_if_nothing_is_said(default: str, home: str, expected: bool) -> None:
    assert admits_namespace(UNSAID, "shop", home=home, default=default, view=FakeView()) is expected


def test_5_5_an_unknown_namespace_is_not_let_in() -> None:
    everything = selecting(expressions=LabelSelector())
    view = FakeView(listed=[NAMESPACE])
    assert not admits_namespace(everything, "shop", home="infra", default="Same", view=view)


def test_namespaces_are_looked_at_only_for_a_selector() -> None:
    assert admits_namespace(ALL, "shop", home="infra", default="Same", view=FakeView())
    with pytest.raises(NotReadyError):
        admits_namespace(selecting(a="b"), "shop", home="infra", default="Same", view=FakeView())


@pytest.mark.parametrize(
    ("kinds", "expected"),
    [
        pytest.param(None, True, id="5.5-all-kinds"),
        pytest.param([], True, id="5.5-empty-list"),
        pytest.param([RouteKind(kind="HTTPRoute")], True, id="5.5-group-by-default"),
        pytest.param([RouteKind(kind="TLSRoute"), RouteKind(kind="HTTPRoute")], True, id="5.5-one-of-them"),
        pytest.param([RouteKind(kind="GRPCRoute")], False, id="5.5-another-kind"),
        pytest.param([RouteKind(group="example.org", kind="HTTPRoute")], False, id="5.5-another-group"),
    ],
)
def test_5_5_kinds(kinds: list[RouteKind] | None, expected: bool) -> None:
    assert admits_kind(listener(kinds=kinds), HTTP_ROUTE) is expected
