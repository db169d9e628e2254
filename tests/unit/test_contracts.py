"""Each import contract, which `make lint` checks, reports a forbidden import."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
BREACHES = [
    pytest.param("extdns/planner/planted.py", "import time", "The core is pure", id="planner-imports-time"),
    pytest.param(
        "extdns/model/planted.py",
        "import extdns.planner",
        "Packages are layered",
        id="model-imports-planner",
    ),
    pytest.param(
        "extdns/engine/planted.py",
        "import registry",
        "Controller, engine and web know ports, not packages",
        id="engine-imports-registry",
    ),
    pytest.param(
        "extdns/planted.py",
        "",
        "Every module of extdns has its layer",
        id="module-without-layer",
    ),
    pytest.param(
        "providers/planted.py",
        "import providers.zonefile",
        "Providers do not know each other",
        id="provider-imports-another",
    ),
    pytest.param(
        "extdns/sources/ingress.py",
        "import extdns.sources.service",
        "Sources do not know each other",
        id="source-imports-another",
    ),
    pytest.param(
        "extdns/sources/common/annotations.py",
        "import extdns.sources.ingress",
        "Sources do not know each other",
        id="common-module-imports-a-source",
    ),
    pytest.param(
        "extdns/kube/planted.py",
        "import kubernetes",
        "Only extdns.kube.kubeconfig imports kubernetes",
        id="a-second-file-imports-kubernetes",
    ),
    pytest.param(
        "providers/planted.py",
        "import botocore.exceptions",
        "Only its provider imports an SDK",
        id="a-second-file-imports-botocore",
    ),
    pytest.param(
        "providers/common/api_calls.py",
        "import providers.aws.record_sets",
        "Providers do not know each other",
        id="common-module-imports-a-provider",
    ),
    pytest.param(
        "providers/planted.py",
        "import dns.zone",
        "Only these modules import dnspython",
        id="a-second-provider-imports-dnspython",
    ),
]
"""Module, forbidden statement, and the contract that it breaks."""


def lint(tree: Path) -> subprocess.CompletedProcess[str]:
    """Check the import contracts of the packages in *tree*, not of the installed ones."""
    command = "from importlinter.cli import lint_imports_command as run; run(['--no-cache', '--no-logo'])"
    # -c puts the working directory first on the path, before the editable install of the tree under test.
    return subprocess.run([sys.executable, "-c", command], cwd=tree, capture_output=True, text=True, check=False)


def copy_packages(folder: Path) -> None:
    """Copy the three packages and their contracts to *folder*, in which a test may add forbidden imports."""
    for package in ("extdns", "providers", "registry"):
        shutil.copytree(ROOT / package, folder / package, ignore=shutil.ignore_patterns("__pycache__"))
    (folder / "tools").mkdir()
    for file in ("pyproject.toml", "tools/sdk_contract.py"):
        shutil.copy(ROOT / file, folder / file)


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Return the report on the packages with all forbidden imports."""
    tree = tmp_path_factory.mktemp("tree")
    copy_packages(tree)
    for module, breach, _ in (case.values for case in BREACHES):
        with (tree / str(module)).open("a") as file:
            file.write(f"\n{breach}\n")
    result = lint(tree)
    assert result.returncode == 1
    return result.stdout


def find_section(report: str, contract: str) -> str:
    """Return the part of *report* that describes how *contract* is broken."""
    _, _, found = report.partition(f"\n{contract}\n{'-' * len(contract)}\n")
    return re.split(r"\n\S.*\n-{5,}\n", found)[0]


@pytest.mark.parametrize(("module", "breach", "contract"), BREACHES)
def test_a_forbidden_import_breaks_its_contract(report: str, module: str, breach: str, contract: str) -> None:
    importer = module.removesuffix(".py").replace("/", ".")
    imported = breach.removeprefix("import ")
    violation = (
        rf"\b{re.escape(importer)} -> {re.escape(imported.partition('.')[0])}" if imported else rf"- {importer}\n"
    )
    assert re.search(violation, find_section(report, contract)), report
