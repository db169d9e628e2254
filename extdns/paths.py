"""Find what a path leads to, without an error for a path that cannot be used.

The functions of pathlib raise one for a name that is too long, and for a folder that the user may not search.
"""

from __future__ import annotations

import os
from pathlib import Path


def is_file(path: Path) -> bool:
    """Return whether *path* is a file that can be found."""
    return os.path.isfile(path)  # noqa: PTH113 - see the docstring of the module


def is_folder(path: Path) -> bool:
    """Return whether *path* is a folder that can be found."""
    return os.path.isdir(path)  # noqa: PTH112 - as above


def find_files(paths: str) -> list[Path]:
    """Return those of *paths* that are files; *paths* are separated as in the variable `PATH`."""
    return [path for text in paths.split(os.pathsep) if text and is_file(path := expand_user(text))]


def expand_user(text: str) -> Path:
    """Return the path *text* with the home folder in place of `~`, or unchanged if there is none."""
    return Path(os.path.expanduser(text))  # noqa: PTH111 - as above
