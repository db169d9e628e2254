"""In every case of the corpus extdns has the records that external-dns made, or a table gives the reason."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest

from tests.corpus.case import Case, Zones, load, names
from tests.corpus.product import Result, run
from tests.corpus.recordsets import normalize_record_sets
from tests.corpus.tables import AGREED, OURS, OURS_BY_DEFAULT, Difference

RUN: Final = names()


@pytest.mark.parametrize("name", RUN)
def test_with_compat_the_records_equal_those_of_external_dns_but_for_listed_differences(
    name: str, tmp_path: Path
) -> None:
    check(load(name), compat=True, ours=OURS.get(name), cluster=build_manifests_flag(load(name), tmp_path))


@pytest.mark.parametrize("name", RUN)
def test_without_compat_the_records_equal_those_of_external_dns_but_for_listed_differences(
    name: str, tmp_path: Path
) -> None:
    check(
        load(name),
        compat=False,
        ours=OURS_BY_DEFAULT.get(name) or OURS.get(name),
        cluster=build_manifests_flag(load(name), tmp_path),
    )


def test_every_listed_difference_names_a_corpus_case_and_every_quirk_of_external_dns_is_listed() -> None:
    known = set(names())
    assert known >= AGREED.keys() | OURS.keys() | OURS_BY_DEFAULT.keys()
    assert {name for name in known if load(name).quirk} <= AGREED.keys() | OURS.keys()


def build_manifests_flag(case: Case, empty: Path) -> str:
    """Return the --manifests flag for *case*; *empty* is an empty folder for cases without objects."""
    return f"--manifests={case.objects if case.objects.exists() else empty}"


def check(case: Case, *, compat: bool, ours: Difference | None, cluster: str) -> None:
    """Run *case* and compare records and exit code with the recorded ones, or with the listed difference."""
    result, again = run(case, compat=compat, cluster=cluster)
    assert again.zones == result.zones
    assert again.writes == 0 or result.exit == 1, "a second run writes nothing unless changes were refused"
    if ours is None:
        assert result.zones in case.outcomes, result.error
        assert case.failed is None or (result.exit != 0) is case.failed, result.error
    else:
        assert not is_as_recorded(case, result), f"as recorded, so this is no difference: {ours.reason}"
        assert (result.zones, result.exit) == (apply_difference(case, ours), ours.exit)


def is_as_recorded(case: Case, result: Result) -> bool:
    return result.zones in case.outcomes and case.failed in {None, result.exit != 0}


def apply_difference(case: Case, ours: Difference) -> Zones:
    zones = case.outcomes[0]
    zone = ours.zone or case.zones[0]["zone_id"]
    keys = {f"{found['Name']} {found['Type']}" for found in zones[zone]}
    assert keys >= set(ours.gone)
    left = [found for found in zones[zone] if f"{found['Name']} {found['Type']}" not in ours.gone]
    return {**zones, zone: normalize_record_sets([*left, *ours.more])}
