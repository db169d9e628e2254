"""Every case of the corpus: the records the reference came to are ours, or a table says why not."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest

from tests.corpus.case import Case, Zones, load, names
from tests.corpus.product import Result, run
from tests.corpus.recordsets import settled
from tests.corpus.tables import AGREED, OURS, OURS_BY_DEFAULT, Difference

RUN: Final = names()


@pytest.mark.parametrize("name", RUN)
def test_with_compat_the_records_are_those_of_the_reference(name: str, tmp_path: Path) -> None:
    check(load(name), compat=True, ours=OURS.get(name), cluster=manifests(load(name), tmp_path))


@pytest.mark.parametrize("name", RUN)
def test_without_compat_they_differ_only_on_purpose(name: str, tmp_path: Path) -> None:
    check(
        load(name),
        compat=False,
        ours=OURS_BY_DEFAULT.get(name) or OURS.get(name),
        cluster=manifests(load(name), tmp_path),
    )


def test_every_difference_is_one_of_a_case_and_every_quirk_is_accounted_for() -> None:
    known = set(names())
    assert known >= AGREED.keys() | OURS.keys() | OURS_BY_DEFAULT.keys()
    assert {name for name in known if load(name).quirk} <= AGREED.keys() | OURS.keys()


def manifests(case: Case, empty: Path) -> str:
    """The flag that names the objects of *case*; *empty* is a folder for cases without."""
    return f"--manifests={case.objects if case.objects.exists() else empty}"


def check(case: Case, *, compat: bool, ours: Difference | None, cluster: str) -> None:
    """Run *case* and compare records and exit code with what was recorded, or with our own ending."""
    result, again = run(case, compat=compat, cluster=cluster)
    assert again.zones == result.zones
    assert again.writes == 0 or result.exit == 1, "a second pass changes nothing, and tries only what was refused"
    if ours is None:
        assert result.zones in case.outcomes, result.error
        assert case.failed is None or (result.exit != 0) is case.failed, result.error
    else:
        assert not is_as_recorded(case, result), f"as recorded, so this is no difference: {ours.why}"
        assert (result.zones, result.exit) == (changed(case, ours), ours.exit)


def is_as_recorded(case: Case, result: Result) -> bool:
    """Whether neither the records nor the exit code show a difference."""
    return result.zones in case.outcomes and case.failed in {None, result.exit != 0}


def changed(case: Case, ours: Difference) -> Zones:
    """The zones as recorded, but for our difference."""
    zones = case.outcomes[0]
    zone = ours.zone or case.zones[0]["zone_id"]
    keys = {f"{found['Name']} {found['Type']}" for found in zones[zone]}
    assert keys >= set(ours.gone)
    left = [found for found in zones[zone] if f"{found['Name']} {found['Type']}" not in ours.gone]
    return {**zones, zone: settled([*left, *ours.more])}
