"""Commands run in the process of their tests."""

from __future__ import annotations

import pytest


@pytest.fixture(autouse=True)
def _own_logging(own_logging: None) -> None:
    """Each command sets up the loggers anew."""
