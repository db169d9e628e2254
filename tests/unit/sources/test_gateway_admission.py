"""Which Routes Gateways and listeners accept (docs/spec/sources.md 5.5, 5.7)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extdns.ports import ClusterView, NotSyncedError
from extdns.resources.core import NAMESPACE
from extdns.resources.gateway_api import HTTP_ROUTE, AllowedRouteKind, LabelRequirement, LabelSelector, RouteNamespaces
from extdns.sources.common.annotations import RequestedCount
from extdns.sources.common.gateway.admission import accepts_kind, accepts_namespace, find_common_hostname, is_hostname
from tests.fakes.view import FakeView
from tests.unit.sources.routes import ALL, NONE, SAME, listener, namespace, selecting

UNSAID = RouteNamespaces()


def accepts(
    allowed: RouteNamespaces, *, home: str = "infra", default: str = "Same", view: ClusterView | None = None
) -> bool:
    """Return whether *allowed* lets objects of the namespace `shop` attach."""
    return accepts_namespace(
        allowed, "shop", home=home, default=default, view=view or FakeView(), count=RequestedCount()
    )


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
    assert accepts(allowed, view=view) is expected


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
    assert accepts(UNSAID, home=home, default=default) is expected


# docs/spec/sources.md 5.5
def test_a_namespace_that_does_not_exist_is_selected_by_no_selector() -> None:
    everything = selecting(expressions=LabelSelector())
    view = FakeView(listed=[NAMESPACE])
    assert not accepts(everything, view=view)


def test_namespaces_are_looked_up_only_if_a_listener_selects_them_by_label() -> None:
    assert accepts(ALL)
    with pytest.raises(NotSyncedError):
        accepts(selecting(a="b"))


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


# The common hostname of a listener and a Route (docs/spec/sources.md 5.5)


LABELS = st.sampled_from(["a", "b", "x-y", "*", "acme", "_x", "", "T"])
NAMES = st.lists(LABELS, max_size=4).map(".".join)


# docs/spec/sources.md 5.5
@pytest.mark.parametrize(
    ("listener", "route", "expected"),
    [
        pytest.param("*.acme.test", "a.b.acme.test", "a.b.acme.test", id="5.5-below-a-wildcard"),
        pytest.param("*.acme.test", "acme.test", None, id="5.5-wildcards-need-a-label"),
        pytest.param("foo.acme.test", "*.acme.test", "foo.acme.test", id="5.5-wildcard-of-the-route"),
        pytest.param("*.acme.test", "*.dev.acme.test", "*.dev.acme.test", id="5.5-longer-wildcard"),
        pytest.param("*.dev.acme.test", "*.acme.test", "*.dev.acme.test", id="5.5-longer-wildcard-of-the-listener"),
        pytest.param("", "X.Acme.Test", "x.acme.test", id="5.5-nothing-covers-all-in-small-letters"),
        pytest.param("x.test", "", "x.test", id="5.5-route-without-name"),
        pytest.param("", "", None, id="5.5-both-empty"),
        pytest.param("*.acme.test", "x.acme.test.", None, id="5.5-trailing-dot"),
        pytest.param("x.acme.test.", "x.acme.test.", "x.acme.test.", id="5.5-trailing-dots-alike"),
        pytest.param("A.test", "a.TEST", "a.test", id="5.5-equal-but-for-case"),
        pytest.param("a.test", "b.test", None, id="5.5-different"),
        pytest.param("*.a.test", "long-a.test", None, id="5.5-suffix-within-a-label"),
        pytest.param("*.test", "b.test", "b.test", id="5.5-as-long-as-the-wildcard"),
        pytest.param("", "192.0.2.1", None, id="5.5-address"),
        pytest.param("", "_x.test", None, id="5.5-underscore"),
        pytest.param("", "*", None, id="5.5-bare-wildcard"),
        pytest.param("_x.test", "", None, id="5.5-listener-that-has-no-host-name"),
    ],
)
def test_the_common_hostname_of_a_listener_and_a_route_is_the_more_specific_one_if_they_match(
    listener: str, route: str, expected: str | None
) -> None:
    assert find_common_hostname(listener, route) == expected


# docs/spec/sources.md 5.5
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("a" * 63 + ".t", True, id="5.5-label-of-63"),
        pytest.param("a" * 64 + ".t", False, id="5.5-label-of-64"),
        pytest.param(".".join(["a" * 62] * 4) + ".ab", True, id="5.5-254"),
        pytest.param(".".join(["a" * 63] * 4), True, id="5.5-255"),
        pytest.param(".".join(["a" * 63] * 4) + ".", False, id="5.5-256"),
        pytest.param("*.*.t", False, id="5.5-one-wildcard"),
        pytest.param("-a.t", False, id="5.5-hyphen-at-an-end"),
        pytest.param("a..t", False, id="5.5-empty-label"),
        pytest.param("a.t\n", False, id="line-break"),
        pytest.param("fe80::1", False, id="5.5-ipv6"),
    ],
)
def test_a_hostname_may_have_255_bytes_with_labels_of_63_bytes_and_one_wildcard(text: str, expected: bool) -> None:
    assert is_hostname(text) is expected


@given(NAMES, NAMES)
def test_the_common_hostname_of_a_listener_and_a_route_does_not_depend_on_their_order(one: str, other: str) -> None:
    assert find_common_hostname(one, other) == find_common_hostname(other, one)


@given(NAMES)
def test_the_common_hostname_of_a_hostname_and_an_empty_or_equal_one_is_that_hostname(name: str) -> None:
    same = name.lower() if is_hostname(name) else None
    assert find_common_hostname("", name) == find_common_hostname(name, name) == same
