"""What kubectl does to objects of the real API server: whom it makes their manager, and which node ports stay."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from extdns import cli
from tests.kubernetes.cluster import Cluster
from tests.objects import PREFIX, Json
from tests.program.installation import Installation


def expose(namespace: str, *ports: Json) -> Json:
    metadata = {"name": "web", "namespace": namespace, "annotations": {f"{PREFIX}hostname": "web.example.org"}}
    spec = {"type": "NodePort", "ports": list(ports)}
    return {"apiVersion": "v1", "kind": "Service", "metadata": metadata, "spec": spec}


@pytest.mark.parametrize(
    ("command", "managers"),
    [
        (["apply", "--filename=-"], "kubectl-client-side-apply"),
        (["apply", "--filename=-", "--server-side", "--field-manager=argocd-controller"], "argocd-controller"),
    ],
)
def test_explain_names_who_applied_and_who_then_edited_the_annotation(
    cluster: Cluster, tmp_path: Path, capsys: pytest.CaptureFixture[str], command: list[str], managers: str
) -> None:
    namespace = f"origin-{managers}"
    cluster.create_namespace(namespace)
    installation = Installation(tmp_path, example_org="", sources=("service",))
    flags = [one for one in installation.flags() if not one.startswith("--manifests")]
    flags += [f"--kubeconfig={cluster.kubeconfig(tmp_path / 'kubeconfig')}", f"--namespace={namespace}"]

    def explain() -> str:
        cli.main(["explain", f"service/{namespace}/web", *flags], {})
        return capsys.readouterr().out

    cluster.kubectl(*command, stdin=json.dumps(expose(namespace, {"port": 80})))
    assert f"set by {managers}\n" in explain()
    edit = ("annotate", "--overwrite", "--field-manager=alice", f"--namespace={namespace}", "service", "web")
    cluster.kubectl(*edit, f"{PREFIX}hostname=other.example.org")
    assert "set by alice\n" in explain()


def test_node_ports_stay_where_a_plan_of_a_changed_manifest_has_them(
    cluster: Cluster, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    cluster.create_namespace("node-ports")
    installation = Installation(tmp_path, example_org="", sources=("service",))
    kubeconfig = f"--kubeconfig={cluster.kubeconfig(tmp_path / 'kubeconfig')}"
    node = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "node-ports"}}
    cluster.put(node | {"status": {"addresses": [{"type": "ExternalIP", "address": "192.0.2.7"}]}})
    a, b, c = ({"name": name, "port": port} for name, port in (("a", 80), ("b", 81), ("c", 82)))
    cluster.kubectl("apply", "--filename=-", stdin=json.dumps(expose("node-ports", a, b, c)))
    changed = expose("node-ports", c | {"port": 92}, b | {"name": "renamed"})
    installation.replace_manifests(changed)

    def plan(*flags: str) -> list[str]:
        more = ("--output=json", "--namespace=node-ports", "--managed-record-types=SRV", kubeconfig, *flags)
        cli.main(["plan", *installation.flags(*more)], {})
        (created,) = json.loads(capsys.readouterr().out)["changes"]
        targets: list[str] = created["after"]["targets"]
        return targets

    foreseen = plan("--with-cluster")
    stored = cluster.kubectl("apply", "--filename=-", "--output=json", stdin=json.dumps(changed))
    ports = sorted(one["nodePort"] for one in json.loads(stored)["spec"]["ports"])
    assert foreseen == [f"0 50 {port} web.example.org." for port in ports]
