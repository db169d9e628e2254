"""Label and field selectors, by "Labels and Selectors" and "Field Selectors"."""

from __future__ import annotations

import pytest

from tests.fakes.apiserver.selectors import FieldSelector, LabelSelector
from tests.fakes.apiserver.statuses import ApiError

LABELS = {"app": "web", "tier": "front", "example.org/x": ""}


@pytest.mark.parametrize(
    ("text", "selected"),
    [
        pytest.param("", True, id="nothing-asked"),
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
        pytest.param("example.org/x=", True, id="equals-nothing"),
        pytest.param("!nope", True, id="absent"),
        pytest.param("!app", False, id="not-absent"),
    ],
)
def test_labels_are_selected(text: str, selected: bool) -> None:
    assert LabelSelector.parse(text).matches(LABELS) is selected


@pytest.mark.parametrize("text", ["a=b=c", "a in b", "a>1", ",", "-a", "a b"])
def test_what_is_no_selector_is_refused(text: str) -> None:
    with pytest.raises(ApiError, match="unable to parse") as raised:
        LabelSelector.parse(text)
    assert raised.value.code == 400


@pytest.mark.parametrize(
    ("text", "selected"),
    [
        pytest.param("", True, id="nothing-asked"),
        pytest.param("metadata.name=a", True, id="name"),
        pytest.param("metadata.name=a,metadata.namespace==shop", True, id="both"),
        pytest.param("metadata.namespace=other", False, id="another-namespace"),
        pytest.param("metadata.name=a,metadata.name=b", False, id="contradiction"),
    ],
)
def test_fields_are_selected(text: str, selected: bool) -> None:
    assert FieldSelector.parse(text).matches("shop/a") is selected
