"""Where the address and credentials of the API server come from, and when they are renewed."""

from __future__ import annotations

import base64
import json
import stat
import subprocess
import sys
import traceback
import warnings
from collections.abc import Iterator
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

from extdns.errors import ApiError, DeniedError, UsageError
from extdns.kube import cluster_access
from extdns.kube.api import ApiClient
from extdns.kube.cluster_access import ClusterAccess
from extdns.log import Event
from tests.fakes.apiserver.server import ApiServer
from tests.fakes.service.certificates import create_certificate
from tests.log_lines import find_logged_events

SERVICES = "/api/v1/services"
SECRET = "s3cr3t-t0ken"
ADVICE = "give --kubeconfig=PATH, or run in a pod with its service account, or give --manifests=PATH"


@pytest.fixture
def plain() -> Iterator[ApiServer]:
    with ApiServer(token=SECRET) as running:
        yield running


def format_traceback(error: BaseException) -> str:
    """Return the full traceback of *error* as text."""
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


def read_authorization(server: ApiServer, client: ApiClient) -> str:
    """Return the Authorization header that *server* receives from *client*."""
    with suppress(ApiError):
        client.get(SERVICES)
    return server.log.requests()[-1].headers.get("authorization", "")


def test_the_kubeconfig_flag_overrides_the_kubeconfig_variable_which_overrides_the_home_folder(
    plain: ApiServer, tmp_path: Path
) -> None:
    for name in ("flag", "variable", "home/.kube"):
        (tmp_path / name).mkdir(parents=True)
        kubeconfig(tmp_path / name, plain.url, token=name)
    environ = {"HOME": str(tmp_path / "home")}
    assert read_authorization(plain, ApiClient(ClusterAccess(), environ=environ)) == "Bearer home/.kube"
    environ["KUBECONFIG"] = f"{tmp_path}/missing:{tmp_path}/variable/config"
    assert read_authorization(plain, ApiClient(ClusterAccess(), environ=environ)) == "Bearer variable"
    assert (
        read_authorization(plain, ApiClient(ClusterAccess(kubeconfig=f"{tmp_path}/flag/config"), environ=environ))
        == "Bearer flag"
    )


def test_the_server_flag_replaces_the_server_of_the_kubeconfig(plain: ApiServer, tmp_path: Path) -> None:
    path = kubeconfig(tmp_path, "http://127.0.0.1:1", token=SECRET)
    client = ApiClient(ClusterAccess(kubeconfig=str(path), server=f"{plain.url}/"))
    assert read_authorization(plain, client) == f"Bearer {SECRET}"


def test_an_exec_plugin_runs_again_after_its_credential_expired(plain: ApiServer, tmp_path: Path) -> None:
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
    client = ApiClient(ClusterAccess(kubeconfig=str(kubeconfig(tmp_path, plain.url, exec=plugin))))
    first, second = read_authorization(plain, client), read_authorization(plain, client)
    assert first.startswith("Bearer t")
    assert first != second


def test_kubeconfig_credentials_are_read_again_after_a_401_at_most_once_per_interval(
    plain: ApiServer, tmp_path: Path
) -> None:
    now = [100.0]
    path = kubeconfig(tmp_path, plain.url, token="old")
    client = ApiClient(ClusterAccess(kubeconfig=str(path)), monotonic=lambda: now[0])
    kubeconfig(tmp_path, plain.url, token=SECRET)
    assert [read_authorization(plain, client) for _ in range(2)] == ["Bearer old"] * 2
    now[0] += 10
    assert read_authorization(plain, client) == "Bearer old"
    assert read_authorization(plain, client) == f"Bearer {SECRET}"
    path.write_text("broken: [")
    plain.access.token = "another"
    now[0] += 10
    assert [read_authorization(plain, client) for _ in range(2)] == [f"Bearer {SECRET}"] * 2


EXEC_PLUGIN = {"apiVersion": "client.authentication.k8s.io/v1", "command": "aws", "interactiveMode": "Never"}


@pytest.mark.parametrize(
    ("plugin", "problem"),
    [
        pytest.param({}, "aws is not in PATH: install the AWS CLI", id="missing"),
        pytest.param({"command": "kubelogin"}, "kubelogin is not in PATH: install kubelogin", id="another-missing"),
        pytest.param(
            {"installHint": "Get it\nfrom https://example.com"},
            "aws is not in PATH: Get it from https://example.com",
            id="missing-with-a-hint",
        ),
        pytest.param(
            {"command": "/bin/sh", "args": ["-c", "echo the session expired >&2; exit 3"]},
            "exec: process returned 3. the session expired",
            id="failing",
        ),
        pytest.param(
            {
                "command": "/bin/echo",
                "args": [json.dumps({**EXEC_PLUGIN, "kind": "ExecCredential", "status": {}})],
            },
            "exec: missing token or clientCertificateData field in plugin output",
            id="without-a-token",
        ),
    ],
)
def test_an_exec_plugin_without_credentials_is_a_usage_error_that_says_why_and_what_to_install(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    plugin: dict[str, object],
    problem: str,
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    path = kubeconfig(tmp_path, "http://127.0.0.1:1", exec=EXEC_PLUGIN | plugin)
    with pytest.raises(UsageError) as raised:
        ApiClient(ClusterAccess(kubeconfig=str(path)))
    command = plugin.get("command", "aws")
    user = f'user "u" of context "x" (exec plugin {command})'
    assert str(raised.value) == f"--kubeconfig={path} cannot be used: {user}: {problem}\n  {ADVICE}"
    assert caplog.records == []


def test_clients_that_do_not_check_the_certificate_log_one_warning_together(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with ApiServer(tls=True) as server, warnings.catch_warnings(record=True) as of_libraries:
        warnings.simplefilter("always")
        path = kubeconfig(tmp_path, server.url)
        path.write_text(path.read_text().replace('"server"', '"insecure-skip-tls-verify": true, "server"'))
        for _ in range(2):
            ApiClient(ClusterAccess(kubeconfig=str(path))).get(SERVICES)
    assert of_libraries == []
    assert find_logged_events(caplog) == [Event.CERTIFICATE_UNCHECKED]


@pytest.fixture
def pod(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ApiServer]:
    """Yield the API server of a pod whose service account has its files in *tmp_path*."""
    with ApiServer(tls=True) as server:
        (tmp_path / "ca.crt").write_bytes(server.ca)
        (tmp_path / "token").write_text("one\n")
        monkeypatch.setattr(cluster_access, "SERVICE_ACCOUNT", tmp_path)
        yield server


def in_pod(server: ApiServer, **environ: str) -> ApiClient:
    host, _, port = server.url.removeprefix("https://").partition(":")
    known = {"KUBERNETES_SERVICE_HOST": host, "KUBERNETES_SERVICE_PORT": port, "HOME": "/nowhere"}
    return ApiClient(ClusterAccess(), environ=known | environ)


def test_in_a_pod_each_request_has_the_token_that_is_in_the_file_of_the_service_account(
    pod: ApiServer, tmp_path: Path
) -> None:
    client = in_pod(pod)
    assert read_authorization(pod, client) == "Bearer one"
    (tmp_path / "token").write_text("two")
    assert read_authorization(pod, client) == "Bearer two"
    (tmp_path / "token").write_text("")
    with pytest.raises(DeniedError, match=r"no credentials: Token file exists but empty\.$"):
        client.get(SERVICES)
    (tmp_path / "token").unlink()
    with pytest.raises(ApiError, match=r"No such file or directory$"):
        client.get(SERVICES)


def test_in_a_pod_a_401_says_that_the_service_account_token_is_not_accepted(pod: ApiServer) -> None:
    pod.access.token = "another"
    with pytest.raises(DeniedError, match=r": the credentials are expired or unknown: the service account token$"):
        in_pod(pod).get(SERVICES)


@pytest.mark.parametrize(
    ("file", "text", "message"),
    [
        pytest.param("token", None, "Service token file does not exist.", id="no-token"),
        pytest.param("token", "", "Token file exists but empty.", id="empty-token"),
        pytest.param("ca.crt", None, "Service certification file does not exist.", id="no-authority"),
        pytest.param("ca.crt", "", "Cert file exists but empty.", id="empty-authority"),
    ],
)
def test_a_service_account_without_token_or_authority_is_a_usage_error(
    pod: ApiServer, tmp_path: Path, file: str, text: str | None, message: str
) -> None:
    (tmp_path / file).unlink()
    if text is not None:
        (tmp_path / file).write_text(text)
    with pytest.raises(UsageError) as raised:
        in_pod(pod)
    assert str(raised.value) == f"the pod's service account cannot be used: {message}\n  {ADVICE}"


def test_in_a_pod_the_certificate_of_the_api_server_is_checked(pod: ApiServer, tmp_path: Path) -> None:
    _, other = create_certificate(tmp_path)
    (tmp_path / "ca.crt").write_bytes(other)
    with pytest.raises(ApiError, match=r"TLS: .*certificate verify failed"):
        in_pod(pod).get(SERVICES)


@pytest.mark.parametrize(
    ("variables", "is_used"),
    [
        pytest.param({}, True, id="for-all-hosts"),
        pytest.param({"NO_PROXY": "example.org, 127.0.0.0/8"}, False, id="not-for-a-network"),
        pytest.param({"NO_PROXY": "127.0.0.1"}, False, id="not-for-an-address"),
        pytest.param({"NO_PROXY": "10.0.0.0/8,.svc"}, True, id="not-for-others"),
    ],
)
def test_in_a_pod_the_proxy_of_the_environment_is_used_except_for_hosts_and_networks_without_proxy(
    pod: ApiServer, monkeypatch: pytest.MonkeyPatch, variables: dict[str, str], *, is_used: bool
) -> None:
    for name in ("NO_PROXY", "no_proxy", "https_proxy"):
        monkeypatch.delenv(name, raising=False)
    for name, value in {"HTTPS_PROXY": "http://127.0.0.1:1", **variables}.items():
        monkeypatch.setenv(name, value)
    client = in_pod(pod)
    if is_used:
        with pytest.raises(ApiError, match="the proxy: no connection"):
            client.get(SERVICES)
    else:
        client.get(SERVICES)


def test_a_token_with_a_line_break_is_rejected_and_not_shown_in_the_error(pod: ApiServer, tmp_path: Path) -> None:
    (tmp_path / "token").write_text(f"{SECRET}\nx: y")
    with pytest.raises(DeniedError, match="a character that is not allowed in a header") as raised:
        in_pod(pod).get(SERVICES)
    assert SECRET not in format_traceback(raised.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        pytest.param("", "cannot be used: Invalid kube-config.", id="empty"),
        pytest.param("a: [", "cannot be used: ", id="invalid-yaml"),
        pytest.param("hello", "cannot be used: ", id="text-instead-of-mapping"),
        pytest.param("{}", "cannot be used: ", id="empty-mapping"),
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
            id="invalid-auth-provider-with-a-secret",
        ),
    ],
)
def test_an_invalid_kubeconfig_is_a_usage_error_that_names_the_flag_and_shows_no_secret(
    tmp_path: Path, text: str, message: str
) -> None:
    path = tmp_path / "config"
    path.write_text(text)
    with pytest.raises(UsageError) as raised:
        ApiClient(ClusterAccess(kubeconfig=str(path)))
    assert str(raised.value).startswith(f"--kubeconfig={path} cannot be used: ")
    assert message in str(raised.value)
    assert str(raised.value).endswith(f"\n  {ADVICE}")
    assert SECRET not in str(raised.value)


@pytest.mark.parametrize(
    ("access", "environ", "message"),
    [
        pytest.param(
            ClusterAccess(kubeconfig="/nix"),
            {},
            "--kubeconfig=/nix cannot be read: no such file",
            id="file-of-the-flag-missing",
        ),
        pytest.param(
            ClusterAccess(),
            {"KUBECONFIG": "/nix"},
            "KUBECONFIG=/nix cannot be read: no such file",
            id="file-of-the-variable-missing",
        ),
        pytest.param(
            ClusterAccess(),
            {"HOME": "/nix"},
            "there is no cluster to read: no kubeconfig was found, and extdns does not run in a pod",
            id="no-kubeconfig-and-no-pod",
        ),
        pytest.param(
            ClusterAccess(server="https://192.0.2.1:6443"),
            {"HOME": "/nix"},
            "--server has no credentials without a kubeconfig: no kubeconfig was found, and extdns does not run in a "
            "pod",
            id="server-without-kubeconfig",
        ),
        pytest.param(
            ClusterAccess(),
            {"KUBERNETES_SERVICE_HOST": "x"},
            "the pod's service account cannot be used: Service host/port is not set.",
            id="pod-without-port",
        ),
        pytest.param(
            ClusterAccess(),
            {"KUBERNETES_SERVICE_HOST": "x", "KUBERNETES_SERVICE_PORT": ""},
            "the pod's service account cannot be used: Service host/port is set but empty.",
            id="pod-with-empty-port",
        ),
    ],
)
def test_the_usage_error_says_how_to_name_a_cluster_if_none_is_configured(
    access: ClusterAccess, environ: dict[str, str], message: str
) -> None:
    with pytest.raises(UsageError) as raised:
        ApiClient(access, environ=environ)
    assert str(raised.value) == f"{message}\n  {ADVICE}"


# In a process of its own, because this process may have loaded more modules


def jwt(**claims: object) -> str:
    """Return an unsigned JSON Web Token with *claims*."""
    parts = (json.dumps(part).encode() for part in ({}, claims, {}))
    return ".".join(base64.urlsafe_b64encode(part).decode().rstrip("=") for part in parts)


@pytest.fixture
def issuer() -> Iterator[str]:
    """Run an OIDC issuer that answers every request with the token SECRET. Yield its URL."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.answer({"token_endpoint": f"{url}/token"})

        def do_POST(self) -> None:
            self.answer({"id_token": SECRET, "refresh_token": "next", "access_token": "x", "token_type": "Bearer"})

        def answer(self, document: dict[str, str]) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.end_headers()
            self.wfile.write(json.dumps(document).encode())

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - so named in the base class
            """Print no log lines."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        url = f"http://127.0.0.1:{server.server_port}"
        serving = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        serving.start()
        yield url
        server.shutdown()
        serving.join()


def test_an_expired_oidc_token_is_renewed_from_its_issuer(plain: ApiServer, issuer: str, tmp_path: Path) -> None:
    known = {"idp-issuer-url": issuer, "client-id": "me", "client-secret": "x", "refresh-token": "y"}
    provider = {"name": "oidc", "config": known | {"id-token": jwt(exp=1)}}
    path = kubeconfig(tmp_path, plain.url, **{"auth-provider": provider})
    program = (
        "from extdns.kube.cluster_access import ClusterAccess; from extdns.kube.api import ApiClient;"
        f"ApiClient(ClusterAccess(kubeconfig={str(path)!r})).get({SERVICES!r})"
    )
    environ = {"OAUTHLIB_INSECURE_TRANSPORT": "1", "NO_PROXY": "*"}
    subprocess.run([sys.executable, "-c", program], env=environ, check=True)
    assert plain.log.requests()[-1].headers["authorization"] == f"Bearer {SECRET}"


def test_extdns_in_a_pod_imports_no_modules_for_other_commands_or_credentials() -> None:
    others = {"pydantic", "requests", "oauthlib", "websocket", "google.auth", "kubernetes", "multiprocessing"}
    for_other_tasks = {"yaml", "rich", "jinja2", "dns", "boto3", "extdns.gotemplate.template"}
    code = "import json, sys, extdns.commands.run, extdns.kube.live.cluster, extdns.sources.service"
    program = f"{code}; print(json.dumps(list(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert not set(json.loads(done.stdout)) & (others | for_other_tasks)
