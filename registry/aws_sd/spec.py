"""The registry `aws-sd`, from its flags."""

from __future__ import annotations

from typing import Final

from registry.aws_sd.registry import DescriptionRegistry
from registry.registry_spec import RegistryContext, RegistrySpec


def build(context: RegistryContext) -> DescriptionRegistry:
    """Build the registry.

    Raises:
        UsageError: the owner id is invalid.
    """
    return DescriptionRegistry(owner=context.flags.txt_owner_id, managed_types=context.managed_types)


REGISTRY: Final = RegistrySpec(
    name="aws-sd", build=build, ownership_names=lambda _flags, name, _rtype: (name,), owns_names=True
)
