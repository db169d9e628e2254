"""`extdns migrate`: what a switch from the reference would change, and why."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from extdns import cli
from extdns.commands.migrate import MigrationFacts
from extdns.facts.document import schema_text
from tests.integration.stage import Stage, service

ROOT = Path(__file__).parents[3]


@pytest.fixture
def stage(tmp_path: Path) -> Stage:
    """What the reference has published."""
    found = Stage(tmp_path, example_org="")
    found.apply(service("api", "api.example.org"), service("web", "web.example.org"))
    assert found.once("--compat", "--policy=sync") == 0
    return found


def migrate(stage: Stage, *more: str) -> int:
    flags = ["--source=service", f"--zonefile-dir={stage.zones}", "--txt-owner-id=me", "--interval=2m"]
    return cli.main(
        ["migrate", *flags, f"--manifests={stage.manifests}", *more],
        {"EXTERNAL_DNS_PROVIDER": "zonefile", "EXTERNAL_DNS_KUBE_API_QPS": "5"},
    )


def test_a_switch_that_changes_nothing_says_so(stage: Stage, capsys: pytest.CaptureFixture[str]) -> None:
    before = stage.state()
    assert migrate(stage) == 0
    said = capsys.readouterr().out
    assert said.startswith("All flags are understood.\n")
    assert "EXTERNAL_DNS_KUBE_API_QPS has no effect" in said
    assert said.endswith("\nThe first pass of extdns changes nothing.\n")
    assert stage.state() == before


def test_what_the_reference_would_do_too_is_told_apart(stage: Stage, capsys: pytest.CaptureFixture[str]) -> None:
    stage.apply(
        service("api", "api.example.org", address="192.0.2.7"),
        service("web", "web.example.org"),
        service("old", "old.example.org", annotations={"ttl": "60"}),
    )
    assert migrate(stage) == 2
    said = capsys.readouterr().out
    assert "\nexternal-dns would make these changes now, too:\n  ~ A  api.example.org  192.0.2.7 " in said
    assert said.endswith(
        "The first pass of extdns changes 2 records; of these 0 by the switch, no delete among them.\n"
    )


def test_what_only_extdns_does_is_told_apart(stage: Stage, capsys: pytest.CaptureFixture[str]) -> None:
    both = {"external-dns.alpha.kubernetes.io/hostname": "late.example.org"}
    late = service("late", "x")
    late["metadata"] = {"name": "late", "namespace": "shop", "annotations": both}
    stage.apply(service("api", "api.example.org"), service("web", "web.example.org"), late)
    assert migrate(stage) == 2
    said = capsys.readouterr().out
    assert "\nOnly extdns would make these:\n  + A  late.example.org  192.0.2.1  Service shop/late: " in said
    assert said.endswith("The first pass of extdns changes 1 record; of these 1 by the switch, no delete among them.\n")


def test_where_both_make_changes_and_not_the_same_both_are_told_with_who_loses(
    stage: Stage, capsys: pytest.CaptureFixture[str]
) -> None:
    stage.apply(
        service("api", "api.example.org"),
        service("web", "web.example.org"),
        service("one", "new.example.org", address="192.0.2.3", namespace="first"),
        service("two", "new.example.org", address="192.0.2.4", namespace="second"),
    )
    assert migrate(stage) == 2
    assert capsys.readouterr().out.partition("\n\n")[2] == (
        "Both would make changes here, and not the same:\n"
        "  + A  new.example.org  192.0.2.3      Service first/one: annotation hostname\n"
        "       external-dns: create A 192.0.2.3, 192.0.2.4, TTL as the DNS service has it\n"
        "       extdns:       create A 192.0.2.3, TTL as the DNS service has it\n"
        "  ! A  new.example.org  not published  Service second/two: annotation hostname  [conflict-lost]\n"
        "       Service first/one has it\n"
        "  conflict-lost: Another object asks for the same name and was first.\n"
        "\n"
        "The first pass of extdns changes 1 record; of these 1 by the switch, no delete among them.\n"
    )
    assert migrate(stage, "--output=json") == 2
    (differing,) = msgspec.json.decode(capsys.readouterr().out, type=MigrationFacts).differing
    assert [one.reason for one in (differing.ours, differing.theirs, *differing.beside)] == [
        "wanted",
        "wanted",
        "conflict-lost",
    ]


def test_what_the_reference_would_delete_and_extdns_holds_is_told(
    stage: Stage, capsys: pytest.CaptureFixture[str]
) -> None:
    assert migrate(stage, "--namespace=other") == 3
    said = capsys.readouterr().out
    assert "external-dns would make changes here now, and extdns does not:\n  ! A  api.example.org  kept " in said
    assert "2 deletes held until a person releases them: extdns plan --held [flags]\n" in said


def test_programs_get_the_facts(stage: Stage, capsys: pytest.CaptureFixture[str]) -> None:
    assert migrate(stage, "--namespace=other", "--output=json") == 3
    facts = msgspec.json.decode(capsys.readouterr().out, type=MigrationFacts)
    assert [one.name for one in facts.theirs] == ["api.example.org", "web.example.org"]
    assert (facts.likewise, facts.ours, facts.held) == ((), (), 2)
    assert len(facts.flags) == 1


@pytest.mark.parametrize(
    ("more", "message"),
    [
        pytest.param("--compat", "error: extdns migrate compares with --compat by itself\n", id="compat"),
        pytest.param("--manifests=-", "error: extdns migrate reads the objects more than once", id="stdin"),
        pytest.param("--source=cloudfoundry", "error: ", id="absent"),
        pytest.param("--polici=sync", "error: --polici is not a flag\n  did you mean: --policy", id="unknown"),
    ],
)
def test_wrong_usage_is_1(stage: Stage, more: str, message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert migrate(stage, more, *(["--policy=sync"] if more == "--compat" else [])) == 1
    assert capsys.readouterr().err.startswith(message)


def test_what_cannot_be_read_is_told_and_is_1(stage: Stage, capsys: pytest.CaptureFixture[str]) -> None:
    (stage.manifests / "broken\x1b.yaml").write_text("kind: [")
    assert migrate(stage) == 1
    said = capsys.readouterr().out
    assert "INCOMPLETE: " in said
    assert all(line.isprintable() for line in said.splitlines())


def test_the_schema_in_the_docs_is_that_of_the_document() -> None:
    kept = (ROOT / "docs" / "reference" / "migrate.schema.json").read_text(encoding="utf-8")
    made = schema_text(MigrationFacts, "extdns migrate --output=json")
    assert kept == made, "run: python -m extdns.commands.migrate > docs/reference/migrate.schema.json"
