"""Identifiers use the words of docs/design/glossary.md; class names are unique; modules have no import cycles."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import Final

from tests.unit.definitions import ROOT, SOURCES, read_definitions

PRODUCT: Final = ("extdns", "providers", "registry")

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


@cache
def split_words(identifier: str) -> tuple[str, ...]:
    """Split an identifier in snake case or camel case into lower-case words."""
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", identifier)
    return tuple(word.lower() for word in spaced.split("_") if word)


def find_denied(path: Path) -> list[str]:
    """Return the names defined in *path*, and its own name, that contain a denied word. Names of tests are left out."""
    names = {path.stem, *read_definitions(path).names} - ALLOWED.keys()
    return sorted(name for name in names if not name.startswith("test_") and not DENIED.isdisjoint(split_words(name)))


def find_module(path: Path) -> str:
    """Return the dotted name of the module at *path*."""
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


MODULES: Final = {find_module(path): path for path in SOURCES if path.relative_to(ROOT).parts[0] in PRODUCT}


def find_imports(module: str) -> set[str]:
    """Return the modules of the product that *module* imports, also those for type checking only."""
    found = {
        dotted if (dotted := f"{where}.{name}") in MODULES else where
        for where, name in read_definitions(MODULES[module]).imports
    }
    return (found & MODULES.keys()) - {module}


def test_identifiers_contain_no_word_that_the_glossary_replaced() -> None:
    found = {str(path.relative_to(ROOT)): find_denied(path) for path in SOURCES}
    assert {path: names for path, names in found.items() if names} == {}


def test_each_allowed_identifier_is_still_defined() -> None:
    defined = {name for path in SOURCES for name in read_definitions(path).names}
    assert ALLOWED.keys() - defined == set()


def test_no_class_name_is_defined_twice_in_the_product() -> None:
    found: dict[str, list[str]] = defaultdict(list)
    for module, path in MODULES.items():
        for name in read_definitions(path).classes:
            found[name].append(module)
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
