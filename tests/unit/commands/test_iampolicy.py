"""`extdns iam-policy` refuses flags of other services, and flags that would give a policy that allows nothing."""

from __future__ import annotations

import json

import pytest

from extdns import cli


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        pytest.param(
            ["--provider=google"],
            "error: --provider=google needs no IAM policy\n"
            "  allowed: aws, or leave --provider out\n"
            "  for Cloud DNS grant roles/dns.admin on the project or on the zones\n",
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
