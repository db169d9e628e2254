"""Files and functions stay small."""

import ast
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
FOLDERS = ("extdns", "providers", "registry", "tests", "examples")
MAX_FILE_LINES = 400
MAX_FUNCTION_LINES = 50


def list_sources() -> list[Path]:
    """Return the paths of all Python files of the repository, sorted."""
    return sorted(path for folder in FOLDERS for path in (ROOT / folder).rglob("*.py"))


def measure_functions(source: str) -> Iterator[tuple[str, int]]:
    """Yield name and number of lines of each function in *source*, without its docstring."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield f"{node.name} (line {node.lineno})", count_lines(node) - count_docstring_lines(node)


def count_docstring_lines(node: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Return the number of lines of the function's docstring, 0 if it has none."""
    return count_lines(node.body[0]) if ast.get_docstring(node, clean=False) is not None else 0


def count_lines(node: ast.stmt) -> int:
    """Return the number of lines of a statement without its decorators."""
    assert node.end_lineno is not None
    return node.end_lineno - node.lineno + 1


def test_docstring_and_decorators_do_not_count_in_the_length_of_a_function() -> None:
    source = (
        '@decorator\n@other\ndef f():\n    """One.\n\n    Two.\n    """\n    return 1\n\n\nasync def g(): return 2\n'
    )
    assert list(measure_functions(source)) == [("f (line 3)", 2), ("g (line 11)", 1)]


def test_files_and_functions_have_no_more_lines_than_allowed() -> None:
    found = {str(path.relative_to(ROOT)): list(find_excess(path.read_text())) for path in list_sources()}
    assert {path: excess for path, excess in found.items() if excess} == {}


def find_excess(source: str) -> Iterator[tuple[str, int]]:
    """Yield the file and each function in *source* with more lines than allowed, with the number of its lines."""
    lines = len(source.splitlines())
    if lines > MAX_FILE_LINES:
        yield "file", lines
    yield from ((name, length) for name, length in measure_functions(source) if length > MAX_FUNCTION_LINES)
