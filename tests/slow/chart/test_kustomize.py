"""The kustomize example equals what the chart renders, and its overlays apply."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest
import yaml

from extdns.config import parse
from tests.required_programs import require_program
from tests.slow.chart.tools import CHART, ROOT, Helm, Json, arguments, of, run

EXAMPLE: Final = ROOT / "examples" / "kustomize"
BASE: Final = EXAMPLE / "base"


def build(kustomize: str, overlay: str) -> list[Json]:
    done = run(kustomize, "build", EXAMPLE / "overlays" / overlay)
    assert done.code == 0, done.error
    return list(yaml.load_all(done.out, yaml.CSafeLoader))


def test_the_kustomize_manifests_equal_the_rendered_chart(tmp_path: Path) -> None:
    helm = Helm(require_program("the chart", "helm"), tmp_path)
    values = yaml.safe_load((BASE / "values.yaml").read_text(encoding="utf-8"))
    stored = yaml.safe_load_all((BASE / "extdns.yaml").read_text(encoding="utf-8"))
    rendered = [obj for obj in helm.manifests(values) if obj["kind"] != "Pod"]  # that of `helm test`
    assert list(filter(None, stored)) == rendered, "run the command in examples/kustomize/base/values.yaml"


def test_overlays_have_crds_and_dashboard_of_the_chart_and_one_has_alerts(kustomize: str, tmp_path: Path) -> None:
    helm = Helm(require_program("the chart", "helm"), tmp_path)
    (dashboard,) = of("ConfigMap", helm.manifests({"policy": "sync", "dashboard": {"enabled": True}}))
    crds = [yaml.safe_load(path.read_text(encoding="utf-8")) for path in sorted((CHART / "crds").glob("*.yaml"))]
    for overlay, alerts in (("production", 1), ("staging", 0)):
        built = build(kustomize, overlay)
        (made,) = of("ConfigMap", built)
        assert made["metadata"]["name"] == dashboard["metadata"]["name"]
        assert made["data"] == dashboard["data"]
        assert made["metadata"]["labels"].items() <= dashboard["metadata"]["labels"].items()
        assert of("CustomResourceDefinition", built) == crds
        assert len(of("PrometheusRule", built)) == alerts


@pytest.mark.parametrize(
    ("overlay", "domain", "grace_s"), [("production", "example.org", 300.0), ("staging", "staging.example.org", 60.0)]
)
def test_kustomize_builds_a_deployment_with_valid_arguments_of_its_own(
    kustomize: str, overlay: str, domain: str, grace_s: float
) -> None:
    config = parse(arguments(build(kustomize, overlay)), {})
    assert (config.registry.txt_owner_id, config.plan.domain_filter) == (overlay, (domain,))
    assert config.deletes.delete_grace_period_s == grace_s


def test_the_production_overlay_sets_image_and_role(kustomize: str) -> None:
    manifests = build(kustomize, "production")
    (deployment,), (account,) = of("Deployment", manifests), of("ServiceAccount", manifests)
    image = deployment["spec"]["template"]["spec"]["containers"][0]["image"]
    assert image == "registry.example.org/extdns:0.1.0"
    assert "eks.amazonaws.com/role-arn" in account["metadata"]["annotations"]
