"""The manifests for kustomize are what the chart renders, and its edits find what they edit."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import yaml

from extdns.config import parse
from tests.chart import schemas
from tests.chart.tools import ROOT, Helm, arguments, of, run

EXAMPLE: Final = ROOT / "examples" / "kustomize"


def test_the_manifests_are_what_the_chart_renders(helm: Helm) -> None:
    values = yaml.safe_load((EXAMPLE / "values.yaml").read_text(encoding="utf-8"))
    kept = yaml.safe_load_all((EXAMPLE / "extdns.yaml").read_text(encoding="utf-8"))
    assert list(filter(None, kept)) == helm.manifests(values), "run the command in examples/kustomize/values.yaml"


def test_the_manifests_are_valid(kubeconform: str, tmp_path: Path) -> None:
    location = schemas.write(tmp_path)
    done = run(kubeconform, "-strict", "-schema-location", location, EXAMPLE / "extdns.yaml")
    assert done.code == 0, done.out


def test_every_file_and_every_edited_object_is_there() -> None:
    edits = yaml.safe_load((EXAMPLE / "kustomization.yaml").read_text(encoding="utf-8"))
    files = [EXAMPLE / name for name in edits["resources"]]
    assert {path.name for path in files} == {path.name for path in EXAMPLE.iterdir()} - {
        "kustomization.yaml",
        "values.yaml",
    }
    manifests = [obj for path in files for obj in yaml.safe_load_all(path.read_text(encoding="utf-8")) if obj]
    there = {(obj["kind"], obj["metadata"]["name"]) for obj in manifests}
    assert {(edit["target"]["kind"], edit["target"]["name"]) for edit in edits["patches"]} <= there
    assert edits["images"][0]["name"] == "extdns"


def test_kustomize_makes_what_the_program_takes(kustomize: str) -> None:
    done = run(kustomize, "build", EXAMPLE)
    assert done.code == 0, done.error
    manifests = list(yaml.safe_load_all(done.out))
    (deployment,), (account,) = of("Deployment", manifests), of("ServiceAccount", manifests)
    image = deployment["spec"]["template"]["spec"]["containers"][0]["image"]
    assert image == "registry.example.org/extdns:0.1.0"
    assert "eks.amazonaws.com/role-arn" in account["metadata"]["annotations"]
    assert parse(arguments(manifests), {}).deletes.delete_grace_period_s == 300.0
