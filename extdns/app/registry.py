"""Build the registry of `--registry`."""

from __future__ import annotations

import secrets
from functools import partial
from typing import TYPE_CHECKING

from extdns.flags.secret_files import read_secret
from extdns.flags.specs import REGISTRY_SPECS
from registry.registry_spec import RegistryContext, RegistrySpec

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from extdns.config import Config
    from extdns.flags.records import RegistryFlags
    from extdns.model.dns_name import DnsName
    from extdns.ports import Registry


def build_registry(config: Config) -> Registry:
    """Build the registry of `--registry`."""
    spec: RegistrySpec = REGISTRY_SPECS.load(config.registry.name)
    return spec.build(build_registry_context(config))


def find_ownership_names(flags: RegistryFlags) -> Callable[[DnsName, str], Iterable[str]] | None:
    """Return what returns the names of the ownership records of a name and type; None if there are none."""
    spec: RegistrySpec | None = REGISTRY_SPECS.find(flags.name)
    return None if spec is None or spec.ownership_names is None else partial(spec.ownership_names, flags)


def build_registry_context(config: Config) -> RegistryContext:
    """Return what a registry is built with."""
    return RegistryContext(
        flags=config.registry,
        managed_types=config.plan.find_managed_types(),
        compat=config.control.compat,
        read_secret=read_secret,
        random_bytes=secrets.token_bytes,
    )


def owns_names(name: str) -> bool:
    """Return whether an ownership record of the registry *name* covers all records of its name."""
    spec: RegistrySpec | None = REGISTRY_SPECS.find(name)
    return spec is not None and spec.owns_names


def has_rows(name: str) -> bool:
    """Return whether the registry *name* keeps ownership in rows of a store."""
    spec: RegistrySpec | None = REGISTRY_SPECS.find(name)
    return spec is not None and spec.open_store is not None
