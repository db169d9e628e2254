"""Helm in front of a real cluster, and a release of external-dns's chart to begin with."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import yaml

from tests.fakes.apiserver.kinds import Kind
from tests.kubernetes.cluster import Cluster
from tests.required_programs import require_program
from tests.slow.chart.installations import read_before, read_installation
from tests.slow.chart.tools import Done, Json, run

NAMESPACE: Final = "external-dns"
RELEASE: Final = "external-dns"
FORMER: Final = "all-default-values"
"""The installation whose release is there before."""
_NAMED_LISTS: Final = ("containers", "ports", "subjects")
_LABELS: Final = "app.kubernetes.io/"


_RBAC: Final = "rbac.authorization.k8s.io"
_KINDS: Final = (
    Kind(group="", version="v1", kind="ServiceAccount", plural="serviceaccounts"),
    Kind(group="apps", version="v1", kind="Deployment", plural="deployments"),
    Kind(group=_RBAC, version="v1", kind="Role", plural="roles"),
    Kind(group=_RBAC, version="v1", kind="ClusterRole", plural="clusterroles", namespaced=False),
    Kind(group=_RBAC, version="v1", kind="ClusterRoleBinding", plural="clusterrolebindings", namespaced=False),
)


class Releases:
    """Runs helm in a namespace of a cluster."""

    def __init__(self, cluster: Cluster, folder: Path) -> None:
        """Connect helm with *cluster*; *folder* is its home folder."""
        self.cluster = cluster
        self._program = require_program("the chart", "helm")
        self._env = {
            "HOME": str(folder),
            "PATH": "/usr/bin:/bin",
            "KUBECONFIG": str(cluster.kubeconfig(folder / "kubeconfig")),
            "GOGC": "off",
        }

    def run(self, *arguments: str | Path) -> Done:
        return run(self._program, *arguments, "--namespace", NAMESPACE, env=self._env)

    def find(self, kind: str, name: str = RELEASE) -> Json | None:
        return self.cluster.get(kind, "" if kind.startswith("ClusterRole") else NAMESPACE, name)

    def get(self, kind: str, name: str = RELEASE) -> Json:
        found = self.find(kind, name)
        assert found is not None
        return found

    def get_container(self) -> Json:
        (found,) = self.get("Deployment")["spec"]["template"]["spec"]["containers"]
        assert isinstance(found, dict)
        return found


@contextmanager
def connect(cluster: Cluster, folder: Path) -> Iterator[Releases]:
    """Yield helm in front of *cluster*, and remove its release afterwards."""
    for kind in _KINDS:
        cluster.catalogue.register(kind)
    cluster.create_namespace(NAMESPACE)
    releases = Releases(cluster, folder)
    yield releases
    done = releases.run("uninstall", RELEASE)
    assert done.code == 0, done.error
    cluster.kubectl("delete", "pods", "--all", "--force", "--namespace", NAMESPACE)


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
