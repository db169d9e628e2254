"""Provide each test with a service in memory and a function that builds the provider for it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from providers.common.api_calls import CallOptions
from tests.conformance.provider import Rig, build_octodns_rig
from tests.fakes.octodns_package import CLASS, SERVICES, MemoryService

BuildRig = Callable[..., Rig]


@pytest.fixture
def service() -> Iterator[MemoryService]:
    SERVICES["it"] = found = MemoryService()
    found.put("", "NS", "ns1.example.net.")
    yield found
    del SERVICES["it"]


@pytest.fixture
def build_rig(tmp_path: Path, service: MemoryService) -> BuildRig:
    """Return a function that builds a rig; its arguments are those of the provider."""
    assert service is SERVICES["it"]

    def build(*, options: CallOptions = CallOptions(), **arguments: object) -> Rig:  # noqa: B008 - frozen
        return build_octodns_rig(tmp_path, {"class": CLASS, "service": "it", **arguments}, options)

    return build
