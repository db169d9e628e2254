"""Manifests that a tool must render first: one line for each folder, with the command."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final

import pytest

from extdns.kube.manifests.cluster import ManifestCluster
from extdns.model.cluster import ObjectProblem
from extdns.resources.core import SERVICE


def custom(api_version: str, kind: str) -> str:
    return f"apiVersion: {api_version}\nkind: {kind}\nmetadata: {{name: shop}}\n---\n"


def service(name: str) -> str:
    return custom("v1", "Service").replace("shop", name)


HELM_RELEASE: Final = custom("helm.toolkit.fluxcd.io/v2", "HelmRelease")
TEMPLATE: Final = 'apiVersion: v1\nkind: Service\nmetadata:\n  name: {{ include "shop.name" . }}\n'
TO_PLAN: Final = "| extdns plan --manifests=- …"


def read_problems(
    folder: Path, files: Mapping[str, str], monkeypatch: pytest.MonkeyPatch, *, is_ignored: bool
) -> dict[str, str]:
    """Return the problems of *files*, by location."""
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    monkeypatch.chdir(folder)
    cluster = ManifestCluster(["."], watch=False)
    cluster.require(SERVICE)
    changes = [change for change in cluster.take(0) if isinstance(change, ObjectProblem)]
    return {change.location: change.message for change in changes if change.is_ignored is is_ignored}


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        pytest.param(
            {
                "shop/base/kustomization.yaml": "resources: [web.yaml]\n",
                "shop/base/web.yaml": custom("v1", "Node") + service("web") + service("api"),
                "shop/overlays/eu 1/kustomization.yaml": "resources: [../../base]\n",
                "shop/overlays/eu 1/web.yaml": custom("v1", "Node") + service("web") + service("api"),
                "shop/overlays/eu 1/patch.yaml": "- {op: remove, path: /spec}\n",
            },
            {
                "shop/overlays/eu 1 (kustomize)": "3 objects and patches are not used; "
                f"render: kustomize build 'shop/overlays/eu 1' {TO_PLAN}"
            },
            id="base and overlay, Nodes are not read",
        ),
        pytest.param(
            {
                "shop/Chart.yaml": "apiVersion: v2\nname: shop\n",
                "shop/values.yaml": "name: shop\n",
                "shop/templates/a.yaml": TEMPLATE,
                "shop/templates/b.yaml": "{{- if .Values.web }}\n" + service("web") + "{{- end }}\n",
            },
            {"shop (Helm)": f"3 documents are templates; render: helm template shop {TO_PLAN}"},
            id="chart",
        ),
        pytest.param(
            {"a.yaml": TEMPLATE},
            {". (Helm)": f"1 document is a template; render: helm template . {TO_PLAN}"},
            id="templates without chart",
        ),
        pytest.param(
            {"a.yaml": service("web"), "b.yaml": service("web")},
            {"b.yaml:1": "Service default/web is also in a.yaml:1, which is used"},
            id="the same object without kustomize",
        ),
    ],
)
def test_what_kustomize_or_helm_must_render_is_one_problem_for_each_folder_with_the_command(
    files: Mapping[str, str], expected: Mapping[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert read_problems(tmp_path, files, monkeypatch, is_ignored=False) == expected


@pytest.mark.parametrize(
    ("text", "kind", "command"),
    [
        pytest.param(HELM_RELEASE, "HelmRelease", "helm template CHART --values=VALUES", id="flux helm"),
        pytest.param(
            custom("kustomize.toolkit.fluxcd.io/v1", "Kustomization"),
            "Kustomization",
            "flux build kustomization NAME --path=apps",
            id="flux kustomize",
        ),
        pytest.param(
            custom("argoproj.io/v1alpha1", "Application"), "Application", "argocd app manifests NAME", id="argo"
        ),
    ],
)
def test_documents_from_which_a_controller_makes_objects_are_one_remark_for_each_folder(
    text: str, kind: str, command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = {"apps/a.yaml": text * 2, "apps/b.yaml": text, "web.yaml": service("web")}
    assert read_problems(tmp_path, files, monkeypatch, is_ignored=True) == {
        f"apps ({kind})": f"3 documents, whose objects are not read; render: {command} {TO_PLAN}"
    }
    assert read_problems(tmp_path, {}, monkeypatch, is_ignored=False) == {}


def test_the_same_kind_of_another_group_needs_no_remark(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files = {"a.yaml": custom("example.org/v1", "Application")}
    assert read_problems(tmp_path, files, monkeypatch, is_ignored=True) == {}
