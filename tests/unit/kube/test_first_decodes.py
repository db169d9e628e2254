"""Several threads may decode a type for the first time at the same moment.

msgspec inspects a type when it first decodes it. If a second thread does so at the same time, the interpreter crashes
with a segmentation fault.
"""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from tests.program.process import ROOT, environment

_RACE: Final = """
import sys
from threading import Barrier, Thread
sys.setswitchinterval(1e-6)
from extdns.kube.object_decoder import decode_json
from extdns.kube.api_protocol import build_error
from extdns.resources.kinds import STRUCTS

start = Barrier(2 * len(STRUCTS))

def read(kind):
    start.wait()
    decode_json(kind, b'{"metadata": {"name": "a", "namespace": "b", "labels": {"x": "y"}}}', 1)

def refuse(kind):
    start.wait()
    build_error("GET /", 500, b'{"kind": "Status", "details": {"causes": [{"reason": "x"}]}}')

threads = [Thread(target=work, args=(kind,)) for kind in STRUCTS for work in (read, refuse)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
"""

_PACKAGES: Final = ("extdns/app", "extdns/controller", "extdns/engine", "extdns/kube", "extdns/sources", "extdns/web")


@pytest.mark.parametrize("attempt", range(6))
def test_several_threads_can_decode_objects_and_errors_for_the_first_time_at_the_same_time(attempt: int) -> None:  # noqa: ARG001 - it is a race
    command = (sys.executable, "-c", _RACE)
    ended = subprocess.run(command, cwd=ROOT, env=environment(), timeout=300, check=False, capture_output=True)
    assert ended.returncode == 0, ended.stderr.decode()


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
