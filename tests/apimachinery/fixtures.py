"""Fixtures for tests that ask the real API machinery; without it they skip, and say what did not run."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.apimachinery import programs
from tests.apimachinery.programs import ProgramMissingError, Programs
from tests.apimachinery.server import ApiMachinery


@pytest.fixture(scope="session")
def api_programs() -> Programs:
    """The programs of an API server, for tests that need one of their own: to kill it, or to make it forget."""
    try:
        return programs.find()
    except ProgramMissingError as exc:
        pytest.skip(f"NOT RUN against the real API machinery: {exc}")


@pytest.fixture(scope="session")
def api_machinery(api_programs: Programs) -> Iterator[ApiMachinery]:
    """One API server for the whole run; tests take a namespace each, and leave it running as it is."""
    with ApiMachinery(api_programs) as machinery:
        yield machinery
