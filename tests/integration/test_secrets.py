"""Passwords in URLs and keys in variables are never in output, log, page or metrics."""

from __future__ import annotations

import http.client
import json
import os
import re
from pathlib import Path
from typing import Final

import pytest

from tests.program.process import HANGS_S, ExtdnsProcess, once, running

PASSWORD: Final = "hunter-two"
KEY: Final = "0123456789abcdefghijklmnopqrstuv"
NOBODY: Final = f"http://somebody:{PASSWORD}@127.0.0.1:9"  # nothing listens there
KUBECONFIG: Final = {
    "apiVersion": "v1",
    "kind": "Config",
    "current-context": "here",
    "clusters": [{"name": "here", "cluster": {"server": "http://127.0.0.1:9"}}],
    "contexts": [{"name": "here", "context": {"cluster": "here", "user": "me"}}],
    "users": [{"name": "me", "user": {}}],
}
AWS: Final = {
    "AWS_ACCESS_KEY_ID": "AKIDTEST",
    "AWS_SECRET_ACCESS_KEY": KEY,
    "AWS_CONFIG_FILE": os.devnull,
    "AWS_SHARED_CREDENTIALS_FILE": os.devnull,
    "AWS_EC2_METADATA_DISABLED": "true",
    "AWS_REGION": "eu-central-1",
    "AWS_MAX_ATTEMPTS": "1",
}
ROUTE53: Final = ("--provider=aws", "--source=service", "--manifests=-", "--txt-owner-id=me", "--aws-api-retries=1")
GOOGLE: Final = ("--provider=google", "--source=service", "--manifests=-", "--google-project=p")
ENDPOINT: Final = {"AWS_ENDPOINT_URL_ROUTE_53": NOBODY}


def assert_hidden(text: str) -> None:
    assert PASSWORD not in text, text
    assert KEY not in text, text


@pytest.fixture
def kubeconfig(tmp_path: Path) -> str:
    path = tmp_path / "config"
    path.write_text(json.dumps(KUBECONFIG))
    return str(path)


def test_the_error_about_an_invalid_endpoint_hides_its_password() -> None:
    done = once(*GOOGLE, "--once", f"--google-api-endpoint={NOBODY}")
    assert done.returncode == 1
    assert_hidden(done.stderr)
    assert "--google-api-endpoint=http://******@127.0.0.1:9 is not an endpoint" in done.stderr


def test_status_hides_the_password_in_the_url_of_the_api_server(kubeconfig: str) -> None:
    flags = ("--provider=inmemory", "--source=service", f"--kubeconfig={kubeconfig}", f"--server={NOBODY}")
    done = once("status", *flags, "--log-level=debug")
    assert_hidden(done.stdout + done.stderr)
    assert "127.0.0.1:9" in done.stdout + done.stderr


@pytest.mark.parametrize(
    ("env", "expected"),
    [
        pytest.param(ENDPOINT, "http://******@127.0.0.1:9", id="endpoint"),
        pytest.param({"HTTPS_PROXY": NOBODY, "NO_PROXY": ""}, "http://******@127.0.0.1:9", id="proxy"),
        pytest.param({"HTTPS_PROXY": NOBODY.removeprefix("http://"), "NO_PROXY": ""}, "", id="proxy-without-scheme"),
    ],
)
def test_page_metrics_and_log_of_a_running_process_show_no_secret(env: dict[str, str], expected: str) -> None:
    flags = ("--metrics-address=127.0.0.1:0", "--web-address=127.0.0.1:0", "--log-level=debug")
    secret = ("--txt-encrypt-enabled", f"--txt-encrypt-aes-key={KEY}", f"--server={NOBODY}")
    empty = os.open(os.devnull, os.O_RDONLY)
    with running(*ROUTE53, *flags, *secret, stdin=empty, env={**AWS, **env}) as program:
        line = program.until("Serving the live page")
        for _ in range(2):  # the page is up to a second behind the log
            program.until("Cannot list zones")
        shown = end_and_read(program, line, "web.acme.test")
    os.close(empty)
    assert_hidden(shown)
    assert expected in shown


def end_and_read(program: ExtdnsProcess, line: str, name: str) -> str:
    """Read pages, documents and metrics of *program*, end it, and return them with its log.

    Args:
        program: a running process.
        line: its log line with the port of the live page.
        name: a DNS name.
    """
    port = int(re.findall(r"port=(\d+)", line)[0])
    bodies = [program.get(path)[1] for path in ("/readyz", "/metrics", "/healthz")]
    documents = ("status", "zones", "sources", "changes", "held", "plan", "names", f"names/{name}")
    pages = ("", f"name?of={name}", "zones", "sources", "changes", *(f"api/v1/{one}" for one in documents))
    bodies += [get(port, f"/{path}") for path in pages]
    program.end()
    return "\n".join((*bodies, *program.lines))


def get(port: int, path: str) -> str:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=HANGS_S)
    try:
        connection.request("GET", path)
        return connection.getresponse().read().decode()
    finally:
        connection.close()
