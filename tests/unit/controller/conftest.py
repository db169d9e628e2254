"""Fixtures for the tests of the controller."""

from __future__ import annotations

import logging
from collections.abc import Iterator

import pytest

from tests.unit.controller.barriers import Barrier


@pytest.fixture(autouse=True)
def _every_line(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG, "extdns")


@pytest.fixture
def gate() -> Iterator[Barrier]:
    """Return a barrier that is opened at the end of the test, so that no thread keeps waiting."""
    found = Barrier()
    yield found
    found.open()
