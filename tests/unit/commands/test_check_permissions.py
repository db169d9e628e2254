"""`extdns check` and the permission to change zones, as Cloud DNS and IAM report it."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from extdns import cli
from tests.fakes.clouddns.server import PROJECT, CloudDns
from tests.fakes.cloudmap.server import CloudMap
from tests.fakes.iam.server import Iam
from tests.fakes.route53.server import Route53
from tests.fakes.service.answers import Answer
from tests.fakes.service.faults import Refuse
from tests.fakes.service.listener import Request
from tests.fakes.service.server import FakeService
from tests.objects import service
from tests.route53 import environ

RECORDS = "dns.resourceRecordSets"
TEST = "managedZones.testIamPermissions"


@pytest.fixture
def manifests(tmp_path: Path) -> str:
    path = tmp_path / "web.json"
    path.write_text(json.dumps(service("web", "web.example.org")))
    return str(path)


@pytest.fixture
def google() -> Iterator[CloudDns]:
    with CloudDns() as fake:
        fake.add_zone("example.org", name="main")
        fake.add_zone("example.net", name="other")
        yield fake


def check_google(fake: CloudDns, manifests: str) -> int:
    where = (f"--google-api-endpoint={fake.url}", f"--google-project={PROJECT}", "--provider=google")
    return cli.main(["check", *where, "--source=service", "--txt-owner-id=me", f"--manifests={manifests}"], {})


def test_check_reports_the_cloud_dns_permissions_of_each_zone(
    google: CloudDns, manifests: str, capsys: pytest.CaptureFixture[str]
) -> None:
    google.api.missing["other"] = {f"{RECORDS}.delete", f"{RECORDS}.update"}
    assert check_google(google, manifests) == 1
    assert capsys.readouterr().out.splitlines()[-7:] == [
        f"missing  permission to change zone example.net (other): {RECORDS}.delete, {RECORDS}.update not granted",
        "         grant roles/dns.admin, or a role with these permissions, on the project or on the zone",
        "ok       permission to change zone example.org (main): as testIamPermissions reports",
        "",
        f'Answered by this command, in one pass, owner "me", files {manifests}',
        "",
        "1 thing missing.",
    ]
    assert {call.action for call in google.log.calls()} == {
        "projects.get",
        "managedZones.list",
        "resourceRecordSets.list",
        TEST,
    }


def test_check_reports_permissions_as_unknown_if_cloud_dns_does_not_answer(
    google: CloudDns, manifests: str, capsys: pytest.CaptureFixture[str]
) -> None:
    google.denied.add(TEST)
    google.faults.arm(Refuse(503, "backendError", "Backend Error"), action=TEST)
    assert check_google(google, manifests) == 0
    output = capsys.readouterr().out
    assert f"unknown  permission to change zone example.net (other): dns.{TEST} on zone example.net (other): " in output
    assert (
        f"unknown  permission to change zone example.org (main): dns.{TEST} on zone example.org (main): forbidden"
        in output
    )
    assert output.endswith("\nNothing is known to be missing, but 2 things are unknown.\n")


ACCOUNT = "123456789012"
ARN = f"arn:aws:servicediscovery:eu-central-1:{ACCOUNT}"
POD = f"arn:aws:sts::{ACCOUNT}:assumed-role/extdns/pod"
ROLE = f"arn:aws:iam::{ACCOUNT}:role/extdns"
ZONE = "Z0123456789ABC"
MAY_SIMULATE = {"Statement": [{"Effect": "Allow", "Action": "iam:SimulatePrincipalPolicy", "Resource": ROLE}]}


class Aws:
    """A fake Route 53 with one zone, and a fake IAM in which a pod has a role."""

    def __init__(self, zones: Route53, iam: Iam, manifests: str) -> None:
        self.zones = zones
        self.iam = iam
        self._flags = ("--provider=aws", "--source=service", "--txt-owner-id=me", f"--manifests={manifests}")

    def check(self, *flags: str) -> int:
        return cli.main(["check", *flags, *self._flags], {})

    def grant(self, capsys: pytest.CaptureFixture[str], *flags: str, role: str = ROLE) -> Mapping[str, Any]:
        """Grant *role* the printed policy, and the permission to simulate it. Return the policy."""
        assert cli.main(["iam-policy", *flags], {}) == 0
        policy: Mapping[str, Any] = json.loads(capsys.readouterr().out)
        self.iam.policies[role] = [policy, {"Statement": [{**MAY_SIMULATE["Statement"][0], "Resource": role}]}]
        return policy


@pytest.fixture
def aws(manifests: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Aws]:
    for name in [name for name in os.environ if name.startswith("AWS_")]:
        monkeypatch.delenv(name)
    with Route53() as zones, Iam() as iam:
        zones.add_zone("example.org", zone_id=ZONE)
        iam.callers["AKIDTEST"] = POD
        endpoints = {"AWS_ENDPOINT_URL_IAM": iam.url, "AWS_ENDPOINT_URL_STS": iam.url}
        for name, value in (environ(zones) | endpoints).items():
            monkeypatch.setenv(name, value)
        yield Aws(zones, iam, manifests)


PERMISSION = f"permission to change zone example.org ({ZONE}): "


@pytest.mark.parametrize(
    "flags",
    [
        pytest.param((), id="no-filter"),
        pytest.param((f"--zone-id-filter={ZONE}", "--domain-filter=example.org"), id="the-zone"),
        pytest.param(("--domain-filter=example.org", "--exclude-domains=out.example.org"), id="excluded-domain"),
        pytest.param(("--domain-filter=org", "--regex-domain-exclusion=^x"), id="a-pattern"),
        pytest.param(
            ("--aws-zone-match-parent", "--domain-filter=a'b.example.org", "--domain-filter=example.net"),
            id="zone-below-a-domain-filter",
        ),
        pytest.param(("--registry=noop", "--managed-record-types=A", "--no-aws-conditional-writes"), id="types"),
    ],
)
def test_the_iam_policy_that_extdns_prints_passes_the_permission_check_of_extdns(
    aws: Aws, flags: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    aws.grant(capsys, *flags)
    aws.iam.truncates = True
    assert aws.check(*flags) == 0
    output = capsys.readouterr().out
    assert f"ok       {PERMISSION}according to a simulation of the policies of {ROLE}\n" in output
    assert {action for action, _ in aws.iam.log} == {"GetCallerIdentity", "SimulatePrincipalPolicy"}
    assert not [call for call in aws.zones.log.calls() if call.action == "ChangeResourceRecordSets"]


@pytest.mark.parametrize(
    ("granted", "used", "missing"),
    [
        pytest.param(("--managed-record-types=A",), (), "CREATE, DELETE of A, AAAA, CNAME, TXT", id="types"),
        pytest.param(
            (), ("--no-aws-conditional-writes",), "CREATE, DELETE, UPSERT of A, AAAA, CNAME, TXT", id="upsert"
        ),
        pytest.param(("--domain-filter=.example.org",), (), "at example.org, extdns-check.example.org", id="apex"),
        pytest.param(("--zone-id-filter=ZOTHER00000",), (), "no policy allows", id="another-zone"),
    ],
)
def test_check_reports_what_an_insufficient_iam_policy_does_not_allow(
    aws: Aws, granted: tuple[str, ...], used: tuple[str, ...], missing: str, capsys: pytest.CaptureFixture[str]
) -> None:
    aws.grant(capsys, *granted)
    assert aws.check(*used) == 1
    output = capsys.readouterr().out
    (line,) = (line for line in output.splitlines() if PERMISSION in line)
    assert line.startswith(f"missing  {PERMISSION}no policy allows {ROLE} CREATE, DELETE")
    assert missing in line
    assert "         the policy that allows it: extdns iam-policy [flags]\n" in output


def statement(effect: str, **condition: object) -> dict[str, Any]:
    return {"Statement": [{"Effect": effect, "Action": "route53:*", "Resource": "*", "Condition": condition}]}


def test_check_reports_whether_a_policy_of_the_role_or_of_the_organization_denies_the_permission(
    aws: Aws, capsys: pytest.CaptureFixture[str]
) -> None:
    policy = aws.grant(capsys)
    aws.iam.policies[ROLE] = [policy, MAY_SIMULATE, statement("Deny")]
    assert aws.check() == 1
    assert f"missing  {PERMISSION}a policy denies {ROLE} CREATE" in capsys.readouterr().out
    aws.iam.policies[ROLE] = [policy, MAY_SIMULATE]
    aws.iam.organization = [MAY_SIMULATE]
    assert aws.check() == 0
    assert f"unknown  {PERMISSION}policies of the organization deny {ROLE} CREATE" in capsys.readouterr().out


def test_a_permission_is_unknown_if_iam_cannot_simulate_a_condition_of_an_iam_policy(
    aws: Aws, capsys: pytest.CaptureFixture[str]
) -> None:
    network = {"aws:SourceVpc": "vpc-1"}
    aws.iam.policies[ROLE] = [aws.grant(capsys), MAY_SIMULATE, statement("Deny", StringNotEquals=network)]
    assert aws.check() == 0
    words = f"the policies of {ROLE} depend on aws:SourceVpc, which a simulation cannot evaluate"
    assert f"unknown  {PERMISSION}{words}\n" in capsys.readouterr().out


def test_check_reports_the_missing_permission_to_simulate_iam_policies(
    aws: Aws, capsys: pytest.CaptureFixture[str]
) -> None:
    aws.iam.policies[ROLE] = [aws.grant(capsys)]
    assert aws.check() == 0
    assert f"unknown  {PERMISSION}iam:SimulatePrincipalPolicy on {ROLE} is not granted" in capsys.readouterr().out


PATHED = f"arn:aws:iam::{ACCOUNT}:role/dns/extdns"


def test_the_permissions_of_an_iam_role_with_a_path_can_be_checked_only_with_its_full_arn(
    aws: Aws, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    aws.grant(capsys, role=PATHED)
    aws.iam.policies[PATHED] = [*aws.iam.policies[PATHED], MAY_SIMULATE]
    assert aws.check() == 0
    assert f"unknown  {PERMISSION}IAM does not know {ROLE}; the role may have a path" in capsys.readouterr().out
    monkeypatch.setenv("AWS_ROLE_ARN", PATHED)
    assert aws.check() == 0
    assert f"ok       {PERMISSION}according to a simulation of the policies of {PATHED}\n" in capsys.readouterr().out
    monkeypatch.delenv("AWS_ROLE_ARN")
    assert aws.check(f"--aws-assume-role={PATHED}") == 0
    assert f"ok       {PERMISSION}according to a simulation of the policies of {PATHED}\n" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("caller", "words"),
    [
        pytest.param(f"arn:aws:iam::{ACCOUNT}:root", "IAM simulates only the policies of users and roles", id="root"),
        pytest.param("", "sts:GetCallerIdentity: InvalidClientTokenId", id="unknown-caller"),
    ],
)
def test_the_permissions_of_a_caller_that_iam_cannot_simulate_are_unknown(
    aws: Aws, caller: str, words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    aws.iam.callers["AKIDTEST"] = caller
    assert aws.check() == 0
    assert f"unknown  {PERMISSION}{words}" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("denied", "on", "found"),
    [
        (None, "", "ok       {}according to a simulation of the policies of {}"),
        ("servicediscovery:CreateService", "namespace/ns-1", "missing  {}a policy denies {} {} on {}"),
        ("servicediscovery:TagResource", "service/srv-extdns-check", "missing  {}a policy denies {} {} on {}"),
        ("route53:ChangeResourceRecordSets", "hostedzone/Z0NS-1", "missing  {}a policy denies {} {} on {}"),
    ],
    ids=["printed", "namespace", "service", "zone"],
)
def test_check_reports_whether_the_printed_policy_allows_to_change_a_namespace(
    aws: Aws,
    manifests: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    denied: str | None,
    on: str,
    found: str,
) -> None:
    with CloudMap() as fake:
        fake.add_namespace("example.org")
        monkeypatch.setenv("AWS_ENDPOINT_URL_SERVICEDISCOVERY", fake.url)
        flags = ("--provider=aws-sd", "--aws-sd-create-tag=team=shop")
        assert cli.main(["permissions", *flags], {}) == 0
        policy = json.loads(capsys.readouterr().out)
        deny = {"Effect": "Deny", "Action": denied, "Resource": f"*{on}"}
        aws.iam.policies[ROLE] = [policy, MAY_SIMULATE, *([{"Statement": [deny]}] if denied else [])]
        inputs = ("--source=service", "--txt-owner-id=me", f"--manifests={manifests}")
        assert cli.main(["check", *flags, *inputs], {}) == (1 if denied else 0)
        service = f"arn:aws:route53:::{on}" if "route53" in str(denied) else f"{ARN}:{on}"
        line = found.format("permission to change zone example.org (ns-1): ", ROLE, denied, service)
        assert line in capsys.readouterr().out.splitlines()


class Table(FakeService):
    """A table of DynamoDB without items, whose transactions are answered with an *error* of this code."""

    def __init__(self, error: str) -> None:
        super().__init__()
        self.error = error
        self.written: list[str] = []

    def _respond(self, request: Request) -> Answer:
        keys = [{"AttributeName": "k", "AttributeType": "S", "KeyType": "HASH"}]
        match request.headers["x-amz-target"].partition(".")[2]:
            case "DescribeTable":
                body: dict[str, Any] = {"Table": {"AttributeDefinitions": keys, "KeySchema": keys}}
            case "Scan":
                body = {"Items": []}
            case _:
                actions = json.loads(request.body)["TransactItems"]
                self.written = [next(iter(one)) for one in actions]
                reasons = [{"Code": "ConditionalCheckFailed"} for _ in actions]
                body = {"__type": self.error, "Message": "no", "CancellationReasons": reasons}
        return Answer(status=400 if "__type" in body else 200, body=json.dumps(body).encode())


@pytest.mark.parametrize(
    ("error", "code", "found"),
    [
        ("TransactionCanceledException", 0, "ok       {}according to a transaction that is always cancelled"),
        (
            "AccessDeniedException",
            1,
            "missing  {}dynamodb:TransactWriteItems on table names: AccessDeniedException: no",
        ),
        ("InternalServerError", 0, "unknown  {}dynamodb:TransactWriteItems on table names: InternalServerError: no"),
    ],
    ids=["granted", "denied", "unknown"],
)
def test_check_reports_whether_the_table_of_the_registry_can_be_written(
    aws: Aws, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, error: str, code: int, found: str
) -> None:
    aws.grant(capsys)
    with Table(error) as table:
        monkeypatch.setenv("AWS_ENDPOINT_URL_DYNAMODB", table.url)
        assert aws.check("--registry=dynamodb", "--dynamodb-table=names") == code
    assert table.written == ["Put", "Delete", "ConditionCheck"]
    assert found.format("permission to change table names: ") in capsys.readouterr().out.splitlines()
