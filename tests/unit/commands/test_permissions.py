"""`extdns permissions` and `iam-policy` print what the provider needs, and refuse flags that allow nothing."""

from __future__ import annotations

import json

import pytest

from extdns import cli
from extdns.flags.specs import PROVIDER_SPECS


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        pytest.param(
            ["--provider=google"],
            "error: --provider=google is not aws\n"
            "  allowed: aws, or leave --provider out\n"
            "  what it needs: extdns permissions --provider=google\n",
            id="another-service",
        ),
        pytest.param(
            ["--zone-id-filter=example.org"],
            "error: --zone-id-filter=example.org is not the id of a hosted zone: it matches nothing\n"
            "  allowed: the id of a hosted zone, such as Z0123456789ABC, or its end; "
            "to select zones by name, use --domain-filter\n",
            id="a-name-as-id",
        ),
        pytest.param(
            ["--domain-filter=a.test,b.test", "--compat", "--policy=sync"],
            "error: --domain-filter=a.test,b.test is not a domain: it matches nothing\n"
            "  commas do not separate; write --domain-filter=a.test --domain-filter=b.test\n",
            id="also-under-compat",
        ),
    ],
)
def test_iam_policy_refuses_flags_from_which_no_usable_policy_can_be_made(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["iam-policy", *arguments], {}) == 1
    output = capsys.readouterr()
    assert (output.out, output.err) == ("", message)


def test_a_partial_zone_id_becomes_a_pattern_in_the_iam_policy(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["iam-policy", "--zone-id-filter=Z0123456789ABC", "--zone-id-filter=9XYZ"], {}) == 0
    (change,) = (one for one in json.loads(capsys.readouterr().out)["Statement"] if one["Sid"] == "Change")
    assert change["Resource"] == [
        "arn:aws:route53:::hostedzone/Z0123456789ABC",
        "arn:aws:route53:::hostedzone/*9XYZ",
    ]


@pytest.mark.parametrize(
    ("flags", "expected"),
    [
        pytest.param(
            ["--provider=aws-sd", "--aws-sd-create-tag=a=b"],
            ("servicediscovery:RegisterInstance", "servicediscovery:TagResource"),
            id="aws-sd",
        ),
        pytest.param(["--provider=cloudflare"], ("API token", "Zone: Read\nDNS: Edit"), id="cloudflare"),
        pytest.param(
            ["--provider=cloudflare", "--cloudflare-region-key=eu"], ("DNS: Edit\nfor regional services",), id="regions"
        ),
        pytest.param(
            ["--provider=cloudflare", "--cloudflare-custom-hostnames"],
            ("DNS: Edit\nSSL and Certificates: Edit",),
            id="custom-hostnames",
        ),
        pytest.param(["--provider=google"], ("roles/dns.admin", "dns.changes.create\n"), id="google"),
        pytest.param(
            ["--provider=azure"],
            ("DNS Zone Contributor", "dnsZones/all/read\n", "dnsZones/A/delete\n", "dnsZones/TXT/write\n"),
            id="azure",
        ),
        pytest.param(
            ["--provider=azure-private-dns"],
            ("Private DNS Zone Contributor", "privateDnsZones/ALL/read\n"),
            id="private",
        ),
        pytest.param(["--provider=rfc2136"], ("AXFR", "updates (RFC 2136) by the TSIG key"), id="key"),
        pytest.param(["--provider=rfc2136", "--rfc2136-insecure"], ("by the addresses of extdns",), id="insecure"),
        pytest.param(
            ["--provider=rfc2136", "--rfc2136-gss-tsig"],
            ("to the addresses of extdns", "by the Kerberos user of"),
            id="kerberos",
        ),
        pytest.param(["--provider=octodns"], ("--octodns-config",), id="octodns"),
        pytest.param(["--provider=webhook"], ("none: the webhook provider has",), id="webhook"),
        pytest.param(["--provider=zonefile"], ("--zonefile-dir",), id="zonefile"),
        pytest.param(["--provider=inmemory"], ("none:",), id="inmemory"),
    ],
)
def test_permissions_says_what_each_provider_needs_without_configuration(
    flags: list[str], expected: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["permissions", *flags], {}) == 0
    found = capsys.readouterr().out
    assert [text for text in expected if text not in found] == []


def test_permissions_of_aws_are_its_iam_policy(capsys: pytest.CaptureFixture[str]) -> None:
    filters, region = ["--domain-filter=example.org", "--zone-id-filter=Z0123456789ABC"], {"AWS_REGION": "cn-north-1"}
    assert cli.main(["permissions", "--provider=aws", *filters], region) == 0
    policy = capsys.readouterr().out
    assert cli.main(["iam-policy", *filters], region) == 0
    assert capsys.readouterr().out == policy
    assert "arn:aws-cn:" in policy


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        ([], f"no provider specified\n  give --provider; available: {', '.join(PROVIDER_SPECS.available)}"),
        (["--provider=ovh"], "--provider=ovh is not built in. Ways to it:"),
    ],
)
def test_permissions_needs_a_provider_that_there_is(
    flags: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["permissions", *flags], {}) == 1
    assert capsys.readouterr().err.startswith(f"error: {message}")


def test_with_registry_dynamodb_the_policy_has_the_table(capsys: pytest.CaptureFixture[str]) -> None:
    flags = ["--registry=dynamodb", "--dynamodb-table=owners"]
    assert cli.main(["iam-policy", *flags, "--dynamodb-region=eu-west-1"], {"AWS_REGION": "eu-central-1"}) == 0
    own = json.loads(capsys.readouterr().out)["Statement"][-1]
    assert own["Resource"] == ["arn:aws:dynamodb:eu-west-1:*:table/owners"]
    assert {"dynamodb:Scan", "dynamodb:PutItem", "dynamodb:DeleteItem"} <= set(own["Action"])
    assert cli.main(["permissions", "--provider=cloudflare", *flags], {"AWS_REGION": "eu-central-1"}) == 0
    text, _, policy = capsys.readouterr().out.partition("\nThe policy for --registry=dynamodb:\n")
    assert "API token" in text
    assert json.loads(policy)["Statement"] == [{**own, "Resource": ["arn:aws:dynamodb:eu-central-1:*:table/owners"]}]
