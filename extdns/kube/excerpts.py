"""Imports some modules of a large package, without all that the package imports for itself."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.util import find_spec, module_from_spec


@contextmanager
def excerpt(*packages: str, without: Sequence[str] = ()) -> Iterator[None]:
    """Run imports; afterwards everybody else finds *packages* as if nothing had happened.

    What is loaded already stays what it is.

    Args:
        packages: do not run when one of their modules is imported; parents come first.
        without: modules that seem not to be installed.
    """
    before = dict(sys.modules)
    try:
        for name in packages:
            if name not in before and (spec := find_spec(name)) is not None:
                sys.modules[name] = package = module_from_spec(spec)
                for child, module in before.items():
                    if child.rpartition(".")[0] == name:
                        setattr(package, child.rpartition(".")[2], module)
        for name in without:
            sys.modules.setdefault(name, None)  # type: ignore[arg-type] # the import system's way to say so
        yield
    finally:
        for name in {*packages, *without} - before.keys():
            sys.modules.pop(name, None)
