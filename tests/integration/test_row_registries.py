"""The whole program with --registry=dynamodb and --registry=crd: what is in the zone, and what is in the store."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import pytest

from extdns import cli
from extdns.model.dns_name import DnsName
from extdns.model.record import RecordKey
from registry.crd.objects import build_object_name
from tests.dynamodb import connect, create_table
from tests.fakes.apiserver.server import ApiServer
from tests.integration.test_how_to import ROOT, replace_outputs
from tests.objects import service
from tests.program.installation import Installation

BYSTANDERS: Final = 'www IN A 192.0.2.99\nblue IN A 192.0.2.1\nspf IN TXT "v=spf1 -all"\n'


@dataclass
class Site:
    """extdns with one of the registries; *list_owners* returns the owner of each record in its store."""

    installation: Installation
    flags: tuple[str, ...]
    list_owners: Callable[[], dict[str, str]]
    claim: Callable[[str, str], None]

    def run(self, *names: str, owner: str = "me", registry: tuple[str, ...] | None = None) -> int:
        """Run once while Services request *names*, and again, which must change nothing."""
        self.installation.server.put_all([service(name, f"{name}.example.org") for name in names])
        for found in self.installation.server.objects("Service"):
            if found["metadata"]["name"] not in names:
                self.installation.delete(found)
        return self.installation.run_twice(*(self.flags if registry is None else registry), owner=owner)

    def command(self, name: str, *more: str) -> int:
        return cli.main([name, *self.installation.flags(*self.flags, *more)], {})

    def read_texts(self) -> list[str]:
        """Return the names of the TXT records of the zone."""
        lines = self.installation.zones.text().splitlines()
        return sorted(line.split()[0].removesuffix(".example.org.") for line in lines if " TXT " in line)


@pytest.fixture(params=["dynamodb", "crd"])
def site(request: pytest.FixtureRequest, tmp_path: Path, moto: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    with ApiServer() as server:
        installation = Installation(tmp_path, server, sources=("service",), example_org=BYSTANDERS)
        if request.param == "crd":
            monkeypatch.setenv("POD_NAMESPACE", "dns")
            yield Site(installation, ("--registry=crd",), lambda: _list_objects(server), lambda *of: _put(server, *of))
            return
        for name, value in connect(moto).items():
            monkeypatch.setenv(name, value)
        table = request.node.name
        client = create_table(moto, table := "".join(one if one.isalnum() else "-" for one in table))
        flags = ("--registry=dynamodb", f"--dynamodb-table={table}")

        def claim(name: str, owner: str) -> None:
            client.put_item(
                TableName=table, Item={"k": {"S": f"{name}.example.org#A#"}, "o": {"S": owner}, "l": {"M": {}}}
            )

        def list_owners() -> dict[str, str]:
            items = client.scan(TableName=table)["Items"]
            return {item["k"]["S"].partition(".")[0]: item["o"]["S"] for item in items}

        yield Site(installation, flags, list_owners, claim)


def _list_objects(server: ApiServer) -> dict[str, str]:
    found: list[Any] = server.objects("DNSRecord")
    return {
        one["spec"]["endpoint"]["dnsName"].partition(".")[0]: one["metadata"]["labels"]["externaldns.k8s.io/owner"]
        for one in found
    }


def _put(server: ApiServer, name: str, owner: str) -> None:
    full = f"{name}.example.org"
    server.put(
        {
            "apiVersion": "externaldns.k8s.io/v1alpha1",
            "kind": "DNSRecord",
            "metadata": {
                "name": build_object_name(RecordKey(DnsName(full), "", "A")),
                "namespace": "dns",
                "labels": {"externaldns.k8s.io/owner": owner},
            },
            "spec": {"endpoint": {"dnsName": full, "recordType": "A", "targets": ["192.0.2.1"]}},
        }
    )


def test_records_are_owned_by_rows_and_the_zone_has_no_ownership_records(site: Site) -> None:
    assert site.run("web", "api") == 0
    zones = site.installation.zones
    assert [line.split()[0] for line in zones.published()] == ["api.example.org", "web.example.org"]
    assert (site.list_owners(), site.read_texts()) == ({"api": "me", "web": "me"}, ["spf"])
    assert site.run("web") == 0
    assert ([line.split()[0] for line in zones.published()], site.list_owners()) == (["web.example.org"], {"web": "me"})


def test_a_record_without_a_row_and_one_with_a_foreign_row_stay_as_they_are(site: Site) -> None:
    site.claim("blue", "you")
    site.claim("new", "you")
    before = site.installation.zones.contents()
    assert site.run("www", "blue", "new") == 0
    assert site.installation.zones.contents() == before
    assert site.list_owners() == {"blue": "you", "new": "you"}


def test_a_plan_writes_no_row(site: Site, capsys: pytest.CaptureFixture[str]) -> None:
    site.installation.apply(service("web", "web.example.org"))
    site.command("plan")
    assert "1 to create" in capsys.readouterr().out
    assert site.list_owners() == {}


def test_a_switch_from_txt_moves_ownership_to_rows_and_changes_no_address(site: Site) -> None:
    assert site.run("web", "api", registry=()) == 0
    before = site.installation.zones.published()
    assert site.read_texts() == ["a-api", "a-web", "spf"]
    assert site.run("web", "api") == 0
    assert site.installation.zones.published() == before
    assert (site.list_owners(), site.read_texts()) == ({"api": "me", "web": "me"}, ["spf"])


def test_migrate_registry_moves_ownership_there_and_back(site: Site, capsys: pytest.CaptureFixture[str]) -> None:
    site.run("web", registry=())
    before = site.installation.zones.contents()
    published = site.installation.zones.published()
    name = site.flags[0].partition("=")[2]
    assert site.command("migrate-registry", "--from=txt") == 2
    assert (site.installation.zones.contents(), site.list_owners()) == (before, {})
    assert capsys.readouterr().out == (
        f"To move from txt to {name}: A web.example.org\n1 to move, 0 rows without a record, 0 failed.\n"
    )
    assert site.command("migrate-registry", "--from=txt", "--yes") == 0
    assert (site.list_owners(), site.read_texts()) == ({"web": "me"}, ["spf"])
    assert site.command("migrate-registry", "--from=txt", "--yes") == 0
    assert "0 moved" in capsys.readouterr().out
    flags = site.installation.flags(*site.flags[1:], "--registry=txt")
    assert cli.main(["migrate-registry", *flags, f"--from={name}", "--yes"], {}) == 0
    assert (site.list_owners(), site.read_texts()) == ({}, ["a-web", "spf"])
    assert site.installation.zones.published() == published
    assert site.run("web", registry=()) == 0


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (("--registry=noop", "--from=txt"), "--registry=noop has no ownership to move"),
        (("--registry=txt", "--from=noop"), "--from=noop has no ownership to move"),
        (("--registry=txt", "--from=txt"), "--from=txt is --registry"),
        (("--registry=dynamodb", "--from=txt", "--yes", "--dry-run"), "--yes writes, and --dry-run forbids it"),
    ],
)
def test_migrate_registry_refuses_what_cannot_be_moved(
    flags: tuple[str, ...], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    installation = Installation(tmp_path, example_org="")
    assert cli.main(["migrate-registry", *installation.flags(*flags)], {}) == 1
    assert message in capsys.readouterr().err


def test_owners_explain_and_plans_from_a_snapshot_show_who_owns_a_record(
    site: Site, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    site.run("web")
    site.claim("blue", "you")
    site.command("owners", "--output=json")
    printed = capsys.readouterr().out
    document = json.loads(printed)
    owners = {
        one["name"]: one.get("owner") for zone in document["zones"] for one in zone["records"] if one["type"] == "A"
    }
    assert owners == {"blue.example.org": "you", "web.example.org": "me", "www.example.org": None}
    site.command("explain", "web.example.org")
    assert 'ours, owner "me"' in capsys.readouterr().out
    (tmp_path / "zones.json").write_text(printed)
    site.installation.apply(service("blue", "blue.example.org"))
    assert site.command("plan", f"--zone-snapshot={tmp_path / 'zones.json'}") == 0
    assert "[owned-by-other]" in capsys.readouterr().out


@pytest.mark.parametrize("site", ["crd"], indirect=True)
def test_check_names_the_permission_for_dnsrecords_that_is_missing(
    site: Site, capsys: pytest.CaptureFixture[str]
) -> None:
    site.installation.apply(service("web", "web.example.org"))
    site.installation.server.access.forbid("delete", "dnsrecords")
    assert site.command("check") == 1
    missing = [line for line in capsys.readouterr().out.splitlines() if line.startswith("missing")]
    assert missing == ["missing  permission to delete dnsrecords.externaldns.k8s.io in dns"]


def test_adopt_writes_the_row_of_a_record_that_nobody_owns(site: Site) -> None:
    site.installation.apply(service("blue", "blue.example.org"))
    assert site.command("adopt") == 2
    assert site.list_owners() == {}
    assert site.command("adopt", "--yes") == 0
    assert site.list_owners() == {"blue": "me"}
    assert site.command("adopt") == 0


PAGE: Final = ROOT / "docs" / "how-to" / "move-ownership.md"


def test_every_command_of_the_how_to_page_prints_what_the_page_shows(moto: str, tmp_path: Path) -> None:
    create_table(moto, "external-dns")
    page = PAGE.read_text(encoding="utf-8")
    made = replace_outputs(page, tmp_path, **connect(moto))
    if os.environ.get("UPDATE_GOLDEN"):
        PAGE.write_text(made, encoding="utf-8")
    assert made == page
