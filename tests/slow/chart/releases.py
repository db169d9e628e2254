"""Helm in front of a fake API server, and a release of external-dns's chart to begin with."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import yaml

from tests.fakes.apiserver.kinds import KINDS, Kind
from tests.fakes.apiserver.server import ApiServer
from tests.required_programs import require_program
from tests.slow.chart.installations import read_before, read_installation
from tests.slow.chart.tools import ROOT, Done, Json

NAMESPACE: Final = "external-dns"
RELEASE: Final = "external-dns"
FORMER: Final = "all-default-values"
"""The installation whose release is there before."""
_HANGS_S: Final = 120.0
_NAMED_LISTS: Final = ("containers", "ports", "subjects")
_LABELS: Final = "app.kubernetes.io/"


def _build_kind(group: str, kind: str, plural: str, *, namespaced: bool = True) -> Kind:
    return Kind(group=group, version="v1", kind=kind, plural=plural, namespaced=namespaced, unconditional=True)


_RBAC: Final = "rbac.authorization.k8s.io"
SERVED: Final = (
    *KINDS,
    _build_kind("", "Secret", "secrets"),
    _build_kind("", "ServiceAccount", "serviceaccounts"),
    _build_kind("apps", "Deployment", "deployments"),
    _build_kind(_RBAC, "Role", "roles"),
    _build_kind(_RBAC, "RoleBinding", "rolebindings"),
    _build_kind(_RBAC, "ClusterRole", "clusterroles", namespaced=False),
    _build_kind(_RBAC, "ClusterRoleBinding", "clusterrolebindings", namespaced=False),
    _build_kind("apiextensions.k8s.io", "CustomResourceDefinition", "customresourcedefinitions", namespaced=False),
)


class Releases:
    """Runs helm in a namespace of an API server."""

    def __init__(self, server: ApiServer, folder: Path) -> None:
        """Connect helm with *server*; *folder* is its home folder."""
        self.server = server
        self._program = require_program("the chart", "helm")
        self._env = {
            "HOME": str(folder),
            "PATH": "/usr/bin:/bin",
            "KUBECONFIG": str(server.kubeconfig(folder / "kubeconfig")),
            "GOGC": "off",
        }

    def run(self, *arguments: str | Path) -> Done:
        """Run helm until it ends."""
        with self.start(*arguments) as helm:
            out, error = helm.communicate(timeout=_HANGS_S)
        return Done(code=helm.returncode, out=out, error=error)

    @contextmanager
    def start(self, *arguments: str | Path) -> Iterator[subprocess.Popen[str]]:
        """Run helm until the block ends."""
        command = (self._program, *arguments, "--namespace", NAMESPACE)
        pipe = subprocess.PIPE
        with subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True, env=self._env, cwd=ROOT) as helm:
            try:
                yield helm
            finally:
                helm.kill()

    def get(self, kind: str, name: str = RELEASE) -> Json:
        """Return an object of the release.

        Raises:
            AssertionError: there is none.
        """
        namespace = "" if kind.startswith("ClusterRole") else NAMESPACE
        found = self.server.get(kind, namespace, name)
        assert found is not None
        return found

    def get_container(self) -> Json:
        """Return the container of the Deployment."""
        (found,) = self.get("Deployment")["spec"]["template"]["spec"]["containers"]
        assert isinstance(found, dict)
        return found


@contextmanager
def connect(folder: Path) -> Iterator[Releases]:
    """Run an API server, and yield helm in front of it."""
    with ApiServer(kinds=SERVED) as server:
        server.put({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NAMESPACE}})
        yield Releases(server, folder)


def write_former_chart(folder: Path) -> Path:
    """Write a chart that has the name and the values of external-dns's chart, and renders what was recorded of it."""
    (folder / "templates").mkdir(parents=True)
    chart = {"apiVersion": "v2", "name": "external-dns", "version": "1.21.1", "appVersion": "0.21.0"}
    (folder / "Chart.yaml").write_text(yaml.safe_dump(chart), encoding="utf-8")
    values = read_installation(FORMER)["values"]
    (folder / "values.yaml").write_text(yaml.safe_dump(values), encoding="utf-8")
    objects = yaml.safe_dump_all(build_manifests(read_before(FORMER)))
    (folder / "templates" / "all.yaml").write_text(objects, encoding="utf-8")
    return folder


def build_manifests(fields: Mapping[str, Any]) -> list[Json]:
    """Return the objects whose fields `tests.slow.chart.installations.flatten` returned, without their rules."""
    objects: dict[str, Json] = {}
    for path, value in fields.items():
        kind, _, rest = path.partition(" ")
        namespace, name, *keys = rest.replace(_LABELS, _LABELS.replace("/", "\0")).split("/")
        field = objects.setdefault(f"{kind} {namespace}/{name}", {"kind": kind})
        for key in keys[:-1]:
            field = field.setdefault(key.replace("\0", "/"), {})
        field[keys[-1].replace("\0", "/")] = value
    return [_list_named(obj) for obj in objects.values()]


def _list_named(value: Any) -> Any:  # noqa: ANN401 - YAML
    """Turn maps by name into lists."""
    if not isinstance(value, dict):
        return value
    found = {key: _list_named(field) for key, field in value.items()}
    return found | {
        key: [{"name": name} | one for name, one in found[key].items()] for key in _NAMED_LISTS if key in found
    }
