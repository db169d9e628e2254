"""`extdns migrate` reports what a switch from external-dns would change, and why."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from extdns import cli
from extdns.documents.migration import MigrationDocument
from tests.objects import service
from tests.program.installation import Installation


@pytest.fixture
def installation(tmp_path: Path) -> Installation:
    """Return an installation with records that external-dns would have published."""
    found = Installation(tmp_path, example_org="")
    found.replace_manifests(service("api", "api.example.org"), service("web", "web.example.org"))
    assert found.run_once("--compat", "--policy=sync") == 0
    return found


def migrate(installation: Installation, *more: str) -> int:
    flags = ["--source=service", f"--zonefile-dir={installation.zones.folder}", "--interval=2m"]
    flags += [] if any("--txt-owner-id" in one for one in more) else ["--txt-owner-id=me"]
    return cli.main(
        ["migrate", *flags, f"--manifests={installation.manifests}", *more],
        {"EXTERNAL_DNS_PROVIDER": "zonefile", "EXTERNAL_DNS_KUBE_API_QPS": "5"},
    )


def test_migrate_lists_changes_that_external_dns_would_make_too(
    installation: Installation, capsys: pytest.CaptureFixture[str]
) -> None:
    installation.replace_manifests(
        service("api", "api.example.org", address="192.0.2.7"),
        service("web", "web.example.org"),
        service("old", "old.example.org", annotations={"ttl": "60"}),
    )
    assert migrate(installation) == 2
    output = capsys.readouterr().out
    assert "\nexternal-dns would make these changes now, too:\n  ~ A  api.example.org  192.0.2.7 " in output
    assert output.endswith(
        "The first pass of extdns changes 2 records; of these 0 because of the switch, with no delete.\n"
    )


def test_migrate_lists_changes_that_only_extdns_would_make(
    installation: Installation, capsys: pytest.CaptureFixture[str]
) -> None:
    both = {"external-dns.alpha.kubernetes.io/hostname": "late.example.org"}
    late = service("late", "x")
    late["metadata"] = {"name": "late", "namespace": "shop", "annotations": both}
    installation.replace_manifests(service("api", "api.example.org"), service("web", "web.example.org"), late)
    assert migrate(installation) == 2
    output = capsys.readouterr().out
    assert "\nOnly extdns would make these:\n  + A  late.example.org  192.0.2.1  Service shop/late: " in output
    assert output.endswith(
        "The first pass of extdns changes 1 record; of these 1 because of the switch, with no delete.\n"
    )


def test_migrate_lists_names_that_both_would_change_differently(
    installation: Installation, capsys: pytest.CaptureFixture[str]
) -> None:
    installation.replace_manifests(
        service("api", "api.example.org"),
        service("web", "web.example.org"),
        service("one", "new.example.org", address="192.0.2.3", namespace="first"),
        service("two", "new.example.org", address="192.0.2.4", namespace="second"),
    )
    assert migrate(installation) == 2
    assert capsys.readouterr().out.split("\n\n", 2)[2] == (
        "Both would make changes here, in different ways:\n"
        "  + A  new.example.org  192.0.2.3      Service first/one: annotation hostname\n"
        "       external-dns: create A 192.0.2.3, 192.0.2.4, default TTL\n"
        "       extdns:       create A 192.0.2.3, default TTL\n"
        "  ! A  new.example.org  not published  Service second/two: annotation hostname  [requested-by-other]\n"
        "       Service first/one has precedence\n"
        "  requested-by-other: Another object requests the same name and has precedence.\n"
        "\n"
        "The first pass of extdns changes 1 record; of these 1 because of the switch, with no delete.\n"
    )
    assert migrate(installation, "--output=json") == 2
    (differing,) = msgspec.json.decode(capsys.readouterr().out, type=MigrationDocument).differing
    assert [one.reason for one in (differing.ours, differing.theirs, *differing.others)] == [
        "requested",
        "requested",
        "requested-by-other",
    ]


def test_migrate_lists_a_delete_that_extdns_holds_as_a_change_of_external_dns_only(
    installation: Installation, capsys: pytest.CaptureFixture[str]
) -> None:
    assert migrate(installation, "--namespace=other") == 3
    output = capsys.readouterr().out
    assert "Only external-dns would make changes here:\n  ! A  api.example.org  kept " in output
    assert "2 deletes held until a person approves them: extdns plan --held --source=service " in output


def test_migrate_prints_json(installation: Installation, capsys: pytest.CaptureFixture[str]) -> None:
    assert migrate(installation, "--namespace=other", "--output=json") == 3
    document = msgspec.json.decode(capsys.readouterr().out, type=MigrationDocument)
    assert [one.name for one in document.theirs] == ["api.example.org", "web.example.org"]
    assert (document.likewise, document.ours, document.held) == ((), (), 2)
    assert len(document.flags) == 1


@pytest.mark.parametrize(
    ("more", "read", "warning"),
    [
        pytest.param(
            "--txt-owner-id=other",
            'Read: owner "other"; example.org; 2 requested names; 3 records, 0 ours, 2 of other owners',
            "records that are not ours (owned by me) stand in the way of all that is requested: "
            "api.example.org, web.example.org",
            id="another owner id",
        ),
        pytest.param(
            "--txt-prefix=x-",
            'Read: owner "me"; example.org; 2 requested names; 3 records, 0 ours, 0 of other owners',
            "records that are not ours stand in the way of all that is requested: api.example.org, web.example.org",
            id="another prefix",
        ),
        pytest.param(
            "--domain-filter=example.com",
            'Read: owner "me"; example.org; 2 requested names; 3 records, 0 ours, 0 of other owners',
            "--domain-filter=example.com matches none of your zones: example.org",
            id="a filter that matches no zone",
        ),
    ],
)
def test_migrate_with_flags_under_which_nothing_is_ours_warns_and_exits_with_4(
    installation: Installation, more: str, read: str, warning: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert migrate(installation, more) == 4
    output = capsys.readouterr().out
    lines = output.splitlines()
    assert (read, f"WARNING: {warning}") == tuple(lines[3:5])
    assert output.splitlines()[-1].startswith("Read the warnings first: ")


def test_migrate_warns_of_records_of_another_owner_among_ours(
    installation: Installation, capsys: pytest.CaptureFixture[str]
) -> None:
    installation.replace_manifests(service("other", "other.example.org"))
    installation.run_once("--policy=upsert-only", owner="other")
    installation.replace_manifests(
        service("api", "api.example.org"), service("web", "web.example.org"), service("other", "other.example.org")
    )
    assert migrate(installation) == 0
    names = "records that are not ours (owned by other) stand in the way of some requested names: other.example.org"
    assert f"\nWARNING: {names}\n" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("more", "message"),
    [
        pytest.param("--compat", "error: extdns migrate itself makes a second plan with --compat\n", id="compat"),
        pytest.param("--manifests=-", "error: extdns migrate reads the objects several times", id="stdin"),
    ],
)
def test_an_invalid_command_line_of_migrate_exits_with_1(
    installation: Installation, more: str, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert migrate(installation, more, *(["--policy=sync"] if more == "--compat" else [])) == 1
    assert capsys.readouterr().err.startswith(message)


def test_migrate_reports_unreadable_input_and_exits_with_1(
    installation: Installation, capsys: pytest.CaptureFixture[str]
) -> None:
    (installation.manifests / "broken\x1b.yaml").write_text("kind: [")
    assert migrate(installation) == 1
    output = capsys.readouterr().out
    assert "INCOMPLETE: " in output
    assert all(line.isprintable() for line in output.splitlines())
