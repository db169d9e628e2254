"""Tests run the commands in their own process."""

from __future__ import annotations

import pytest


@pytest.fixture(autouse=True)
def _own_logging(own_logging: None) -> None:
    """Restore the loggers after each test, because each command configures them."""
