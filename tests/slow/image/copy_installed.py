"""Install requirements by copying their packages from this environment, into which `make` installed them by hash."""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from importlib.metadata import distribution
from pathlib import Path

from release.requirements import Requirement


def copy_packages(requirements: Sequence[Requirement], target: Path) -> Mapping[str, str]:
    """Copy the files of each required package into the folder *target*. Return the first of its hashes for each."""
    for requirement in requirements:
        installed = distribution(requirement.name)
        if installed.version != requirement.version:
            raise ValueError(
                f"{requirement.name}=={installed.version} is installed, {requirement.version} is required: run `make`"
            )
        for path in installed.files or ():
            if ".." not in path.parts and path.suffix != ".pyc":
                into = target / path
                into.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(path.locate(), into)
    return {requirement.name: requirement.hashes[0] for requirement in requirements}
