"""Ownership records whose names can stand for two records (docs/spec/plan.md 11, second row)."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from extdns.model.dns_name import DnsName
from extdns.model.record import Record, RecordKey
from registry.txt.registry import TxtRegistry
from tests.unit.registry.completion import build_registry, find, list_ours
from tests.unit.registry.zone_records import key, ownership_record, record

ONE = "service/d/one"
TWO = "service/d/two"


@pytest.mark.parametrize(
    ("registry", "records", "expected"),
    [
        pytest.param(
            build_registry(),
            [record("A", "foo"), record("A", "a-foo"), ownership_record("a-foo")],
            {key("A", "a-foo")},
            id="11-host-without-own-ownership-record",
        ),
        pytest.param(
            build_registry(),
            [
                record("A", "foo"),
                record("A", "a-foo"),
                ownership_record("a-foo", resource=ONE),
                ownership_record("a-a-foo", resource=TWO),
            ],
            {key("A", "foo"), key("A", "a-foo")},
            id="11-host-with-own-ownership-record",
        ),
        pytest.param(
            build_registry(),
            [record("A", "foo"), record("A", "a-foo"), ownership_record("a-foo"), ownership_record("a-a-foo", "other")],
            {key("A", "foo")},
            id="11-host-with-ownership-record-of-other-owner",
        ),
        pytest.param(
            build_registry(),
            [
                record("A", "foo"),
                record("A", "a-foo"),
                ownership_record("a-foo", resource=ONE),
                ownership_record("a-a-foo", "other", ONE),
            ],
            {key("A", "foo")},
            id="11-same-object-of-another-owner",
        ),
        pytest.param(
            build_registry(),
            [
                record("A", "foo"),
                record("A", "a-foo"),
                ownership_record("a-foo", resource=ONE),
                ownership_record("a-a-foo", resource=ONE),
            ],
            {key("A", "a-foo")},
            id="11-same-object-wrote-both-forms",
        ),
        pytest.param(
            build_registry(),
            [
                record("A", "foo"),
                record("A", "a-foo"),
                ownership_record("a-foo", resource=ONE),
                ownership_record("a-a-foo", resource=ONE, ownedRecord="a-foo.x.test"),
            ],
            {key("A", "foo"), key("A", "a-foo")},
            id="11-same-object-but-stated",
        ),
        pytest.param(
            build_registry(),
            [
                record("A", "foo"),
                record("AAAA", "foo"),
                record("A", "a-foo"),
                ownership_record("a-foo", resource=ONE),
                ownership_record("aaaa-foo", resource=ONE),
            ],
            {key("A", "foo"), key("AAAA", "foo")},
            id="11-second-ownership-record-of-foo-decides",
        ),
        pytest.param(
            build_registry(),
            [
                record("A", "foo"),
                record("AAAA", "foo"),
                record("A", "a-foo"),
                ownership_record("a-foo", resource=ONE),
                ownership_record("aaaa-foo", resource=TWO),
            ],
            {key("AAAA", "foo"), key("A", "a-foo")},
            id="11-second-ownership-record-of-another-object",
        ),
        pytest.param(
            build_registry(), [record("A", "foo"), ownership_record("a-foo")], {key("A", "foo")}, id="11-only-foo"
        ),
        pytest.param(
            build_registry(),
            [record("A", "a-foo"), ownership_record("a-foo")],
            {key("A", "a-foo")},
            id="11-only-the-host",
        ),
        pytest.param(
            build_registry(),
            [record("A", "foo"), record("AAAA", "a-foo"), ownership_record("a-foo")],
            {key("A", "foo")},
            id="11-aaaa-host-has-no-old-ownership-record",
        ),
        pytest.param(
            build_registry(),
            [record("A", "foo"), record("MX", "a-foo"), ownership_record("a-foo")],
            {key("A", "foo")},
            id="11-an-unmanaged-host-has-none",
        ),
        pytest.param(
            build_registry(),
            [record("CNAME", "foo"), record("A", "cname-foo"), ownership_record("cname-foo")],
            {key("A", "cname-foo")},
            id="11-other-types-alike",
        ),
        pytest.param(
            build_registry(),
            [record("A", "foo", alias="true"), record("A", "cname-foo"), ownership_record("cname-foo")],
            {key("A", "cname-foo")},
            id="11-aliases-alike",
        ),
        pytest.param(
            build_registry(prefix="e."),
            [record("A", "foo"), record("A", "a-foo"), ownership_record("e.a-foo")],
            {key("A", "a-foo")},
            id="11-with-prefix",
        ),
        pytest.param(
            build_registry(suffix="-e"),
            [record("A", "foo"), record("A", "a-foo"), ownership_record("a-foo-e")],
            {key("A", "a-foo")},
            id="11-with-suffix",
        ),
        pytest.param(
            build_registry(wildcard="any"),
            [record("A", "*"), record("A", "any"), ownership_record("a-any")],
            set(),
            id="11-wildcard-or-not",
        ),
        pytest.param(
            build_registry(wildcard="any"),
            [record("A", "*"), record("AAAA", "any"), ownership_record("a-any")],
            {key("A", "*")},
            id="11-wildcard",
        ),
        pytest.param(
            build_registry(wildcard="any"),
            [
                record("A", "*"),
                record("A", "any"),
                record("AAAA", "any"),
                ownership_record("a-any", resource=ONE),
                ownership_record("aaaa-any", resource=ONE),
            ],
            {key("A", "any"), key("AAAA", "any")},
            id="11-second-ownership-record-decides-about-wildcard",
        ),
        pytest.param(
            build_registry(prefix="%{record_type}"),
            [
                record("AAAA", "web"),
                record("A", "web"),
                record("A", "aaaweb"),
                ownership_record("aaaaweb", resource=ONE),
                ownership_record("aweb", resource=ONE),
            ],
            {key("A", "web"), key("AAAA", "web")},
            id="11-second-ownership-record-decides-without-separator",
        ),
        pytest.param(
            build_registry(),
            [
                record("A", "foo"),
                record("A", "a-foo"),
                ownership_record("a-foo", resource=ONE),
                ownership_record("aaaa-foo", resource=ONE),
            ],
            {key("A", "a-foo")},
            id="11-second-ownership-record-without-record",
        ),
        pytest.param(
            build_registry(wildcard="any"),
            [record("A", "*"), record("A", "any"), ownership_record("a-any", ownedRecord="*.x.test")],
            {key("A", "*")},
            id="11-stated-wildcard",
        ),
        pytest.param(
            build_registry(wildcard="any"),
            [
                record("A", "*"),
                record("A", "any"),
                ownership_record("any"),
                ownership_record("a-any", ownedRecord="any.x.test"),
            ],
            {key("A", "*"), key("A", "any")},
            id="11-old-wildcard-ownership-record-and-one-with-type",
        ),
        pytest.param(
            build_registry(wildcard="any"),
            [record("A", "*"), record("A", "any"), ownership_record("any")],
            set(),
            id="11-old-wildcard-or-not",
        ),
        pytest.param(
            build_registry(),
            [record("A", "foo"), ownership_record("a-foo", ownedRecord="bar.x.test")],
            set(),
            id="stated-for-another-name",
        ),
    ],
)
def test_an_ownership_record_that_could_cover_two_names_covers_at_most_one_of_them(
    registry: TxtRegistry, records: list[Record], expected: set[RecordKey]
) -> None:
    assert list_ours(registry, records) == expected


def test_the_resource_label_of_an_ambiguous_old_ownership_record_is_ignored() -> None:
    """The resource may belong to A `foo`, so its deletion must not delete the host `a-foo`."""
    found = find(
        build_registry(), [record("A", "a-foo"), ownership_record("a-foo", resource=ONE, extra="1")], key("A", "a-foo")
    )
    assert (found.is_ours, found.resource, found.labels.get("extra")) == (True, "", "1")


class _Counted(DnsName):
    """A name that counts comparisons."""

    __slots__ = ()
    comparisons = 0

    def __eq__(self, other: object) -> bool:
        _Counted.comparisons += 1
        return super().__eq__(other)

    __hash__ = DnsName.__hash__


def test_ambiguous_ownership_records_are_indexed_in_linear_time() -> None:
    costs = []
    for size in (60, 120):
        names = [f"{prefix}{number}" for number in range(size) for prefix in ("", "a-")]
        ownership_records = [
            ownership_record(name, resource=ONE) for name in (*names, *(f"a-{name}" for name in names))
        ]
        hosts = [replace(one, name=_Counted(one.name)) for one in (record("A", name) for name in names)]
        _Counted.comparisons = 0
        assert len(list_ours(build_registry(), [*hosts, *ownership_records])) == 2 * size
        costs.append(_Counted.comparisons)
    assert costs[1] < 3 * costs[0]
