"""The cases of the corpus that are not about Route 53 come out the same with zones in Cloud DNS, without `--compat`."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest

from tests.corpus.case import load, names
from tests.corpus.clouddns import BY_NAME, run, why_not
from tests.corpus.tables import OURS, OURS_BY_DEFAULT
from tests.corpus.test_corpus import changed, manifests

RUN: Final = [name for name in names() if not why_not(load(name))]


@pytest.mark.parametrize("name", RUN)
def test_the_records_are_those_of_route_53(name: str, tmp_path: Path) -> None:
    case = load(name)
    result, again = run(case, compat=False, cluster=manifests(case, tmp_path))
    assert again.zones == result.zones
    assert again.writes == 0 or result.exit == 1, "a second pass changes nothing, and tries only what was refused"
    ours = OURS_BY_DEFAULT.get(name) or OURS.get(name)
    if ours is None:
        assert result.zones in case.outcomes, result.error
        assert case.failed is None or (result.exit != 0) is case.failed, result.error
    else:
        assert (result.zones, result.exit) == (changed(case, ours), ours.exit)


@pytest.mark.parametrize("name", BY_NAME)
def test_a_case_left_out_by_name_comes_out_otherwise(name: str, tmp_path: Path) -> None:
    case = load(name)
    result, _ = run(case, compat=False, cluster=manifests(case, tmp_path))
    assert result.zones not in case.outcomes


def test_most_cases_apply() -> None:
    assert len(RUN) > len(names()) * 3 / 4
