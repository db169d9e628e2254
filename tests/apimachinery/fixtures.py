"""The API server that tests against a real one share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.apimachinery.server import ApiMachinery


@pytest.fixture(scope="session")
def api_machinery() -> Iterator[ApiMachinery]:
    """Start one API server for the whole test run. Each test uses its own namespace and must not stop the server."""
    with ApiMachinery() as machinery:
        yield machinery
