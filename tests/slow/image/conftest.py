"""The folder of the image, built once for all tests, from packages that are already installed."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Final

import pytest

from release.image_root import build_image_root
from tests.slow.image.copy_installed import copy_packages

EPOCH: Final = 1_700_000_000
EXTRAS: Final = ("providers.octodns.", "providers.rfc2136.kerberos")
"""How the names of the modules begin whose packages the image does not have."""


def build_root(target: Path, *, prefix: Path | None = None) -> Path:
    """Build the folder of the image for this Python, to be used at *prefix*. Return its path."""
    build_image_root(
        target,
        architecture="amd64",
        python=sys.executable,
        install=copy_packages,
        epoch=EPOCH,
        prefix=str(prefix or target),
    )
    return target


@pytest.fixture(scope="session")
def image_root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_root(tmp_path_factory.mktemp("image") / "extdns")
