"""Which sources a configuration asks for."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest

from extdns.app.sources import by_label, sources
from extdns.config import parse
from extdns.errors import UsageError
from extdns.flags.support import AVAILABLE
from extdns.model.vendors import F5_VIRTUAL_SERVER
from tests.fakes.apiserver.kinds import Kind
from tests.fakes.apiserver.server import ApiServer

BASE: Final = ("--provider=inmemory", "--policy=sync", "--registry=noop")


def asked(where: str, *flags: str) -> list[tuple[str, str]]:
    """Name, and kind with its resource, of each source."""
    found = sources(parse([*BASE, where, *flags], {}))
    return [(source.name, f"{source.kind.name} {source.kind.resource}") for source in found]


@pytest.fixture
def files(tmp_path: Path) -> str:
    return f"--manifests={tmp_path}"


@pytest.mark.parametrize("name", AVAILABLE["source"])
def test_every_source_that_is_offered_is_there(name: str, files: str) -> None:
    flags = ("--unstructured-resource=configmaps.v1",) if name == "unstructured" else ()
    assert {found for found, _ in asked(files, f"--source={name}", *flags)} == {name}


def test_6_4_each_resource_has_a_source_of_its_own_in_order_of_flags(files: str) -> None:
    resources = [f"--unstructured-resource={text}" for text in ("things.v1.acme.test", "configmaps.v1", "services.v1")]
    assert asked(files, "--source=unstructured", "--source=service", *resources, resources[0]) == [
        ("unstructured", "thing things.acme.test"),
        ("unstructured", "configmap configmaps"),
        ("unstructured", "Service services"),
        ("service", "Service services"),
    ]


def test_7_9_a_flag_says_where_routegroups_are(files: str) -> None:
    flags = ("--source=skipper-routegroup", "--skipper-routegroup-groupversion=acme.test/v2")
    assert asked(files, *flags) == [("skipper-routegroup", "RouteGroup routegroups.acme.test")]
    with pytest.raises(
        UsageError, match=r"=v1 is not a group and its version\n  allowed: GROUP/VERSION, as zalando\.org/v1"
    ):
        asked(files, flags[0], "--skipper-routegroup-groupversion=v1")


def test_6_4_a_live_cluster_is_asked_for_the_kind(tmp_path: Path) -> None:
    with ApiServer() as server:
        server.register(Kind(group="acme.test", version="v1", kind="BigThing", plural="things", namespaced=False))
        found = asked(
            f"--kubeconfig={server.kubeconfig(tmp_path / 'kubeconfig')}",
            "--source=unstructured",
            "--unstructured-resource=things.v1.acme.test",
        )
    assert found == [("unstructured", "BigThing things.acme.test")]


def test_an_api_server_that_does_not_answer_stops_the_start_with_one_message(tmp_path: Path) -> None:
    with ApiServer() as server:
        where = f"--kubeconfig={server.kubeconfig(tmp_path / 'kubeconfig')}"
    with pytest.raises(
        UsageError, match=r"^--unstructured-resource cannot be looked up: GET /api/v1: .*\n  at the start"
    ):
        asked(where, "--source=unstructured", "--unstructured-resource=configmaps.v1")


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        pytest.param((), "--source=unstructured has no resource to read", id="none"),
        pytest.param(("configmaps",), "--unstructured-resource=configmaps is not a resource", id="6.4-no-dot"),
        pytest.param(
            ("things.v1.acme.test", "things.v1.other.test"),
            "things.acme.test and things.other.test cannot be told apart: marks say thing for both",
            id="1.8-same-mark",
        ),
    ],
)
def test_what_cannot_be_read_stops_the_start(flags: tuple[str, ...], message: str, files: str) -> None:
    with pytest.raises(UsageError) as error:
        asked(files, "--source=unstructured", *(f"--unstructured-resource={text}" for text in flags))
    assert str(error.value).partition("\n")[0] == message


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        pytest.param(("--traefik-disable-new",), "--traefik-disable-new leaves nothing to read", id="none"),
        pytest.param(
            ("--traefik-enable-legacy",),
            "ingressroutes.traefik.io and ingressroutes.traefik.containo.us cannot be told apart: "
            "marks say ingressroute for both",
            id="1.8-same-mark",
        ),
    ],
)
def test_7_4_one_group_of_traefik_is_read(flags: tuple[str, ...], message: str, files: str) -> None:
    with pytest.raises(UsageError) as error:
        asked(files, "--source=traefik-proxy", *flags)
    assert str(error.value).partition("\n")[0] == message
    legacy = asked(files, "--source=traefik-proxy", "--traefik-enable-legacy", "--traefik-disable-new")
    assert [kind.partition(".")[2] for _, kind in legacy] == ["traefik.containo.us"] * 3


@pytest.mark.parametrize("flag", ["--fqdn-template", "--fqdn-target-template", "--target-template"])
def test_8_7_each_template_is_read_at_the_start_whatever_others_there_are(flag: str, files: str) -> None:
    with pytest.raises(UsageError, match=f"^{flag}:1:1: the action does not end"):
        asked(files, "--source=service", f"{flag}={{{{")


def test_marks_of_unstructured_go_by_the_kind_s_name_besides(files: str) -> None:
    flags = (
        "--source=f5-virtualserver",
        "--source=unstructured",
        "--unstructured-resource=virtualservers.v1.cis.f5.com",
    )
    found = by_label(sources(parse([*BASE, files, *flags], {})))
    assert found == {"f5-virtualserver": F5_VIRTUAL_SERVER, "virtualserver": F5_VIRTUAL_SERVER}
