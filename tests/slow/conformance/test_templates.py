"""Compare the output of templates with that of Go's text/template (docs/spec/sources.md 8.7)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any, Final

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from extdns.gotemplate.errors import TemplateError
from extdns.gotemplate.evaluator import Evaluator
from extdns.gotemplate.functions import NAMES, list_functions
from extdns.gotemplate.parser import parse_template
from extdns.gotemplate.values import make_typed, make_untyped
from tests.gotemplate.generators import SERVICES, TEMPLATES
from tests.gotemplate.oracle import Answer, Oracle, build, print_types, run_oracle

KNOWN: Final = NAMES - {"isSource"}
OURS_ALONE: Final = re.compile("cannot be printed|too wide|is not supported in formats")
"""Errors of extdns where Go has none: Go prints structs and memory addresses."""


WORDS: Final = "{{ }} - .A $x := = | ( ) if end else 1 , range x /* */ ' nil define template with block break print ."
PARTS: Final = [*WORDS.split(), '"a"', " ", " ", "\n"]


@pytest.fixture(scope="session")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(tmp_path_factory.mktemp("oracle"))


@pytest.fixture(scope="module")
def oracle(program: Path) -> Iterator[Oracle]:
    with run_oracle(program) as oracle:
        yield oracle


def render_ours(template: str, kind: str, obj: Any) -> Answer:  # noqa: ANN401 - as JSON has it
    try:
        tree = parse_template(template, KNOWN)
    except TemplateError as exc:
        return Answer(False, "", exc.message)
    data = make_typed(f"*core.{kind}", obj) if kind else make_untyped(convert_integers(obj))
    try:
        return Answer(True, Evaluator(tree, list_functions("service", ("service",)), strict=not kind).render(data), "")
    except TemplateError as exc:
        return Answer(True, "", f"{exc.offset}: {exc.message}")


def convert_integers(data: Any) -> Any:  # noqa: ANN401 - as JSON has it
    """Return *data* with integers converted to floats, as Go's JSON decoder does."""
    match data:
        case bool():
            return data
        case int():
            return float(data)
        case list():
            return [convert_integers(one) for one in data]
        case dict():
            return {key: convert_integers(one) for key, one in data.items()}
        case _:
            return data


def compare(oracle: Oracle, template: str, kind: str, obj: dict[str, Any]) -> None:
    mine = render_ours(template, kind, obj)
    if OURS_ALONE.search(mine.error):
        return
    assert not mine.error.startswith("-"), "an error without a position"
    theirs = oracle.execute(template, kind, obj)
    assert mine.parses is theirs.parses, (mine, theirs)
    assert bool(mine.error) is bool(theirs.error), (mine, theirs)
    assert mine.error or mine.output == theirs.output


def test_the_shipped_file_types_txt_of_the_go_templates_equals_the_one_generated_by_go(program: Path) -> None:
    shipped = files("extdns.gotemplate") / "types.txt"
    assert print_types(program) == shipped.read_text(encoding="utf-8")


@settings(max_examples=400, deadline=None, suppress_health_check=(HealthCheck.too_slow,))
@given(template=TEMPLATES, obj=SERVICES)
def test_templates_of_services_render_the_same_output_as_go(oracle: Oracle, template: str, obj: dict[str, Any]) -> None:
    compare(oracle, template, "Service", obj)


@settings(max_examples=150, deadline=None, suppress_health_check=(HealthCheck.too_slow,))
@given(
    template=TEMPLATES.map(lambda text: re.sub(r"\.([A-Z])", lambda found: f".{found[1].lower()}", text)), obj=SERVICES
)
def test_templates_of_unstructured_objects_render_the_same_output_as_go(
    oracle: Oracle, template: str, obj: dict[str, Any]
) -> None:
    compare(oracle, template, "", obj)


@settings(max_examples=200, deadline=None, suppress_health_check=(HealthCheck.too_slow,))
@given(parts=st.lists(st.sampled_from(PARTS), max_size=12))
def test_a_template_parses_if_and_only_if_it_parses_in_go(oracle: Oracle, parts: list[str]) -> None:
    compare(oracle, "{{" + "".join(parts) + "}}", "Service", {"metadata": {"name": "web"}})
