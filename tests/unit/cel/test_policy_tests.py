"""Reading test files of rules: never an exception, whatever the document holds."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from extdns.cel.policy_tests import read_test_file
from extdns.model.record import OwnedRecord
from extdns.rules.rule_input import Operation

_KEYS = st.sampled_from(
    """policies tests name operation source record object namespace current expect zone private type ttl targets
    setIdentifier properties apiVersion kind labels annotations owner ours resource rule action message
    reason""".split()  # noqa: SIM905 - a long list of words
)
_SCALARS: st.SearchStrategy[Any] = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(max_size=20),
    st.sampled_from(["A", "web.example.com"]),
)
_DOCUMENTS = st.recursive(
    _SCALARS,
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(_KEYS, inner, max_size=6)),
    max_leaves=30,
)


@given(document=_DOCUMENTS)
def test_no_content_of_a_test_file_makes_reading_it_raise_an_exception(document: object) -> None:
    assert all(problem.isprintable() for problem in read_test_file(document).problems)


def test_current_record_operation_and_zone_of_a_policy_test_are_read() -> None:
    current = {"record": {"name": "www.example.com"}, "owner": "default", "ours": False, "resource": "service/web/www"}
    test = {"operation": "DELETE", "record": {"name": "WWW.example.com."}, "current": current, "expect": []}
    (found,) = read_test_file({"policies": ["a.yaml"], "tests": [test]}).tests
    assert (found.item.operation, found.item.record.name, found.item.zone.name) == (
        Operation.DELETE,
        "www.example.com",
        "example.com",
    )
    assert isinstance(found.item.current, OwnedRecord)
    assert (found.item.current.owner, found.item.current.is_ours) == ("default", False)
    assert found.item.current.resource == "service/web/www"
