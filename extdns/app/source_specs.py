"""The specs of the sources of `--source`, and what follows from them. No other source is imported."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from extdns.errors import UsageError
from extdns.flags.sources import AVAILABLE_SOURCES, find_added_source

if TYPE_CHECKING:
    from collections.abc import Sequence

    from extdns.config import Config
    from extdns.model.kind import Kind
    from extdns.sources.common.spec import SourceSpec


def load_spec(name: str) -> SourceSpec[Any]:
    """Return the spec of the source *name*: ours, or that of another package.

    Raises:
        UsageError: the other package has no such source, or it cannot be imported.
    """
    if name in AVAILABLE_SOURCES:
        found: SourceSpec[Any] = import_module(f"extdns.sources.{name.replace('-', '_')}").SOURCE
        return found
    return _load_added_spec(name)


def _load_added_spec(name: str) -> SourceSpec[Any]:
    from extdns.sources.common.spec import SourceSpec

    entry_point = find_added_source(name)
    if entry_point is None:
        raise UsageError(f"--source={name} is no longer installed")
    try:
        spec = entry_point.load()
    except (ImportError, AttributeError) as exc:
        raise UsageError(f"--source={name} cannot be imported from {entry_point.value}: {exc}") from exc
    if not isinstance(spec, SourceSpec) or spec.name != name:
        raise UsageError(f"--source={name}: {entry_point.value} is not the SourceSpec of a source with this name")
    return spec


def load_specs(config: Config) -> tuple[SourceSpec[Any], ...]:
    """Return the specs of `--source`, in the order given, each once."""
    return tuple(map(load_spec, dict.fromkeys(config.sources.names)))


def reads_cluster(config: Config) -> bool:
    """Return whether a source of `--source` reads objects that it does not generate itself."""
    return any(spec.generate is None for spec in load_specs(config))


def find_namespaces(config: Config) -> dict[Kind, Sequence[str]]:
    """Return the namespaces of the kinds that `--namespace` does not limit; () is all."""
    found: dict[Kind, Sequence[str]] = {}
    for spec in load_specs(config):
        found |= spec.namespaces(config.sources)
    return found
