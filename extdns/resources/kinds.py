"""Every kind that extdns can decode, and the struct of its objects (docs/spec/sources.md 3-7)."""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules
from typing import Final

from extdns import resources
from extdns.model.kind import Kind, KubernetesObject
from extdns.resources.meta import Structs


def _collect() -> Structs:
    """Merge the `STRUCTS` of the modules of this package, except of those without kinds and of this one."""
    names = [f"{resources.__name__}.{module.name}" for module in iter_modules(resources.__path__)]
    found: dict[Kind, type[KubernetesObject]] = {}
    for name in names:
        if name != __name__:
            found.update(getattr(import_module(name), "STRUCTS", {}))
    return found


STRUCTS: Final[Structs] = _collect()


def find_struct(kind: Kind) -> type[KubernetesObject]:
    """Return the struct into which objects of *kind* are decoded; only metadata for a kind that a flag sets."""
    return STRUCTS.get(kind, KubernetesObject)
