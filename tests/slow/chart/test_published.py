"""What is published: the image, the chart and its readme."""

from __future__ import annotations

import re
from typing import Final

import yaml

from extdns import __version__
from tests.slow.chart.tools import CHART, ROOT, Helm, container, of, run

METADATA: Final = yaml.safe_load((CHART / "Chart.yaml").read_text(encoding="utf-8"))
IMAGE: Final[str] = yaml.safe_load(METADATA["annotations"]["artifacthub.io/images"])[0]["image"]


def test_the_chart_has_the_version_of_the_program_and_the_metadata_that_artifact_hub_shows() -> None:
    assert (METADATA["version"], METADATA["appVersion"]) == (__version__, __version__)
    assert IMAGE.rpartition(":")[2] == __version__
    crds = yaml.safe_load(METADATA["annotations"]["artifacthub.io/crds"])
    assert sorted(path.name for path in (CHART / "crds").glob("*.yaml")) == [f"{crd['name']}.yaml" for crd in crds]
    assert all(METADATA[field] for field in ("home", "icon", "sources", "maintainers"))
    assert (ROOT / METADATA["icon"].partition("/main/")[2]).is_file()


def test_the_default_image_is_the_published_one_and_in_the_chart_only_chart_yaml_names_it(helm: Helm) -> None:
    for values in ({}, {"image": None}, {"image": {"repository": ""}}):
        assert container(helm.manifests(values))["image"] == IMAGE
    repository = IMAGE.rpartition(":")[0]
    named = [path for path in CHART.rglob("*") if path.is_file() and repository in path.read_text(encoding="utf-8")]
    assert named == [CHART / "Chart.yaml"]
    pinned = {"image": {"repository": "mirror.example.org:5000/dns", "tag": 2, "digest": None}}
    assert container(helm.manifests(pinned))["image"] == "mirror.example.org:5000/dns:2"


def test_the_docs_show_the_registry_address_to_which_the_chart_is_pushed() -> None:
    registry = IMAGE.rpartition("/")[0]
    for page in (CHART / "README.md", ROOT / "docs" / "tutorials" / "from-the-external-dns-chart.md"):
        assert f"oci://{registry}/charts/extdns" in page.read_text(encoding="utf-8")


def test_helm_show_readme_prints_the_readme_of_the_chart(helm: Helm) -> None:
    done = run(helm.program, "show", "readme", CHART, env=helm.env)
    assert done.out.strip() == (CHART / "README.md").read_text(encoding="utf-8").strip()


def test_the_commands_of_all_pages_name_the_objects_of_the_default_chart(helm: Helm) -> None:
    (deployment,) = of("Deployment", helm.manifests({}))
    names = {deployment["metadata"]["name"], deployment["metadata"]["labels"]["app.kubernetes.io/name"]}
    pages = [
        *(ROOT / "docs").glob("*.md"),
        *(ROOT / "docs" / "how-to").iterdir(),
        *(ROOT / "docs" / "runbooks").iterdir(),
    ]
    found = {
        (name, page.name)
        for page in pages
        for name in re.findall(r"(?:deploy(?:ment)?/|kubernetes.io/name=)([\w-]+)", page.read_text(encoding="utf-8"))
        if name not in names
    }
    assert found == set()
