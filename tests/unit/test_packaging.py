"""Contents, names and requirements of the installed packages."""

import ast
import importlib.metadata
import re
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest
from hatchling.build import build_wheel
from packaging.requirements import Requirement
from packaging.version import Version

import extdns

ROOT = Path(__file__).parents[2]
PACKAGES = ("extdns", "providers", "registry")
REQUIREMENTS = ("requirements.txt", "requirements-build.txt", "requirements-dev.txt")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


def read_pins(name: str) -> dict[str, Version]:
    """Return the pinned versions of a requirements file by distribution."""
    return {
        distribution: Version(version)
        for distribution, version in re.findall(r"^([a-z0-9-]+)==(\S+)", (ROOT / name).read_text(), re.MULTILINE)
    }


def normalize_name(name: str) -> str:
    """Return the name of a distribution as requirements files spell it."""
    return name.lower().replace("_", "-")


@pytest.mark.parametrize("package", PACKAGES)
def test_no_other_distribution_contains_a_package_of_ours(package: str) -> None:
    assert set(importlib.metadata.packages_distributions().get(package, ())) <= {"extdns"}


@pytest.mark.parametrize("package", PACKAGES)
def test_the_tests_import_the_packages_from_this_repository(package: str) -> None:
    command = f"import {package}; print({package}.__file__)"
    found = subprocess.run([sys.executable, "-P", "-c", command], capture_output=True, text=True, check=True)
    assert Path(found.stdout.strip()) == ROOT / package / "__init__.py"


def test_the_installed_version_is_the_package_version() -> None:
    assert importlib.metadata.version("extdns") == extdns.__version__


@pytest.mark.parametrize("script", ["extdns", "external-dns"])
def test_the_commands_extdns_and_external_dns_start_the_same_function(script: str) -> None:
    (entry,) = importlib.metadata.entry_points(group="console_scripts", name=script)
    assert entry.value == "extdns.cli:main"
    assert callable(entry.load())


def test_the_wheel_contains_only_the_three_packages_and_the_licence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    wheel = zipfile.ZipFile(tmp_path / build_wheel(str(tmp_path)))
    names = {name for name in wheel.namelist() if ".dist-info/" not in name}
    assert {name.partition("/")[0] for name in names} == set(PACKAGES)
    assert {f"{package}/__init__.py" for package in PACKAGES} <= names
    assert f"extdns-{extdns.__version__}.dist-info/licenses/LICENSE" in wheel.namelist()


@pytest.mark.parametrize(
    "init_file",
    sorted(path for package in (*PACKAGES, "tests") for path in (ROOT / package).rglob("__init__.py")),
    ids=lambda path: str(path.parent.relative_to(ROOT)),
)
def test_each_init_file_has_a_docstring_and_no_imports(init_file: Path) -> None:
    tree = ast.parse(init_file.read_text())
    assert ast.get_docstring(tree), "the docstring states what belongs in the package"
    assert not [node for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom)]


@pytest.mark.parametrize("package", PACKAGES)
def test_every_folder_of_a_package_has_an_init_file(package: str) -> None:
    folders = {path.parent for path in (ROOT / package).rglob("*.py")}
    assert [folder for folder in sorted(folders) if not (folder / "__init__.py").exists()] == []


@pytest.mark.parametrize("name", REQUIREMENTS)
def test_requirements_files_contain_no_url_and_a_hash_for_each_distribution(name: str) -> None:
    text = (ROOT / name).read_text()
    assert re.findall(r"://|^-|\bindex\b|\.org\b|\.com\b|\.io\b", text, re.MULTILINE) == []
    entries = re.split(r"^(?=[a-z0-9])", text, flags=re.MULTILINE)[1:]
    assert [entry.partition(" ")[0] for entry in entries if "--hash=sha256:" not in entry] == []


@pytest.mark.parametrize("line", PROJECT["dependencies"])
def test_each_dependency_has_version_bounds_and_a_pin_within_them(line: str) -> None:
    requirement = Requirement(line)
    assert {part.operator for part in requirement.specifier} == {">=", "<"}
    for name in ("requirements.txt", "requirements-dev.txt"):
        assert read_pins(name)[normalize_name(requirement.name)] in requirement.specifier


@pytest.mark.parametrize("line", PROJECT["optional-dependencies"]["dev"])
def test_each_development_tool_has_a_pin_within_its_version_bounds(line: str) -> None:
    requirement = Requirement(line)
    assert read_pins("requirements-dev.txt")[normalize_name(requirement.name)] in requirement.specifier


def test_the_requirements_files_agree_on_every_version() -> None:
    run, build, dev = map(read_pins, REQUIREMENTS)
    assert {name: dev[name] for name in run} == run
    assert {name: dev[name] for name in build if name in dev} == {name: build[name] for name in build if name in dev}


@pytest.mark.parametrize(
    ("distribution", "majors"),
    [
        pytest.param("boto3", {1}, id="boto3"),
        pytest.param("kubernetes", {36, 37}, id="kubernetes"),
    ],
)
def test_the_installed_sdks_have_a_supported_major_version(distribution: str, majors: set[int]) -> None:
    assert Version(importlib.metadata.version(distribution)).major in majors
