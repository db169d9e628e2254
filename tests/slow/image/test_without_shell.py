"""The program on Python of Debian 13 without a shell, as in the image: its packages, unpacked and entered with chroot.

The base of the image consists of these packages. The registry that has the base itself is not needed.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from functools import partial
from pathlib import Path
from typing import Final

import pytest

from extdns import __version__
from release.image_root import build_image_root, install_wheels
from tests.required_programs import end_without, require_program
from tests.slow.image.conftest import EPOCH, EXTRAS
from tests.slow.image.dockerfile import stages
from tests.slow.image.test_dockerfile import NOBODY, PYTHON_OF_DEBIAN, find_base

PACKAGES: Final = ("base-files", "ca-certificates", "libpython3.13-stdlib", "netbase", "python3.13-minimal", "tzdata")
CHROOT: Final = shutil.which("chroot", path="/usr/sbin:/usr/bin:/sbin:/bin") or "chroot"
TESTED: Final = "the program without a shell on Python of Debian 13"
SHELLS: Final = frozenset({"ash", "bash", "busybox", "dash", "sh", "zsh"})
HANGS_S: Final = 300.0
WEB: Final = (
    "{apiVersion: v1, kind: Service, metadata: {name: web, namespace: shop, annotations: "
    "{external-dns.alpha.kubernetes.io/hostname: web.shop.example}}, "
    "spec: {type: LoadBalancer}, status: {loadBalancer: {ingress: [{ip: 192.0.2.1}]}}}"
)


@pytest.fixture(scope="session")
def debian(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a root file system with Python of Debian 13 and the folder of the image."""
    tool = require_program(TESTED, "mmdebstrap")
    if os.getuid():
        end_without(TESTED, "only root can change the root folder of a process")
    root = tmp_path_factory.mktemp("debian")
    fetched = subprocess.run(
        (tool, "--quiet", "--variant=extract", f"--include={','.join(PACKAGES)}", "trixie", root),
        capture_output=True,
        text=True,
        check=False,
        timeout=HANGS_S,
    )
    if fetched.returncode:
        end_without(TESTED, fetched.stderr[-200:])
    version = PYTHON_OF_DEBIAN[find_base(stages()[-1])["name"].rpartition("/")[2]]
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PIP_PYTHON_VERSION", version)
        build_image_root(
            root / "opt" / "extdns",
            architecture="amd64",
            python=f"/usr/bin/python{version}",
            install=partial(install_wheels, architecture="amd64"),
            epoch=EPOCH,
        )
    shutil.copy(root / "opt" / "extdns" / "bin" / "external-dns", root / "usr" / "bin")
    return root


def run(root: Path, *command: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
    """Run *command* in the root file system, as the user of the image."""
    return subprocess.run(
        (CHROOT, f"--userspec={NOBODY}:{NOBODY}", root, *command),
        input=stdin,
        env={"PATH": "/opt/extdns/bin:/usr/bin"},
        capture_output=True,
        text=True,
        check=False,
        timeout=HANGS_S,
    )


def test_the_unpacked_image_packages_contain_no_shell(debian: Path) -> None:
    assert {path.name for path in debian.rglob("*") if path.name in SHELLS and os.access(path, os.X_OK)} == set()


@pytest.mark.parametrize("program", ["extdns", "/opt/extdns/bin/extdns", "/bin/external-dns"])
def test_the_program_starts_without_a_shell(debian: Path, program: str) -> None:
    assert run(debian, program, "--version").stdout == f"extdns {__version__}\n"


def test_a_pass_with_encrypted_ownership_records_succeeds_and_writes_no_file(debian: Path) -> None:
    before = {path: path.lstat().st_mtime_ns for path in debian.rglob("*")}
    done = run(
        debian,
        *("extdns", "--source=service", "--manifests=-", "--provider=inmemory", "--inmemory-zone=shop.example"),
        *("--txt-owner-id=me", "--txt-encrypt-enabled", f"--txt-encrypt-aes-key={'k' * 32}"),
        *("--once", "--metrics-address=127.0.0.1:0"),
        stdin=WEB,
    )
    assert done.returncode == 0, done.stderr
    assert "web.shop.example" in done.stderr + done.stdout
    assert {path: path.lstat().st_mtime_ns for path in debian.rglob("*")} == before


def test_every_module_of_the_program_can_be_imported_by_the_debian_python_without_a_shell(debian: Path) -> None:
    code = (
        "import sys; sys.path.insert(0, '/opt/extdns/lib')\n"
        "import importlib, pkgutil, cryptography, msgspec\n"
        "for package in map(importlib.import_module, ('extdns', 'providers', 'registry')):\n"
        "    for module in pkgutil.walk_packages(package.__path__, package.__name__ + '.'):\n"
        f"        if module.name != 'extdns.__main__' and not module.name.startswith({EXTRAS!r}):\n"
        "            importlib.import_module(module.name)\n"
    )
    done = run(debian, "/usr/bin/python3.13", "-B", "-S", "-c", code)
    assert (done.returncode, done.stderr) == (0, "")
