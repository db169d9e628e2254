"""TXT records that are no ownership records, or hold other values, too (docs/spec/plan.md 3.2.5, 10.3, 11)."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from extdns.model.record import Record, RecordKey
from registry.txt.registry import TxtRegistry
from tests.unit.registry.completion import build_registry, find, list_ours
from tests.unit.registry.zone_records import ZONE, key, ownership_record, record


@pytest.mark.parametrize(
    ("registry", "there", "shown"),
    [
        pytest.param(
            build_registry(prefix="txt."), record("TXT", "random"), [key("TXT", "random")], id="10.3-text-of-somebody"
        ),
        pytest.param(
            build_registry(prefix="txt."),
            record("CNAME", "txt.bar"),
            [key("CNAME", "txt.bar")],
            id="10.3-cname-at-ownership-name",
        ),
        pytest.param(
            build_registry(prefix="txt."), ownership_record("bar"), [], id="10.3-ownership-record-without-the-prefix"
        ),
        pytest.param(build_registry(), replace(record("TXT", "empty"), targets=()), [], id="10.3-text-without-value"),
    ],
)
def test_reading_returns_records_at_ownership_names_except_ownership_records_and_txt_records_without_value(
    registry: TxtRegistry, there: Record, shown: list[RecordKey]
) -> None:
    existing = [record("A", "bar"), ownership_record("txt.bar"), ownership_record("a-bar"), there]
    assert [owned.key for owned in registry.read(existing, ZONE)] == [key("A", "bar"), *shown]


def test_reading_a_zone_returns_all_records_except_ownership_records() -> None:
    records = [
        ownership_record("a-foo", "other"),
        ownership_record("lonely"),
        record("TXT", "random"),
        record("CNAME", "txt.bar"),
        replace(record("TXT", "empty"), targets=()),
        replace(ownership_record("shared"), targets=(ownership_record("shared").targets[0], '"v=spf1 -all"')),
    ]
    found = [owned.key for owned in build_registry().read(records, ZONE)]
    assert found == [key("TXT", "random"), key("TXT", "shared"), key("CNAME", "txt.bar")]


def test_a_txt_record_with_an_ownership_text_and_another_value_is_not_an_ownership_record() -> None:
    common = replace(ownership_record("a-foo"), targets=(ownership_record("a-foo").targets[0], '"v=spf1 -all"'))
    assert list_ours(build_registry(), [record("A", "foo"), common]) == set()
    assert find(build_registry(), [record("A", "foo"), common], key("A", "foo")).mixed_name == "a-foo.x.test"


@pytest.mark.parametrize(
    "neighbour",
    [
        pytest.param(replace(record("TXT", "a-foo"), targets=('"one"', '"two"')), id="no-ownership-record"),
        pytest.param(
            replace(ownership_record("a-bar"), targets=(ownership_record("a-bar").targets[0], '"two"')),
            id="of-another-record",
        ),
    ],
)
def test_an_unrelated_txt_record_is_not_reported_as_mixed_with_ownership_texts(neighbour: Record) -> None:
    assert find(build_registry(), [record("A", "foo"), neighbour], key("A", "foo")).mixed_name == ""
