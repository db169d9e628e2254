"""OPA and conftest, which evaluate rules in Rego."""

from __future__ import annotations

import shutil

from tests.required_programs import report_missing


def require_rego_tool(name: str) -> str:
    """Return the path of `opa` or `conftest`. Without it, fail in `.ci/run`; elsewhere skip the test."""
    path = shutil.which(name)
    report_missing("rules in Rego", [name] if path is None else [])
    return str(path)
