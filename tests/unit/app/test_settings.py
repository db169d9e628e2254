"""The sources, the DNS services and the settings of the engine that flags select."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest

from extdns.app.provider import build_context
from extdns.app.sources import build_sources, map_kinds_by_label
from extdns.config import parse
from extdns.errors import UsageError
from extdns.flags.validation import AVAILABLE
from extdns.metrics.durations import REQUEST_TIMES
from extdns.metrics.metrics import Metrics
from extdns.model.api_request import ApiCall
from extdns.resources.ingress_controllers import F5_VIRTUAL_SERVER
from providers.aws import spec as aws
from providers.google import spec as google
from tests.cluster_world import COMPAT, HOUR_S, start_cluster
from tests.fakes.apiserver.kinds import Kind
from tests.fakes.apiserver.server import ApiServer
from tests.objects import service
from tests.unit.metrics.scrape import labels, series

BASE: Final = ("--provider=inmemory", "--policy=sync", "--registry=noop")


def list_sources(where: str, *flags: str) -> list[tuple[str, str]]:
    """Return, for each source, its name and its kind with the plural name of the resource."""
    found = build_sources(parse([*BASE, where, *flags], {}))
    return [(source.name, f"{source.kind.name} {source.kind.resource}") for source in found]


@pytest.fixture
def files(tmp_path: Path) -> str:
    """Return the flag that reads objects from an empty folder of manifests."""
    return f"--manifests={tmp_path}"


@pytest.mark.parametrize("name", AVAILABLE["source"])
def test_each_value_of_the_source_flag_gives_a_source(name: str, files: str) -> None:
    flags = ("--unstructured-resource=configmaps.v1",) if name == "unstructured" else ()
    assert {found for found, _ in list_sources(files, f"--source={name}", *flags)} == {name}


# docs/spec/sources.md 6.4
def test_each_unstructured_resource_has_its_own_source(files: str) -> None:
    resources = [f"--unstructured-resource={text}" for text in ("things.v1.acme.test", "configmaps.v1", "services.v1")]
    assert list_sources(files, "--source=unstructured", "--source=service", *resources, resources[0]) == [
        ("unstructured", "thing things.acme.test"),
        ("unstructured", "configmap configmaps"),
        ("unstructured", "Service services"),
        ("service", "Service services"),
    ]


# docs/spec/sources.md 7.9
def test_routegroups_are_read_from_the_api_group_of_the_flag(files: str) -> None:
    flags = ("--source=skipper-routegroup", "--skipper-routegroup-groupversion=acme.test/v2")
    assert list_sources(files, *flags) == [("skipper-routegroup", "RouteGroup routegroups.acme.test")]
    with pytest.raises(
        UsageError, match=r"=v1 is not a group and its version\n  allowed: GROUP/VERSION, such as zalando\.org/v1"
    ):
        list_sources(files, flags[0], "--skipper-routegroup-groupversion=v1")


# docs/spec/sources.md 6.4
def test_the_kind_of_an_unstructured_resource_is_read_from_the_api_server(tmp_path: Path) -> None:
    with ApiServer() as server:
        server.register(Kind(group="acme.test", version="v1", kind="BigThing", plural="things", namespaced=False))
        found = list_sources(
            f"--kubeconfig={server.kubeconfig(tmp_path / 'kubeconfig')}",
            "--source=unstructured",
            "--unstructured-resource=things.v1.acme.test",
        )
    assert found == [("unstructured", "BigThing things.acme.test")]


def test_extdns_fails_at_the_start_with_one_message_if_the_api_server_does_not_respond(tmp_path: Path) -> None:
    with ApiServer() as server:
        where = f"--kubeconfig={server.kubeconfig(tmp_path / 'kubeconfig')}"
    with pytest.raises(
        UsageError,
        match=r"^--unstructured-resource cannot be looked up: GET /api/v1: .*\n  the API server must respond",
    ):
        list_sources(where, "--source=unstructured", "--unstructured-resource=configmaps.v1")


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        pytest.param((), "--source=unstructured has no resource to read", id="none"),
        pytest.param(("configmaps",), "--unstructured-resource=configmaps is not a resource", id="6.4-no-dot"),
    ],
)
def test_extdns_does_not_start_if_an_unstructured_resource_is_missing_or_invalid(
    flags: tuple[str, ...], message: str, files: str
) -> None:
    with pytest.raises(UsageError) as error:
        list_sources(files, "--source=unstructured", *(f"--unstructured-resource={text}" for text in flags))
    assert str(error.value).partition("\n")[0] == message


# docs/spec/sources.md 7.4
def test_flags_select_the_traefik_api_groups(files: str) -> None:
    assert list_sources(files, "--source=traefik-proxy", "--traefik-disable-new") == []
    assert list_sources(files, "--source=traefik-proxy", "--source=service", "--traefik-disable-new") == [
        ("service", "Service services")
    ]
    both = list_sources(files, "--source=traefik-proxy", "--traefik-enable-legacy")
    assert [kind.partition(".")[2] for _, kind in both] == ["traefik.io"] * 3 + ["traefik.containo.us"] * 3
    legacy = list_sources(files, "--source=traefik-proxy", "--traefik-enable-legacy", "--traefik-disable-new")
    assert [kind.partition(".")[2] for _, kind in legacy] == ["traefik.containo.us"] * 3


# docs/spec/sources.md 8.7
@pytest.mark.parametrize("flag", ["--fqdn-template", "--fqdn-target-template", "--target-template"])
def test_an_invalid_template_in_a_flag_is_an_error_at_the_start(flag: str, files: str) -> None:
    with pytest.raises(UsageError, match=f"^{flag}:1:1: the action does not end"):
        list_sources(files, "--source=service", f"{flag}={{{{")


def test_resource_labels_of_a_built_in_and_an_unstructured_source_of_one_kind_both_stand_for_that_kind(
    files: str,
) -> None:
    flags = (
        "--source=f5-virtualserver",
        "--source=unstructured",
        "--unstructured-resource=virtualservers.v1.cis.f5.com",
    )
    found = map_kinds_by_label(build_sources(parse([*BASE, files, *flags], {})))
    assert found == {"f5-virtualserver": F5_VIRTUAL_SERVER, "virtualserver": F5_VIRTUAL_SERVER}


@pytest.mark.parametrize(
    ("flags", "common"),
    [
        pytest.param(("--source=traefik-proxy", "--traefik-enable-legacy"), "ingressroute", id="traefik"),
        pytest.param(
            (
                "--source=unstructured",
                "--unstructured-resource=things.v1.acme.test",
                "--unstructured-resource=things.v1.other.test",
            ),
            "thing",
            id="two-groups",
        ),
        pytest.param(
            (
                "--source=istio-gateway",
                "--source=unstructured",
                "--unstructured-resource=gateways.v1.gateway.networking.k8s.io",
            ),
            "gateway",
            id="a-kind-of-another-source",
        ),
    ],
)
def test_a_resource_label_that_could_stand_for_two_kinds_stands_for_neither(
    flags: tuple[str, ...], common: str, files: str
) -> None:
    found = build_sources(parse([*BASE, files, *flags], {}))
    known = map_kinds_by_label(found)
    assert common not in known
    assert set(known.values()) == {source.kind for source in found}


DEFINITION: Final = """\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: things.acme.test}
spec:
  group: acme.test
  names: {kind: BigThing, plural: things}
  scope: %s
  versions: [{name: v1, served: true}]
"""


@pytest.mark.parametrize(
    ("resource", "scope", "expected"),
    [
        pytest.param("things.v1.acme.test", "Cluster", ("BigThing", False), id="defined-for-the-cluster"),
        pytest.param("things.v1.acme.test", "Namespaced", ("BigThing", True), id="defined-for-namespaces"),
        pytest.param("things.v2.acme.test", "Cluster", ("thing", True), id="another-version"),
        pytest.param("namespaces.v1", "Cluster", ("Namespace", False), id="that-extdns-reads"),
        pytest.param("storageclasses.v1.storage.k8s.io", "Cluster", ("storageclass", False), id="well-known"),
    ],
)
def test_with_manifests_a_kind_is_namespaced_as_its_crd_or_the_kinds_built_into_extdns_state(
    resource: str, scope: str, expected: tuple[str, bool], tmp_path: Path
) -> None:
    (tmp_path / "crd.yaml").write_text(f"kind: [\n---\n{DEFINITION % scope}")
    (source,) = build_sources(
        parse([*BASE, f"--manifests={tmp_path}", "--source=unstructured", f"--unstructured-resource={resource}"], {})
    )
    assert (source.kind.name, source.kind.namespaced) == expected


# How the settings of DNS services are built from flags


FLAGS = ["--source=service", "--aws-profile=a", "--aws-profile=b", "--metrics-address=127.0.0.1:0"]


def test_request_times_of_every_dns_account_are_recorded() -> None:
    accounts = aws.build_settings(build_context(parse([*FLAGS, "--provider=aws"], {}))).accounts
    assert [account.calls.on_request for account in accounts] == [REQUEST_TIMES.record] * 2
    project = google.build_settings(build_context(parse([*FLAGS, "--provider=google"], {})))
    assert project.calls.on_request == REQUEST_TIMES.record


def test_calls_of_every_dns_account_are_measured_by_action_and_status() -> None:
    call = ApiCall(action="PlantedAction", status="ok", seconds=0.5)
    for account in aws.build_settings(build_context(parse([*FLAGS, "--provider=aws"], {}))).accounts:
        account.calls.on_call(call)
    google.build_settings(build_context(parse([*FLAGS, "--provider=google"], {}))).calls.on_call(call)
    metrics = Metrics()
    key = labels(action="PlantedAction", status="ok")
    assert series(metrics, "extdns_api_call_duration_seconds_count")[key] == 3


# The settings of the engine that follow from flags


@pytest.mark.parametrize(
    ("flags", "rounds"),
    [
        pytest.param((), 7, id="quiet"),
        pytest.param(COMPAT, 60, id="compat"),
        pytest.param(("--max-refresh-interval=1m",), 60, id="fixed"),
        pytest.param(("--max-refresh-interval=5m",), 13, id="at-most-five-minutes"),
    ],
)
def test_flags_decide_how_often_an_unchanged_zone_is_read_in_an_hour(flags: tuple[str, ...], rounds: int) -> None:
    world = start_cluster(service("web"), flags=["--interval=1m", *flags])
    world.calls.clear()
    world.run(for_s=HOUR_S)
    assert world.calls.count("ReadPage") == pytest.approx(rounds, abs=1)
