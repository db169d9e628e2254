"""The mistakes that newcomers make most: what the program prints, word for word (docs/design/messages.md).

Each test runs a command in a folder with a zone file of `shop.example` and manifests.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from extdns import cli
from tests.fakes.apiserver.server import ApiServer
from tests.integration.newcomer_plans import PLANS
from tests.program.installation import Installation
from tests.program.newcomer_folder import AWS, RUN, ZONE, dedent, manifest
from tests.program.process import unprivileged

Run = Callable[..., str]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Change to a folder with a zone file and a manifest."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    for name in ("zones", "manifests", "empty"):
        (tmp_path / name).mkdir()
    (tmp_path / "zones" / "shop.example.zone").write_text(ZONE)
    (tmp_path / "manifests" / "web.yaml").write_text(manifest())
    return tmp_path


@pytest.fixture
def extdns(capsys: pytest.CaptureFixture[str]) -> Callable[..., str]:
    """Return a function that runs a command, and returns what it prints and its exit code."""

    def run(*arguments: str, environ: Mapping[str, str] | None = None) -> str:
        code = cli.main(arguments, environ or {})
        printed = capsys.readouterr()
        return f"{printed.err}{printed.out}exit code {code}\n"

    return run


@pytest.mark.parametrize(("files", "arguments", "expected"), PLANS)
def test_extdns_plan_names_the_mistake_in_the_input_and_what_was_probably_meant(
    files: Mapping[str, str], arguments: Sequence[str], expected: str, folder: Path, extdns: Run
) -> None:
    for name, content in files.items():
        (folder / name).write_text(content)
    assert extdns("plan", *arguments) == dedent(expected)


def test_extdns_check_reports_an_aws_region_that_does_not_exist(extdns: Run) -> None:
    output = extdns("check", *AWS, environ={"AWS_REGION": "eu-centrall-1"})
    assert output.startswith(
        "unknown  AWS_REGION=eu-centrall-1: AWS has no such region\n         did you mean: eu-central-1\n"
    )


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        (
            "plan",
            (
                "error: the API server does not answer: GET /version: {url}: no connection: Connection refused\n"
                "  check --kubeconfig, --server, and the network\n"
                "exit code 1\n"
            ),
        ),
        (
            "check",
            (
                "missing  API server: the API server does not answer: "
                "GET /version: {url}: no connection: Connection refused\n"
                "         check --kubeconfig, --server, and the network\n"
                "\n"
                'Answered by this command, in one pass, owner "me", cluster {url}\n'
                "\n"
                "1 thing missing.\n"
                "exit code 1\n"
            ),
        ),
    ],
)
def test_the_error_about_an_api_server_that_is_down_shows_its_address(
    command: str, expected: str, tmp_path: Path, extdns: Run
) -> None:
    (tmp_path / "live").mkdir()
    with ApiServer() as server:
        installation, url = Installation(tmp_path / "live", server, example_org=""), server.url
    assert extdns(command, *installation.flags()) == expected.format(url=url)


def test_expired_credentials_end_a_plan_and_a_check_at_once_and_are_named(tmp_path: Path, extdns: Run) -> None:
    (tmp_path / "live").mkdir()
    with ApiServer(token="expired") as server:
        installation = Installation(tmp_path / "live", server, example_org="")
        server.access.token = "renewed"
        user = f'user "tester" of context "test" in {tmp_path}/live/kubeconfig'
        problem = f"GET /version: 401 Unauthorized: the credentials are expired or unknown: {user}\n"
        assert all(problem in extdns(command, *installation.flags()) for command in ("plan", "check"))
        assert {request.path for request in server.log.requests()} == {"/version"}


def test_extdns_check_reports_a_zone_folder_that_it_may_not_write(
    extdns: Run, monkeypatch: pytest.MonkeyPatch, folder: Path
) -> None:
    with TemporaryDirectory(dir="/tmp") as readable:  # which every user can reach
        for name in ("zones", "manifests"):
            shutil.copytree(folder / name, Path(readable, name))
        Path(readable).chmod(0o755)
        monkeypatch.chdir(readable)
        extdns("check", *RUN)  # imports everything that the command needs
        Path(readable, "zones").chmod(0o555)
        with unprivileged():
            user = os.geteuid()
            output = extdns("check", *RUN)
        monkeypatch.chdir(folder)
    where = f"the folder {readable}/zones is read-only for user {user}"
    assert output == (
        "ok       zone shop.example (shop.example.zone): 1 record read, 0 ours\n"
        "ok       objects: 1 object read\n"
        f"missing  permission to change zone shop.example (shop.example.zone): {where}\n"
        "         let the user of the process own the files and write to the folder\n"
        "\n"
        'Answered by this command, in one pass, owner "me", files manifests\n'
        "\n"
        "1 thing missing.\n"
        "exit code 1\n"
    )


def test_extdns_approve_without_a_code_says_where_codes_are_shown(extdns: Run) -> None:
    assert extdns("approve") == (
        "error: extdns approve needs a code\n"
        "  as in: extdns approve 7f3a-91c2\n"
        "  to see the codes, and the whole command for each: extdns status --controller=URL\n"
        "exit code 1\n"
    )
