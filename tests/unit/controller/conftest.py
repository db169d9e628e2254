"""What several tests of the controller are given."""

from __future__ import annotations

import logging
from collections.abc import Iterator

import pytest

from tests.unit.controller.scene import Gate


@pytest.fixture(autouse=True)
def _every_line(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG, "extdns")


@pytest.fixture
def gate() -> Iterator[Gate]:
    """Opened at the end, so that no thread stays behind."""
    found = Gate()
    yield found
    found.open()
