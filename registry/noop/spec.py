"""The registry `noop`."""

from __future__ import annotations

from typing import Final

from registry.noop.registry import NoopRegistry
from registry.registry_spec import RegistrySpec

REGISTRY: Final = RegistrySpec(name="noop", build=lambda _: NoopRegistry())
