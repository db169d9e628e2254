"""`extdns status --controller`: what a running process holds."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import msgspec
import pytest

from extdns import cli
from extdns.facts.document import VERSION, ZoneName, json_text
from extdns.facts.held import HeldFacts, HeldRecord, HeldSet
from tests.unit.web.scene import serving

if TYPE_CHECKING:
    from wsgiref.types import StartResponse, WSGIEnvironment


def held_set(zone: str, command: str, *names: str) -> HeldSet:
    records = (
        HeldRecord(
            name=name,
            type="A",
            set_identifier="blue" if name.startswith("b.") else "",
            targets=("192.0.2.1",),
            made_for="service/shop/web",
            evidence="orphan-unclaimed",
        )
        for name in names
    )
    code = command.removesuffix(" [flags]")[-9:]
    return HeldSet(
        zone=ZoneName(name=zone, id=zone), release_code=code, command=command, owned=40, records=tuple(records)
    )


def facts(*sets: HeldSet) -> HeldFacts:
    return HeldFacts(api_version=VERSION, kind="Held", at=datetime(2026, 11, 20, tzinfo=UTC), items=sets)


class Page:
    """Answers everything with one status and body, and remembers what it was asked."""

    def __init__(self, body: str, status: str = "200 OK") -> None:
        self.body = body
        self.status = status
        self.asked: list[str] = []

    def __call__(self, environ: WSGIEnvironment, start: StartResponse) -> Iterator[bytes]:
        self.asked.append(environ["PATH_INFO"])
        start(self.status, [("Content-Length", str(len(self.body)))])
        yield self.body.encode()


def test_what_is_held_is_told_with_evidence_and_command(capsys: pytest.CaptureFixture[str]) -> None:
    page = Page(
        json_text(
            facts(
                held_set("example.net", "extdns release 1111-1111", "a.example.net"),
                held_set("example.org", "extdns --release=7f3a-91c2 [flags]", "a.example.org", "b.example.org"),
            )
        )
    )
    with serving(page) as port:
        assert cli.main(["status", f"--controller=http://127.0.0.1:{port}/"], {}) == 0
    assert page.asked == ["/api/v1/held"]
    assert capsys.readouterr().out == (
        "3 deletes held.\n"
        "\n"
        "Zone example.net (example.net): 40 records of ours\n"
        "  ! 1 delete HELD under 1111-1111\n"
        "      a.example.net A [orphan-unclaimed]\n"
        "\n"
        "Zone example.org (example.org): 40 records of ours\n"
        "  ! 2 deletes HELD under 7f3a-91c2\n"
        "      a.example.org A [orphan-unclaimed]\n"
        "      b.example.org A (blue) [orphan-unclaimed]\n"
        "\n"
        "Why\n"
        "  [orphan-unclaimed] The record is ours and nobody asks for it, but nothing shows that its object is gone; it "
        "is kept until a person releases it.\n"
        "\n"
        "Release it in example.net: extdns release 1111-1111\n"
        "Release them in example.org: extdns --release=7f3a-91c2 [flags]\n"
    )


def test_where_nothing_is_held_nothing_is_to_be_done(capsys: pytest.CaptureFixture[str]) -> None:
    with serving(Page(json_text(facts()))) as port:
        assert cli.main(["status", f"--controller=http://127.0.0.1:{port}"], {}) == 0
    assert capsys.readouterr().out == "No delete is held.\n"


def test_programs_get_the_document_of_the_process(capsys: pytest.CaptureFixture[str]) -> None:
    told = facts(held_set("example.org", "extdns release 7f3a-91c2", "a.example.org"))
    with serving(Page(json_text(told))) as port:
        assert cli.main(["status", "--output=json", f"--controller=http://127.0.0.1:{port}"], {}) == 0
    assert msgspec.json.decode(capsys.readouterr().out, type=HeldFacts) == told


def test_where_nobody_listens_that_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as bound:
        port = bound.getsockname()[1]
    assert cli.main(["status", f"--controller=http://127.0.0.1:{port}"], {}) == 1
    assert "no extdns answers there: " in capsys.readouterr().err


def test_flags_of_the_state_mean_nothing_beside_it(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["status", "--controller=http://127.0.0.1:7980", "--state-file=x"], {}) == 1
    assert "--state-file=x means nothing beside --controller" in capsys.readouterr().err
