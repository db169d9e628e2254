"""Load the specs of the sources of `--source`, and no other source."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from extdns.config import Config
    from extdns.sources.common.spec import SourceSpec


def load_spec(name: str) -> SourceSpec[Any]:
    """Return the spec of the source *name*."""
    found: SourceSpec[Any] = import_module(f"extdns.sources.{name.replace('-', '_')}").SOURCE
    return found


def load_specs(config: Config) -> tuple[SourceSpec[Any], ...]:
    """Return the specs of `--source`, in the order given, each once."""
    return tuple(map(load_spec, dict.fromkeys(config.sources.names)))
