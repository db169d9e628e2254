"""The page from a kind cluster to a pull request, followed with a real API server (UPDATE_GOLDEN=1 rewrites it)."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from tests.integration.test_how_to import ROOT, replace_outputs
from tests.kubernetes.cluster import NEWEST, Cluster


def test_the_page_leads_from_a_cluster_to_the_plan_of_a_pull_request(
    cluster: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, programs, repository = ROOT / "docs" / "how-to" / "plan-in-ci.md", tmp_path / "bin", tmp_path / "shop"
    programs.mkdir()
    repository.mkdir()
    (programs / "kubectl").symlink_to(str(shutil.which(f"kubectl-{NEWEST}")))
    monkeypatch.setenv("PATH", f"{programs}{os.pathsep}{os.environ['PATH']}")
    page = path.read_text(encoding="utf-8")
    made = replace_outputs(page, repository, KUBECONFIG=str(cluster.kubeconfig(tmp_path / "kubeconfig")))
    if os.environ.get("UPDATE_GOLDEN"):
        path.write_text(made, encoding="utf-8")
    cluster.delete_namespace("store")
    cluster.kubectl("delete", "configmap/extdns-state")
    assert made == page
