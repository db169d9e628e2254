"""What is rendered is what Kubernetes takes, and runs as safely as it can."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest

from tests.chart import schemas
from tests.chart.tools import NAMESPACE, Helm, Json, arguments, container, of, run, value_files, values_of

FILES: Final = value_files()
ELECTION: Final = ["--leader-elect", "--leader-elect-resource-name=extdns"]


@pytest.mark.parametrize("name", FILES)
def test_helm_finds_nothing_to_complain_of(helm: Helm, name: str) -> None:
    done = helm.lint(values_of(name))
    assert done.code == 0, done.out + done.error
    assert "[WARNING]" not in done.out


def test_every_object_is_valid(helm: Helm, kubeconform: str, tmp_path: Path) -> None:
    location = schemas.write(tmp_path)
    for name in FILES:
        rendered = helm.render(values_of(name)).out
        done = run(kubeconform, "-strict", "-summary", "-schema-location", location, stdin=rendered)
        assert done.code == 0, f"{name}: {done.out}{done.error}"
        assert "Invalid: 0, Errors: 0, Skipped: 0" in done.out


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param("kind: ServiceAccount", "kind: Serviceaccount", id="kind"),
        pytest.param("replicas: 2", "replicas: two", id="type"),
        pytest.param("serviceAccountName:", "serviceAcountName:", id="field"),
    ],
)
def test_what_is_not_valid_is_seen(helm: Helm, kubeconform: str, tmp_path: Path, before: str, after: str) -> None:
    rendered = helm.render(values_of("eks")).out
    assert before in rendered
    location = schemas.write(tmp_path)
    done = run(kubeconform, "-strict", "-schema-location", location, stdin=rendered.replace(before, after))
    assert done.code != 0


def test_the_program_has_no_more_rights_on_its_node_than_it_needs(helm: Helm) -> None:
    manifests = helm.manifests(values_of("defaults"))
    (deployment,) = of("Deployment", manifests)
    pod = deployment["spec"]["template"]["spec"]
    assert pod["securityContext"] == {
        "runAsNonRoot": True,
        "fsGroup": 65534,
        "seccompProfile": {"type": "RuntimeDefault"},
    }
    assert container(manifests)["securityContext"] == {
        "runAsUser": 65532,
        "runAsGroup": 65532,
        "privileged": False,
        "allowPrivilegeEscalation": False,
        "readOnlyRootFilesystem": True,
        "capabilities": {"drop": ["ALL"]},
    }


def test_the_program_is_told_which_pod_it_is(helm: Helm) -> None:
    env = {one["name"]: one["valueFrom"]["fieldRef"] for one in container(helm.manifests({}))["env"]}
    paths = {"POD_NAME": "metadata.name", "POD_NAMESPACE": "metadata.namespace"}
    assert env == {name: {"fieldPath": path} for name, path in paths.items()}


def test_several_replicas_are_spread_and_never_all_evicted(helm: Helm) -> None:
    manifests = helm.manifests(values_of("eks"))
    (deployment,), (budget,) = of("Deployment", manifests), of("PodDisruptionBudget", manifests)
    spec = deployment["spec"]
    spread = spec["template"]["spec"]["topologySpreadConstraints"]
    assert [one["topologyKey"] for one in spread] == ["kubernetes.io/hostname", "topology.kubernetes.io/zone"]
    assert all(one["labelSelector"] == spec["selector"] == budget["spec"]["selector"] for one in spread)
    assert budget["spec"]["minAvailable"] == 1
    assert spec["strategy"] == {"type": "RollingUpdate"}


def test_several_replicas_elect_one_by_a_lease_of_the_release(helm: Helm) -> None:
    assert arguments(helm.manifests({"replicaCount": 2}))[-2:] == ELECTION
    given = {"replicaCount": 2, "extraArgs": {"leader-elect": True, "leader-elect-resource-name": "one"}}
    assert arguments(helm.manifests(given))[-2:] == ["--leader-elect", "--leader-elect-resource-name=one"]
    assert not any("leader" in one for one in arguments(helm.manifests({})))


@pytest.mark.parametrize("arg", ["no-leader-elect", "compat", "no-aws-conditional-writes"])
def test_several_replicas_do_without_nothing_that_keeps_them_apart(helm: Helm, arg: str) -> None:
    said = helm.refusal({"replicaCount": 2, "extraArgs": [f"--{arg}"]})
    assert f"replicaCount 2 and --{arg} do not go together: of several replicas one is elected to write" in said


def test_one_replica_is_replaced_by_another_only_once_it_is_gone(helm: Helm) -> None:
    manifests = helm.manifests({})
    (deployment,) = of("Deployment", manifests)
    assert deployment["spec"]["strategy"] == {"type": "Recreate"}
    assert of("PodDisruptionBudget", manifests) == []


def test_label_selectors_are_filled_in_where_there_are_none(helm: Helm) -> None:
    (deployment,) = of("Deployment", helm.manifests(values_of("everything")))
    pod, ours = deployment["spec"]["template"]["spec"], deployment["spec"]["selector"]
    terms = pod["affinity"]["podAntiAffinity"]
    (preferred,) = terms["preferredDuringSchedulingIgnoredDuringExecution"]
    (required,) = terms["requiredDuringSchedulingIgnoredDuringExecution"]
    assert preferred["podAffinityTerm"]["labelSelector"] == ours
    assert required["labelSelector"] == {"matchLabels": {"affinity": "other"}}
    assert [one["labelSelector"] for one in pod["topologySpreadConstraints"]] == [ours]


@pytest.mark.parametrize(
    ("args", "ports"),
    [
        pytest.param({}, {"http": (7979, 7979)}, id="defaults"),
        pytest.param({"metrics-address": ":8081"}, {"http": (8081, 7979)}, id="other-port"),
        pytest.param({"web-address": ":7980"}, {"http": (7979, 7979), "web": (7980, 7980)}, id="live-page"),
        pytest.param({"web-address": "[::]:81"}, {"http": (7979, 7979), "web": (81, 81)}, id="live-page-ipv6"),
        *(
            pytest.param({"web-address": f"{host}:7980"}, {"http": (7979, 7979)}, id=f"live-page-at-{host}")
            for host in ("127.0.0.1", "localhost", "[::1]")
        ),
    ],
)
def test_what_the_program_opens_can_be_reached(helm: Helm, args: Json, ports: dict[str, tuple[int, int]]) -> None:
    manifests = helm.manifests({"extraArgs": args, "networkPolicy": {"enabled": True}})
    (service,), (policy,) = of("Service", manifests), of("NetworkPolicy", manifests)
    opened = {one["name"]: one["containerPort"] for one in container(manifests)["ports"]}
    offered = {one["targetPort"]: one["port"] for one in service["spec"]["ports"]}
    assert {name: (opened[name], offered[name]) for name in opened | offered} == ports
    assert [one["port"] for one in policy["spec"]["ingress"][0]["ports"]] == list(ports)


def test_everything_is_in_the_namespace_of_the_release(helm: Helm) -> None:
    for obj in helm.manifests(values_of("eks")):
        if not obj["kind"].startswith("ClusterRole"):
            assert obj["metadata"]["namespace"] == NAMESPACE
