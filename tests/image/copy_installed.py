"""Copy the packages of a requirements file from this environment: `copy_installed.py FILE PYTHON...`.

They go into the environment of the last PYTHON. Another version than the one that is required is an error.
"""

from __future__ import annotations

import re
import shutil
import sys
from importlib.metadata import distribution
from pathlib import Path
from typing import Final

_PIN: Final = re.compile(r"^(?P<name>[\w.-]+)==(?P<version>\S+) \\\n {4}--hash=", re.MULTILINE)
_REQUIREMENT: Final = re.compile(r"^\w", re.MULTILINE)


def copy_packages(requirements: str, target: Path) -> None:
    """Copy the files of each package that *requirements* pins into the folder *target*.

    Times stay, so that the copied bytecode counts as compiled from the copied files.

    Raises:
        ValueError: a requirement has no hash, or another version is installed here.
    """
    pins = [(found["name"], found["version"]) for found in _PIN.finditer(requirements)]
    if len(pins) != len(_REQUIREMENT.findall(requirements)):
        raise ValueError("a requirement without version or hash")
    for name, version in pins:
        installed = distribution(name)
        if installed.version != version:
            raise ValueError(f"{name}=={installed.version} is installed, {version} is required: run `make`")
        for path in installed.files or ():
            if ".." not in path.parts:
                into = target / path
                into.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(path.locate(), into)


if __name__ == "__main__":
    (packages,) = Path(sys.argv[-1]).parent.parent.glob("lib/python3*/site-packages")
    copy_packages(Path(sys.argv[1]).read_text(encoding="utf-8"), packages)
