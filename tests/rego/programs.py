"""OPA and conftest, which evaluate rules in Rego."""

from __future__ import annotations

import os
import shutil

import pytest


def require_rego_tool(name: str) -> str:
    """Return the path of `opa` or `conftest`. Without it, fail in `.ci/run`; elsewhere skip the test."""
    path = shutil.which(name)
    if path is None:
        text = f"NOT RUN: rules in Rego that need {name} (not in PATH); CONTRIBUTING.md says how to install it"
        if os.environ.get("EXTDNS_EVERY_TEST"):
            pytest.fail(text)
        pytest.skip(text)
    return path
