"""The kustomize example equals what the chart renders, and its patches apply."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import yaml

from extdns.config import parse
from tests.required_programs import require_program
from tests.slow.chart import schemas
from tests.slow.chart.tools import ROOT, Helm, arguments, of, run

EXAMPLE: Final = ROOT / "examples" / "kustomize"


def test_the_kustomize_manifests_equal_the_rendered_chart(tmp_path: Path) -> None:
    helm = Helm(require_program("the chart", "helm"), tmp_path)
    values = yaml.safe_load((EXAMPLE / "values.yaml").read_text(encoding="utf-8"))
    stored = yaml.safe_load_all((EXAMPLE / "extdns.yaml").read_text(encoding="utf-8"))
    rendered = [obj for obj in helm.manifests(values) if obj["kind"] != "Pod"]  # that of `helm test`
    assert list(filter(None, stored)) == rendered, "run the command in examples/kustomize/values.yaml"


def test_kubeconform_accepts_the_kustomize_manifests(kubeconform: str, tmp_path: Path) -> None:
    location = schemas.write(tmp_path)
    done = run(kubeconform, "-strict", "-schema-location", location, EXAMPLE / "extdns.yaml")
    assert done.code == 0, done.out


def test_every_file_patch_target_and_image_that_the_kustomization_names_exists() -> None:
    edits = yaml.safe_load((EXAMPLE / "kustomization.yaml").read_text(encoding="utf-8"))
    files = [EXAMPLE / name for name in edits["resources"]]
    assert {path.name for path in files} == {path.name for path in EXAMPLE.iterdir()} - {
        "kustomization.yaml",
        "values.yaml",
    }
    manifests = [obj for path in files for obj in yaml.safe_load_all(path.read_text(encoding="utf-8")) if obj]
    existing = {(obj["kind"], obj["metadata"]["name"]) for obj in manifests}
    assert {(edit["target"]["kind"], edit["target"]["name"]) for edit in edits["patches"]} <= existing
    (deployment,) = of("Deployment", manifests)
    image = deployment["spec"]["template"]["spec"]["containers"][0]["image"]
    assert edits["images"][0]["name"] == image.rpartition(":")[0]


def test_kustomize_builds_a_deployment_with_valid_arguments(kustomize: str) -> None:
    done = run(kustomize, "build", EXAMPLE)
    assert done.code == 0, done.error
    manifests = list(yaml.safe_load_all(done.out))
    (deployment,), (account,) = of("Deployment", manifests), of("ServiceAccount", manifests)
    image = deployment["spec"]["template"]["spec"]["containers"][0]["image"]
    assert image == "registry.example.org/extdns:0.1.0"
    assert "eks.amazonaws.com/role-arn" in account["metadata"]["annotations"]
    assert parse(arguments(manifests), {}).deletes.delete_grace_period_s == 300.0
