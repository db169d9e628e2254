"""Objects, zone files, flags and neighbours that mean harm, against the whole program (design 2; spec plan 11)."""

from __future__ import annotations

from pathlib import Path

import pytest

from extdns.app import assembly
from extdns.config import parse
from extdns.errors import UsageError
from tests.integration.stage import PREFIX, USAGE, Stage, manual, service

FAILED = 1
HELD = 3
MARK = '"heritage=external-dns,external-dns/owner=me,external-dns/resource=service/shop/odd"'
GOOD = "good.example.org A 192.0.2.1"


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
def test_one_bad_object_costs_only_itself(
    tmp_path: Path, hostname: str, annotations: dict[str, str], published: list[str]
) -> None:
    stage = Stage(tmp_path, example_org="x 300 A 198.51.100.1\n" if not published else "")
    before = stage.text()
    stage.apply(service("odd", hostname, annotations=annotations), service("good", "good.example.org"))
    stage.settle()
    assert stage.published() == sorted([*published, GOOD])
    assert [line for line in before.splitlines() if line not in stage.text() and " SOA " not in line] == []


def test_an_object_that_cannot_be_read_costs_only_itself(tmp_path: Path) -> None:
    stage = Stage(tmp_path, example_org="")
    stage.apply(service("good", "good.example.org"))
    (stage.manifests / "deep.yaml").write_text("[" * 5000, encoding="utf-8")
    (stage.manifests / "noise.yaml").write_bytes(bytes(range(256)) * 40)
    (stage.manifests / "folder.yaml").mkdir()
    stage.settle()
    assert stage.published() == [GOOD]


def test_a_service_without_an_answer_does_not_stop_the_pass(tmp_path: Path) -> None:
    stage = Stage(tmp_path, example_org="")
    nodeless = service("nodeless", "nodes.example.org", type="NodePort", ports=[{"port": 80, "nodePort": 30080}])
    stage.apply(nodeless, service("good", "good.example.org"))  # spec plan 11: a node without address
    stage.settle()
    assert stage.published() == [GOOD]


def test_many_names_on_one_object_are_all_published(tmp_path: Path) -> None:
    stage = Stage(tmp_path, example_org="")
    names = [f"n{number:03}.example.org" for number in range(500)]
    stage.apply(service("many", ", ".join(names)))
    assert stage.settle() == 0
    assert stage.published() == [f"{name} A 192.0.2.1" for name in names]


@pytest.mark.parametrize(
    "lines",
    [
        pytest.param('x A 198.51.100.1\na-x TXT "\\000\\255\\"garbage"', id="garbage"),
        pytest.param('x A 198.51.100.1\na-x TXT "heritage=external-dns,external-dns/owner="', id="no-owner"),
        pytest.param('x A 198.51.100.1\na-x TXT "HERITAGE=external-dns,external-dns/owner=me"', id="capitals"),
        pytest.param('x A 198.51.100.1\na-x TXT "heritage=external-dns,external-dns/owner=me2"', id="other-owner"),
        pytest.param(f'x A 198.51.100.1\na-x TXT {MARK}\na-x TXT "v=spf1 -all"', id="mark-beside-another-text"),
        pytest.param(f"x A 198.51.100.1\na-x CNAME mark.test.\nmark TXT {MARK}", id="mark-behind-a-cname"),
        pytest.param('a-x TXT "taken"', id="no-room-for-the-mark"),
        pytest.param("x CNAME elsewhere.test.", id="cname"),
    ],
)
@pytest.mark.parametrize("asked", [pytest.param(True, id="asked-for"), pytest.param(False, id="not-asked-for")])
def test_records_of_others_survive_byte_for_byte(tmp_path: Path, lines: str, *, asked: bool) -> None:
    stage = Stage(tmp_path, example_org=f"{lines}\n")
    before = stage.state()
    stage.apply(*([service("odd", "x.example.org")] if asked else []))
    stage.settle()
    assert stage.state() == before


def test_a_name_and_a_wildcard_that_would_share_a_mark_are_told_apart(tmp_path: Path) -> None:
    stage = Stage(tmp_path, example_org="")
    stage.apply(service("both", "*.x.example.org,any.x.example.org"))  # spec plan 11: one is created under the other's
    assert stage.settle("--txt-wildcard-replacement=any") == FAILED
    assert stage.published() == ["*.x.example.org A 192.0.2.1"]


def test_owners_in_one_zone_leave_each_other_alone(tmp_path: Path) -> None:
    stage = Stage(tmp_path, example_org="manual A 198.51.100.1\n")
    stage.apply(service("web", "one.example.org"))
    assert stage.settle(owner="one") == 0
    stage.apply(service("web", "one.example.org,two.example.org,manual.example.org", address="192.0.2.2"))
    assert stage.settle(owner="two") == 0
    assert stage.published() == ["one.example.org A 192.0.2.1", "two.example.org A 192.0.2.2"]
    stage.apply()
    assert stage.settle(owner="two") == 0
    assert stage.published() == ["one.example.org A 192.0.2.1"]
    assert "manual A 198.51.100.1\n" in stage.text()


def test_names_move_between_nested_zones_without_a_delete(tmp_path: Path) -> None:
    stage = Stage(tmp_path, example_org="")
    stage.apply(service("web", "a.sub.example.org"))
    stage.settle()
    stage.file("sub.example.org").write_text(manual("", zone="sub.example.org"), encoding="utf-8")
    stage.settle()
    assert stage.published() == stage.published("sub.example.org") == ["a.sub.example.org A 192.0.2.1"]
    stage.apply()
    stage.settle()
    assert stage.published("sub.example.org") == []


@pytest.mark.parametrize("then", [("shop", "renamed"), ("other", "web")], ids=["renamed", "another-namespace"])
def test_a_record_passes_to_the_object_that_takes_its_place(tmp_path: Path, then: tuple[str, str]) -> None:
    stage = Stage(tmp_path, example_org="")
    stage.apply(service("web", "a.example.org"))
    stage.settle()
    namespace, name = then
    stage.apply(service(name, "a.example.org", namespace=namespace, address="lb.example.net"))
    assert stage.settle() == 0
    assert stage.published() == ["a.example.org CNAME lb.example.net."]
    assert f"resource=service/{namespace}/{name}" in stage.text()


def test_a_zone_that_cannot_be_read_stays_as_it_is_and_stops_no_other(tmp_path: Path) -> None:
    stage = Stage(tmp_path, good_test="")
    garbage = b"\xff\0garbage ((("
    stage.file("bad.test").write_bytes(garbage)
    (stage.zones / "folder.test.zone").mkdir()
    stage.apply(service("web", "a.good.test,a.bad.test"))
    stage.once()
    assert stage.published("good.test") == ["a.good.test A 192.0.2.1"]
    assert stage.file("bad.test").read_bytes() == garbage


@pytest.mark.parametrize("line", ["x A 192.0.2.999", "x WEB 1", "x 1y A 192.0.2.1", "a-x TXT \\999", "x"])
def test_a_wrong_line_of_a_zone_file_costs_its_name(tmp_path: Path, line: str) -> None:
    stage = Stage(tmp_path, example_org=f"{line}\n")
    stage.apply(service("web", "a.example.org,x.example.org"))
    assert stage.settle() == FAILED
    assert stage.published() == ["a.example.org A 192.0.2.1"]
    assert f"\n{line}\n" in stage.text()


@pytest.mark.parametrize("owner", ["a,b", 'a"b', "a\\b", "\xfc", "\x1b[31m", "a\nb", ""])
def test_an_owner_that_no_mark_can_carry_changes_nothing(tmp_path: Path, owner: str) -> None:
    stage = Stage(tmp_path, example_org="")
    before = stage.state()
    stage.apply(service("web", "a.example.org"))
    assert stage.once(owner=owner) == USAGE
    assert stage.state() == before


@pytest.mark.parametrize(
    "flag",
    [
        "--txt-owner-id",
        "--txt-prefix",
        "--txt-suffix",
        "--txt-wildcard-replacement",
        "--annotation-prefix",
        "--ingress-class",
        "--service-type-filter",
        "--label-filter",
        "--annotation-filter",
        "--domain-filter",
        "--regex-domain-filter",
        "--target-net-filter",
        "--default-targets",
        "--nat64-networks",
        "--manifests",
        "--zonefile-dir",
        "--namespace",
        "--interval",
    ],
)
def test_a_flag_cannot_write_lines_of_its_own_into_the_message(tmp_path: Path, flag: str) -> None:
    run = [
        "--source=service",
        "--source=ingress",
        "--provider=zonefile",
        f"--zonefile-dir={tmp_path}",
        "--txt-owner-id=me",
    ]
    given = [word for word in run if not word.startswith(f"{flag}=")]
    message = ""
    try:
        wrong = f"{flag}=[bad\nerror: all is well\x1b[2J("
        assembly.assemble(parse([*given, f"--manifests={tmp_path}", wrong], {})).controller.close()
    except UsageError as exc:
        message = str(exc)
    assert "bad\n" not in message
    assert all(line.isprintable() for line in message.split("\n"))


@pytest.mark.parametrize("owner", ["a=b", "a b", "a;b", "'", "%{record_type}", "heritage=external-dns", "o" * 300])
def test_odd_owners_know_their_records_again(tmp_path: Path, owner: str) -> None:
    stage = Stage(tmp_path, example_org="")
    stage.apply(service("web", "a.example.org"))
    assert stage.settle(owner=owner) == 0
    stage.apply()
    assert stage.settle(owner=owner) == 0
    assert stage.published() == []
    assert "heritage" not in stage.text()


def test_a_dry_run_touches_nothing(tmp_path: Path) -> None:
    stage = Stage(tmp_path, example_org="x A 198.51.100.1\n")
    before = stage.state()
    stage.apply(service("web", f"a.example.org,{PREFIX}.example.org"))
    stage.once("--dry-run")
    assert stage.state() == before


def test_without_a_registry_nothing_is_deleted_for_being_absent(tmp_path: Path) -> None:
    stage = Stage(tmp_path, example_org="x A 198.51.100.1\n")
    before = stage.state()
    stage.apply()
    assert stage.settle("--registry=noop") == HELD
    assert stage.state() == before
