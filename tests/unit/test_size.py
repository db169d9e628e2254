"""Files and functions stay small."""

from collections.abc import Iterator
from pathlib import Path

from tests.unit.definitions import ROOT, SOURCES, find_definitions, read_definitions

MAX_FILE_LINES = 400
MAX_FUNCTION_LINES = 50


def test_the_length_of_a_function_does_not_include_docstring_and_decorators() -> None:
    source = (
        '@decorator\n@other\ndef f():\n    """One.\n\n    Two.\n    """\n    return 1\n\n\nasync def g(): return 2\n'
    )
    assert find_definitions(source).functions == (("f (line 3)", 2), ("g (line 11)", 1))


def test_files_and_functions_have_no_more_lines_than_allowed() -> None:
    found = {str(path.relative_to(ROOT)): list(find_excess(path)) for path in SOURCES}
    assert {path: excess for path, excess in found.items() if excess} == {}


def find_excess(path: Path) -> Iterator[tuple[str, int]]:
    """Yield the file and each function in *path* with more lines than allowed, with the number of its lines."""
    lines = len(path.read_text(encoding="utf-8").splitlines())
    if lines > MAX_FILE_LINES:
        yield "file", lines
    yield from (found for found in read_definitions(path).functions if found[1] > MAX_FUNCTION_LINES)
