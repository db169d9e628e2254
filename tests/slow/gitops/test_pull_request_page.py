"""The page from a kind cluster to a pull request, followed with a real API server (UPDATE_GOLDEN=1 rewrites it)."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from tests.integration.test_how_to import ROOT, find_free_address, replace_outputs, run_command
from tests.kubernetes.cluster import NEWEST, Cluster
from tests.slow.chart.tools import run
from tests.slow.gitops.examples import read


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
    clone = tmp_path / "clone"
    run("git", "clone", "--quiet", repository, clone)
    (workflow,) = read("ci/github.yaml")
    (script,) = (step["run"] for step in workflow["jobs"]["plan"]["steps"] if "extdns plan" in step.get("run", ""))
    assert "api.shop.example" in run_command(script, clone, find_free_address(), {"GITHUB_BASE_REF": "main"})
    cluster.delete_namespace("store")
    cluster.kubectl("delete", "configmap/extdns-state")
    assert made == page
    assert (clone / "plan.md").read_text(encoding="utf-8") in page  # the comment
