"""`--controller` of `explain` and `plan`: query a running process over HTTP."""

from __future__ import annotations

import socket
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from wsgiref.types import StartResponse, WSGIEnvironment

import msgspec
import pytest

from extdns import cli
from extdns.commands import running_process
from extdns.documents.name import NameDocument
from extdns.documents.plan import RunningPlanDocument
from tests.objects import service
from tests.unit.web.page_process import Process, process
from tests.web_server import serving


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


def test_without_flags_explain_queries_the_process_on_this_machine(
    address: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(running_process, "LOCAL_ADDRESS", address)
    assert cli.main(["explain", "web.example.org"], {}) == 0
    output = capsys.readouterr().out
    assert "last write" in output
    assert f"  answered by   extdns at {address}, owner " in output


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


# `extdns plan --controller`: query a running process over HTTP


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Process:
    """Build a process with changes, kept records, an unpublished name, an invalid value and held deletes."""
    return process(
        tmp_path_factory.mktemp("shop"),
        service("web", "web.example.org"),
        service("www", "www.example.org"),
        {**service("gw", "pay.example.net"), "status": {}},
        service("far", "far.example.com"),
        service("hostile", "h.example.org", annotations={"ttl": "\x1b[31m"}),
        orphans=12,
    )


@pytest.fixture(scope="module")
def shop_address(shop: Process) -> Iterator[str]:
    """Serve the page of the process `shop`, and return its URL."""
    with serving(shop.site) as port:
        yield f"http://127.0.0.1:{port}"


@pytest.fixture(scope="module")
def idle_address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Serve the page of a process without changes, and return its URL."""
    with serving(process(tmp_path_factory.mktemp("idle_address")).site) as port:
        yield f"http://127.0.0.1:{port}"


def test_plan_controller_shows_what_the_running_process_has_planned(
    shop_address: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["plan", f"--controller={shop_address}"], {}) == 3
    output = capsys.readouterr().out
    assert "Zone example.org (example.org.zone, zonefile)  14 records, 12 ours\n" in output
    lines = [" ".join(line.split()) for line in output.splitlines()]
    assert "+ A web.example.org 192.0.2.1 Service shop/web: annotation hostname" in lines
    assert "! A www.example.org kept Service shop/www: annotation hostname [foreign-record]" in lines
    assert "! A old0.example.org kept resource service/shop/old0 [held]" in lines
    assert "! A far.example.com not published Service shop/far: annotation hostname [no-zone]" in lines
    assert any(
        line.startswith("12 deletes are HELD in namespace shop in zone example.org. To approve them") for line in lines
    )
    assert "better evidence" not in output
    assert lines[-5:-1] == [
        "To explain a code in brackets: extdns explain CODE",
        "",
        next(line for line in lines if line.startswith(f"Answered by extdns at {shop_address}, ")),
        "",
    ]
    assert lines[-1] == "2 to create, 0 to update, 0 to delete, 13 kept, 2 not published, 1 invalid value."
    assert all(line.isprintable() for line in output.splitlines())


def test_the_plan_of_a_process_is_printed_as_json(shop_address: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["plan", "--controller", shop_address, "-o", "json"], {}) == 3
    plan = msgspec.json.decode(capsys.readouterr().out, type=RunningPlanDocument)
    assert [one.name for one in plan.changes] == ["h.example.org", "web.example.org"]
    assert (plan.summary.held, len(plan.held[0].records)) == (12, 12)
    assert [one.reason for one in plan.problems] == ["invalid-ttl"]


def test_the_markdown_of_the_plan_of_a_process_says_who_answered(
    shop_address: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["plan", f"--controller={shop_address}", "--output=markdown"], {}) == 3
    assert f"\n- `Answered by extdns at {shop_address}, owner " in capsys.readouterr().out


def test_the_plan_of_a_process_without_objects_exits_with_4(
    idle_address: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["plan", f"--controller={idle_address}"], {}) == 4
    output = capsys.readouterr().out
    assert output.startswith("WARNING: no object was read from --manifests=")
    assert f'\nAnswered by extdns at {idle_address}, owner "me", files ' in output
    assert output.endswith("\n\nNothing to plan.\n")


@pytest.mark.parametrize(
    ("more", "flag"),
    [
        pytest.param(["--once"], "--once", id="flags"),
        pytest.param(["--held"], "--held", id="other-options"),
    ],
)
def test_plan_controller_refuses_flags_of_a_run_and_the_held_option(
    shop_address: str, more: list[str], flag: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["plan", f"--controller={shop_address}", *more], {}) == 1
    assert capsys.readouterr().err.startswith(f"error: {flag} has no effect with --controller\n")


def test_an_incomplete_plan_of_a_process_exits_with_1(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    broken = process(tmp_path, service("<b>", "b.example.org"))
    with serving(broken.site) as port:
        assert cli.main(["plan", f"--controller=http://127.0.0.1:{port}"], {}) == 1
    assert "INCOMPLETE: " in capsys.readouterr().out


def test_an_unknown_reason_code_from_a_process_of_another_version_is_printed(
    shop: Process, capsys: pytest.CaptureFixture[str]
) -> None:
    def rename_reason(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        return [part.replace(b"foreign-record", b"lunar-eclipses") for part in shop.site(environ, start_response)]

    with serving(rename_reason) as port:
        assert cli.main(["plan", f"--controller=http://127.0.0.1:{port}"], {}) == 3
    assert "[lunar-eclipses]" in capsys.readouterr().out
