"""`extdns explain` of names and objects, with manifests and zone files."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from extdns import cli
from extdns.documents.name import NameDocument
from extdns.documents.object import ObjectDocument
from providers.zonefile.reader import ZoneFileReader
from tests.objects import service
from tests.program.installation import Installation

HOSTILE = "\x1b[31m\u202e\x9b2J"


@pytest.fixture
def installation(tmp_path: Path) -> Installation:
    """Return an installation with records of ours and others, an orphan, and objects that request none of them."""
    found = Installation(tmp_path, example_org="www IN A 192.0.2.99\n", example_net="")
    unchanged = service("web", "web.example.org"), service("moved", "moved.example.org")
    assert found.run_once() == 0
    found.replace_manifests(*unchanged, service("old", "old.example.org"))
    assert found.run_once() == 0
    found.replace_manifests(
        unchanged[0],
        service("moved", "moved.example.org", address="192.0.2.7"),
        service("www", "www.example.org"),
        service("web", "web.example.org", namespace="lab", address="192.0.2.8"),
        service("hidden", "hidden.example.org", annotations={"controller": "somebody-else"}),
        service("wrong", f"right.example.org, {HOSTILE}.example.org", annotations={"ttl": HOSTILE}),
    )
    return found


def explain(installation: Installation, what: str, *more: str) -> int:
    return cli.main(["explain", what, *installation.flags(*more)], {})


@pytest.mark.parametrize(
    ("name", "reason", "first"),
    [
        pytest.param("old.example.org", "orphan-gone", "no longer requested; it would be deleted.", id="delete"),
        pytest.param(
            "www.example.org", "foreign-record", "existing record left unchanged (conflict).", id="foreign record"
        ),
        pytest.param("WEB.Example.org.", "published", "web.example.org is published.", id="other spelling"),
        pytest.param("ns.example.org", None, "is not published: no object requests it.", id="nothing"),
    ],
)
def test_explain_shows_the_reason_of_each_name(
    installation: Installation, name: str, reason: str | None, first: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert explain(installation, name) == 0
    line = capsys.readouterr().out.partition("\n")[0]
    assert first in line
    assert reason is None or line.endswith(f"  [{reason}]")
    assert explain(installation, name, "--output=json") == 0
    document = msgspec.json.decode(capsys.readouterr().out, type=NameDocument)
    assert document.reason == reason


def test_a_name_that_no_object_requests_is_explained_with_similar_names(
    installation: Installation, capsys: pytest.CaptureFixture[str]
) -> None:
    assert explain(installation, "mowed.example.org") == 0
    output = capsys.readouterr().out
    assert output.startswith("mowed.example.org is not published: no object requests it.\n")
    assert "  closest       moved.example.org (Service shop/moved)\n" in output
    assert "  excluded      Service shop/hidden, by " in output


def test_an_orphan_is_explained_with_its_resource(
    installation: Installation, capsys: pytest.CaptureFixture[str]
) -> None:
    assert explain(installation, "old.example.org") == 0
    output = capsys.readouterr().out
    assert "  requested by  no object; made for service/shop/old\n" in output
    assert "resource service/shop/old\n" in output
    assert "→ would be deleted in example.org (example.org.zone)  [orphan-gone]\n" in output
    assert "the grace period (--delete-grace-period): one pass cannot count it\n" in output


def test_explaining_a_name_reads_only_its_zones(
    installation: Installation, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    read: list[str] = []
    page = ZoneFileReader.read_page

    def noted(self: ZoneFileReader, zone: object, after: str | None) -> object:
        read.append(str(zone))
        return page(self, zone, after)  # type: ignore[arg-type]  # only handed on

    monkeypatch.setattr(ZoneFileReader, "read_page", noted)
    assert explain(installation, "web.example.org") == 0
    assert read == ["example.org (example.org.zone)"]
    assert "longest match of 2 zones" in capsys.readouterr().out


def test_explain_reports_unreadable_input_and_exits_with_1(
    installation: Installation, capsys: pytest.CaptureFixture[str]
) -> None:
    (installation.manifests / "broken.yaml").write_text("apiVersion: v1\nkind: Service\nmetadata: [")
    assert explain(installation, "mowed.example.org") == 1
    output = capsys.readouterr().out
    assert "no object requests it, as far as could be read.\n" in output
    assert "INCOMPLETE: " in output


def test_an_object_is_explained_as_json(installation: Installation, capsys: pytest.CaptureFixture[str]) -> None:
    assert explain(installation, "service/lab/web", "-o", "json") == 0
    document = msgspec.json.decode(capsys.readouterr().out, type=ObjectDocument)
    assert [(one.name, one.outcome.reason) for one in document.names] == [("web.example.org", "requested-by-other")]


@pytest.mark.parametrize(
    ("what", "message"),
    [
        pytest.param("a..example.org", "a..example.org is not a DNS name\n  allowed: a name without", id="no name"),
        pytest.param("service/shop/wbe", "no object service/shop/wbe is read\n  closest: service/shop/web", id="typo"),
        pytest.param("x/y", "no object x/y is read\n  kinds whose objects are read", id="no kind"),
        pytest.param("\x1b/y/z", "no object \\x1b/y/z is read", id="hostile"),
    ],
)
def test_an_invalid_command_line_of_explain_is_reported(
    installation: Installation, what: str, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert explain(installation, what) == 1
    assert capsys.readouterr().err.startswith(f"error: {message}")
