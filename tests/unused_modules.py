"""Modules of packages that are installed here and left out of the image."""

from __future__ import annotations

from importlib.metadata import distribution

from release.requirements import UNUSED


def list_unused_modules() -> list[str]:
    """Return the names of the top-level modules and packages that `UNUSED` installs."""
    found: set[str] = set()
    for name in UNUSED:
        for path in distribution(name).files or ():
            if path.suffix == ".py" and not path.parts[0].endswith(".dist-info") and ".." not in path.parts:
                found.add(path.parts[0].removesuffix(".py"))
    return sorted(found)
