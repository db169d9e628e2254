"""Credentials for the API server in a process of its own, because this process may have loaded more modules."""

from __future__ import annotations

import base64
import json
import subprocess
import sys
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Final

import pytest

from tests.fakes.apiserver.server import ApiServer

SERVICES: Final = "/api/v1/services"
SECRET: Final = "s3cr3t-t0ken"


@pytest.fixture
def plain() -> Iterator[ApiServer]:
    with ApiServer(token=SECRET) as running:
        yield running


def kubeconfig(folder: Path, server: str, **user: object) -> Path:
    path = folder / "config"
    config = {
        "clusters": [{"name": "c", "cluster": {"server": server}}],
        "users": [{"name": "u", "user": user}],
        "contexts": [{"name": "x", "context": {"cluster": "c", "user": "u"}}],
        "current-context": "x",
    }
    path.write_text(json.dumps(config))
    return path


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
        "from extdns.kube.client import *; from extdns.kube.api import ApiClient;"
        f"ApiClient(HttpClient(ClusterAccess(kubeconfig={str(path)!r})), request_timeout_s=30).get({SERVICES!r})"
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
