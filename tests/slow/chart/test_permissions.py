"""The permissions that the chart grants are exactly those that extdns uses."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest

from extdns.flags.sources import GATEWAY_SOURCES
from extdns.flags.validation import AVAILABLE
from tests.fakes.apiserver.server import ApiServer
from tests.program.installation import Installation
from tests.slow.chart import cluster
from tests.slow.chart.tools import NAMESPACE, Helm, Json, arguments, of

Right = tuple[str, str, str]
"""Verb, group and resource."""

ZONES: Final = {cluster.ZONE.replace(".", "_"): ""}
SOURCES: Final = tuple(sorted(set(AVAILABLE["source"]) - {"empty", "fake"}))
NOT_IN_ONE_NAMESPACE: Final = {("watch", "", "nodes", ""), ("watch", "", "namespaces", "")}
"""Requests that the permissions of one namespace, and of one for Gateways, do not cover: names that need nodes or
namespace selectors wait, as with external-dns's chart. The node source and Gateways of any namespace have these."""
IDENTITY: Final = "/api/v1/namespaces/kube-system"
"""The uid of `kube-system` is part of the cluster's identity if it can be read; no permission is needed for that
(docs/design/delete-safety.md, "Which cluster?")."""


@pytest.fixture
def installation(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Installation]:
    monkeypatch.setenv("POD_NAMESPACE", NAMESPACE)
    with ApiServer(kinds=cluster.SERVED) as server:
        for obj in cluster.objects():
            server.put(obj)
        yield Installation(tmp_path, server, sources=(), **ZONES)


def values(*sources: str, **more: Any) -> Json:  # noqa: ANN401 - YAML
    """Return values of the chart with exactly *sources*."""
    return {"sources": list(sources), "provider": {"name": "zonefile"}, "extraArgs": dict(cluster.FLAGS), **more}


def list_permissions(manifests: list[Json]) -> set[Right]:
    return {
        (verb, group, resource)
        for role in of("Role", manifests) + of("ClusterRole", manifests)
        for rule in role["rules"]
        for verb in rule["verbs"]
        for group in rule["apiGroups"]
        for resource in rule["resources"]
    }


def source_arguments(manifests: list[Json]) -> list[str]:
    """Return the program's arguments, without provider and metrics address."""
    return [one for one in arguments(manifests) if not one.startswith(("--provider", "--metrics-address"))]


@pytest.mark.parametrize("source", SOURCES)
def test_the_chart_grants_each_source_the_permissions_that_it_uses_and_no_other_watch(
    source: str, installation: Installation, helm: Helm
) -> None:
    manifests = helm.manifests(values(source))
    installation.run_once(*source_arguments(manifests))
    used = installation.server.log.find_rules(optional=IDENTITY)
    granted = list_permissions(manifests)
    assert used <= granted
    assert {one for one in used if one[0] == "watch"} == {one for one in granted if one[0] == "watch"}


@pytest.mark.parametrize(
    ("namespaces", "expected"),
    [
        pytest.param({}, {"external-dns": "", "external-dns-configmaps": NAMESPACE}, id="all-namespaces"),
        pytest.param(
            {"namespaced": True},
            {"external-dns": NAMESPACE, "external-dns-everywhere": "", "external-dns-configmaps": NAMESPACE},
            id="namespace-of-the-release",
        ),
        pytest.param(
            {"namespaced": True, "sourceNamespace": "shop", "gatewayNamespace": "infra"},
            {
                "external-dns": "shop",
                "external-dns-everywhere": "",
                "external-dns-gateway": "infra",
                "external-dns-configmaps": NAMESPACE,
            },
            id="another-namespace-and-one-for-gateways",
        ),
    ],
)
def test_the_chart_creates_roles_in_exactly_the_namespaces_that_extdns_reads(
    helm: Helm, namespaces: Json, expected: dict[str, str]
) -> None:
    manifests = helm.manifests(values(*SOURCES, **namespaces))
    roles = of("Role", manifests) + of("ClusterRole", manifests)
    assert {role["metadata"]["name"]: role["metadata"].get("namespace", "") for role in roles} == expected
    bindings = of("RoleBinding", manifests) + of("ClusterRoleBinding", manifests)
    for role, binding in zip(roles, bindings, strict=True):
        assert binding["roleRef"]["kind"] == role["kind"]
        assert binding["roleRef"]["name"] == role["metadata"]["name"]
        assert binding["metadata"].get("namespace") == role["metadata"].get("namespace")
        assert binding["subjects"] == [{"kind": "ServiceAccount", "name": "external-dns", "namespace": NAMESPACE}]


@pytest.mark.parametrize(
    ("source", "gateways"), [(source, "") for source in SOURCES] + [(source, "shop") for source in GATEWAY_SOURCES]
)
def test_in_namespaced_mode_the_chart_grants_each_source_what_it_uses_except_watching_nodes_and_namespaces(
    source: str, gateways: str, installation: Installation, helm: Helm
) -> None:
    namespaces = {"namespaced": True, "sourceNamespace": "shop", "gatewayNamespace": gateways}
    manifests = helm.manifests(values(source, **namespaces))
    installation.run_once(*source_arguments(manifests))
    used = {
        (request.verb, request.group, request.resource, request.namespace)
        for request in installation.server.log.requests()
        if request.resource and not request.subresource and request.path != IDENTITY
    }
    roles = of("Role", manifests) + of("ClusterRole", manifests)
    missing = {one for one in used if not any(covers(role, *one) for role in roles)}
    assert missing <= NOT_IN_ONE_NAMESPACE


@pytest.mark.parametrize(
    ("source", "args", "read"),
    [
        pytest.param(
            "traefik-proxy",
            {"traefik-disable-new": True, "traefik-enable-legacy": True},
            {("traefik.containo.us", f"ingressroute{form}s") for form in ("", "tcp", "udp")},
            id="former-group",
        ),
        pytest.param(
            "skipper-routegroup",
            {"skipper-routegroup-groupversion": "acme.test/v2"},
            {("acme.test", "routegroups")},
            id="other-group",
        ),
        pytest.param(
            "unstructured",
            {"unstructured-resource": ["configmaps.v1", "certificates.v1.cert-manager.io"]},
            {("", "configmaps"), ("cert-manager.io", "certificates")},
            id="any-kind",
        ),
    ],
)
def test_if_flags_choose_the_kinds_of_a_source_the_chart_grants_watching_exactly_these_kinds(
    helm: Helm, source: str, args: Json, read: set[tuple[str, str]]
) -> None:
    found = list_permissions(helm.manifests({"sources": [source], "extraArgs": args}))
    assert {(group, resource) for verb, group, resource in found if verb == "watch"} == read


LOOKED_UP: Final = {"endpointslices", "nodes", "pods"}


@pytest.mark.parametrize(
    ("types", "expected"),
    [
        pytest.param([], LOOKED_UP, id="all-types"),
        pytest.param([""], LOOKED_UP, id="filter-off"),
        pytest.param(["LoadBalancer", "ExternalName"], set[str](), id="neither-nodes-nor-endpoints"),
        pytest.param(["ClusterIP"], {"endpointslices", "pods"}, id="headless"),
        pytest.param(["NodePort"], {"nodes", "pods"}, id="node-ports"),
    ],
)
def test_pods_nodes_and_endpointslices_are_granted_and_read_only_for_service_types_that_need_them(
    helm: Helm, types: list[str], expected: set[str], installation: Installation
) -> None:
    manifests = helm.manifests(values("service") | {"extraArgs": {"service-type-filter": types}})
    granted = {resource for _, _, resource in list_permissions(manifests)}
    assert granted & LOOKED_UP == expected
    installation.run_once(*source_arguments(manifests))
    used = {resource for verb, _, resource in installation.server.log.find_rules(optional=IDENTITY) if verb == "watch"}
    assert used & LOOKED_UP == expected


def test_in_namespaced_mode_no_cluster_role_is_rendered_if_rbac_cluster_role_is_false_or_no_source_needs_one(
    helm: Helm,
) -> None:
    namespaces = {"namespaced": True, "rbac": {"clusterRole": False}}
    assert not of("ClusterRole", helm.manifests(values(*SOURCES, **namespaces)))
    assert not of("ClusterRole", helm.manifests({"namespaced": True}))


@pytest.mark.parametrize(
    ("other", "same"),
    [
        pytest.param({"extraArgs": {"source": ["node"]}}, {"sources": ["node"]}, id="map"),
        pytest.param({"extraArgs": ["--source=node"]}, {"sources": ["node"]}, id="list"),
        pytest.param({"extraArgs": ["--source", "node"]}, {"sources": ["node"]}, id="list-of-two"),
        pytest.param(
            {"extraArgs": {"source": "{{ .Values.logFormat | replace `text` `node` }}"}},
            {"sources": ["node"]},
            id="template",
        ),
        pytest.param(
            {"extraArgs": {"source": ["node", "service"], "namespace": "shop"}},
            {"sources": ["node", "service"], "namespaced": True, "sourceNamespace": "shop"},
            id="namespace",
        ),
        pytest.param({"extraArgs": {"source": "node", "namespace": ""}}, {"sources": ["node"]}, id="no-namespace"),
        pytest.param(
            {"env": [{"name": "EXTERNAL_DNS_SOURCE", "value": "node\ncrd\n"}]},
            {"sources": ["node", "crd"]},
            id="variable",
        ),
        pytest.param(
            {"env": [{"name": "EXTERNAL_DNS_SOURCE", "value": "node"}], "sources": ["crd"]},
            {"sources": ["crd"]},
            id="argument-before-variable",
        ),
    ],
)
def test_the_chart_grants_the_same_permissions_for_flags_in_named_values_extra_args_and_variables(
    helm: Helm, other: Json, same: Json
) -> None:
    first, second = helm.manifests({"sources": []} | other), helm.manifests({"sources": []} | same)
    for kind in ("ClusterRole", "Role"):
        assert of(kind, first) == of(kind, second)


def covers(role: Json, verb: str, group: str, resource: str, namespace: str) -> bool:
    return role["metadata"].get("namespace", namespace) == namespace and any(
        verb in rule["verbs"] and group in rule["apiGroups"] and resource in rule["resources"] for rule in role["rules"]
    )


@pytest.mark.parametrize(
    ("args", "expected"),
    [
        pytest.param({"state-configmap": "kept"}, {(NAMESPACE, "configmaps", "kept")}, id="state"),
        pytest.param({"state-configmap": "ops/kept"}, {("ops", "configmaps", "kept")}, id="state-elsewhere"),
        pytest.param({"compat": True, "state-configmap": "kept"}, {(NAMESPACE, "configmaps", "kept")}, id="compat"),
        pytest.param({"state-configmap": ""}, set[object](), id="no-state"),
        pytest.param({"compat": True}, set[object](), id="no-state-with-compat"),
        pytest.param(
            {"state-configmap": "", "leader-elect": True}, {(NAMESPACE, "leases", "external-dns")}, id="lease"
        ),
        pytest.param(
            {
                "state-configmap": "",
                "leader-elect": True,
                "leader-elect-resource-name": "one",
                "leader-elect-resource-namespace": "ops",
            },
            {("ops", "leases", "one")},
            id="lease-elsewhere",
        ),
    ],
)
def test_the_chart_grants_access_to_the_state_configmap_and_the_lease_in_the_namespaces_of_their_flags(
    helm: Helm, args: Json, expected: set[object]
) -> None:
    roles = of("Role", helm.manifests({"extraArgs": args}))
    assert all(role["rules"][0]["verbs"] == ["create"] for role in roles)
    assert {
        (role["metadata"]["namespace"], *role["rules"][1]["resources"], *role["rules"][1]["resourceNames"])
        for role in roles
    } == expected


@pytest.mark.parametrize(
    ("args", "namespace"), [({}, NAMESPACE), ({"crd-registry-namespace": "dns"}, "dns")], ids=["own", "flag"]
)
def test_with_registry_crd_the_chart_grants_what_dnsrecords_need_in_their_namespace(
    installation: Installation, helm: Helm, args: Json, namespace: str
) -> None:
    chosen = values("service", registry="crd")
    manifests = helm.manifests(chosen | {"extraArgs": chosen["extraArgs"] | args})
    installation.run_once(*source_arguments(manifests))
    (role,) = (one for one in of("Role", manifests) if one["metadata"]["name"].endswith("-dnsrecords"))
    assert role["metadata"]["namespace"] == namespace
    used = installation.server.log.find_rules(optional=IDENTITY)
    assert {verb for verb, _, resource in used if resource == "dnsrecords"} == {"list", "get", "create"}
    assert used <= list_permissions(manifests)


def test_the_chart_grants_additional_permissions_and_with_rbac_create_false_renders_no_role(helm: Helm) -> None:
    rule = {"apiGroups": ["acme.test"], "resources": ["things"], "verbs": ["get"]}
    (role,) = of("ClusterRole", helm.manifests({"rbac": {"additionalPermissions": [rule]}}))
    assert rule in role["rules"]
    assert not list_permissions(helm.manifests({"rbac": {"create": False}}))


@pytest.mark.parametrize("namespaces", [{}, {"namespaced": True, "sourceNamespace": "shop"}])
def test_the_chart_grants_the_permissions_that_policy_rules_in_the_cluster_need(
    installation: Installation, helm: Helm, namespaces: Json
) -> None:
    chosen = values("service", **namespaces)
    manifests = helm.manifests(
        chosen | {"extraArgs": {"policy-rules": "cluster", "service-type-filter": ["LoadBalancer"]}}
    )
    installation.run_once(*source_arguments(manifests))
    used = installation.server.log.find_rules(optional=IDENTITY)
    granted = list_permissions(manifests)
    watched = {resource for verb, _, resource in granted if verb == "watch"}
    assert watched == {"services", "namespaces", "dnspolicies"}
    assert used <= granted
    everywhere = of("ClusterRole", manifests)
    assert all(
        any(covers(role, "watch", *one, "") for role in everywhere)
        for one in (("", "namespaces"), ("extdns.io", "dnspolicies"))
    )


def test_for_policy_rules_in_files_the_chart_grants_access_to_namespaces_and_not_to_policy_objects(helm: Helm) -> None:
    granted = list_permissions(helm.manifests(values("service") | {"extraArgs": {"policy-rules": "/rules"}}))
    assert ("watch", "", "namespaces") in granted
    assert not [resource for _, group, resource in granted if group == "extdns.io"]
