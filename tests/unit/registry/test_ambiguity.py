"""Marks whose names could mean two (spec plan 11, second row)."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from extdns.model.name import DnsName
from extdns.model.record import Record
from registry.txt.registry import TxtRegistry
from tests.unit.registry.scene import find, mark, ours, record, txt

ONE = "service/d/one"
TWO = "service/d/two"


@pytest.mark.parametrize(
    ("registry", "records", "expected"),
    [
        pytest.param(
            txt(), [record("A", "foo"), record("A", "a-foo"), mark("a-foo")], {"A a-foo"}, id="11-host-without-own-mark"
        ),
        pytest.param(
            txt(),
            [record("A", "foo"), record("A", "a-foo"), mark("a-foo", resource=ONE), mark("a-a-foo", resource=TWO)],
            {"A foo", "A a-foo"},
            id="11-host-with-own-mark",
        ),
        pytest.param(
            txt(),
            [record("A", "foo"), record("A", "a-foo"), mark("a-foo"), mark("a-a-foo", "other")],
            {"A foo"},
            id="11-host-with-anothers-mark",
        ),
        pytest.param(
            txt(),
            [record("A", "foo"), record("A", "a-foo"), mark("a-foo", resource=ONE), mark("a-a-foo", "other", ONE)],
            {"A foo"},
            id="11-same-object-of-another-owner",
        ),
        pytest.param(
            txt(),
            [record("A", "foo"), record("A", "a-foo"), mark("a-foo", resource=ONE), mark("a-a-foo", resource=ONE)],
            {"A a-foo"},
            id="11-same-object-wrote-both-forms",
        ),
        pytest.param(
            txt(),
            [
                record("A", "foo"),
                record("A", "a-foo"),
                mark("a-foo", resource=ONE),
                mark("a-a-foo", resource=ONE, ownedRecord="a-foo.x.test"),
            ],
            {"A foo", "A a-foo"},
            id="11-same-object-but-stated",
        ),
        pytest.param(
            txt(),
            [
                record("A", "foo"),
                record("AAAA", "foo"),
                record("A", "a-foo"),
                mark("a-foo", resource=ONE),
                mark("aaaa-foo", resource=ONE),
            ],
            {"A foo", "AAAA foo"},
            id="11-another-mark-of-foo-settles-it",
        ),
        pytest.param(
            txt(),
            [
                record("A", "foo"),
                record("AAAA", "foo"),
                record("A", "a-foo"),
                mark("a-foo", resource=ONE),
                mark("aaaa-foo", resource=TWO),
            ],
            {"AAAA foo", "A a-foo"},
            id="11-another-mark-of-another-object-does-not",
        ),
        pytest.param(txt(), [record("A", "foo"), mark("a-foo")], {"A foo"}, id="11-only-foo"),
        pytest.param(txt(), [record("A", "a-foo"), mark("a-foo")], {"A a-foo"}, id="11-only-the-host"),
        pytest.param(
            txt(),
            [record("A", "foo"), record("AAAA", "a-foo"), mark("a-foo")],
            {"A foo"},
            id="11-an-aaaa-host-has-no-old-mark",
        ),
        pytest.param(
            txt(),
            [record("A", "foo"), record("MX", "a-foo"), mark("a-foo")],
            {"A foo"},
            id="11-an-unmanaged-host-has-none",
        ),
        pytest.param(
            txt(),
            [record("CNAME", "foo"), record("A", "cname-foo"), mark("cname-foo")],
            {"A cname-foo"},
            id="11-other-types-alike",
        ),
        pytest.param(
            txt(),
            [record("A", "foo", alias="true"), record("A", "cname-foo"), mark("cname-foo")],
            {"A cname-foo"},
            id="11-aliases-alike",
        ),
        pytest.param(
            txt(prefix="e."),
            [record("A", "foo"), record("A", "a-foo"), mark("e.a-foo")],
            {"A a-foo"},
            id="11-with-prefix",
        ),
        pytest.param(
            txt(suffix="-e"),
            [record("A", "foo"), record("A", "a-foo"), mark("a-foo-e")],
            {"A a-foo"},
            id="11-with-suffix",
        ),
        pytest.param(
            txt(wildcard="any"), [record("A", "*"), record("A", "any"), mark("a-any")], set(), id="11-wildcard-or-not"
        ),
        pytest.param(
            txt(wildcard="any"), [record("A", "*"), record("AAAA", "any"), mark("a-any")], {"A *"}, id="11-wildcard"
        ),
        pytest.param(
            txt(wildcard="any"),
            [
                record("A", "*"),
                record("A", "any"),
                record("AAAA", "any"),
                mark("a-any", resource=ONE),
                mark("aaaa-any", resource=ONE),
            ],
            {"A any", "AAAA any"},
            id="11-another-mark-settles-wildcard-or-not",
        ),
        pytest.param(
            txt(prefix="%{record_type}"),
            [
                record("AAAA", "web"),
                record("A", "web"),
                record("A", "aaaweb"),
                mark("aaaaweb", resource=ONE),
                mark("aweb", resource=ONE),
            ],
            {"A web", "AAAA web"},
            id="11-another-mark-settles-it-without-separator",
        ),
        pytest.param(
            txt(),
            [record("A", "foo"), record("A", "a-foo"), mark("a-foo", resource=ONE), mark("aaaa-foo", resource=ONE)],
            {"A a-foo"},
            id="11-another-mark-without-record-does-not",
        ),
        pytest.param(
            txt(wildcard="any"),
            [record("A", "*"), record("A", "any"), mark("a-any", ownedRecord="*.x.test")],
            {"A *"},
            id="11-stated-wildcard",
        ),
        pytest.param(
            txt(wildcard="any"),
            [record("A", "*"), record("A", "any"), mark("any"), mark("a-any", ownedRecord="any.x.test")],
            {"A *", "A any"},
            id="11-old-wildcard-mark-beside-a-stated-one",
        ),
        pytest.param(
            txt(wildcard="any"), [record("A", "*"), record("A", "any"), mark("any")], set(), id="11-old-wildcard-or-not"
        ),
        pytest.param(
            txt(), [record("A", "foo"), mark("a-foo", ownedRecord="bar.x.test")], set(), id="stated-for-another-name"
        ),
    ],
)
def test_a_mark_that_could_mean_two_names_proves_one_or_none(
    registry: TxtRegistry, records: list[Record], expected: set[str]
) -> None:
    assert ours(registry, records) == expected


def test_an_old_mark_that_could_be_anothers_names_no_object() -> None:
    """The object may be that of A `foo`, so that its end is no evidence against the host `a-foo`."""
    found = find(txt(), [record("A", "a-foo"), mark("a-foo", resource=ONE, extra="1")], "A a-foo")
    assert (found.ours, found.resource, found.labels.get("extra")) == (True, "", "1")


class _Counted(DnsName):
    """A name that counts how often one is compared."""

    __slots__ = ()
    comparisons = 0

    def __eq__(self, other: object) -> bool:
        _Counted.comparisons += 1
        return super().__eq__(other)

    __hash__ = DnsName.__hash__


def test_a_zone_full_of_marks_that_could_mean_two_names_costs_no_more_than_its_size() -> None:
    costs = []
    for size in (60, 120):
        names = [f"{prefix}{number}" for number in range(size) for prefix in ("", "a-")]
        marks = [mark(name, resource=ONE) for name in (*names, *(f"a-{name}" for name in names))]
        hosts = [replace(one, name=_Counted(one.name)) for one in (record("A", name) for name in names)]
        _Counted.comparisons = 0
        assert len(ours(txt(), [*hosts, *marks])) == 2 * size
        costs.append(_Counted.comparisons)
    assert costs[1] < 3 * costs[0]
