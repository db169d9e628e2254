"""`extdns explain` of a running process: asked over HTTP, on loopback."""

from __future__ import annotations

import socket
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import msgspec
import pytest

from extdns import cli
from extdns.commands import running
from extdns.facts.name import NameFacts
from tests.integration.stage import service
from tests.unit.web.living import process
from tests.unit.web.scene import serving

if TYPE_CHECKING:
    from wsgiref.types import StartResponse, WSGIEnvironment


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Where a process serves its page."""
    shop = process(
        tmp_path_factory.mktemp("shop"),
        service("web", "web.example.org"),
        service("wild", "*.example.org", namespace="lab"),
        {**service("gw", "pay.example.net"), "status": {}},
    )
    with serving(shop.site) as port:
        yield f"http://127.0.0.1:{port}"


@contextmanager
def answering(status: str, body: bytes) -> Iterator[str]:
    """Something that is not extdns."""

    def answer(_: WSGIEnvironment, start: StartResponse) -> Iterable[bytes]:
        start(status, [("Content-Length", str(len(body)))])
        return (body,)

    with serving(answer) as port:
        yield f"http://127.0.0.1:{port}"


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port: int = listening.getsockname()[1]
        return port


def test_a_running_process_is_asked(address: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["explain", "WEB.example.org", f"--controller={address}/"], {}) == 0
    said = capsys.readouterr().out
    assert said.startswith("web.example.org is not published yet; it would be created.  [wanted]\n")
    assert "  last write    create A 192.0.2.1: applied, 2026-11-20 09:14:31 UTC, 0s ago\n" in said
    assert "only an extdns that runs knows" not in said


@pytest.mark.parametrize("name", ["*.example.org", "pay.example.net", "nobody.example.org"])
def test_programs_get_the_same_facts(address: str, name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["explain", name, "--controller", address, "-o", "json"], {}) == 0
    assert msgspec.json.decode(capsys.readouterr().out, type=NameFacts).name == name


def test_objects_are_explained_too(address: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["explain", "service/shop/web", f"--controller={address}"], {}) == 0
    assert capsys.readouterr().out.startswith("Service shop/web asks for 1 name; 0 of 1 published as asked.\n")


def test_without_a_flag_the_process_of_this_machine_is_asked(
    address: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(running, "NEARBY", address)
    assert cli.main(["explain", "web.example.org"], {}) == 0
    assert "last write" in capsys.readouterr().out


def test_without_a_flag_and_a_process_the_message_tells_of_both(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    nobody = f"http://127.0.0.1:{free_port()}"
    monkeypatch.setattr(running, "NEARBY", nobody)
    assert cli.main(["explain", "web.example.org"], {}) == 1
    said = capsys.readouterr().err
    assert said.startswith("error: ")
    assert said.endswith(f"  no extdns answers at {nobody} either; for others: --controller=URL\n")


@pytest.mark.parametrize(
    ("what", "more", "message"),
    [
        pytest.param(
            "service/shop/wbe", [], "no object service/shop/wbe is read; closest: service/shop/web", id="typo"
        ),
        pytest.param("web.example.org", ["--once"], "--once means nothing beside --controller", id="both"),
    ],
)
def test_a_mistake_is_told(
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
def test_what_is_no_address_is_told(controller: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["explain", "a.example.org", f"--controller={controller}"], {}) == 1
    said = capsys.readouterr().err
    assert said == (
        f"error: --controller={controller} is no address\n"
        "  allowed: the address of a live page, as http://127.0.0.1:7980\n"
    )


def test_an_empty_address_is_none(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["explain", "a.example.org", "--controller="], {}) == 1
    assert capsys.readouterr().err == (
        "error: --controller needs a value\n  allowed: the address of a live page, as http://127.0.0.1:7980\n"
    )


def test_nobody_at_the_address_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    url = f"http://127.0.0.1:{free_port()}"
    assert cli.main(["explain", "a.example.org", f"--controller={url}"], {}) == 1
    assert capsys.readouterr().err.startswith(f"error: --controller={url}: no extdns answers there: ")


@pytest.mark.parametrize(
    ("status", "body", "message"),
    [
        pytest.param("200 OK", b"<html>", "no extdns of this version answers there", id="a-web-page"),
        pytest.param("200 OK", b'{"kind": "NameExplanation"}', "no extdns of this version answers there", id="other"),
        pytest.param("200 OK", b"\xff", "no extdns of this version answers there", id="no-text"),
        pytest.param("404 Not Found", b"nothing", "the answer was 404", id="not-found"),
        pytest.param("500 Oh", b'{"message": "\\u001b[31m no"}', "\\x1b[31m no", id="hostile-message"),
        pytest.param("500 Oh", b"[]", "the answer was 500", id="strange-json"),
    ],
)
def test_something_else_at_the_address_is_told(
    status: str, body: bytes, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with answering(status, body) as url:
        assert cli.main(["explain", "a.example.org", f"--controller={url}"], {}) == 1
    assert message in capsys.readouterr().err
