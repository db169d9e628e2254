"""The rights that the chart grants are those that the program uses."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest

from extdns.app import announcers
from extdns.flags.sources import GATEWAY_SOURCES
from extdns.flags.support import AVAILABLE
from tests.chart import cluster
from tests.chart.tools import NAMESPACE, Helm, Json, arguments, of
from tests.fakes.apiserver.options import WatchList
from tests.fakes.apiserver.server import ApiServer
from tests.integration.live import HANGS_S, LiveStage, ShiftedClock, program

Right = tuple[str, str, str]
"""Verb, group and resource."""

ZONES: Final = {cluster.ZONE.replace(".", "_"): ""}
SOURCES: Final = tuple(sorted(set(AVAILABLE["source"]) - {"empty", "fake"}))
MINUTES: Final = 600.0
WRONG: Final = "wrong"
"""A Service that asks for what is no name."""
NOT_IN_ONE_NAMESPACE: Final = {("watch", "", "nodes", ""), ("watch", "", "namespaces", "")}
"""As with external-dns's chart, one namespace alone (and that of Gateways) takes no rights beyond it: what needs nodes
or selectors of namespaces waits. The node source, and Gateways anywhere, take them all the same."""


@pytest.fixture
def stage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[LiveStage]:
    monkeypatch.setenv("POD_NAMESPACE", NAMESPACE)
    with ApiServer(kinds=cluster.SERVED) as server:
        for obj in cluster.objects():
            server.put(obj)
        yield Chosen(tmp_path, server, **ZONES)


class Chosen(LiveStage):
    """A stage whose sources are those of the arguments."""

    def _flags(self) -> list[str]:
        return [flag for flag in super()._flags() if not flag.startswith("--source")]


def values(*sources: str, **more: Any) -> Json:  # noqa: ANN401 - YAML
    """Values that ask for *sources* alone."""
    return {"sources": list(sources), "provider": {"name": "zonefile"}, "extraArgs": dict(cluster.FLAGS), **more}


def rights(manifests: list[Json]) -> set[Right]:
    """All that the account of the program may do."""
    return {
        (verb, group, resource)
        for role in of("Role", manifests) + of("ClusterRole", manifests)
        for rule in role["rules"]
        for verb in rule["verbs"]
        for group in rule["apiGroups"]
        for resource in rule["resources"]
    }


def told(manifests: list[Json]) -> list[str]:
    """The arguments of the program that are not about where it runs."""
    return [one for one in arguments(manifests) if not one.startswith(("--provider", "--metrics-address"))]


@pytest.mark.parametrize("source", SOURCES)
def test_each_source_may_do_what_the_program_does_for_it(source: str, stage: LiveStage, helm: Helm) -> None:
    manifests = helm.manifests(values(source))
    stage.once(*told(manifests))
    asked = stage.server.log.rules()
    assert len({resource for verb, _, resource in asked if verb == "watch"}) >= 1
    assert asked <= rights(manifests)


def test_all_of_it_is_used_and_nothing_else(stage: LiveStage, helm: Helm, monkeypatch: pytest.MonkeyPatch) -> None:
    manifests, server = helm.manifests(values(*SOURCES, replicaCount=2)), stage.server
    flags = [*told(manifests), "--max-delete-percent=100", "--leader-elect-retry-period=100ms"]
    clock = ShiftedClock()
    monkeypatch.setattr(announcers, "SystemClock", lambda: clock)
    server.api.watch_list = WatchList.REFUSED_BY_STORE  # so that there are lists, too
    stage.once(*flags)
    assert len(stage.published()) > len(SOURCES)
    wrong = next(obj for obj in cluster.objects() if obj["metadata"]["name"] == WRONG)
    for obj in cluster.objects():
        if obj != wrong:
            server.delete(
                server.catalogue.of_object(obj), obj["metadata"].get("namespace", ""), obj["metadata"]["name"]
            )
    with program(stage, monkeypatch, *flags) as running:
        assert running.controller.settled.wait(HANGS_S)
        running.pass_time(MINUTES)  # what the marks name is absent, and is asked for
        while stage.published():
            running.until("successfully updated")
        server.put(wrong | {"status": {}})
        server.log.wait_for("create", "events", count=2)  # one by each process
        clock.shift_s = MINUTES
        server.put(wrong)  # it is told again, as one more of the same
        server.log.wait_for("patch", "events")
    assert server.log.rules() == rights(manifests)


@pytest.mark.parametrize(
    ("given", "granted"),
    [
        pytest.param({}, {"extdns": "", "extdns-configmaps": NAMESPACE}, id="all-namespaces"),
        pytest.param(
            {"namespaced": True},
            {"extdns": NAMESPACE, "extdns-everywhere": "", "extdns-configmaps": NAMESPACE},
            id="that-of-the-release",
        ),
        pytest.param(
            {"namespaced": True, "sourceNamespace": "shop", "gatewayNamespace": "infra"},
            {"extdns": "shop", "extdns-everywhere": "", "extdns-gateway": "infra", "extdns-configmaps": NAMESPACE},
            id="one-and-that-of-gateways",
        ),
    ],
)
def test_rights_are_granted_where_they_are_used(helm: Helm, given: Json, granted: dict[str, str]) -> None:
    manifests = helm.manifests(values(*SOURCES, **given))
    roles = of("Role", manifests) + of("ClusterRole", manifests)
    assert {role["metadata"]["name"]: role["metadata"].get("namespace", "") for role in roles} == granted
    bindings = of("RoleBinding", manifests) + of("ClusterRoleBinding", manifests)
    for role, binding in zip(roles, bindings, strict=True):
        assert binding["roleRef"]["kind"] == role["kind"]
        assert binding["roleRef"]["name"] == role["metadata"]["name"]
        assert binding["metadata"].get("namespace") == role["metadata"].get("namespace")
        assert binding["subjects"] == [{"kind": "ServiceAccount", "name": "extdns", "namespace": NAMESPACE}]


@pytest.mark.parametrize(
    ("source", "gateways"), [(source, "") for source in SOURCES] + [(source, "shop") for source in GATEWAY_SOURCES]
)
def test_one_namespace_is_enough_for_a_source_that_reads_one(
    source: str, gateways: str, stage: LiveStage, helm: Helm
) -> None:
    given = {"namespaced": True, "sourceNamespace": "shop", "gatewayNamespace": gateways}
    manifests = helm.manifests(values(source, **given))
    stage.once(*told(manifests))
    asked = {
        (request.verb, request.group, request.resource, request.namespace)
        for request in stage.server.log.requests()
        if request.resource and not request.subresource
    }
    roles = of("Role", manifests) + of("ClusterRole", manifests)
    lacking = {one for one in asked if not any(covers(role, *one) for role in roles)}
    assert lacking <= NOT_IN_ONE_NAMESPACE


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
def test_kinds_that_flags_name_may_be_read(helm: Helm, source: str, args: Json, read: set[tuple[str, str]]) -> None:
    found = rights(helm.manifests({"sources": [source], "extraArgs": args}))
    assert {(group, resource) for verb, group, resource in found if verb == "watch"} == read


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
    ],
)
def test_rights_do_not_depend_on_which_value_gives_a_flag(helm: Helm, other: Json, same: Json) -> None:
    first, second = helm.manifests({"sources": []} | other), helm.manifests({"sources": []} | same)
    for kind in ("ClusterRole", "Role"):
        assert of(kind, first) == of(kind, second)


def covers(role: Json, verb: str, group: str, resource: str, namespace: str) -> bool:
    """Whether a role grants a request."""
    return role["metadata"].get("namespace", namespace) == namespace and any(
        verb in rule["verbs"] and group in rule["apiGroups"] and resource in rule["resources"] for rule in role["rules"]
    )


@pytest.mark.parametrize(
    ("args", "places"),
    [
        pytest.param({"state-configmap": "kept"}, {(NAMESPACE, "configmaps", "kept")}, id="state"),
        pytest.param({"state-configmap": "ops/kept"}, {("ops", "configmaps", "kept")}, id="state-elsewhere"),
        pytest.param({"compat": True, "state-configmap": "kept"}, {(NAMESPACE, "configmaps", "kept")}, id="compat"),
        pytest.param({"state-configmap": ""}, set[object](), id="no-state"),
        pytest.param({"compat": True}, set[object](), id="no-state-with-compat"),
        pytest.param({"state-configmap": "", "leader-elect": True}, {(NAMESPACE, "leases", "extdns")}, id="lease"),
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
def test_what_the_program_keeps_may_be_kept_where_flags_say(helm: Helm, args: Json, places: set[object]) -> None:
    roles = of("Role", helm.manifests({"extraArgs": args}))
    assert all(role["rules"][0]["verbs"] == ["create"] for role in roles)
    assert {
        (role["metadata"]["namespace"], *role["rules"][1]["resources"], *role["rules"][1]["resourceNames"])
        for role in roles
    } == places


def test_what_is_asked_for_besides_is_granted_and_no_role_where_none_is_wanted(helm: Helm) -> None:
    rule = {"apiGroups": ["acme.test"], "resources": ["things"], "verbs": ["get"]}
    (role,) = of("ClusterRole", helm.manifests({"rbac": {"additionalPermissions": [rule]}}))
    assert rule in role["rules"]
    assert not rights(helm.manifests({"rbac": {"create": False}}))
