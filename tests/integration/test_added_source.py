"""A source that another package adds, as the one in examples/source does."""

from __future__ import annotations

import shutil
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Final

import pytest
import yaml

from extdns.app.sources import build_sources
from extdns.config import parse
from extdns.errors import UsageError
from extdns.resources.core import SERVICE
from tests.fakes.apiserver.kinds import KINDS, Kind
from tests.fakes.apiserver.server import ApiServer
from tests.program.installation import Installation
from tests.program.process import ROOT

EXAMPLE: Final = ROOT / "examples" / "source"
SITE: Final = yaml.safe_load((EXAMPLE / "site.yaml").read_text(encoding="utf-8"))
SITES: Final = Kind(group="acme.example", version="v1", kind="Site", plural="sites", custom=True, generation=True)
PUBLISHED: Final = ["shop.example.org A 192.0.2.1", "www.shop.example.org A 192.0.2.1"]

Install = Callable[..., None]


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Install:
    """Install the example, as pip does; by default with the entry points that it declares."""

    def run(**entry_points: str) -> None:
        project = tomllib.loads((EXAMPLE / "pyproject.toml").read_text(encoding="utf-8"))["project"]
        found = entry_points or project["entry-points"]["extdns.sources"]
        folder = tmp_path / "packages"
        info = folder / "extdns_acme_site-0.1.dist-info"
        info.mkdir(parents=True)
        shutil.copy(EXAMPLE / "extdns_acme_site.py", folder)
        (info / "METADATA").write_text("Metadata-Version: 2.1\nName: extdns-acme-site\nVersion: 0.1\n")
        rows = "".join(f"{name.replace('_', '-')} = {value}\n" for name, value in found.items())
        (info / "entry_points.txt").write_text(f"[extdns.sources]\n{rows}")
        monkeypatch.syspath_prepend(folder)

    return run


def test_a_source_of_another_package_publishes_objects_of_manifests(install: Install, tmp_path: Path) -> None:
    install()
    installation = Installation(tmp_path, sources=("acme-site", "service"), example_org="")
    installation.replace_manifests(SITE)
    assert installation.run_once() == 0
    assert installation.zones.published() == PUBLISHED


def test_a_source_of_another_package_publishes_objects_of_a_cluster(install: Install, tmp_path: Path) -> None:
    install()
    with ApiServer(kinds=[*KINDS, SITES]) as server:
        installation = Installation(tmp_path, server, sources=("acme-site",), example_org="")
        installation.apply(SITE)
        assert installation.run_once() == 0
    assert installation.zones.published() == PUBLISHED


@pytest.mark.parametrize(
    ("entry_points", "flag", "message"),
    [
        pytest.param({}, "--source=acme-sites", "--source=acme-sites is not a source", id="no-package-has-it"),
        pytest.param(
            {"acme_site": "extdns_acme_gone:SOURCE"},
            "--source=acme-site",
            "--source=acme-site cannot be imported from extdns_acme_gone:SOURCE: No module named 'extdns_acme_gone'",
            id="module-is-gone",
        ),
        pytest.param(
            {"acme_site": "extdns_acme_site:Site"},
            "--source=acme-site",
            "--source=acme-site: extdns_acme_site:Site is not the SourceSpec of a source with this name",
            id="something-else",
        ),
    ],
)
def test_a_source_that_cannot_be_loaded_is_a_usage_error(
    entry_points: dict[str, str], flag: str, message: str, install: Install
) -> None:
    install(**entry_points)
    with pytest.raises(UsageError, match=f"^{message}"):
        build_sources(parse([flag, "--provider=inmemory"], {}))


def test_a_package_cannot_replace_a_source_of_extdns(install: Install) -> None:
    install(service="extdns_acme_site:SOURCE")
    (source,) = build_sources(parse(["--source=service", "--provider=inmemory"], {}))
    assert source.kind == SERVICE
