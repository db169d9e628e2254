"""Where the configuration of the API server comes from, and how its credentials are kept fresh."""

from __future__ import annotations

import json
import socket
import stat
import sys
import traceback
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from kubernetes.config import incluster_config

from extdns.errors import ApiError, DeniedError, UsageError
from extdns.kube.api import Api
from extdns.kube.client import Access, Client
from tests.fakes.apiserver.server import ApiServer

SERVICES = "/api/v1/services"
SECRET = "s3cr3t-t0ken"


@pytest.fixture
def plain() -> Iterator[ApiServer]:
    with ApiServer(token=SECRET) as running:
        yield running


def everything_about(error: BaseException) -> str:
    """All that a traceback would show."""
    return "".join(traceback.format_exception(error))


def kubeconfig(folder: Path, server: str, **user: object) -> Path:
    path = folder / "config"
    config = {
        "clusters": [{"name": "c", "cluster": {"server": server}}],
        "users": [{"name": "u", "user": user}],
        "contexts": [{"name": "x", "context": {"cluster": "c", "user": "u"}}, {"name": "y", "context": {}}],
        "current-context": "x",
    }
    path.write_text(json.dumps(config))
    return path


def test_a_server_that_does_not_answer_at_all_is_given_up(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        access = Access(
            kubeconfig=str(kubeconfig(tmp_path, f"http://127.0.0.1:{silent.getsockname()[1]}")), request_timeout_s=0.1
        )
        with pytest.raises(ApiError, match="no answer in time"):
            Api(Client(access), request_timeout_s=0.1).get(SERVICES)


def asked(server: ApiServer, client: Client) -> str:
    """The authorization that *server* sees."""
    with suppress(ApiError):
        Api(client, request_timeout_s=1).get(SERVICES)
    return server.log.requests()[-1].headers.get("authorization", "")


def test_the_flag_comes_before_the_variable_and_that_before_the_home(plain: ApiServer, tmp_path: Path) -> None:
    for name in ("flag", "variable", "home/.kube"):
        (tmp_path / name).mkdir(parents=True)
        kubeconfig(tmp_path / name, plain.url, token=name)
    environ = {"HOME": str(tmp_path / "home")}
    assert asked(plain, Client(Access(), environ=environ)) == "Bearer home/.kube"
    environ["KUBECONFIG"] = f"{tmp_path}/missing:{tmp_path}/variable/config"
    assert asked(plain, Client(Access(), environ=environ)) == "Bearer variable"
    assert asked(plain, Client(Access(kubeconfig=f"{tmp_path}/flag/config"), environ=environ)) == "Bearer flag"


def test_the_server_of_the_kubeconfig_may_be_replaced(plain: ApiServer, tmp_path: Path) -> None:
    path = kubeconfig(tmp_path, "http://127.0.0.1:1", token=SECRET)
    client = Client(Access(kubeconfig=str(path), server=f"{plain.url}/"))
    assert asked(plain, client) == f"Bearer {SECRET}"


def test_an_exec_plugin_is_run_again_once_what_it_gave_has_expired(plain: ApiServer, tmp_path: Path) -> None:
    script = tmp_path / "plugin"
    script.write_text(
        f"#!{sys.executable}\nimport json, pathlib\n"
        f"runs = pathlib.Path({str(tmp_path / 'runs')!r})\n"
        "runs.write_text((runs.read_text() if runs.exists() else '') + 'x')\n"
        "status = {'token': 't' + str(len(runs.read_text())), 'expirationTimestamp': '2020-01-01T00:00:00Z'}\n"
        "version = 'client.authentication.k8s.io/v1'\n"
        "print(json.dumps({'kind': 'ExecCredential', 'apiVersion': version, 'status': status}))\n"
    )
    script.chmod(script.stat().st_mode | stat.S_IXUSR)
    plugin = {"apiVersion": "client.authentication.k8s.io/v1", "command": str(script), "interactiveMode": "Never"}
    client = Client(Access(kubeconfig=str(kubeconfig(tmp_path, plain.url, exec=plugin))))
    first, second = asked(plain, client), asked(plain, client)
    assert first.startswith("Bearer t")
    assert first != second


def test_refused_credentials_are_read_again_but_not_each_time(plain: ApiServer, tmp_path: Path) -> None:
    now = [100.0]
    path = kubeconfig(tmp_path, plain.url, token="old")
    client = Client(Access(kubeconfig=str(path)), monotonic=lambda: now[0])
    kubeconfig(tmp_path, plain.url, token=SECRET)
    assert [asked(plain, client) for _ in range(2)] == ["Bearer old"] * 2
    now[0] += 10
    assert asked(plain, client) == "Bearer old"
    assert asked(plain, client) == f"Bearer {SECRET}"
    path.write_text("broken: [")
    plain.access.token = "another"
    now[0] += 10
    assert [asked(plain, client) for _ in range(2)] == [f"Bearer {SECRET}"] * 2


@pytest.fixture
def pod(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[ApiServer, Path]]:
    """A server, and the file of the token that a pod there has."""
    with ApiServer(tls=True) as server:
        (tmp_path / "ca.crt").write_bytes(server.ca)
        host, _, port = server.url.removeprefix("https://").partition(":")
        monkeypatch.setenv("KUBERNETES_SERVICE_HOST", host)
        monkeypatch.setenv("KUBERNETES_SERVICE_PORT", port)
        monkeypatch.setattr(incluster_config, "SERVICE_CERT_FILENAME", str(tmp_path / "ca.crt"))
        monkeypatch.setattr(incluster_config, "SERVICE_TOKEN_FILENAME", str(tmp_path / "token"))
        (tmp_path / "token").write_text("one\n")
        yield server, tmp_path / "token"


def in_pod(**more: Any) -> Client:  # noqa: ANN401 - the arguments of Client
    return Client(Access(), environ={"KUBERNETES_SERVICE_HOST": "x", "HOME": "/nowhere"}, **more)


def test_in_a_pod_its_own_account_is_used_and_a_refused_token_is_read_again(pod: tuple[ApiServer, Path]) -> None:
    server, token = pod
    now = [100.0]
    client = in_pod(monotonic=lambda: now[0])
    assert asked(server, client).lower() == "bearer one"
    token.write_text("two")
    server.access.token = "two"
    now[0] += 10
    assert [asked(server, client).lower() for _ in range(2)] == ["bearer one", "bearer two"]


def test_a_token_that_no_header_may_hold_is_refused_without_showing_it(pod: tuple[ApiServer, Path]) -> None:
    _, token = pod
    token.write_text(f"{SECRET}\nx: y")
    with pytest.raises(DeniedError, match="a character that no header may hold") as raised:
        Api(in_pod(), request_timeout_s=1).get(SERVICES)
    assert SECRET not in everything_about(raised.value)


ADVICE = "give --kubeconfig=PATH, or run in a pod with its service account, or give --manifests=PATH"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        pytest.param("", "cannot be used: Invalid kube-config.", id="empty"),
        pytest.param("a: [", "cannot be used: ", id="no-yaml"),
        pytest.param("hello", "cannot be used: ", id="no-mapping"),
        pytest.param("{}", "cannot be used: ", id="nothing-in-it"),
        pytest.param(json.dumps({"current-context": "nix", "contexts": []}), "name nix", id="no-such-context"),
        pytest.param(
            json.dumps(
                {
                    "current-context": "x",
                    "contexts": [{"name": "x", "context": {"cluster": "c", "user": "u"}}],
                    "clusters": [{"name": "c", "cluster": {"server": "https://127.0.0.1"}}],
                    "users": [{"name": "u", "user": {"auth-provider": {"name": "oidc", "config": {"x": SECRET}}}}],
                }
            ),
            "Expected key id-token in ",
            id="secret-beside-the-mistake",
        ),
    ],
)
def test_a_kubeconfig_that_cannot_be_used_is_a_mistake_of_the_user(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "config"
    path.write_text(text)
    with pytest.raises(UsageError) as raised:
        Client(Access(kubeconfig=str(path)))
    assert str(raised.value).startswith(f"--kubeconfig={path} cannot be used: ")
    assert message in str(raised.value)
    assert str(raised.value).endswith(f"\n  {ADVICE}")
    assert SECRET not in str(raised.value)


@pytest.mark.parametrize(
    ("access", "environ", "message"),
    [
        pytest.param(
            Access(kubeconfig="/nix"), {}, "--kubeconfig=/nix cannot be read: no such file", id="flag-leads-nowhere"
        ),
        pytest.param(
            Access(),
            {"KUBECONFIG": "/nix"},
            "KUBECONFIG=/nix cannot be read: no such file",
            id="variable-leads-nowhere",
        ),
        pytest.param(
            Access(),
            {"HOME": "/nix"},
            "there is no cluster to read: no kubeconfig was found, and this is no pod",
            id="nowhere",
        ),
        pytest.param(
            Access(),
            {"KUBERNETES_SERVICE_HOST": "x"},
            "the pod's own account cannot be used: Service host/port is not set.",
            id="half-a-pod",
        ),
    ],
)
def test_without_a_cluster_there_is_one_message(access: Access, environ: dict[str, str], message: str) -> None:
    with pytest.raises(UsageError) as raised:
        Client(access, environ=environ)
    assert str(raised.value) == f"{message}\n  {ADVICE}"
