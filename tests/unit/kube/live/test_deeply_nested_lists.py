"""Split list responses that are nested too deeply for the JSON decoder."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extdns.kube.live.responses import split_list

TEXTS = st.text(st.sampled_from('ab"\\{}[],:é\n'), max_size=8)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS | st.just("items"), inner, max_size=3),
    max_leaves=10,
)
OBJECTS = st.dictionaries(TEXTS | st.just("items"), VALUES, max_size=3)


@given(
    before=st.dictionaries(TEXTS, VALUES, max_size=2),
    items=st.lists(OBJECTS, max_size=3),
    after=st.dictionaries(TEXTS, VALUES, max_size=2),
    is_ascii=st.booleans(),
)
def test_a_list_response_is_split_into_its_items_and_the_document_around_them(
    before: dict[str, object], items: list[object], after: dict[str, object], is_ascii: bool
) -> None:
    document = {**before, "items": items, **{f"z{key}": value for key, value in after.items()}}
    shell, found = split_list(json.dumps(document, ensure_ascii=is_ascii).encode())
    assert [json.loads(item) for item in found] == items
    assert json.loads(shell) == document | {"items": []}


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(b"", id="nothing"),
        pytest.param(b"<html>", id="html"),
        pytest.param(b'{"kind": "List"}', id="no-items"),
        pytest.param(b'{"items": null}', id="null"),
        pytest.param(b'{"items": [{"a": 1}', id="cut"),
        pytest.param(b"}]}]", id="unbalanced"),
        pytest.param(b'{"items": [1, 2]}', id="numbers"),
        pytest.param(b'{"items": [{"a": 1}, "text"]}', id="text-beside-an-object"),
        pytest.param(b'{"items": [{"a": 1}, nonsense {"b": 2}]}', id="not-json"),
    ],
)
def test_a_response_that_is_not_a_list_is_not_split(body: bytes) -> None:
    assert split_list(body) == (body, [])
