"""How many queries the policy server gets, as the benchmark counts them."""

from __future__ import annotations

from tests.bench.process import run
from tests.required_programs import require_program

SIZE = 1_200


def test_a_start_with_1200_names_takes_three_queries_to_opa_and_a_change_takes_one() -> None:
    require_program("rules in Rego", "opa")
    seen = run("opa", SIZE)
    assert seen["start_queries"] == 3
    assert seen["change_queries"] == 1
