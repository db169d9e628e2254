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


def load_registry(name: str) -> RegistrySpec:
    """Return the spec of the registry *name*, a value of `--registry`."""
    found: RegistrySpec = REGISTRY_SPECS.load(name)
    return found


def build_registry(config: Config) -> Registry:
    """Build the registry of `--registry`."""
    return load_registry(config.registry.name).build(build_registry_context(config))


def find_ownership_names(flags: RegistryFlags) -> Callable[[DnsName, str], Iterable[str]] | None:
    """Return what returns the names of the ownership records of a name and type; None if there are none."""
    find = load_registry(flags.name).ownership_names
    return None if find is None else partial(find, flags)


def build_registry_context(config: Config) -> RegistryContext:
    """Return what a registry is built with."""
    return RegistryContext(
        flags=config.registry,
        managed_types=config.plan.find_managed_types(),
        compat=config.control.compat,
        read_secret=read_secret,
        random_bytes=secrets.token_bytes,
    )


def has_rows(name: str) -> bool:
    """Return whether the registry *name*, which may not exist, keeps ownership in rows of a store."""
    spec: RegistrySpec | None = REGISTRY_SPECS.find(name)
    return spec is not None and spec.open_store is not None
