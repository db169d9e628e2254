"""`extdns plan --controller`: query a running process over HTTP."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from wsgiref.types import StartResponse, WSGIEnvironment

import msgspec
import pytest

from extdns import cli
from extdns.documents.plan import RunningPlanDocument
from tests.objects import service
from tests.unit.web.page_process import Process, process
from tests.web_server import serving


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
def address(shop: Process) -> Iterator[str]:
    """Serve the page of the process `shop`, and return its URL."""
    with serving(shop.site) as port:
        yield f"http://127.0.0.1:{port}"


@pytest.fixture(scope="module")
def idle_address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Serve the page of a process without changes, and return its URL."""
    with serving(process(tmp_path_factory.mktemp("idle_address")).site) as port:
        yield f"http://127.0.0.1:{port}"


def test_plan_controller_shows_what_the_running_process_has_planned(
    address: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["plan", f"--controller={address}"], {}) == 3
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
        next(line for line in lines if line.startswith(f"Answered by extdns at {address}, ")),
        "",
    ]
    assert lines[-1] == "2 to create, 0 to update, 0 to delete, 13 kept, 2 not published."
    assert all(line.isprintable() for line in output.splitlines())


def test_the_plan_of_a_process_is_printed_as_json(address: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["plan", "--controller", address, "-o", "json"], {}) == 3
    plan = msgspec.json.decode(capsys.readouterr().out, type=RunningPlanDocument)
    assert [one.name for one in plan.changes] == ["h.example.org", "web.example.org"]
    assert (plan.summary.held, len(plan.held[0].records)) == (12, 12)
    assert [one.reason for one in plan.problems] == ["invalid-ttl"]


def test_the_plan_of_a_process_is_printed_as_markdown(address: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["plan", f"--controller={address}", "--output=markdown"], {}) == 3
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "**`Zone example.net (example.net.zone, zonefile)  1 record, 0 ours`**"
    assert lines[2:4] == ["| | Name | Type | Change | Object | Reason |", "|---|---|---|---|---|---|"]
    row = "| `+` | `web.example.org` | `A` | `192.0.2.1` | `Service shop/web: annotation hostname` |  |"
    assert row in lines
    assert any(line.startswith("- `12 deletes are HELD in namespace shop in zone example.org") for line in lines)
    assert lines[-1] == "2 to create, 0 to update, 0 to delete, 13 kept, 2 not published."


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
    address: str, more: list[str], flag: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["plan", f"--controller={address}", *more], {}) == 1
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
