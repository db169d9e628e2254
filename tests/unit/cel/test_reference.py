"""The reference page of DNSPolicy: its examples are valid, and it lists everything."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

import pytest
import yaml

from extdns import cli
from extdns.cel.functions import FUNCTIONS, NATIVE_FUNCTIONS
from extdns.cel.policy import CompiledPolicy, compile_policy
from extdns.cel.policy_document import read_policy
from extdns.cel.references import FIELDS
from extdns.cel.typical_inputs import evaluate_dry
from tests.unit.cel.expressions import build_input, evaluate

PAGE: Final = (Path(__file__).parents[3] / "docs" / "reference" / "dnspolicy.md").read_text(encoding="utf-8")
(EXAMPLES,) = re.findall(r"```cel\n(.*?)```", PAGE, re.DOTALL)


@pytest.mark.parametrize("source", EXAMPLES.splitlines())
def test_each_example_expression_on_the_reference_page_is_true_for_a_usual_record(source: str) -> None:
    assert evaluate(source, build_input("web.team-a.example.com")) is True


def test_the_example_policy_on_the_reference_page_is_valid() -> None:
    text, _ = re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)
    document = yaml.safe_load(text)
    parsed = read_policy(document["metadata"]["name"], document["spec"])
    assert parsed.text is not None, parsed.problems
    policy = compile_policy(parsed.text)
    assert isinstance(policy, CompiledPolicy)
    dry = evaluate_dry(policy)
    assert (dry.problems, dry.warnings) == ((), ())


def test_the_reference_page_names_each_variable_field_and_function() -> None:
    named = set(re.findall(r"[A-Za-z]+", PAGE))
    dates = {name for name in NATIVE_FUNCTIONS if name.startswith("get")}
    names = {*FIELDS, *(field for fields in FIELDS.values() if fields for field in fields)}
    functions = {name.rpartition(".")[2] for name in (*FUNCTIONS, *NATIVE_FUNCTIONS - dates)}
    assert (names | functions) - named == set()


def test_the_example_tests_on_the_reference_page_pass(tmp_path: Path) -> None:
    policy, tests = re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)
    (tmp_path / "policy.yaml").write_text(policy)
    (tmp_path / "tests.yaml").write_text(tests)
    assert cli.main(["policy", "test", str(tmp_path / "tests.yaml")], {}) == 0
