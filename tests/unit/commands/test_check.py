"""`extdns check`: what is there, what is missing, and that nothing is written by asking."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from extdns import cli
from extdns.app import assembly
from extdns.commands.check import CheckFacts
from extdns.facts.document import schema_text
from tests.fakes.apiserver.server import ApiServer
from tests.integration.live import HastyClock, LiveStage
from tests.integration.stage import Stage, service

ROOT = Path(__file__).parents[3]
REVIEWS = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews"


@pytest.fixture
def live(tmp_path: Path) -> Iterator[LiveStage]:
    with ApiServer() as server:
        found = LiveStage(tmp_path, server, example_org="www IN A 192.0.2.99\n")
        found.put(service("web", "web.example.org"))
        yield found


def check(live: LiveStage, *more: str) -> int:
    return cli.main(["check", *live.flags("--state-configmap=dns/extdns-state", *more)], {})


def test_where_all_is_there_nothing_is_missing(live: LiveStage, capsys: pytest.CaptureFixture[str]) -> None:
    before = live.state()
    assert check(live, "--namespace=shop") == 0
    said = capsys.readouterr()
    assert said.err == ""
    lines = said.out.splitlines()
    assert "ok       right to list services in shop" in lines
    assert "ok       right to get ingresses.networking.k8s.io in shop" in lines
    assert "ok       right to create events.events.k8s.io in shop" in lines
    assert "ok       right to update configmaps extdns-state in dns" in lines
    assert "ok       zone example.org (example.org.zone): 2 records read, 0 ours" in lines
    assert lines[-2:] == ["ok       objects: 1 object read", "Nothing is missing."]
    assert live.state() == before
    posts = {request.path for request in live.server.log.requests() if request.method != "GET"}
    assert posts == {REVIEWS}


def test_7_8_proxies_are_read_in_their_own_namespaces_and_none_by_its_name(
    live: LiveStage, capsys: pytest.CaptureFixture[str]
) -> None:
    assert check(live, "--source=gloo-proxy", "--gloo-namespace=edge", "--gloo-namespace=dmz", "--namespace=shop") == 0
    asked = [line for line in capsys.readouterr().out.splitlines() if "proxies.gloo.solo.io" in line]
    assert asked == [
        f"ok       right to {verb} proxies.gloo.solo.io in {place}"
        for place in ("edge", "dmz")
        for verb in ("list", "watch")
    ]


@pytest.mark.parametrize(
    ("source", "place"),
    [
        pytest.param("--source=node", "in shop", id="the-namespace-alone"),
        pytest.param("--source=ambassador-host", "in all namespaces", id="7.6-hosts-name-services-anywhere"),
        pytest.param("--source=gloo-proxy", "in all namespaces", id="7.8-proxies-lead-to-services-anywhere"),
    ],
)
def test_services_are_asked_about_where_they_are_read(
    live: LiveStage, source: str, place: str, capsys: pytest.CaptureFixture[str]
) -> None:
    check(live, source, "--namespace=shop")
    lines = capsys.readouterr().out.splitlines()
    asked = [line for line in lines if line.startswith("ok       right to list services ")]
    assert asked == [f"ok       right to list services {place}"]


def test_rights_that_are_missing_are_named(
    live: LiveStage, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(assembly, "SystemClock", HastyClock)
    for verb, resource in (
        ("list", "ingresses"),
        ("watch", "ingresses"),
        ("update", "configmaps"),
        ("patch", "events"),
    ):
        live.server.access.forbid(verb, resource)
    assert check(live) == 1
    lines = capsys.readouterr().out.splitlines()
    assert [line for line in lines if line.startswith("missing")] == [
        "missing  right to list ingresses.networking.k8s.io in all namespaces",
        "missing  right to watch ingresses.networking.k8s.io in all namespaces",
        "missing  right to patch events.events.k8s.io in all namespaces",
        "missing  right to update configmaps extdns-state in dns",
        "missing  reading: Ingress objects are forbidden",
    ]
    assert lines[-1] == "5 things missing."


def test_leases_are_asked_about_where_they_are_used(live: LiveStage, capsys: pytest.CaptureFixture[str]) -> None:
    assert check(live, "--leader-elect", "--leader-elect-resource-namespace=dns") == 0
    said = capsys.readouterr().out
    assert "right to update leases.coordination.k8s.io " in said


def test_an_api_server_that_cannot_be_reached_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(assembly, "SystemClock", HastyClock)
    with ApiServer() as server:
        gone = LiveStage(tmp_path, server, example_org="")
    assert check(gone) == 1
    assert "missing  API server: POST " in capsys.readouterr().out


@pytest.fixture
def stage(tmp_path: Path) -> Stage:
    found = Stage(tmp_path, example_org="")
    found.apply(service("web", "web.example.org"))
    return found


def flags(stage: Stage, *more: str) -> list[str]:
    given = ["--source=service", "--provider=zonefile", f"--zonefile-dir={stage.zones}", "--txt-owner-id=me"]
    return [*given, f"--manifests={stage.manifests}", *more]


def test_without_a_cluster_the_zones_alone_are_tested(stage: Stage, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["check", *flags(stage)], {}) == 0
    assert capsys.readouterr().out == (
        "ok       zone example.org (example.org.zone): 1 record read, 0 ours\n"
        "ok       objects: 1 object read\n"
        "Nothing is missing.\n"
    )


def test_zones_that_are_not_there_are_missing(stage: Stage, capsys: pytest.CaptureFixture[str]) -> None:
    stage.file().unlink()
    assert cli.main(["check", *flags(stage)], {}) == 1
    assert "missing  zones: " in capsys.readouterr().out


def test_what_cannot_be_read_is_told_and_escaped(stage: Stage, capsys: pytest.CaptureFixture[str]) -> None:
    (stage.manifests / "broken\x1b.yaml").write_text("kind: [")
    assert cli.main(["check", *flags(stage)], {}) == 1
    said = capsys.readouterr().out
    assert "missing  reading: " in said
    assert all(line.isprintable() for line in said.splitlines())


def test_programs_get_the_facts(stage: Stage, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["check", *flags(stage, "--output=json")], {}) == 0
    facts = msgspec.json.decode(capsys.readouterr().out, type=CheckFacts)
    assert [(one.what, one.state) for one in facts.checks] == [
        ("zone example.org (example.org.zone)", "ok"),
        ("objects", "ok"),
    ]


def test_the_schema_in_the_docs_is_that_of_the_document() -> None:
    kept = (ROOT / "docs" / "reference" / "check.schema.json").read_text(encoding="utf-8")
    made = schema_text(CheckFacts, "extdns check --output=json")
    assert kept == made, "run: python -m extdns.commands.check > docs/reference/check.schema.json"
