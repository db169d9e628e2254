"""`extdns adopt`: records without an owner that equal a request become ours; only ownership records are written."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest

from extdns import cli
from extdns.documents.migration import AdoptionDocument
from tests.objects import service, services
from tests.program.installation import Installation

BLUE = '"heritage=external-dns,external-dns/owner=blue"'


@pytest.fixture
def installation(tmp_path: Path) -> Installation:
    """Create records that equal a request but for the TTL, have another target, or have an owner."""
    found = Installation(
        tmp_path,
        example_org=(
            "www 900 IN A 192.0.2.1\nother IN A 192.0.2.99\nblue IN A 192.0.2.1\n"
            f"a-blue IN TXT {BLUE}\ntaken IN A 192.0.2.1\na-taken IN TXT text\n"
        ),
    )
    names = ("www", "other", "blue", "taken", "new")
    found.replace_manifests(*(service(name, f"{name}.example.org") for name in names))
    return found


def adopt(installation: Installation, *more: str, owner: str = "me") -> int:
    return cli.main(["adopt", *installation.flags(*more, owner=owner)], {})


HEADING = "Zone example.org (example.org.zone, zonefile)  6 records, 0 ours\n\n"
CANNOT = "  ! A  taken.example.org  kept       Service shop/taken: annotation hostname  [no-ownership-name]\n"
DETAIL = "       TXT a-taken.example.org already exists, so TXT a-taken.example.org cannot be written\n"
CAN = "  · A  www.example.org    192.0.2.1  Service shop/www: annotation hostname\n"


def test_adopt_writes_only_ownership_records(
    installation: Installation, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    by_hand = installation.zones.text()
    state = tmp_path / "state"
    assert adopt(installation, "--yes", f"--state-file={state}") == 1
    assert capsys.readouterr().out == (
        f"{HEADING}{CANNOT}{DETAIL}{CAN}\n1 record could not be adopted.\n"
        "1 record adopted. Only ownership records were written.\n"
    )
    manual, _, ours = installation.zones.text().partition("; BEGIN extdns")
    assert manual.replace(" 2026", "").splitlines()[3:] == by_hand.splitlines()[3:]
    assert [line.split()[0] for line in ours.splitlines()[1:-1]] == ["a-www.example.org."]
    assert not state.exists()


@pytest.mark.parametrize(
    "others",
    [
        pytest.param({}, id="the-same"),
        pytest.param({"address": "192.0.2.9"}, id="another-address"),
        pytest.param({"address": None}, id="no-address"),
        pytest.param({"address": "lb.example.com"}, id="cname"),
    ],
)
def test_a_record_whose_name_objects_of_several_namespaces_request_is_not_adopted(
    installation: Installation, capsys: pytest.CaptureFixture[str], others: dict[str, Any]
) -> None:
    younger = service("www", "www.example.org", namespace="shop", created="2026-01-05T00:00:00Z", **others)
    installation.replace_manifests(service("www", "www.example.org", namespace="other"), younger)
    assert adopt(installation, "--yes") == 1
    assert "objects of several namespaces request the name: other, shop" in capsys.readouterr().out
    assert "a-www" not in installation.zones.text()


def test_a_second_adopt_finds_nothing_because_adopted_records_are_ours(
    installation: Installation, capsys: pytest.CaptureFixture[str]
) -> None:
    installation.replace_manifests(service("www", "www.example.org"))
    assert adopt(installation, "--yes") == 0
    assert adopt(installation) == 0
    assert capsys.readouterr().out.endswith(
        "Nothing to adopt: no record without an owner is exactly as an object requests.\n"
    )
    installation.replace_manifests(service("new", "new.example.org"))
    assert installation.run_once() == 0
    assert "www" not in installation.zones.text()


def test_adopt_writes_the_ownership_record_of_the_name_of_a_zone_inside_the_zone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    installation = Installation(tmp_path, example_org="@ IN A 192.0.2.1\n")
    installation.replace_manifests(service("apex", "example.org"))
    assert adopt(installation, "--yes") == 0
    capsys.readouterr()
    assert cli.main(["owners", *installation.flags()], {}) == 0
    found = capsys.readouterr().out
    assert found.startswith("Zone example.org (example.org.zone)  2 records, 1 ours\n")
    assert found.endswith("0 orphans, 0 stray ownership records.\n")


def test_adopt_prints_json(installation: Installation, capsys: pytest.CaptureFixture[str]) -> None:
    assert adopt(installation, "--output=json") == 1
    document = msgspec.json.decode(capsys.readouterr().out, type=AdoptionDocument)
    assert [one.name for one in document.records] == ["www.example.org"]
    assert [(one.name, one.reason) for one in document.refused] == [("taken.example.org", "no-ownership-name")]
    assert (document.taken, document.owner) == (False, "me")


def test_adopt_writes_nothing_while_a_manifest_cannot_be_read(
    installation: Installation, capsys: pytest.CaptureFixture[str]
) -> None:
    installation.replace_manifests(service("www", "www.example.org"))
    (installation.manifests / "broken.yaml").write_text("kind: [")
    before = installation.zones.contents()
    assert adopt(installation, "--yes") == 1
    assert installation.zones.contents() == before
    output = capsys.readouterr().out
    assert "\nINCOMPLETE: " in output
    assert output.endswith("\n1 record can be adopted; nothing is written until everything can be read.\n")
    assert adopt(installation) == 1
    assert capsys.readouterr().out == output


def test_the_create_only_policy_forbids_adoption(
    installation: Installation, capsys: pytest.CaptureFixture[str]
) -> None:
    before = installation.zones.contents()
    for yes, cannot in (((), "cannot"), (("--yes",), "could not")):
        assert adopt(installation, "--policy=create-only", *yes) == 1
        output = capsys.readouterr().out
        assert output.count("[policy-keeps]") == 2
        assert output.endswith(f"\n\n2 records {cannot} be adopted.\n")
    assert installation.zones.contents() == before


@pytest.mark.parametrize("flags", [["--registry=noop"], ["--txt-owner-id="]])
def test_adopt_is_refused_with_the_noop_registry_or_an_empty_owner_id(
    installation: Installation, flags: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = [
        "--source=service",
        "--provider=zonefile",
        f"--zonefile-dir={installation.zones.folder}",
        "--manifests=x",
    ]
    assert cli.main(["adopt", *arguments, *flags], {}) == 1
    assert capsys.readouterr().err.startswith("error: ")


@pytest.mark.parametrize(
    ("flag", "message"),
    [
        pytest.param("--dry-run", "error: --yes writes, and --dry-run forbids it\n", id="dry-run"),
        pytest.param("--manifests=-", "error: extdns adopt reads the objects several times", id="stdin"),
    ],
)
def test_adopt_refuses_dry_run_and_standard_input(
    installation: Installation, flag: str, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    before = installation.zones.contents()
    assert adopt(installation, "--yes", flag) == 1
    assert installation.zones.contents() == before
    assert capsys.readouterr().err.startswith(message)


OTHER = '"heritage=external-dns,external-dns/owner=me,external-dns/resource=service/shop/www"'
ENCRYPTED = f'"{"QUJD" * 24}"'


@pytest.mark.parametrize(
    ("name", "text"),
    [
        pytest.param("edns-a-www", OTHER, id="prefix"),
        pytest.param(
            "x",
            OTHER.replace("service", "x").replace("owner=", "ownedRecord=www.example.org,external-dns/owner="),
            id="stated",
        ),
        pytest.param("edns-a-www", f'{OTHER} "more"', id="several-strings"),
    ],
)
def test_a_record_that_an_ownership_record_with_another_prefix_or_suffix_may_cover_is_not_adopted(
    installation: Installation, capsys: pytest.CaptureFixture[str], name: str, text: str
) -> None:
    installation.replace_manifests(service("www", "www.example.org"))
    zone = next(installation.zones.folder.iterdir())
    zone.write_text(zone.read_text() + f"{name} IN TXT {text}\n")
    before = installation.zones.text()
    assert adopt(installation, "--yes", owner="thief") == 1
    assert installation.zones.text() == before
    output = capsys.readouterr().out
    assert "[owned-by-other]" in output
    assert (
        f'TXT {name}.example.org, an ownership record of "me", may cover the record with another prefix or suffix'
        in output
    )


@pytest.mark.parametrize("name", ["edns-a-www", "a-www"])
def test_a_record_with_an_encrypted_ownership_record_is_not_adopted(
    installation: Installation, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    installation.replace_manifests(service("www", "www.example.org"))
    zone = next(installation.zones.folder.iterdir())
    zone.write_text(zone.read_text() + f"{name} IN TXT {ENCRYPTED}\n")
    before = installation.zones.text()
    assert adopt(installation, "--yes") == (1 if name != "a-www" else 0)
    assert installation.zones.text() == before
    if name != "a-www":
        assert f"TXT {name}.example.org looks like the record's ownership record, encrypted" in capsys.readouterr().out


@pytest.mark.parametrize(
    "line",
    [
        pytest.param(f"edns-a-api IN TXT {OTHER}", id="another-name"),
        pytest.param(f"a-www.sub IN TXT {OTHER}\nwww.sub IN A 192.0.2.9", id="of-another-current-name"),
        pytest.param(f"txt-www IN TXT {OTHER}\nwww IN TXT text", id="of-another-current-type"),
        pytest.param(
            f"edns-www IN TXT {OTHER.replace('owner=', 'ownedRecord=api.example.org,external-dns/owner=')}", id="stated"
        ),
    ],
)
def test_ownership_records_that_cover_another_record_do_not_prevent_adoption(
    installation: Installation, line: str
) -> None:
    installation.replace_manifests(service("www", "www.example.org"))
    zone = next(installation.zones.folder.iterdir())
    zone.write_text(f"{zone.read_text()}{line}\n")
    assert adopt(installation, "--yes") == 0


KEYS = [f"--txt-encrypt-aes-key={letter * 32}" for letter in "abc"]


def test_a_key_is_rotated_without_losing_a_record(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    installation = Installation(tmp_path, example_org="")

    def adopt_all(*flags: str) -> int:
        return adopt(installation, "--txt-encrypt-enabled", "--re-encrypt", *flags)

    installation.replace_manifests(*services(("www", "api", "old")))
    assert installation.run_once() == 0  # in plain text
    for keys in (KEYS[:1], [KEYS[1], KEYS[0]]):  # from plain text, and then from one key, to another
        before = installation.zones.text()
        assert adopt_all(*keys) == 2
        assert installation.zones.text() == before
        command = capsys.readouterr().out.splitlines()[-1]
        assert command.startswith(
            "3 records can be re-encrypted. To re-encrypt them: extdns adopt --re-encrypt --yes --manifests="
        )
        assert command.endswith(" --txt-encrypt-aes-key=******")
        assert adopt_all(*keys, "--yes") == 0
        assert adopt_all(keys[0]) == 0  # the first key is enough
        assert capsys.readouterr().out.endswith(
            "Nothing to re-encrypt: all ownership records of ours are encrypted with the first key.\n"
        )
        assert "heritage" not in installation.zones.text()
    installation.replace_manifests(service("www", address="192.0.2.7"), service("api"))
    assert installation.run_once("--txt-encrypt-enabled", KEYS[2], KEYS[1]) == 0  # changes one record, deletes another
    assert "old" not in installation.zones.text()
    assert adopt_all(KEYS[2], KEYS[1]) == 2
    assert "1 record can be re-encrypted." in capsys.readouterr().out


def test_an_orphan_keeps_its_key_until_a_pass_deletes_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    installation, encrypts = Installation(tmp_path, example_org=""), "--txt-encrypt-enabled"
    installation.replace_manifests(*services(("www", "gone")))
    assert installation.run_once(encrypts, KEYS[0]) == 0
    installation.replace_manifests(service("www"))
    assert adopt(installation, encrypts, "--re-encrypt", "--yes", KEYS[1], KEYS[0]) == 1
    assert "gone.example.org" in capsys.readouterr().out
    before = installation.zones.text()
    assert installation.run_once(encrypts, KEYS[1]) == 0  # the old key was removed too early
    assert installation.zones.text() == before
    assert installation.run_once(encrypts, KEYS[1], KEYS[0]) == 0
    assert "gone" not in installation.zones.text()
    assert adopt(installation, encrypts, "--re-encrypt", KEYS[1]) == 0


def test_re_encryption_without_encryption_is_refused(
    installation: Installation, capsys: pytest.CaptureFixture[str]
) -> None:
    assert adopt(installation, "--re-encrypt", "--yes", KEYS[0]) == 1
    assert "give --txt-encrypt-enabled" in capsys.readouterr().err
