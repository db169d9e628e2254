"""`extdns check` asks a real Open Policy Agent about an example."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from tempfile import mkdtemp

import pytest

from extdns import cli
from tests.objects import service
from tests.program.installation import Installation
from tests.slow.rego.opa_process import OpaProcess

POLICY = 'package extdns\n\ndeny contains "a bad name" if startswith(input.record.name, "bad")\n'
NOT_A_SET = "package extdns\n\ndeny := true\n"
FAILING = (
    'package extdns\n\nx := "a" if input.record.type == "A"\n\nx := "b" if input.record.type == "A"\n\n'
    'deny contains "no" if x != "a"\n'
)
AUTHORIZATION = (
    'package system.authz\n\ndefault allow := false\n\nallow if input.identity == "let-me-in"\n\n'
    'allow if input.path == ["health"]\n'
)
REFUSED = "status 401 Unauthorized: request rejected by administrative policy"


@pytest.fixture
def opa(tmp_path: Path) -> Iterator[OpaProcess]:
    with OpaProcess(tmp_path) as process:
        yield process


def check(
    folder: Path, url: str, capsys: pytest.CaptureFixture[str], *flags: str
) -> tuple[int, dict[str, tuple[str, str]]]:
    """Return the exit code, and state and text of each check about the policy server by its flag."""
    installation = Installation(Path(mkdtemp(dir=folder)), sources=("service",), example_org="")
    installation.replace_manifests(service("web"))
    code = cli.main(["check", *installation.flags(f"--opa-url={url}", "--opa-timeout=10s", *flags)], {})
    found = {}
    for line in capsys.readouterr().out.splitlines():
        state, _, text = line.partition(" ")
        flag, separator, detail = text.strip().partition(": ")
        if flag.startswith("--opa-") and separator:
            found[flag.partition("=")[0]] = state, detail
    return code, found


def test_check_finds_nothing_missing_if_the_rule_answers_in_the_expected_form(
    opa: OpaProcess, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    opa.put_policy("names.rego", POLICY)
    assert check(tmp_path, opa.url, capsys) == (
        0,
        {
            "--opa-url": ("ok", "it answers; 1 policy in the package"),
            "--opa-path": ("ok", "the rule answers; it allows an example"),
        },
    )


@pytest.mark.parametrize(
    ("policy", "detail"),
    [
        pytest.param("package other\n\nx := 1\n", "no loaded policy defines extdns/deny", id="no-rule"),
        pytest.param(NOT_A_SET, "the result of extdns/deny is a boolean; allowed: ", id="other-form"),
        pytest.param(FAILING, "produced conflicting values", id="fails"),
    ],
)
def test_check_reports_a_rule_that_gives_no_answer(
    opa: OpaProcess, tmp_path: Path, capsys: pytest.CaptureFixture[str], policy: str, detail: str
) -> None:
    opa.put_policy("names.rego", policy)
    code, found = check(tmp_path, opa.url, capsys)
    assert code == 1
    assert found["--opa-url"][0] == "ok"
    state, text = found["--opa-path"]
    assert state == "missing"
    assert detail in text


def test_check_reports_a_server_that_cannot_be_reached(
    opa: OpaProcess, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    opa.kill()
    code, found = check(tmp_path, opa.url, capsys)
    assert (code, found) == (1, {"--opa-url": ("missing", f"GET {opa.url}/v1/policies: Connection refused")})


def test_check_says_which_requests_the_server_has_to_accept_if_it_refuses_queries(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    authorization = tmp_path / "authz.rego"
    authorization.write_text('package system.authz\n\ndefault allow := false\n\nallow if input.method == "GET"\n')
    with OpaProcess(tmp_path, "--authorization=basic", str(authorization)) as opa:
        installation = Installation(Path(mkdtemp(dir=tmp_path)), sources=("service",), example_org="")
        installation.replace_manifests(service("web"))
        assert cli.main(["check", *installation.flags(f"--opa-url={opa.url}", "--opa-timeout=10s")], {}) == 1
    assert (
        f"missing  --opa-url={opa.url}: POST {opa.url}/v1/query: {REFUSED}\n"
        "         let the server accept the token of --opa-token-file for GET /v1/policies and POST /v1/query\n"
    ) in capsys.readouterr().out


def test_check_reports_a_token_that_the_server_does_not_accept_or_that_cannot_be_read(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    authorization, token = tmp_path / "authz.rego", tmp_path / "token"
    authorization.write_text(AUTHORIZATION, encoding="utf-8")
    arguments = ("--authentication=token", "--authorization=basic", str(authorization))
    with OpaProcess(tmp_path, *arguments) as opa:
        _, found = check(tmp_path, opa.url, capsys)
        assert found == {"--opa-url": ("missing", f"GET {opa.url}/v1/policies: {REFUSED}")}
        _, found = check(tmp_path, opa.url, capsys, f"--opa-token-file={token}")
        assert found["--opa-url"][1].endswith("No such file or directory")
        token.write_text("let-me-in\n", encoding="utf-8")
        _, found = check(tmp_path, opa.url, capsys, f"--opa-token-file={token}")
        assert found["--opa-url"][0] == "ok"
