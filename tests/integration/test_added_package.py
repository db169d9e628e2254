"""A source and a provider that another package adds, as the one in examples/acme does."""

from __future__ import annotations

import json
import shutil
import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

import pytest
import yaml

from extdns import cli
from extdns.app.assembly import assemble
from extdns.app.provider import load_provider
from extdns.app.sources import build_sources
from extdns.config import parse
from extdns.errors import UsageError
from extdns.resources.core import SERVICE
from tests.fakes.apiserver.kinds import KINDS, Kind
from tests.fakes.apiserver.server import ApiServer
from tests.program.installation import Installation
from tests.program.process import ROOT

EXAMPLE: Final = ROOT / "examples" / "acme"
SITE: Final = yaml.safe_load((EXAMPLE / "site.yaml").read_text(encoding="utf-8"))
SITES: Final = Kind(group="acme.example", version="v1", kind="Site", plural="sites", custom=True, generation=True)
PUBLISHED: Final = ["shop.example.org A 192.0.2.1", "www.shop.example.org A 192.0.2.1"]

Install = Callable[..., None]


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Install:
    """Install the example, as pip does; by default with the entry points that it declares."""

    def run(**entry_points: Mapping[str, str]) -> None:
        project = tomllib.loads((EXAMPLE / "pyproject.toml").read_text(encoding="utf-8"))["project"]
        found = {f"extdns.{kind}": rows for kind, rows in entry_points.items()} or project["entry-points"]
        folder = tmp_path / "packages"
        info = folder / "extdns_acme-0.1.dist-info"
        info.mkdir(parents=True)
        for module in EXAMPLE.glob("*.py"):
            shutil.copy(module, folder)
        (info / "METADATA").write_text("Metadata-Version: 2.1\nName: extdns-acme\nVersion: 0.1\n")
        groups = (
            "\n".join((f"[{group}]", *(f"{name} = {value}" for name, value in rows.items())))
            for group, rows in found.items()
        )
        (info / "entry_points.txt").write_text("\n".join(groups))
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


@pytest.fixture
def zone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the file of a zone of the provider."""
    monkeypatch.setenv("ACME_ZONES", str(tmp_path))
    path = tmp_path / "example.org.json"
    path.write_text("[]")
    return path


def test_a_provider_of_another_package_writes_the_records(install: Install, tmp_path: Path, zone: Path) -> None:
    install()
    installation = Installation(tmp_path, sources=("acme-site",), dns_flags=("--provider=acme-zones",))
    installation.replace_manifests(SITE)
    assert installation.run_once() == 0
    found = [(row["name"], row["targets"]) for row in json.loads(zone.read_text()) if row["type"] == "A"]
    assert found == [("shop.example.org", ["192.0.2.1"]), ("www.shop.example.org", ["192.0.2.1"])]


@pytest.mark.usefixtures("zone")
def test_check_reports_that_the_permissions_of_a_provider_of_another_package_are_unknown(
    install: Install, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    install()
    installation = Installation(tmp_path, sources=("acme-site",), dns_flags=("--provider=acme-zones",))
    installation.replace_manifests(SITE)
    cli.main(["check", *installation.flags()])
    assert "the provider acme-zones has no call that checks permissions" in capsys.readouterr().out


ALL_SOURCES: Final = ("--source=acme-site", "--provider=inmemory")
ALL_PROVIDERS: Final = ("--source=empty", "--provider=acme-zones")
ALL_REGISTRIES: Final = ("--source=empty", "--provider=inmemory", "--registry=acme")


@pytest.mark.parametrize(
    ("group", "rows", "flags", "message"),
    [
        pytest.param(
            "sources",
            {},
            ("--source=acme-sites",),
            "--source=acme-sites is not a source",
            id="no-package-has-the-source",
        ),
        pytest.param(
            "providers",
            {},
            ("--source=empty", "--provider=acme"),
            "--provider=acme is not a provider",
            id="no-package-has-the-provider",
        ),
        pytest.param(
            "sources",
            {"acme-site": "extdns_acme_gone:SOURCE"},
            ALL_SOURCES,
            "--source=acme-site cannot be imported from extdns_acme_gone:SOURCE: No module named 'extdns_acme_gone'",
            id="module-is-gone",
        ),
        pytest.param(
            "sources",
            {"acme-site": "extdns_acme_site:Site"},
            ALL_SOURCES,
            "--source=acme-site: extdns_acme_site:Site is not the SourceSpec of a source with this name",
            id="no-source",
        ),
        pytest.param(
            "providers",
            {"acme-zones": "extdns_acme_zones:AcmeZones"},
            ALL_PROVIDERS,
            "--provider=acme-zones: extdns_acme_zones:AcmeZones is not the ProviderSpec of a provider with this name",
            id="no-provider",
        ),
        pytest.param(
            "registries",
            {"acme": "extdns_acme_zones:PROVIDER"},
            ALL_REGISTRIES,
            "--registry=acme: extdns_acme_zones:PROVIDER is not the RegistrySpec of a registry with this name",
            id="no-registry",
        ),
    ],
)
def test_what_cannot_be_loaded_is_a_usage_error(
    group: str, rows: dict[str, str], flags: tuple[str, ...], message: str, install: Install, tmp_path: Path
) -> None:
    install(**{group: rows})
    with pytest.raises(UsageError, match=f"^{message}"):
        assemble(parse([*flags, f"--manifests={tmp_path}"], {}))


def test_a_package_cannot_replace_a_source_or_a_provider_of_extdns(install: Install) -> None:
    install(sources={"service": "extdns_acme_site:SOURCE"}, providers={"inmemory": "extdns_acme_zones:PROVIDER"})
    config = parse(["--source=service", "--provider=inmemory"], {})
    (source,) = build_sources(config)
    assert source.kind == SERVICE
    assert load_provider(config).name == "inmemory"
