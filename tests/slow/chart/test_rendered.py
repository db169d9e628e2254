"""The rendered chart is valid and runs with the least privileges."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest

from tests.slow.chart import schemas
from tests.slow.chart.tools import NAMESPACE, Helm, Json, arguments, container, of, run, value_files, values_of

FILES: Final = value_files()
ELECTION: Final = ["--leader-elect", "--leader-elect-resource-name=external-dns"]


@pytest.mark.parametrize("name", FILES)
def test_helm_lint_reports_no_warning(helm: Helm, name: str) -> None:
    done = helm.lint(values_of(name))
    assert done.code == 0, done.out + done.error
    assert "[WARNING]" not in done.out


def test_kubeconform_accepts_every_rendered_object(helm: Helm, kubeconform: str, tmp_path: Path) -> None:
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
def test_kubeconform_rejects_a_broken_object(
    helm: Helm, kubeconform: str, tmp_path: Path, before: str, after: str
) -> None:
    rendered = helm.render(values_of("eks")).out
    assert before in rendered
    location = schemas.write(tmp_path)
    done = run(kubeconform, "-strict", "-schema-location", location, stdin=rendered.replace(before, after))
    assert done.code != 0


def test_pod_and_container_have_a_restricted_security_context(helm: Helm) -> None:
    manifests = helm.manifests(values_of("defaults"))
    (deployment,) = of("Deployment", manifests)
    pod = deployment["spec"]["template"]["spec"]
    assert pod["securityContext"] == {
        "runAsNonRoot": True,
        "fsGroup": 65534,
        "seccompProfile": {"type": "RuntimeDefault"},
    }
    assert container(manifests)["securityContext"] == {
        "runAsNonRoot": True,
        "runAsUser": 65532,
        "runAsGroup": 65532,
        "privileged": False,
        "allowPrivilegeEscalation": False,
        "readOnlyRootFilesystem": True,
        "capabilities": {"drop": ["ALL"]},
    }


def test_the_container_has_pod_name_and_namespace_as_variables(helm: Helm) -> None:
    env = {one["name"]: one["valueFrom"]["fieldRef"] for one in container(helm.manifests({}))["env"]}
    paths = {"POD_NAME": "metadata.name", "POD_NAMESPACE": "metadata.namespace"}
    assert env == {name: {"fieldPath": path} for name, path in paths.items()}


@pytest.mark.parametrize("name", FILES)
def test_no_pod_has_the_variables_of_services_which_begin_as_those_of_flags_do(helm: Helm, name: str) -> None:
    manifests = helm.manifests(values_of(name))
    pods = [one["spec"]["template"]["spec"] for one in of("Deployment", manifests)]
    pods += [one["spec"] for one in of("Pod", manifests)]
    assert {pod["enableServiceLinks"] for pod in pods} == {False}


def test_with_the_values_of_the_eks_test_file_pods_have_spread_constraints_and_a_disruption_budget(helm: Helm) -> None:
    manifests = helm.manifests(values_of("eks"))
    (deployment,), (budget,) = of("Deployment", manifests), of("PodDisruptionBudget", manifests)
    spec = deployment["spec"]
    spread = spec["template"]["spec"]["topologySpreadConstraints"]
    assert [one["topologyKey"] for one in spread] == ["kubernetes.io/hostname", "topology.kubernetes.io/zone"]
    assert all(one["labelSelector"] == spec["selector"] == budget["spec"]["selector"] for one in spread)
    assert budget["spec"]["minAvailable"] == 1
    assert spec["strategy"]["type"] == "RollingUpdate"


def test_several_replicas_run_with_leader_election_on_a_lease_named_after_the_release_or_by_extra_args(
    helm: Helm,
) -> None:
    assert arguments(helm.manifests({"replicaCount": 2}))[-2:] == ELECTION
    values = {"replicaCount": 2, "extraArgs": {"leader-elect": True, "leader-elect-resource-name": "one"}}
    assert arguments(helm.manifests(values))[-2:] == ["--leader-elect", "--leader-elect-resource-name=one"]
    assert not any("leader" in one for one in arguments(helm.manifests({})))


def test_one_replica_uses_the_recreate_strategy(helm: Helm) -> None:
    manifests = helm.manifests({})
    (deployment,) = of("Deployment", manifests)
    assert deployment["spec"]["strategy"] == {"type": "Recreate"}
    assert of("PodDisruptionBudget", manifests) == []


def test_the_chart_adds_its_pod_selector_to_affinity_terms_and_spread_constraints_that_have_none(helm: Helm) -> None:
    (deployment,) = of("Deployment", helm.manifests(values_of("everything")))
    pod, ours = deployment["spec"]["template"]["spec"], deployment["spec"]["selector"]
    anti_affinity = pod["affinity"]["podAntiAffinity"]
    (preferred,) = anti_affinity["preferredDuringSchedulingIgnoredDuringExecution"]
    (required,) = anti_affinity["requiredDuringSchedulingIgnoredDuringExecution"]
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
def test_service_and_network_policy_open_the_ports_that_the_program_listens_on(
    helm: Helm, args: Json, ports: dict[str, tuple[int, int]]
) -> None:
    manifests = helm.manifests({"extraArgs": args, "networkPolicy": {"enabled": True}})
    (service,), (policy,) = of("Service", manifests), of("NetworkPolicy", manifests)
    opened = {one["name"]: one["containerPort"] for one in container(manifests)["ports"]}
    offered = {one["targetPort"]: one["port"] for one in service["spec"]["ports"]}
    assert {name: (opened[name], offered[name]) for name in opened | offered} == ports
    assert [one["port"] for one in policy["spec"]["ingress"][0]["ports"]] == list(ports)


def test_every_namespaced_object_is_in_the_namespace_of_the_release(helm: Helm) -> None:
    for obj in helm.manifests(values_of("eks")):
        if not obj["kind"].startswith("ClusterRole"):
            assert obj["metadata"]["namespace"] == NAMESPACE


def test_the_pod_of_helm_test_stays_until_the_next_test_so_that_its_logs_can_be_read(helm: Helm) -> None:
    (pod,) = of("Pod", helm.manifests({}))
    assert pod["metadata"]["annotations"]["helm.sh/hook-delete-policy"] == "before-hook-creation"
