"""The specs of the sources of `--source`, and what follows from them. No other source is imported."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from extdns.flags.specs import SOURCE_SPECS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from extdns.config import Config
    from extdns.model.kind import Kind
    from extdns.sources.common.spec import SourceSpec


def load_spec(name: str) -> SourceSpec[Any]:
    """Return the spec of the source *name*: ours, or that of another package."""
    found: SourceSpec[Any] = SOURCE_SPECS.load(name)
    return found


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
