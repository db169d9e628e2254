"""Class names are unique in the product, and its modules do not import each other in a cycle."""

from __future__ import annotations

import ast
from collections import Counter
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[2]
MODULES: Final = {
    ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): path
    for package in ("extdns", "providers", "registry")
    for path in (ROOT / package).rglob("*.py")
}


@cache
def read_module(module: str) -> tuple[list[str], set[str]]:
    """Return the classes of *module* and the modules of the product that it imports, also for type checking only."""
    classes: list[str] = []
    imports: set[str] = set()
    for node in ast.walk(ast.parse(MODULES[module].read_text(encoding="utf-8"))):
        match node:
            case ast.ClassDef(name=name):
                classes.append(name)
            case ast.Import(names=names):
                imports |= {alias.name for alias in names}
            case ast.ImportFrom(module=str(package), names=names):
                found = (f"{package}.{alias.name}" for alias in names)
                imports |= {name if name in MODULES else package for name in found}
            case _:
                pass
    return classes, (imports & MODULES.keys()) - {module}


def test_no_class_name_is_defined_twice_in_the_product() -> None:
    counts = Counter(name for module in MODULES for name in read_module(module)[0])
    assert [name for name, count in counts.items() if count > 1] == []


def test_modules_do_not_import_each_other_in_a_cycle() -> None:
    TopologicalSorter({module: read_module(module)[1] for module in MODULES}).prepare()  # a CycleError names them
