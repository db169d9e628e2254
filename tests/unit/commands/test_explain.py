"""`extdns explain` of names and objects, over manifests and zone files."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import pytest

from extdns import cli
from extdns.facts.document import schema_text
from extdns.facts.name import NameFacts
from extdns.facts.object import ObjectExplanation
from extdns.facts.reason import ReasonFacts
from providers.zonefile.reader import ZoneFileReader
from tests.integration.stage import Stage, service

ROOT = Path(__file__).parents[3]
HOSTILE = "\x1b[31m\u202e\x9b2J"


@pytest.fixture
def stage(tmp_path: Path) -> Stage:
    """Names in every state that a single look can see."""
    found = Stage(tmp_path, example_org="www IN A 192.0.2.99\n", example_net="")
    standing = service("web", "web.example.org"), service("moved", "moved.example.org")
    assert found.once() == 0
    found.apply(*standing, service("old", "old.example.org"))
    assert found.once() == 0
    found.apply(
        standing[0],
        service("moved", "moved.example.org", address="192.0.2.7"),
        service("new", "new.example.org", annotations={"ttl": "5m"}),
        service("www", "www.example.org"),
        service("web", "web.example.org", namespace="lab", address="192.0.2.8"),
        {**service("gw", "pay.example.org"), "status": {}},
        service("far", "far.example.com"),
        service("hidden", "hidden.example.org", annotations={"controller": "somebody-else"}),
        service("wrong", f"right.example.org, {HOSTILE}.example.org", annotations={"ttl": HOSTILE}),
    )
    return found


def explain(stage: Stage, what: str, *more: str) -> int:
    flags = [
        f"--manifests={stage.manifests}",
        "--source=service",
        "--provider=zonefile",
        f"--zonefile-dir={stage.zones}",
        "--txt-owner-id=me",
    ]
    return cli.main(["explain", what, *flags, *more], {})


def test_the_answer_comes_first_and_the_next_step_last(stage: Stage, capsys: pytest.CaptureFixture[str]) -> None:
    assert explain(stage, "web.example.org") == 0
    said = capsys.readouterr()
    assert said.err == ""
    assert said.out == (
        "web.example.org is published.  [programmed]\n"
        "The record is in its zone as the object asks for it.\n"
        "\n"
        "  asked for by  Service shop/web (since 2026-01-01 00:00:00 UTC)\n"
        "                host from annotation hostname; A 192.0.2.1, TTL as the DNS service has it\n"
        "                → is published in example.org (example.org.zone)  [programmed]\n"
        "  also by       Service lab/web (since 2026-01-01 00:00:00 UTC)\n"
        "                host from annotation hostname; A 192.0.2.8, TTL as the DNS service has it\n"
        "                → nothing is done in example.org (example.org.zone)  [conflict-lost]\n"
        "                  Service shop/web has it\n"
        "  zone          example.org (example.org.zone), longest match of 2 zones\n"
        "  record        A 192.0.2.1, TTL 300\n"
        '                ours, owner "me"; marked by a-web.example.org, made for service/shop/web\n'
        '  policy        sync; our owner id is "me"\n'
        "  not known     the last write and its outcome: only an extdns that runs knows\n"
        "                what name servers answer: nobody was asked\n"
        "\n"
        "Next: nothing to do\n"
    )


@pytest.mark.parametrize(
    ("name", "reason", "first"),
    [
        pytest.param("new.example.org", "wanted", "is not published yet; it would be created.", id="create"),
        pytest.param("moved.example.org", "changed", "it would be updated.", id="update"),
        pytest.param("old.example.org", "orphan-gone", "should not be any more; it would be deleted.", id="delete"),
        pytest.param("www.example.org", "foreign-record", "what stands is kept.", id="in the way"),
        pytest.param("pay.example.org", "no-address", "is not published.", id="withheld"),
        pytest.param("far.example.com", "no-zone", "is not published.", id="no zone"),
        pytest.param("WEB.Example.org.", "programmed", "web.example.org is published.", id="other spelling"),
        pytest.param("ns.example.org", None, "is not published: no object asks for it.", id="nothing"),
    ],
)
def test_each_name_has_its_reason(
    stage: Stage, name: str, reason: str | None, first: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert explain(stage, name) == 0
    line = capsys.readouterr().out.partition("\n")[0]
    assert first in line
    assert reason is None or line.endswith(f"  [{reason}]")
    assert explain(stage, name, "--output=json") == 0
    facts = msgspec.json.decode(capsys.readouterr().out, type=NameFacts)
    assert facts.reason == reason


def test_a_filter_leaves_a_name_out(stage: Stage, capsys: pytest.CaptureFixture[str]) -> None:
    assert explain(stage, "new.example.org", "--domain-filter=example.net") == 0
    assert capsys.readouterr().out.startswith("new.example.org is not published.  [domain-filtered]\n")


def test_what_nobody_asks_for_has_neighbours(stage: Stage, capsys: pytest.CaptureFixture[str]) -> None:
    assert explain(stage, "mowed.example.org") == 0
    said = capsys.readouterr().out
    assert said.startswith("mowed.example.org is not published: no object asks for it.\n")
    assert "  closest       moved.example.org (Service shop/moved)\n" in said
    assert "  left out      Service shop/hidden, by " in said


@pytest.mark.parametrize(
    ("name", "first", "marks"),
    [
        pytest.param(
            "a-web.example.org",
            "a-web.example.org holds the ownership record of A web.example.org.\n",
            [["A web.example.org"]],
            id="an-ownership-record",
        ),
        pytest.param(
            "example.org",
            "example.org stands, and no object asks for it; it is not ours.  [type-unmanaged]\n",
            [None],
            id="a-type-that-is-not-managed",
        ),
    ],
)
def test_what_is_not_planned_is_told_all_the_same(
    stage: Stage, name: str, first: str, marks: list[object], capsys: pytest.CaptureFixture[str]
) -> None:
    assert explain(stage, name) == 0
    said = capsys.readouterr().out
    assert said.startswith(first)
    assert "none stands there" not in said
    assert explain(stage, name, "--output=json") == 0
    assert [one["marks"] for one in json.loads(capsys.readouterr().out)["records"]] == marks


def test_what_stands_and_nobody_asks_for_is_told_with_its_owner(
    stage: Stage, capsys: pytest.CaptureFixture[str]
) -> None:
    assert explain(stage, "old.example.org") == 0
    said = capsys.readouterr().out
    assert "  asked for by  no object\n" in said
    assert "made for service/shop/old\n" in said
    assert "→ would be deleted in example.org (example.org.zone)  [orphan-gone]\n" in said
    assert "no grace (--delete-grace-period) is counted\n" in said


def test_a_name_costs_the_reading_of_its_zones_alone(
    stage: Stage, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    read: list[str] = []
    page = ZoneFileReader.page

    def noted(self: ZoneFileReader, zone: object, after: str | None) -> object:
        read.append(str(zone))
        return page(self, zone, after)  # type: ignore[arg-type]  # only handed on

    monkeypatch.setattr(ZoneFileReader, "page", noted)
    assert explain(stage, "web.example.org") == 0
    assert read == ["example.org (example.org.zone)"]
    assert "longest match of 2 zones" in capsys.readouterr().out


def test_what_could_not_be_read_is_told_and_is_1(stage: Stage, capsys: pytest.CaptureFixture[str]) -> None:
    (stage.manifests / "broken.yaml").write_text("apiVersion: v1\nkind: Service\nmetadata: [")
    assert explain(stage, "mowed.example.org") == 1
    said = capsys.readouterr().out
    assert "no object asks for it, as far as could be read.\n" in said
    assert "INCOMPLETE: " in said


@pytest.mark.parametrize("what", ["service/shop/wrong", "Service/shop/wrong", "services/shop/wrong"])
def test_an_object_is_told_name_by_name(stage: Stage, what: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert explain(stage, what) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "Service shop/wrong asks for 1 name; 0 of 1 published as asked."
    assert "  right.example.org  A 192.0.2.1, TTL as the DNS service has it" in lines
    assert "    → would be created in example.org (example.org.zone)  [wanted]" in lines
    assert any(line.startswith("  ! annotation ttl: ") and line.endswith("  [invalid-ttl]") for line in lines)
    assert lines[-1] == "Next: the whole way of a name: extdns explain right.example.org"


def test_an_object_that_is_left_out_says_by_what(stage: Stage, capsys: pytest.CaptureFixture[str]) -> None:
    assert explain(stage, "service/shop/hidden") == 0
    said = capsys.readouterr().out
    assert said.startswith("Service shop/hidden is left out, and asks for no name.\n  left out by ")


def test_programs_get_the_facts_about_an_object(stage: Stage, capsys: pytest.CaptureFixture[str]) -> None:
    assert explain(stage, "service/lab/web", "-o", "json") == 0
    facts = msgspec.json.decode(capsys.readouterr().out, type=ObjectExplanation)
    assert [(one.name, one.outcome.reason) for one in facts.names] == [("web.example.org", "conflict-lost")]


@pytest.mark.parametrize("output", ["text", "json"])
@pytest.mark.parametrize("what", ["right.example.org", "service/shop/wrong", "wrong.example.org"])
def test_what_objects_say_is_escaped(stage: Stage, what: str, output: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert explain(stage, what, f"--output={output}") == 0
    assert all(line.isprintable() for line in capsys.readouterr().out.splitlines())


def test_nothing_is_written(stage: Stage, tmp_path: Path) -> None:
    before = stage.state()
    assert explain(stage, "old.example.org", f"--state-file={tmp_path / 'state'}") == 0
    assert stage.state() == before
    assert not (tmp_path / "state").exists()


@pytest.mark.parametrize(
    ("what", "message"),
    [
        pytest.param("a..example.org", "a..example.org is not a name\n  allowed: a name without", id="no name"),
        pytest.param("service/shop/wbe", "no object service/shop/wbe is read\n  closest: service/shop/web", id="typo"),
        pytest.param("x/y", "no object x/y is read\n  kinds of which there are objects", id="no kind"),
        pytest.param("\x1b/y/z", "no object \\x1b/y/z is read", id="hostile"),
    ],
)
def test_a_mistake_is_told(stage: Stage, what: str, message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert explain(stage, what) == 1
    assert capsys.readouterr().err.startswith(f"error: {message}")


def test_the_schema_in_the_docs_is_that_of_the_documents() -> None:
    kept = (ROOT / "docs" / "reference" / "explain.schema.json").read_text(encoding="utf-8")
    made = schema_text(NameFacts | ObjectExplanation | ReasonFacts, "extdns explain --output=json")
    assert kept == made, "run: python -m extdns.facts.object > docs/reference/explain.schema.json"
    assert json.loads(kept)["$schema"]
