"""Cases of the corpus without features of Route 53 give the same records over octodns-bind in BIND."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest

from tests.corpus.case import load, names
from tests.corpus.octodns import capitalize_flags, find_obstacle, run
from tests.corpus.tables import OURS, OURS_BY_DEFAULT
from tests.corpus.test_corpus import apply_difference, build_manifests_flag

RUN: Final = [name for name in names() if not find_obstacle(load(name))]


@pytest.mark.parametrize("name", RUN)
def test_the_records_over_octodns_equal_the_recorded_ones_but_for_listed_differences(name: str, tmp_path: Path) -> None:
    case = load(name)
    result, again = run(case, cluster=build_manifests_flag(case, tmp_path), folder=tmp_path)
    assert again.zones == result.zones
    assert again.writes == 0 or result.exit == 1, "a second run writes nothing unless changes were refused"
    ours = OURS_BY_DEFAULT.get(name) or OURS.get(name)
    if ours is None:
        assert result.zones in map(capitalize_flags, case.outcomes), result.error
        assert case.failed is None or (result.exit != 0) is case.failed, result.error
    else:
        assert (result.zones, result.exit) == (apply_difference(case, ours), ours.exit)


def test_more_than_two_thirds_of_the_corpus_cases_are_run_with_octodns() -> None:
    assert len(RUN) > len(names()) * 2 / 3
