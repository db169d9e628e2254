"""Several threads may decode a type for the first time at the same moment.

msgspec inspects a type when it first decodes it. If a second thread does so at the same time, the interpreter crashes
with a segmentation fault.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from tests.program.process import ROOT

_PACKAGES: Final = ("extdns/app", "extdns/controller", "extdns/engine", "extdns/kube", "extdns/sources", "extdns/web")


def test_all_decoders_are_created_when_their_module_is_imported() -> None:
    """`decode(…, type=…)` creates a decoder when called; a module-level `Decoder` is created at import."""
    found = [
        one
        for package in _PACKAGES
        for path in sorted((ROOT / package).rglob("*.py"))
        for one in _find_late_decoders(path)
    ]
    assert found == []


def _find_late_decoders(path: Path) -> Iterator[str]:
    """List the calls of `msgspec….decode` in *path* that create a decoder when called."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "decode":
            kinds = [keyword.value for keyword in node.keywords if keyword.arg == "type"]
            if kinds and ast.unparse(kinds[0]) != "msgspec.Raw":
                yield f"{path.relative_to(ROOT)}:{node.lineno}"
