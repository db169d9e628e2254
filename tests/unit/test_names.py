"""Identifiers use the words of docs/design/glossary.md; class names are unique; modules have no import cycles."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[2]
PRODUCT: Final = ("extdns", "providers", "registry")
SOURCES: Final = sorted(path for package in (*PRODUCT, "tests", "examples") for path in (ROOT / package).rglob("*.py"))

DENIED: Final = frozenset(
    re.findall(
        r"\w+",
        """
    ahead allowance among announcer ask asked asker askers asks behind beside blamed board candidacy
    carry census clashes culprits despair dispel doing doubts draft ending essence facts fights fingerprint
    flaw follower foreseen forms gist given heard heirs holding holdings homeless hosting hurry instead judge
    keeper keeping kept kin kinship lack lacked lacking lane lead leads leave led ledger lean look losers lost
    mark marked marks mirror misfits misnamed misplaced mistake mistakes news notes novelty otherwise outdone
    over pace pair parked parry passes patience pauses permitted pieces place placing pointer probe proof
    pulse quarantine reading recall released rests rhythm rights roll room said say sealed sentence setback
    settle settled shared shelf shown singles smallness soil spared sparse stale standing standings standins
    stands subject surprise survey teller telling tell terms told traits twins unasked unfounded unmet vain
    verdict void wanted wants ways weigh whole why wish withheld wronged wrong
""",
    )
)
"""Words that the glossary replaced by standard terms (docs/design/glossary.md)."""

ALLOWED: Final[Mapping[str, str]] = {
    "POINTER": "form of a Go type",
    "READING": "value of the zone condition `reading` in the JSON API",
    "fingerprint": "field of the v1 state format",
    "released": "field of the v1 state format",
    "shown": "field of SavedScope and of the v1 state format",
    "whole": "field of SavedZone and of the v1 state format (model, wire format)",
}
"""Identifiers that hold a denied word in another sense, each with its reason."""


def split_words(identifier: str) -> list[str]:
    """Split an identifier in snake case or camel case into lower-case words."""
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", identifier)
    return [word.lower() for word in spaced.split("_") if word]


@cache
def parse(path: Path) -> ast.Module:
    """Parse a module."""
    return ast.parse(path.read_text(encoding="utf-8"))


def find_names(tree: ast.Module) -> Iterator[str]:
    """Return every name that a module defines: functions, classes, parameters, variables, attributes and aliases."""
    for node in ast.walk(tree):
        match node:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                yield name
            case ast.arg(arg=name) | ast.Name(id=name, ctx=ast.Store()) | ast.Attribute(attr=name, ctx=ast.Store()):
                yield name
            case ast.alias(asname=str(name)):
                yield name
            case _:
                pass


def find_denied(path: Path) -> list[str]:
    """Return the names defined in *path*, and its own name, that contain a denied word. Names of tests are left out."""
    names = {path.stem, *find_names(parse(path))} - ALLOWED.keys()
    return sorted(name for name in names if not name.startswith("test_") and not DENIED.isdisjoint(split_words(name)))


def find_module(path: Path) -> str:
    """Return the dotted name of the module at *path*."""
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


MODULES: Final = {find_module(path): path for path in SOURCES if path.relative_to(ROOT).parts[0] in PRODUCT}


def find_imports(module: str) -> set[str]:
    """Return the modules of the product that *module* imports, also those for type checking only."""
    found: set[str] = set()
    for node in ast.walk(parse(MODULES[module])):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            dotted = (f"{node.module}.{alias.name}" for alias in node.names)
            found |= {name if name in MODULES else node.module for name in dotted}
    return (found & MODULES.keys()) - {module}


def test_identifiers_contain_no_word_that_the_glossary_replaced() -> None:
    found = {str(path.relative_to(ROOT)): find_denied(path) for path in SOURCES}
    assert {path: names for path, names in found.items() if names} == {}


def test_each_allowed_identifier_is_still_defined() -> None:
    defined = {name for path in SOURCES for name in find_names(parse(path))}
    assert ALLOWED.keys() - defined == set()


def test_no_class_name_is_defined_twice_in_the_product() -> None:
    found: dict[str, list[str]] = defaultdict(list)
    for module, path in MODULES.items():
        for node in ast.walk(parse(path)):
            if isinstance(node, ast.ClassDef):
                found[node.name].append(module)
    assert {name for name, modules in found.items() if len(modules) > 1} == set()


def test_modules_do_not_import_each_other_in_a_cycle() -> None:
    graph = {module: find_imports(module) for module in MODULES}
    assert find_cycle(graph) is None


def find_cycle(graph: Mapping[str, set[str]]) -> list[str] | None:
    """Return the modules of one import cycle of *graph*, each imported by the next, or None."""
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return list(error.args[1])
    return None
