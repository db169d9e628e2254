"""`extdns explain --controller`: query a running process over HTTP."""

from __future__ import annotations

import socket
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import msgspec
import pytest

from extdns import cli
from extdns.commands import running_process
from extdns.documents.name import NameDocument
from tests.objects import service
from tests.unit.web.page_process import process
from tests.web_server import serving

if TYPE_CHECKING:
    from wsgiref.types import StartResponse, WSGIEnvironment


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Run a process with names in several states, and return the URL of its page."""
    shop = process(
        tmp_path_factory.mktemp("shop"),
        service("web", "web.example.org"),
        service("wild", "*.example.org", namespace="lab"),
        {**service("gw", "pay.example.net"), "status": {}},
    )
    with serving(shop.site) as port:
        yield f"http://127.0.0.1:{port}"


@contextmanager
def serve_other(status: str, body: bytes) -> Iterator[str]:
    """Run an HTTP server that is not extdns, and return its URL."""

    def answer(_: WSGIEnvironment, start: StartResponse) -> Iterable[bytes]:
        start(status, [("Content-Length", str(len(body)))])
        return (body,)

    with serving(answer) as port:
        yield f"http://127.0.0.1:{port}"


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port: int = listening.getsockname()[1]
        return port


def test_explain_queries_the_process_at_the_controller_address(
    address: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["explain", "WEB.example.org", f"--controller={address}/"], {}) == 0
    output = capsys.readouterr().out
    assert output.startswith("web.example.org is not published yet; it would be created.  [requested]\n")
    assert "  last write    create A 192.0.2.1: applied, 2026-11-20 09:14:31 UTC, 0s ago\n" in output
    assert "only a running extdns has them" not in output


@pytest.mark.parametrize("name", ["*.example.org", "pay.example.net", "nobody.example.org"])
def test_explain_prints_the_answer_of_a_process_as_json(
    address: str, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["explain", name, "--controller", address, "-o", "json"], {}) == 0
    assert msgspec.json.decode(capsys.readouterr().out, type=NameDocument).name == name


def test_a_running_process_explains_an_object(address: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["explain", "service/shop/web", f"--controller={address}"], {}) == 0
    assert capsys.readouterr().out.startswith("Service shop/web requests 1 name; 0 of 1 published as requested.\n")


def test_without_flags_explain_queries_the_process_on_this_machine(
    address: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(running_process, "LOCAL_ADDRESS", address)
    assert cli.main(["explain", "web.example.org"], {}) == 0
    assert "last write" in capsys.readouterr().out


def test_without_flags_and_without_a_running_process_explain_fails_and_suggests_the_controller_flag(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    nobody = f"http://127.0.0.1:{free_port()}"
    monkeypatch.setattr(running_process, "LOCAL_ADDRESS", nobody)
    assert cli.main(["explain", "web.example.org"], {}) == 1
    output = capsys.readouterr().err
    assert output.startswith("error: ")
    assert output.endswith(f"  no extdns answers at {nobody} either; to query another: --controller=URL\n")


@pytest.mark.parametrize(
    ("what", "more", "message"),
    [
        pytest.param(
            "service/shop/wbe", [], "no object service/shop/wbe is read; closest: service/shop/web", id="typo"
        ),
        pytest.param("web.example.org", ["--once"], "--once has no effect with --controller", id="both"),
    ],
)
def test_an_invalid_command_line_of_explain_controller_is_reported(
    address: str, what: str, more: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["explain", what, f"--controller={address}", *more], {}) == 1
    assert " ".join(capsys.readouterr().err.split()).startswith(f"error: {message}")


@pytest.mark.parametrize(
    "controller",
    [
        "nowhere",
        "http://a b",
        "ftp://127.0.0.1",
        "http://",
        "http://127.0.0.1:x",
        "http://127.0.0.1:99999",
        "http://h/?a=b",
        "http://[::1",
    ],
)
def test_an_invalid_controller_address_is_refused(controller: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["explain", "a.example.org", f"--controller={controller}"], {}) == 1
    output = capsys.readouterr().err
    assert output == (
        f"error: --controller={controller} is not an address\n"
        "  allowed: the address of a live page, such as http://127.0.0.1:7980\n"
    )


def test_an_empty_controller_flag_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["explain", "a.example.org", "--controller="], {}) == 1
    assert capsys.readouterr().err == (
        "error: --controller needs a value\n  allowed: the address of a live page, such as http://127.0.0.1:7980\n"
    )


def test_explain_reports_that_no_process_answers_at_the_address(capsys: pytest.CaptureFixture[str]) -> None:
    url = f"http://127.0.0.1:{free_port()}"
    assert cli.main(["explain", "a.example.org", f"--controller={url}"], {}) == 1
    shown = capsys.readouterr().err
    assert shown.startswith(f"error: --controller={url}: no extdns answers there: ")
    assert shown.endswith(
        "\n  allowed: the address of a live page, such as http://127.0.0.1:7980"
        "\n  to reach that of a pod: kubectl port-forward POD 7980\n"
    )


@pytest.mark.parametrize(
    ("status", "body", "message"),
    [
        pytest.param(
            "200 OK", b"<html>", "the program that answers there is not extdns of this version", id="a-web-page"
        ),
        pytest.param(
            "200 OK",
            b'{"kind": "NameExplanation"}',
            "the program that answers there is not extdns of this version",
            id="other",
        ),
        pytest.param("200 OK", b"\xff", "the program that answers there is not extdns of this version", id="no-text"),
        pytest.param("404 Not Found", b"nothing", "status 404\n  allowed: the address of a live page", id="not-found"),
        pytest.param("500 Oh", b'{"message": "\\u001b[31m no"}', "\\x1b[31m no", id="hostile-message"),
        pytest.param("500 Oh", b"[]", "the answer has the status 500", id="strange-json"),
    ],
)
def test_explain_reports_an_answer_of_another_program(
    status: str, body: bytes, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with serve_other(status, body) as url:
        assert cli.main(["explain", "a.example.org", f"--controller={url}"], {}) == 1
    assert message in capsys.readouterr().err


def test_the_suggested_next_command_contains_the_controller_address(
    address: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["explain", "service/shop/web", f"--controller={address}"], {}) == 0
    lines = capsys.readouterr().out.splitlines()
    assert any(line.startswith(f'Answered by extdns at {address}, owner "me", files ') for line in lines)
    assert lines[-1].endswith(f": extdns explain web.example.org --controller={address}")
    assert cli.main(lines[-1].rpartition(": ")[2].split()[1:], {}) == 0
    assert f"  answered by   extdns at {address}, owner " in capsys.readouterr().out


def test_the_explanation_shows_which_process_on_this_machine_answered(
    address: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(running_process, "LOCAL_ADDRESS", address)
    assert cli.main(["explain", "web.example.org"], {}) == 0
    assert f"  answered by   extdns at {address}, owner " in capsys.readouterr().out
