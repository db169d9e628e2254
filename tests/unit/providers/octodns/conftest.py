"""Provide each test with a service in memory and a function that builds the provider for it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from providers.common.api_calls import CallOptions
from providers.octodns.provider import OctodnsReader, OctodnsWriter, OctodnsZones
from providers.octodns.settings import OctodnsSettings
from tests.conformance.provider import Rig
from tests.fakes.octodns_package import CLASS, SERVICES, MemoryService
from tests.octodns_config import write_config

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

    def build(*, options: CallOptions | None = None, **arguments: object) -> Rig:
        path = write_config(tmp_path, {"class": CLASS, "service": "it", **arguments}, ("example.org",))
        settings = OctodnsSettings(path=path, calls=options or CallOptions())
        zones = OctodnsZones(settings)
        reader = OctodnsReader(zones)
        return Rig(
            reader=reader,
            writer=OctodnsWriter(zones),
            other=OctodnsWriter(OctodnsZones(settings)),
            zone=reader.list_zones().zones[0],
            keeps_all_texts=False,
        )

    return build
