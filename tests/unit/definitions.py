"""What each Python file of the repository defines and imports, from one walk over its syntax tree."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[2]
FOLDERS: Final = ("extdns", "providers", "registry", "release", "tests", "examples")
SOURCES: Final = sorted(path for folder in FOLDERS for path in (ROOT / folder).rglob("*.py"))
"""All Python files of the repository."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Definitions:
    """What a module defines.

    Attributes:
        names: functions, classes, parameters, variables, attributes and aliases of imports.
        classes: names of the classes.
        imports: imported modules, each with the name that is imported from it, or "".
        functions: name and line of each function, and its number of lines without docstring and decorators.
    """

    names: frozenset[str]
    classes: tuple[str, ...]
    imports: frozenset[tuple[str, str]]
    functions: tuple[tuple[str, int], ...]


@cache
def read_definitions(path: Path) -> Definitions:
    """Return the definitions of the module at *path*. Its tree is not kept: all of them would fill the memory."""
    return find_definitions(path.read_text(encoding="utf-8"))


def find_definitions(source: str) -> Definitions:
    """Return the definitions of a module with the text *source*."""
    names: set[str] = set()
    classes: list[str] = []
    imports: set[tuple[str, str]] = set()
    functions: list[tuple[str, int]] = []
    for node in ast.walk(ast.parse(source)):
        names.update(_find_names(node))
        match node:
            case ast.ClassDef():
                classes.append(node.name)
            case ast.Import():
                imports |= {(alias.name, "") for alias in node.names}
            case ast.ImportFrom(module=str(module)):
                imports |= {(module, alias.name) for alias in node.names}
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                length = _count_lines(node) - _count_docstring_lines(node)
                functions.append((f"{node.name} (line {node.lineno})", length))
            case _:
                pass
    return Definitions(
        names=frozenset(names), classes=tuple(classes), imports=frozenset(imports), functions=tuple(functions)
    )


def _find_names(node: ast.AST) -> Iterator[str]:
    match node:
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            yield name
        case ast.arg(arg=name) | ast.Name(id=name, ctx=ast.Store()) | ast.Attribute(attr=name, ctx=ast.Store()):
            yield name
        case ast.alias(asname=str(name)):
            yield name
        case _:
            pass


def _count_docstring_lines(node: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Return the number of lines of the function's docstring, 0 if it has none."""
    return _count_lines(node.body[0]) if ast.get_docstring(node, clean=False) is not None else 0


def _count_lines(node: ast.stmt) -> int:
    """Return the number of lines of a statement without its decorators."""
    assert node.end_lineno is not None
    return node.end_lineno - node.lineno + 1
