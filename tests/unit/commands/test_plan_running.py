"""`extdns plan` of a running process: asked over HTTP, on loopback."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from wsgiref.types import StartResponse, WSGIEnvironment

import msgspec
import pytest

from extdns import cli
from extdns.facts.plan import RunningPlan
from tests.integration.stage import service
from tests.unit.web.living import Process, process
from tests.unit.web.scene import serving


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Process:
    """A process that has something of everything."""
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
    """Where it serves its page."""
    with serving(shop.site) as port:
        yield f"http://127.0.0.1:{port}"


@pytest.fixture(scope="module")
def quiet(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Where a process serves its page that has nothing to do."""
    with serving(process(tmp_path_factory.mktemp("quiet")).site) as port:
        yield f"http://127.0.0.1:{port}"


def test_a_running_process_shows_what_it_has_planned(address: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["plan", f"--controller={address}"], {}) == 3
    said = capsys.readouterr().out
    assert "Zone example.org (example.org.zone, zonefile)  14 records, 12 ours\n" in said
    lines = [" ".join(line.split()) for line in said.splitlines()]
    assert "+ A web.example.org 192.0.2.1 Service shop/web: annotation hostname" in lines
    assert "! A www.example.org kept Service shop/www: annotation hostname [foreign-record]" in lines
    assert "! A old0.example.org kept made for service/shop/old0 [held]" in lines
    assert "! A far.example.com not published Service shop/far: annotation hostname [no-zone]" in lines
    assert any(
        line.startswith("12 deletes are HELD in example.org, where 12 records are ours. To let them") for line in lines
    )
    assert lines[-1] == "2 to create, 0 to update, 0 to delete, 13 kept, 2 not published."
    assert all(line.isprintable() for line in said.splitlines())


def test_programs_get_the_facts(address: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["plan", "--controller", address, "-o", "json"], {}) == 3
    plan = msgspec.json.decode(capsys.readouterr().out, type=RunningPlan)
    assert [one.name for one in plan.changes] == ["h.example.org", "web.example.org"]
    assert (plan.summary.held, len(plan.held[0].records)) == (12, 12)
    assert [one.reason for one in plan.mistakes] == ["invalid-ttl"]


def test_a_comment_shows_a_table_a_zone(address: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["plan", f"--controller={address}", "--output=markdown"], {}) == 3
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "**`Zone example.net (example.net.zone, zonefile)  1 record, 0 ours`**"
    assert lines[2:4] == ["| | Name | Type | Change | Object | Reason |", "|---|---|---|---|---|---|"]
    row = "| `+` | `web.example.org` | `A` | `192.0.2.1` | `Service shop/web: annotation hostname` |  |"
    assert row in lines
    assert any(line.startswith("- `12 deletes are HELD in example.org") for line in lines)
    assert lines[-1] == "2 to create, 0 to update, 0 to delete, 13 kept, 2 not published."


def test_a_process_that_has_nothing_to_do_is_0(quiet: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["plan", f"--controller={quiet}"], {}) == 0
    assert capsys.readouterr().out == "All records are already up to date.\n"


@pytest.mark.parametrize(
    ("more", "wrong"),
    [
        pytest.param(["--once"], "--once", id="flags"),
        pytest.param(["--held"], "--held", id="other-options"),
    ],
)
def test_what_means_nothing_beside_it_is_told(
    address: str, more: list[str], wrong: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["plan", f"--controller={address}", *more], {}) == 1
    assert capsys.readouterr().err.startswith(f"error: {wrong} means nothing beside --controller\n")


def test_a_process_that_cannot_know_all_is_1(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    broken = process(tmp_path, service("<b>", "b.example.org"))
    with serving(broken.site) as port:
        assert cli.main(["plan", f"--controller=http://127.0.0.1:{port}"], {}) == 1
    assert "INCOMPLETE: " in capsys.readouterr().out


def test_a_reason_that_only_another_version_knows_is_shown_as_it_is(
    shop: Process, capsys: pytest.CaptureFixture[str]
) -> None:
    def of_tomorrow(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        return [part.replace(b"foreign-record", b"lunar-eclipses") for part in shop.site(environ, start_response)]

    with serving(of_tomorrow) as port:
        assert cli.main(["plan", f"--controller=http://127.0.0.1:{port}"], {}) == 3
    assert "[lunar-eclipses]" in capsys.readouterr().out
