"""Packages that the image leaves out: nothing in it imports them."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from importlib.metadata import distribution, distributions
from pathlib import Path
from typing import Final

import pytest
from packaging.requirements import Requirement as Specifier
from packaging.utils import canonicalize_name

from release.image_root import PROGRAM
from release.requirements import UNUSED, Requirement, parse_requirements, select_used
from tests.slow.image.conftest import EXTRAS
from tests.slow.image.dockerfile import ROOT
from tests.slow.image.test_image import run_python
from tests.unused_modules import list_unused_modules

REQUIREMENTS: Final = parse_requirements((ROOT / "requirements.txt").read_text(encoding="utf-8"))

IMPORTERS: Final[Mapping[str, tuple[str, ...]]] = {
    "asynchronous calls of google-auth; requests are authorized by its synchronous transport": (
        "google.auth.aio.transport.aiohttp",
        "google.auth.aio.transport.sessions",
        "google.auth.transport._aiohttp_requests",
    ),
    "asynchronous calls of azure-core; tokens are requested by its synchronous transport": (
        "azure.core.pipeline.transport._aiohttp",
        "azure.core.rest._aiohttp",
        "azure.identity.aio._credentials.workload_identity",
    ),
    "Rich without Markdown; its pretty printer works without attrs": ("rich.markdown", "rich.pretty"),
    "used if cryptography is not installed": ("google.auth.crypt._python_rsa",),
    "parses C headers while another package is built": ("cffi.cparser",),
    "works without attrs": ("msgspec._utils",),
    "an asynchronous server of metrics": ("prometheus_client.aiohttp.exposition",),
}
"""Modules in the image that import a package that it leaves out, by the reason why extdns is not affected."""


def find_importers(root: Path) -> set[str]:
    """Return the modules in the image that import a package that it leaves out."""
    unused = set(list_unused_modules())
    return {
        ".".join(path.relative_to(root / "lib").with_suffix("").parts).removesuffix(".__init__")
        for path in (root / "lib").rglob("*.py")
        if any(name.partition(".")[0] in unused for name in find_imports(path))
    }


def find_imports(path: Path) -> Iterator[str]:
    """Yield the dotted name of each absolute import in a file, also of those inside functions."""
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module


def test_exactly_the_listed_modules_import_a_package_that_the_image_leaves_out(image_root: Path) -> None:
    assert find_importers(image_root) == {module for modules in IMPORTERS.values() for module in modules}


def test_every_module_of_the_program_can_be_imported_in_the_image(image_root: Path) -> None:
    code = (
        f"import importlib, pkgutil, rich.console, rich.table\n"
        f"for package in map(importlib.import_module, {PROGRAM}):\n"
        f"    for module in pkgutil.walk_packages(package.__path__, package.__name__ + '.'):\n"
        f"        if module.name != 'extdns.__main__' and not module.name.startswith({EXTRAS!r}):\n"
        f"            importlib.import_module(module.name)\n"
    )
    assert run_python(image_root, f"exec({code!r})") == ""


def test_the_image_has_exactly_the_required_packages_that_are_not_listed_as_unused(image_root: Path) -> None:
    found = {canonicalize_name(each.name): each.version for each in distributions(path=[str(image_root / "lib")])}
    required = {requirement.name: requirement.version for requirement in REQUIREMENTS}
    assert found == {name: version for name, version in required.items() if name not in UNUSED}


def test_every_package_that_a_package_in_the_image_requires_is_in_the_image_or_listed_as_unused(
    image_root: Path,
) -> None:
    installed = {canonicalize_name(each.name): each for each in distributions(path=[str(image_root / "lib")])}
    missing: set[str] = set()
    for each in (*installed.values(), distribution("extdns")):
        for specifier in map(Specifier, each.requires or ()):
            name = canonicalize_name(specifier.name)
            if specifier.marker is not None and not specifier.marker.evaluate({"extra": ""}):
                continue
            if name not in installed or not specifier.specifier.contains(installed[name].version, prereleases=True):
                missing.add(name)
    assert missing <= UNUSED.keys()


def test_the_list_of_unused_packages_may_not_contain_a_package_that_is_no_longer_required() -> None:
    with pytest.raises(ValueError, match=r"remove it from release/requirements\.py: aiohttp, yarl"):
        select_used(tuple(each for each in REQUIREMENTS if each.name not in {"aiohttp", "yarl"}))


def test_a_requirement_is_parsed_with_its_version_its_hashes_and_the_packages_that_require_it() -> None:
    first, second = "0" * 64, "f" * 64
    text = (
        f"cffi==2.1.1 \\\n    --hash=sha256:{first} \\\n    --hash=sha256:{second}\n    # via cryptography\n"
        f"idna==3.20 ; python_version < '3.15' \\\n    --hash=sha256:{second}\n    # via\n"
        "    #   anyio\n    #   extdns (pyproject.toml)\n"
    )
    assert parse_requirements(text) == (
        Requirement(name="cffi", version="2.1.1", hashes=(first, second), required_by=("cryptography",)),
        Requirement(name="idna", version="3.20", hashes=(second,), required_by=("anyio", "extdns")),
    )


@pytest.mark.parametrize("text", ["cffi==2.1.1\n", "cffi>=2 \\\n    --hash=sha256:0\n"], ids=["no-hash", "no-version"])
def test_a_requirement_without_version_or_hash_is_an_error(text: str) -> None:
    with pytest.raises(ValueError, match="no version or no hash"):
        parse_requirements(text)
