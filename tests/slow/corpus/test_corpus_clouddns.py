"""Cases of the corpus without features of Route 53 give the same records in Cloud DNS, without `--compat`."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest

from tests.corpus.case import load, names
from tests.corpus.clouddns import BY_NAME, find_route53_feature, run
from tests.corpus.tables import OURS, OURS_BY_DEFAULT
from tests.corpus.test_corpus import apply_difference, build_manifests_flag

RUN: Final = [name for name in names() if not find_route53_feature(load(name))]


@pytest.mark.parametrize("name", RUN)
def test_the_records_in_cloud_dns_equal_the_recorded_ones_but_for_listed_differences(name: str, tmp_path: Path) -> None:
    case = load(name)
    result, again = run(case, compat=False, cluster=build_manifests_flag(case, tmp_path))
    assert again.zones == result.zones
    assert again.writes == 0 or result.exit == 1, "a second run writes nothing unless changes were refused"
    ours = OURS_BY_DEFAULT.get(name) or OURS.get(name)
    if ours is None:
        assert result.zones in case.outcomes, result.error
        assert case.failed is None or (result.exit != 0) is case.failed, result.error
    else:
        assert (result.zones, result.exit) == (apply_difference(case, ours), ours.exit)


@pytest.mark.parametrize("name", BY_NAME)
def test_each_corpus_case_excluded_by_name_gives_records_in_cloud_dns_that_differ_from_the_recorded_ones(
    name: str, tmp_path: Path
) -> None:
    case = load(name)
    result, _ = run(case, compat=False, cluster=build_manifests_flag(case, tmp_path))
    assert result.zones not in case.outcomes


def test_more_than_three_quarters_of_the_corpus_cases_are_run_with_cloud_dns() -> None:
    assert len(RUN) > len(names()) * 3 / 4
