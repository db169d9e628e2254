"""Require the programs that a test needs besides Python packages."""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence

import pytest


def require_programs(tested: str, *programs: str) -> None:
    """Require *programs* for a test of *tested*. Without them, fail in `.ci/run`; elsewhere skip the test."""
    report_missing(tested, [name for name in programs if shutil.which(name) is None])


def report_missing(tested: str, missing: Sequence[str]) -> None:
    """Fail in `.ci/run`, and elsewhere skip the test of *tested*, if anything is *missing*."""
    if not missing:
        return
    text = f"NOT RUN: {tested} ({', '.join(missing)} not installed); CONTRIBUTING.md says how to install"
    if os.environ.get("EXTDNS_EVERY_TEST"):
        pytest.fail(text)
    pytest.skip(text)
