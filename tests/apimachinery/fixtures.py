"""Fixtures for tests against a real Kubernetes API server. If its programs are not installed, the tests are skipped."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.apimachinery import programs
from tests.apimachinery.programs import ProgramMissingError, Programs
from tests.apimachinery.server import ApiMachinery


@pytest.fixture(scope="session")
def api_programs() -> Programs:
    """Return the programs of the API server, for tests that start one of their own, such as to kill it."""
    try:
        return programs.find_programs()
    except ProgramMissingError as exc:
        pytest.skip(f"NOT RUN against a real Kubernetes API server: {exc}")


@pytest.fixture(scope="session")
def api_machinery(api_programs: Programs) -> Iterator[ApiMachinery]:
    """Start one API server for the whole test run. Each test uses its own namespace and must not stop the server."""
    with ApiMachinery(api_programs) as machinery:
        yield machinery
