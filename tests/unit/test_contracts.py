"""The import contracts hold, and each of them notices a breach."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def lint(tree: Path) -> subprocess.CompletedProcess[str]:
    """Run the import contracts of *tree* on the packages that lie in it, not on the installed ones."""
    command = "from importlinter.cli import lint_imports_command as run; run(['--no-cache', '--no-logo'])"
    # -c puts the working directory first on the path, before the editable install of the tree under test.
    return subprocess.run([sys.executable, "-c", command], cwd=tree, capture_output=True, text=True, check=False)


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """Give a copy of the three packages that a test may spoil."""
    for package in ("extdns", "providers", "registry"):
        shutil.copytree(ROOT / package, tmp_path / package, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    return tmp_path


def broken(report: str) -> set[str]:
    """Name the contracts that *report* calls broken."""
    return set(re.findall(r"^(.+) BROKEN\b", report, re.MULTILINE))


def test_the_tree_keeps_every_contract(tree: Path) -> None:
    result = lint(tree)
    assert result.returncode == 0, result.stdout
    assert ", 0 broken." in result.stdout


@pytest.mark.parametrize(
    ("module", "breach", "contract"),
    [
        pytest.param(
            "extdns/planner/planted.py", "import time", "The core is pure", id="the-planner-looks-at-the-clock"
        ),
        pytest.param("extdns/model/planted.py", "import logging", "The core is pure", id="a-value-logs"),
        pytest.param("registry/planted.py", "import os", "The core is pure", id="the-registry-reads-the-environment"),
        pytest.param(
            "registry/planted.py",
            "import providers",
            "Rooms are layered",
            id="the-registry-knows-a-provider",
        ),
        pytest.param(
            "extdns/model/planted.py",
            "import extdns.planner",
            "Rooms are layered",
            id="a-value-knows-the-planner",
        ),
        pytest.param(
            "extdns/web/planted.py",
            "import extdns.controller",
            "Rooms are layered",
            id="the-web-calls-the-controller",
        ),
        pytest.param(
            "extdns/sources/planted.py",
            "import extdns.kube",
            "Rooms are layered",
            id="a-source-knows-the-cluster's-inside",
        ),
        pytest.param(
            "extdns/engine/planted.py",
            "import registry",
            "Controller, engine and web know ports, not rooms",
            id="the-engine-names-a-registry",
        ),
        pytest.param(
            "extdns/controller/planted.py",
            "import extdns.kube",
            "Controller, engine and web know ports, not rooms",
            id="the-controller-names-a-cluster",
        ),
        pytest.param(
            "extdns/planted.py",
            "",
            "Every module of extdns has its layer",
            id="a-new-module-has-no-layer",
        ),
        pytest.param(
            "providers/planted.py",
            "import providers.zonefile",
            "Providers do not know each other",
            id="a-provider-knows-another",
        ),
        pytest.param(
            "extdns/sources/ingress.py",
            "import extdns.sources.service",
            "Sources do not know each other",
            id="a-source-knows-another",
        ),
        pytest.param(
            "extdns/kube/planted.py",
            "import kubernetes",
            "Only extdns.kube.client imports kubernetes",
            id="a-second-file-imports-kubernetes",
        ),
        pytest.param(
            "providers/planted.py",
            "import botocore.exceptions",
            "Only two modules of providers.aws import boto3",
            id="a-second-file-imports-botocore",
        ),
        pytest.param(
            "providers/planted.py",
            "import google.auth",
            "Only providers.google.client imports google's libraries",
            id="a-second-file-imports-google",
        ),
        pytest.param(
            "providers/google/reader.py",
            "import requests",
            "Only providers.google.client imports google's libraries",
            id="a-second-file-imports-requests",
        ),
        pytest.param(
            "providers/remote/trust.py",
            "import providers.aws.names",
            "Providers do not know each other",
            id="what-providers-share-knows-a-provider",
        ),
        pytest.param(
            "providers/planted.py",
            "import dns.zone",
            "Only three modules import dnspython",
            id="a-second-provider-imports-dnspython",
        ),
    ],
)
def test_a_planted_breach_is_caught(tree: Path, module: str, breach: str, contract: str) -> None:
    with (tree / module).open("a") as file:
        file.write(f"\n{breach}\n")
    result = lint(tree)
    assert result.returncode == 1
    assert contract in broken(result.stdout), result.stdout + result.stderr
