"""Templates come out as Go's own text/template makes them (spec sources 8.7)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any, Final

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from extdns.sources.gotemplate.errors import TemplateError
from extdns.sources.gotemplate.evaluator import Evaluator
from extdns.sources.gotemplate.functions import NAMES, functions
from extdns.sources.gotemplate.parser import parse
from extdns.sources.gotemplate.values import dynamic, typed
from tests.gotemplate.generators import SERVICES, TEMPLATES
from tests.gotemplate.oracle import Answer, Oracle, OracleMissingError, build, running, types

KNOWN: Final = NAMES - {"isSource"}
OURS_ALONE: Final = re.compile("cannot be printed|too wide|is not supported in formats")
"""What we refuse and Go does not: it prints structs and addresses of memory."""


WORDS: Final = "{{ }} - .A $x := = | ( ) if end else 1 , range x /* */ ' nil define template with block break print ."
PIECES: Final = [*WORDS.split(), '"a"', " ", " ", "\n"]


@pytest.fixture(scope="session")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    try:
        return build(tmp_path_factory.mktemp("oracle"))
    except OracleMissingError as exc:
        pytest.skip(f"NOT RUN against Go's own templates: {exc}")


@pytest.fixture(scope="module")
def oracle(program: Path) -> Iterator[Oracle]:
    with running(program) as oracle:
        yield oracle


def ours(template: str, kind: str, obj: Any) -> Answer:  # noqa: ANN401 - as JSON has it
    try:
        tree = parse(template, KNOWN)
    except TemplateError as exc:
        return Answer(False, "", exc.message)
    data = typed(f"*core.{kind}", obj) if kind else dynamic(with_floats(obj))
    try:
        return Answer(True, Evaluator(tree, functions("service", ("service",)), strict=not kind).output(data), "")
    except TemplateError as exc:
        return Answer(True, "", f"{exc.offset}: {exc.message}")


def with_floats(data: Any) -> Any:  # noqa: ANN401 - as JSON has it
    """*data* with the numbers that Go's decoder makes."""
    match data:
        case bool():
            return data
        case int():
            return float(data)
        case list():
            return [with_floats(one) for one in data]
        case dict():
            return {key: with_floats(one) for key, one in data.items()}
        case _:
            return data


def check(oracle: Oracle, template: str, kind: str, obj: dict[str, Any]) -> None:
    mine = ours(template, kind, obj)
    if OURS_ALONE.search(mine.error):
        return
    assert not mine.error.startswith("-"), "a mistake without a place"
    theirs = oracle.ask(template, kind, obj)
    assert mine.parses is theirs.parses, (mine, theirs)
    assert bool(mine.error) is bool(theirs.error), (mine, theirs)
    assert mine.error or mine.output == theirs.output


def test_the_table_of_types_is_the_one_that_go_gives(program: Path) -> None:
    shipped = files("extdns.sources.gotemplate") / "types.txt"
    assert types(program) == shipped.read_text(encoding="utf-8")


@settings(max_examples=400, deadline=None, suppress_health_check=(HealthCheck.too_slow,))
@given(template=TEMPLATES, obj=SERVICES)
def test_a_template_of_a_service_comes_out_as_in_go(oracle: Oracle, template: str, obj: dict[str, Any]) -> None:
    check(oracle, template, "Service", obj)


@settings(max_examples=150, deadline=None, suppress_health_check=(HealthCheck.too_slow,))
@given(
    template=TEMPLATES.map(lambda text: re.sub(r"\.([A-Z])", lambda found: f".{found[1].lower()}", text)), obj=SERVICES
)
def test_a_template_of_plain_data_comes_out_as_in_go(oracle: Oracle, template: str, obj: dict[str, Any]) -> None:
    check(oracle, template, "", obj)


@settings(max_examples=200, deadline=None, suppress_health_check=(HealthCheck.too_slow,))
@given(pieces=st.lists(st.sampled_from(PIECES), max_size=12))
def test_what_go_cannot_parse_cannot_be_parsed(oracle: Oracle, pieces: list[str]) -> None:
    check(oracle, "{{" + "".join(pieces) + "}}", "Service", {"metadata": {"name": "web"}})
