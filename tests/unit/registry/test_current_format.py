"""Records that have an ownership record, but none in the current format (docs/spec/plan.md 3.2.2, 10.3)."""

from __future__ import annotations

import pytest

from extdns.model.record import Record, RecordKey
from registry.txt.registry import TxtRegistry
from tests.unit.registry.completion import build_registry, find
from tests.unit.registry.zone_records import key, ownership_record, record


@pytest.mark.parametrize(
    ("registry", "records", "key", "expected"),
    [
        pytest.param(
            build_registry(),
            [record("CNAME", "foo"), ownership_record("foo")],
            key("CNAME", "foo"),
            False,
            id="10.3-only-an-old-ownership-record",
        ),
        pytest.param(
            build_registry(),
            [record("A", "x", alias="true"), ownership_record("cname-x")],
            key("A", "x"),
            False,
            id="10.3-only-an-alias-ownership-record",
        ),
        pytest.param(
            build_registry(types=("NS",)),
            [record("NS", "newformat"), ownership_record("ns-newformat")],
            key("NS", "newformat"),
            True,
            id="10.3-ns",
        ),
        pytest.param(
            build_registry(),
            [record("A", "foo"), ownership_record("foo", "other")],
            key("A", "foo"),
            True,
            id="10.3-other-owner",
        ),
        pytest.param(
            build_registry(),
            [record("MX", "foo"), ownership_record("foo")],
            key("MX", "foo"),
            True,
            id="10.3-unmanaged",
        ),
        pytest.param(
            build_registry(),
            [record("A", "a" * 63), ownership_record("a" * 63)],
            key("A", "a" * 63),
            True,
            id="10.3-no-possible-ownership-name",
        ),
        pytest.param(
            build_registry(prefix="e-%{record_type}."),
            [record("A", "foo"), ownership_record("e-.a-foo")],
            key("A", "foo"),
            False,
            id="3.2.2-dashed",
        ),
    ],
)
def test_only_a_record_of_ours_can_lack_an_ownership_record_in_the_current_format(
    registry: TxtRegistry, records: list[Record], key: RecordKey, expected: bool
) -> None:
    assert find(registry, records, key).has_current_format is expected
