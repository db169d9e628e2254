"""Build the folder of the image that has extdns: `python -m release.image_root --arch=amd64 /opt/extdns`.

The Python that runs this must have the minor version of the Python in the image: it chooses the wheels and compiles
the bytecode. It need not run on the architecture of the image. The same requirements, sources and `SOURCE_DATE_EPOCH`
always give the same bytes, times and modes.

    bin/extdns, bin/external-dns    the program
    lib                             the packages that it uses, with bytecode
    sbom.spdx.json                  what they are
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from importlib.metadata import Distribution, distributions
from pathlib import Path
from typing import Final

from extdns import __version__
from release.requirements import Requirement, parse_requirements, select_used
from release.sbom import Package, build_sbom

ROOT: Final = Path(__file__).parents[1]
PROGRAM: Final = ("extdns", "providers", "registry")
PREFIX: Final = "/opt/extdns"
"""Where the folder is in the image."""

AWS_SERVICES: Final = frozenset({"route53", "servicediscovery", "signin", "sso", "sso-oidc", "sts"})
"""Services of the AWS SDK that are called, or that lead to credentials. The data of the others is removed."""

_LICENCES: Final[Mapping[str, str]] = {
    **{name: name for name in ("Apache-2.0", "BSD-3-Clause", "ISC", "MIT", "MPL-2.0")},
    **dict.fromkeys(("Apache 2.0", "Apache License 2.0"), "Apache-2.0"),
    "3-Clause BSD License": "BSD-3-Clause",
}
"""SPDX identifiers of what packages state in their old metadata field `License`, which has no fixed form."""

_MACHINES: Final = {"amd64": "x86_64", "arm64": "aarch64"}
_GLIBC_MINOR: Final = 41  # Debian 13 has glibc 2.41
_LAUNCHER: Final = """\
#!{python} -S
import sys

sys.path[0] = "{prefix}/lib"
from extdns.cli import main

sys.exit(main())
"""

Install = Callable[[Sequence[Requirement], Path], Mapping[str, str]]
"""Installs requirements into a folder, and returns the SHA-256 of each installed file by the name of its package."""


def build_image_root(
    target: Path, *, architecture: str, python: str, install: Install, epoch: int, prefix: str = PREFIX
) -> None:
    """Fill the empty folder *target*.

    Args:
        target: the folder, which becomes *prefix* in the image.
        architecture: "amd64" or "arm64".
        python: path of Python in the image.
        install: how the packages get into the folder.
        epoch: modification time of every file, in Unix seconds.
        prefix: the path of the folder when it is used.
    """
    requirements = select_used(parse_requirements((ROOT / "requirements.txt").read_text(encoding="utf-8")))
    packages = target / "lib"
    packages.mkdir(parents=True)
    installed = install(requirements, packages)
    _remove_unused_files(packages)
    for name in PROGRAM:
        shutil.copytree(ROOT / name, packages / name, ignore=shutil.ignore_patterns("__pycache__"))
    (target / "bin").mkdir()
    for name in ("extdns", "external-dns"):
        (target / "bin" / name).write_text(_LAUNCHER.format(python=python, prefix=prefix), encoding="utf-8")
    _compile(target, prefix)
    program = Package(name="extdns", version=__version__, licence="Apache-2.0", sha256="", required_by=())
    sbom = build_sbom(program, _list_packages(requirements, installed, packages), architecture, epoch)
    (target / "sbom.spdx.json").write_text(json.dumps(sbom, indent=1) + "\n", encoding="utf-8")
    _normalize(target, epoch)


def install_wheels(requirements: Sequence[Requirement], packages: Path, architecture: str) -> Mapping[str, str]:
    """Install wheels of *architecture* with pip, which checks their hashes. Return the SHA-256 of each.

    Raises:
        subprocess.CalledProcessError: pip found no wheel with one of the hashes.
    """
    machine = _MACHINES[architecture]
    tags = [*(f"manylinux_2_{minor}" for minor in range(_GLIBC_MINOR, 4, -1)), "manylinux2014", "manylinux1"]
    with tempfile.TemporaryDirectory() as folder:
        pins, report = Path(folder) / "requirements.txt", Path(folder) / "report.json"
        pins.write_text("".join(f"{requirement.render()}\n" for requirement in requirements), encoding="utf-8")
        command = (
            *(sys.executable, "-m", "pip", "install", "--quiet", "--require-hashes", "--no-deps", "--no-compile"),
            *("--only-binary=:all:", f"--target={packages}", f"--report={report}", f"--requirement={pins}"),
            *(f"--platform={tag}_{machine}" for tag in tags),
        )
        subprocess.run(command, check=True)  # noqa: S603 - no shell reads the arguments
        installs = json.loads(report.read_text(encoding="utf-8"))["install"]
    shutil.rmtree(packages / "bin", ignore_errors=True)
    return {
        _normalize_name(item["metadata"]["name"]): item["download_info"]["archive_info"]["hashes"]["sha256"]
        for item in installs
    }


def _remove_unused_files(packages: Path) -> None:
    """Remove data and modules that are never read, which are larger than everything else together."""
    for path in (packages / "botocore" / "data").iterdir():
        if path.is_dir() and path.name not in AWS_SERVICES:
            shutil.rmtree(path)
    client = packages / "kubernetes" / "client"
    for folder in (client / "api", client / "models"):
        for path in folder.iterdir():
            if path.is_file() and path.stem != "__init__":
                path.unlink()
    shutil.rmtree(packages / "kubernetes" / "aio")


def _compile(target: Path, prefix: str) -> None:
    """Compile all modules, as files of *prefix*, in a process of its own, whose past does not change the bytecode."""
    command = (
        *(sys.executable, "-I", "-m", "compileall", "-q", "--invalidation-mode=unchecked-hash"),
        *("-s", target, "-p", prefix, target / "lib"),
    )
    subprocess.run(command, check=True, env={**os.environ, "PYTHONHASHSEED": "0"})  # noqa: S603 - as above


def _list_packages(
    requirements: Sequence[Requirement], installed: Mapping[str, str], packages: Path
) -> tuple[Package, ...]:
    """Return the packages in the folder *packages*.

    Raises:
        ValueError: they are not exactly those that are required.
    """
    found = {_normalize_name(each.metadata["Name"]): each for each in distributions(path=[str(packages)])}
    versions = {name: each.version for name, each in found.items()}
    if versions != {requirement.name: requirement.version for requirement in requirements}:
        raise ValueError(f"other packages were installed than are required: {versions}")
    return tuple(
        Package(
            name=requirement.name,
            version=requirement.version,
            licence=_find_licence(found[requirement.name]),
            sha256=installed.get(requirement.name, ""),
            required_by=requirement.required_by,
        )
        for requirement in requirements
    )


def _find_licence(installed: Distribution) -> str:
    """Return the SPDX licence expression of a package, or "" if it declares none that is known to be one."""
    (expression, *_), (old, *_) = (installed.metadata.get_all(name, [""]) for name in ("License-Expression", "License"))
    return expression or _LICENCES.get(old, "")


def _normalize_name(name: str) -> str:
    return name.lower().replace("_", "-").replace(".", "-")


def _normalize(target: Path, epoch: int) -> None:
    """Set mode and modification time of every file and folder. Only root can write them, everybody can read them."""
    for path in (target, *target.rglob("*")):
        path.chmod(0o755 if path.is_dir() or path.parent == target / "bin" else 0o644)
        os.utime(path, (epoch, epoch))


def main(arguments: Sequence[str]) -> None:
    """Build the folder that the command line names."""
    parser = argparse.ArgumentParser(prog="python -m release.image_root")
    parser.add_argument("--arch", choices=sorted(_MACHINES), required=True, help="architecture of the image")
    parser.add_argument("target", type=Path, help="an empty folder, or one that does not exist")
    parsed = parser.parse_args(arguments)
    build_image_root(
        parsed.target,
        architecture=parsed.arch,
        python="/usr/bin/python{}.{}".format(*sys.version_info[:2]),
        install=lambda requirements, packages: install_wheels(requirements, packages, parsed.arch),
        epoch=int(os.environ.get("SOURCE_DATE_EPOCH") or "0"),
    )


if __name__ == "__main__":
    main(sys.argv[1:])
