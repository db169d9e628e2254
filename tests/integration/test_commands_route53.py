"""Commands with Route 53: `iam-policy`, `adopt`, and `plan` on stored or unreadable zones."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.fakes.route53.server import Route53
from tests.objects import service
from tests.program.process import once
from tests.route53 import environ

NAMES = ("ChangeResourceRecordSetsNormalizedRecordNames", "ChangeResourceRecordSetsRecordTypes")
BALANCER = "one-1.eu-central-1.elb.amazonaws.com"
ONCE = ("--once", "--log-level=fatal", "--metrics-address=127.0.0.1:0")


@pytest.fixture
def fake() -> Iterator[Route53]:
    with Route53() as running:
        yield running


@pytest.fixture
def zone_id(fake: Route53) -> str:
    """Create a zone with two records that people made, an A record and an alias of a load balancer. Return its id."""
    alias = {"HostedZoneId": "Z215JYRZR1TBD5", "DNSName": f"{BALANCER}.", "EvaluateTargetHealth": True}
    by_hand = {"Name": "hand.example.org", "Type": "A", "TTL": 1234, "ResourceRecords": ["192.0.2.1"]}
    return fake.add_zone(
        "example.org",
        zone_id="Z0123456789ABC",
        records=[by_hand, {"Name": "lb.example.org", "Type": "A", "AliasTarget": alias}],
    )


def run(fake: Route53, folder: Path, *arguments: str, hosts: Sequence[str] = ()) -> tuple[int, str]:
    """Run a command that reads one Service for each name in *hosts*. Return exit code and standard output."""
    objects = [service(f"s{at}", host) for at, host in enumerate(hosts)]
    objects.append(service("lb", "lb.example.org", address=BALANCER))
    (folder / "all.json").write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": objects}))
    flags = ("--source=service", "--provider=aws", "--txt-owner-id=me", f"--manifests={folder / 'all.json'}")
    ended = once(*arguments, *flags, env=environ(fake))
    assert ended.stderr == "", ended.stderr
    return ended.returncode, ended.stdout


def grant(fake: Route53, policy: dict[str, Any], zone_id: str) -> None:
    """Make the fake Route 53 allow exactly what the IAM *policy* allows."""
    allowed = {action.partition(":")[2] for one in policy["Statement"] for action in one["Action"]}
    for action in {"ListHostedZones", "GetHostedZone", "ListTagsForResources"} - allowed:
        fake.access.deny(action)
    (change,) = (one for one in policy["Statement"] if one["Sid"] == "Change")
    assert change["Resource"] == [f"arn:aws:route53:::hostedzone/{zone_id}"]
    like, equals = change["Condition"]["ForAllValues:StringLike"], change["Condition"]["ForAllValues:StringEquals"]
    fake.access.allow(
        "ChangeResourceRecordSets",
        zone_id=zone_id,
        names=like[f"route53:{NAMES[0]}"],
        types=equals[f"route53:{NAMES[1]}"],
        actions=equals["route53:ChangeResourceRecordSetsActions"],
    )


def test_the_iam_policy_that_extdns_prints_allows_changes_of_names_within_its_filters_and_of_no_others(
    fake: Route53, zone_id: str, tmp_path: Path
) -> None:
    parent = "--aws-zone-match-parent"
    scope = (f"--zone-id-filter={zone_id}", "--domain-filter=apps.example.org", parent)
    grant(fake, json.loads(once("iam-policy", *scope).stdout), zone_id)
    hosts = ("apps.example.org", "web.apps.example.org", "*.any.apps.example.org")
    done = run(fake, tmp_path, *ONCE, *scope, hosts=hosts)
    assert done == (0, "")
    written = {record.name for record in fake.records(zone_id)}
    assert {"apps.example.org.", "web.apps.example.org.", r"\052.any.apps.example.org."} <= written
    assert run(fake, tmp_path, *ONCE, *scope, hosts=hosts[:1])[0] == 0  # this run also deletes
    assert "web.apps.example.org." not in {record.name for record in fake.records(zone_id)}
    wider = (scope[0], "--domain-filter=example.org", parent)
    assert run(fake, tmp_path, *ONCE, *wider, hosts=["other.example.org"])[0] == 1


def test_adopt_adds_ownership_records_and_leaves_records_and_aliases_unchanged(
    fake: Route53, zone_id: str, tmp_path: Path
) -> None:
    before = fake.shown(zone_id)
    code, output = run(fake, tmp_path, "adopt", "--yes", hosts=["hand.example.org"])
    assert (code, output.splitlines()[-1]) == (0, "2 records adopted. Only ownership records were written.")
    after = fake.shown(zone_id)
    assert [one for one in after if one in before] == before
    new = [one for one in after if one not in before]
    assert {one["Type"] for one in new} == {"TXT"}
    assert sorted(one["Name"] for one in new) == ["a-hand.example.org.", "a-lb.example.org."]


def test_commands_report_a_zone_that_cannot_be_read_as_unknown_instead_of_empty(
    fake: Route53, zone_id: str, tmp_path: Path
) -> None:
    hosts = ("same.example.org", "gone.example.org")
    (tmp_path / "before").mkdir()
    assert run(fake, tmp_path / "before", *ONCE, hosts=hosts)[0] == 0
    fake.access.deny("ListResourceRecordSets")

    def output(*arguments: str, names: Sequence[str] = hosts) -> list[str]:
        code, text = run(fake, tmp_path, *arguments, "--log-level=fatal", hosts=names)
        assert code == 1
        return text.splitlines()

    plan = output("plan", f"--base={tmp_path / 'before'}", names=("same.example.org", "new.example.org"))
    assert plan[:3] == [
        f"Zone example.org ({zone_id}, aws)",
        "",
        "  ! A  new.example.org  not known  Service shop/s1: annotation hostname  [zone-unread]",
    ]
    assert plan[-1] == "0 to create, 0 to update, 0 to delete, 1 not known."
    (unread,) = (line for line in plan if line.startswith("INCOMPLETE: "))
    assert unread.startswith(f"INCOMPLETE: zone example.org ({zone_id}) cannot be read: ")
    assert output("migrate") == [
        "All flags are understood.",
        "",
        'Read: owner "me"; no zone was read; 3 requested names; 0 records, 0 ours, 0 of other owners',
        "",
        unread,
        "The first pass of extdns changes nothing, as far as could be read.",
    ]
    assert not [line for line in output("check") if line.startswith(f"ok       zone example.org ({zone_id})")]
    owners = output("owners")
    assert (owners[0], owners[-1]) == (unread, "0 orphans, 0 stray ownership records, as far as could be read.")
