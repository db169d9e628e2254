"""Files and functions stay small enough to be read in one go."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
ROOMS = ("extdns", "providers", "registry", "tests", "examples")
MAX_FILE_LINES = 300
MAX_FUNCTION_LINES = 50


def sources() -> list[Path]:
    """List every Python file that is ours, sorted."""
    return sorted(path for room in ROOMS for path in (ROOT / room).rglob("*.py"))


def functions(source: str) -> Iterator[tuple[str, int]]:
    """Name each function of *source* with its lines, from `def` to its end, docstring left out."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield f"{node.name} (line {node.lineno})", lines(node) - docstring_lines(node)


def docstring_lines(node: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Count the lines of the function's docstring, 0 if it has none."""
    return lines(node.body[0]) if ast.get_docstring(node, clean=False) is not None else 0


def lines(node: ast.stmt) -> int:
    """Count the lines that a statement takes, decorators left out."""
    assert node.end_lineno is not None
    return node.end_lineno - node.lineno + 1


def test_the_ruler_counts_neither_docstring_nor_decorator() -> None:
    source = (
        '@decorator\n@other\ndef f():\n    """One.\n\n    Two.\n    """\n    return 1\n\n\nasync def g(): return 2\n'
    )
    assert list(functions(source)) == [("f (line 3)", 2), ("g (line 11)", 1)]


@pytest.mark.parametrize("path", sources(), ids=lambda path: str(path.relative_to(ROOT)))
def test_file_and_functions_are_under_their_caps(path: Path) -> None:
    source = path.read_text()
    assert len(source.splitlines()) <= MAX_FILE_LINES
    assert [(name, length) for name, length in functions(source) if length > MAX_FUNCTION_LINES] == []
