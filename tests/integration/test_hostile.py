"""Malicious or broken objects, zone files, flags and foreign records do no harm (docs/design/laws.md).

See docs/spec/plan.md 11.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from extdns.app import assembly
from extdns.config import parse
from extdns.errors import UsageError
from tests.objects import service
from tests.program.installation import USAGE, Installation
from tests.program.zone_files import build_zone_text

FAILED = 1
HELD = 3
OWNERSHIP = '"heritage=external-dns,external-dns/owner=me,external-dns/resource=service/shop/odd"'
GOOD = "good.example.org A 192.0.2.1"
OTHER = service("other", "other.example.org")  # without any request, deletes by absence are held


@pytest.mark.parametrize(
    ("hostname", "annotations", "published"),
    [
        pytest.param("a" * 60_000 + ".example.org", {}, [], id="long-label"),
        pytest.param("x.example.org", {"target": "x." * 30_000}, [], id="long-target"),
        pytest.param("x.example.org", {"ttl": "9" * 60_000}, ["x.example.org A 192.0.2.1"], id="long-ttl"),
        pytest.param("x.example.org", {"set-identifier": "s" * 60_000}, [], id="long-set-identifier"),
        pytest.param("<script>alert(1)</script>.example.org", {}, [], id="html"),
        pytest.param("\x1b[2J.example.org,nul\0.example.org,\u202eevil.example.org", {}, [], id="control-characters"),
        pytest.param("x.example.org\n$INCLUDE /etc/passwd", {}, [], id="line-of-a-zone-file"),
        pytest.param("x.example.org", {"target": "y.test.\n@ NS evil.test."}, [], id="line-of-a-zone-file-as-target"),
        pytest.param("a..b.example.org,.example.org,*,-,..", {}, [], id="no-names"),
        pytest.param("*.*.example.org,a.*.example.org,-a.example.org", {}, [], id="names-that-servers-reject"),
        pytest.param("X.Example.ORG.", {}, ["x.example.org A 192.0.2.1"], id="11-capitals-in-the-zone"),
        pytest.param(
            "B\xfccher.example.org,xn--bcher-kva.example.org,bu\u0308cher\u3002example.org",
            {},
            ["xn--bcher-kva.example.org A 192.0.2.1"],
            id="11-spellings-of-one-name",
        ),
        pytest.param(
            "x.example.org",
            {"target": "::FFFF:192.0.2.9"},
            ["x.example.org AAAA ::ffff:192.0.2.9"],
            id="11-mapped-address",
        ),
        pytest.param(
            "x.example.org", {"weight": "1", "aws-weight": "many"}, ["x.example.org A 192.0.2.1"], id="11-aws"
        ),
    ],
)
def test_an_invalid_object_does_not_affect_the_records_of_other_objects(
    tmp_path: Path, hostname: str, annotations: dict[str, str], published: list[str]
) -> None:
    installation = Installation(tmp_path, example_org="x 300 A 198.51.100.1\n" if not published else "")
    before = installation.zones.text()
    installation.replace_manifests(
        service("odd", hostname, annotations=annotations), service("good", "good.example.org")
    )
    installation.run_twice()
    assert installation.zones.published() == sorted([*published, GOOD])
    assert [line for line in before.splitlines() if line not in installation.zones.text() and " SOA " not in line] == []


def test_an_unreadable_manifest_does_not_affect_the_records_of_other_manifests(tmp_path: Path) -> None:
    installation = Installation(tmp_path, example_org="")
    installation.replace_manifests(service("good", "good.example.org"))
    (installation.manifests / "deep.yaml").write_text("[" * 5000, encoding="utf-8")
    (installation.manifests / "noise.yaml").write_bytes(bytes(range(256)) * 40)
    (installation.manifests / "folder.yaml").mkdir()
    installation.run_twice()
    assert installation.zones.published() == [GOOD]


def test_a_nodeport_service_without_node_addresses_does_not_prevent_publishing_other_services(tmp_path: Path) -> None:
    installation = Installation(tmp_path, example_org="")
    nodeless = service("nodeless", "nodes.example.org", type="NodePort", ports=[{"port": 80, "nodePort": 30080}])
    installation.replace_manifests(
        nodeless, service("good", "good.example.org")
    )  # docs/spec/plan.md 11: a node without address
    installation.run_twice()
    assert installation.zones.published() == [GOOD]


@pytest.mark.parametrize(
    "lines",
    [
        pytest.param('x A 198.51.100.1\na-x TXT "\\000\\255\\"garbage"', id="garbage"),
        pytest.param('x A 198.51.100.1\na-x TXT "heritage=external-dns,external-dns/owner="', id="no-owner"),
        pytest.param('x A 198.51.100.1\na-x TXT "HERITAGE=external-dns,external-dns/owner=me"', id="capitals"),
        pytest.param('x A 198.51.100.1\na-x TXT "heritage=external-dns,external-dns/owner=me2"', id="other-owner"),
        pytest.param(
            f'x A 198.51.100.1\na-x TXT {OWNERSHIP}\na-x TXT "v=spf1 -all"', id="ownership-record-and-another-txt"
        ),
        pytest.param(
            f"x A 198.51.100.1\na-x CNAME mark.test.\nmark TXT {OWNERSHIP}", id="ownership-record-behind-a-cname"
        ),
        pytest.param('a-x TXT "taken"', id="ownership-name-taken"),
        pytest.param("x CNAME elsewhere.test.", id="cname"),
    ],
)
@pytest.mark.parametrize("is_requested", [pytest.param(True, id="requested"), pytest.param(False, id="not-requested")])
def test_foreign_records_stay_unchanged_whether_or_not_their_name_is_requested(
    tmp_path: Path, lines: str, *, is_requested: bool
) -> None:
    installation = Installation(tmp_path, example_org=f"{lines}\n")
    before = installation.zones.contents()
    installation.replace_manifests(*([service("odd", "x.example.org")] if is_requested else []))
    installation.run_twice()
    assert installation.zones.contents() == before


def test_of_a_name_and_a_wildcard_with_one_ownership_name_only_the_wildcard_is_published(tmp_path: Path) -> None:
    installation = Installation(tmp_path, example_org="")
    installation.replace_manifests(service("both", "*.x.example.org,any.x.example.org"))  # docs/spec/plan.md 11
    assert installation.run_twice("--txt-wildcard-replacement=any") == FAILED
    assert installation.zones.published() == ["*.x.example.org A 192.0.2.1"]


def test_two_owner_ids_in_one_zone_do_not_change_each_others_records(tmp_path: Path) -> None:
    installation = Installation(tmp_path, example_org="manual A 198.51.100.1\n")
    installation.replace_manifests(service("web", "one.example.org"))
    assert installation.run_twice(owner="one") == 0
    installation.replace_manifests(
        service("web", "one.example.org,two.example.org,manual.example.org", address="192.0.2.2")
    )
    assert installation.run_twice(owner="two") == 0
    assert installation.zones.published() == ["one.example.org A 192.0.2.1", "two.example.org A 192.0.2.2"]
    installation.replace_manifests(OTHER)
    assert installation.run_twice(owner="two") == 0
    assert installation.zones.published() == ["one.example.org A 192.0.2.1", "other.example.org A 192.0.2.1"]
    assert "manual A 198.51.100.1\n" in installation.zones.text()


def test_a_name_is_published_in_a_new_child_zone_and_not_deleted_from_the_parent_zone(tmp_path: Path) -> None:
    installation = Installation(tmp_path, example_org="")
    installation.replace_manifests(service("web", "a.sub.example.org"))
    installation.run_twice()
    installation.zones.path("sub.example.org").write_text(build_zone_text("", zone="sub.example.org"), encoding="utf-8")
    installation.run_twice()
    assert (
        installation.zones.published()
        == installation.zones.published("sub.example.org")
        == ["a.sub.example.org A 192.0.2.1"]
    )
    installation.replace_manifests(OTHER)
    installation.run_twice()
    assert installation.zones.published("sub.example.org") == []


@pytest.mark.parametrize("then", [("shop", "renamed"), ("other", "web")], ids=["renamed", "another-namespace"])
def test_a_record_is_transferred_to_a_renamed_or_moved_service(tmp_path: Path, then: tuple[str, str]) -> None:
    installation = Installation(tmp_path, example_org="")
    installation.replace_manifests(service("web", "a.example.org"))
    installation.run_twice()
    namespace, name = then
    installation.replace_manifests(service(name, "a.example.org", namespace=namespace, address="lb.example.net"))
    assert installation.run_twice() == 0
    assert installation.zones.published() == ["a.example.org CNAME lb.example.net."]
    assert f"resource=service/{namespace}/{name}" in installation.zones.text()


def test_an_unreadable_zone_file_stays_unchanged_and_other_zones_are_written(tmp_path: Path) -> None:
    installation = Installation(tmp_path, good_test="")
    garbage = b"\xff\0garbage ((("
    installation.zones.path("bad.test").write_bytes(garbage)
    (installation.zones.folder / "folder.test.zone").mkdir()
    installation.replace_manifests(service("web", "a.good.test,a.bad.test"))
    installation.run_once()
    assert installation.zones.published("good.test") == ["a.good.test A 192.0.2.1"]
    assert installation.zones.path("bad.test").read_bytes() == garbage


@pytest.mark.parametrize("line", ["x A 192.0.2.999", "x WEB 1", "x 1y A 192.0.2.1", "a-x TXT \\999", "x"])
def test_an_invalid_line_of_a_zone_file_blocks_only_its_own_name(tmp_path: Path, line: str) -> None:
    installation = Installation(tmp_path, example_org=f"{line}\n")
    installation.replace_manifests(service("web", "a.example.org,x.example.org"))
    assert installation.run_twice() == FAILED
    assert installation.zones.published() == ["a.example.org A 192.0.2.1"]
    assert f"\n{line}\n" in installation.zones.text()


@pytest.mark.parametrize("owner", ["a,b", 'a"b', "a\\b", "\xfc", "\x1b[31m", "a\nb", ""])
def test_an_owner_id_that_no_ownership_record_can_hold_is_a_usage_error(tmp_path: Path, owner: str) -> None:
    installation = Installation(tmp_path, example_org="")
    before = installation.zones.contents()
    installation.replace_manifests(service("web", "a.example.org"))
    assert installation.run_once(owner=owner) == USAGE
    assert installation.zones.contents() == before


# What the parser checks: tests/unit/flags/test_parser.py.
@pytest.mark.parametrize(
    "flag", ["--service-type-filter", "--default-targets", "--nat64-networks", "--manifests", "--zonefile-dir"]
)
def test_control_characters_of_an_invalid_flag_value_are_escaped_in_the_error(tmp_path: Path, flag: str) -> None:
    run = [
        "--source=service",
        "--source=ingress",
        "--provider=zonefile",
        f"--zonefile-dir={tmp_path}",
        "--txt-owner-id=me",
    ]
    flags = [word for word in run if not word.startswith(f"{flag}=")]
    message = ""
    try:
        invalid_flag = f"{flag}=[bad\nerror: all is well\x1b[2J("
        assembly.assemble(parse([*flags, f"--manifests={tmp_path}", invalid_flag], {})).controller.close()
    except UsageError as exc:
        message = str(exc)
    assert "bad\n" not in message
    assert all(line.isprintable() for line in message.split("\n"))


@pytest.mark.parametrize("owner", ["a=b", "a b", "a;b", "'", "%{record_type}", "heritage=external-dns", "o" * 300])
def test_records_of_an_unusual_owner_id_are_recognized_and_deleted_later(tmp_path: Path, owner: str) -> None:
    installation = Installation(tmp_path, example_org="")
    installation.replace_manifests(service("web", "a.example.org"))
    assert installation.run_twice(owner=owner) == 0
    installation.replace_manifests(OTHER)
    assert installation.run_twice(owner=owner) == 0
    assert installation.zones.published() == ["other.example.org A 192.0.2.1"]
    assert "a.example.org" not in installation.zones.text()


def test_with_registry_noop_the_deletes_of_unrequested_records_are_held(tmp_path: Path) -> None:
    installation = Installation(tmp_path, example_org="x A 198.51.100.1\n")
    before = installation.zones.contents()
    installation.replace_manifests()
    assert installation.run_twice("--registry=noop") == HELD
    assert installation.zones.contents() == before
