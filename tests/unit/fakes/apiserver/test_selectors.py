"""Label and field selectors (Kubernetes: "Labels and Selectors", "Field Selectors")."""

from __future__ import annotations

import pytest

from tests.fakes.apiserver.selectors import FieldSelector, LabelSelector
from tests.fakes.apiserver.statuses import ApiError

LABELS = {"app": "web", "tier": "front", "example.org/x": ""}


@pytest.mark.parametrize(
    ("text", "selected"),
    [
        pytest.param("", True, id="empty-selector"),
        pytest.param("app=web", True, id="equal"),
        pytest.param("app==web", True, id="equal-twice"),
        pytest.param("app = web , tier=front", True, id="all-of-several-with-blanks"),
        pytest.param("app=web,tier=back", False, id="one-of-several-fails"),
        pytest.param("app!=web", False, id="unequal"),
        pytest.param("nope!=web", True, id="an-absent-label-is-unequal"),
        pytest.param("app in (a, web)", True, id="in"),
        pytest.param("app in (a,b),tier", False, id="not-in"),
        pytest.param("app notin (a,b)", True, id="notin"),
        pytest.param("nope notin (a)", True, id="an-absent-label-is-notin"),
        pytest.param("example.org/x", True, id="exists-though-empty"),
        pytest.param("example.org/x=", True, id="equals-the-empty-value"),
        pytest.param("!nope", True, id="absent"),
        pytest.param("!app", False, id="not-absent"),
    ],
)
def test_a_label_selector_matches_labels_that_meet_all_its_requirements(text: str, selected: bool) -> None:
    assert LabelSelector.parse(text).matches(LABELS) is selected


@pytest.mark.parametrize("text", ["a=b=c", "a in b", "a>1", ",", "-a", "a b"])
def test_an_invalid_label_selector_is_refused_with_400(text: str) -> None:
    with pytest.raises(ApiError, match="unable to parse") as raised:
        LabelSelector.parse(text)
    assert raised.value.code == 400


@pytest.mark.parametrize(
    ("text", "selected"),
    [
        pytest.param("", True, id="empty-selector"),
        pytest.param("metadata.name=a", True, id="name"),
        pytest.param("metadata.name=a,metadata.namespace==shop", True, id="both"),
        pytest.param("metadata.namespace=other", False, id="another-namespace"),
        pytest.param("metadata.name=a,metadata.name=b", False, id="contradiction"),
    ],
)
def test_a_field_selector_matches_name_and_namespace(text: str, selected: bool) -> None:
    assert FieldSelector.parse(text).matches("shop/a") is selected
