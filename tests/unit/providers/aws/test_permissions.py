"""Sample names and the principal of the permission check; `test_check_permissions` tests its results."""

from __future__ import annotations

import json
from fnmatch import fnmatchcase
from typing import Any

import pytest

from extdns import cli
from extdns.model.dns_name import DnsName
from providers.aws.iam_policy import PolicyScope, build_name_patterns
from providers.aws.permissions import find_principal, list_sample_names
from registry.txt.naming import Naming

ACCOUNT = "123456789012"
SESSION = f"arn:aws-cn:sts::{ACCOUNT}:assumed-role/extdns/pod"
PLAIN = f"arn:aws-cn:iam::{ACCOUNT}:role/extdns"
PATHED = f"arn:aws-cn:iam::{ACCOUNT}:role/dns/extdns"


@pytest.mark.parametrize(
    ("filters", "ownership_records", "excluded", "expected"),
    [
        pytest.param((), (), (), ["example.org", "extdns-check.example.org"], id="all"),
        pytest.param(("example.org",), (), (), ["example.org", "extdns-check.example.org"], id="the-zone"),
        pytest.param(("org",), (), (), ["example.org", "extdns-check.example.org"], id="above"),
        pytest.param((".example.org",), (), (), ["extdns-check.example.org"], id="below"),
        pytest.param(
            ("a.example.org", "example.net"),
            ("txt-a.example.org", "txt-example.net"),
            (),
            ["a.example.org", "extdns-check.a.example.org", "txt-a.example.org"],
            id="subdomain-and-ownership-names",
        ),
        pytest.param(("example.org",), (), (".example.org",), ["example.org"], id="excluded-names-below"),
        pytest.param(("myexample.org",), (), (), [], id="another"),
    ],
)
def test_the_names_checked_in_a_zone_cover_the_names_that_the_iam_policy_allows_there(
    filters: tuple[str, ...], ownership_records: tuple[str, ...], excluded: tuple[str, ...], expected: list[str]
) -> None:
    scope = PolicyScope(
        names=build_name_patterns(filters, ownership_records), excluded_names=build_name_patterns(excluded, ())
    )
    assert list(list_sample_names(scope, DnsName("example.org"))) == expected


@pytest.mark.parametrize(
    ("caller", "named", "expected"),
    [
        pytest.param(SESSION, (), PLAIN, id="without-a-path"),
        pytest.param(SESSION, (PATHED,), PATHED, id="named"),
        pytest.param(SESSION, (PATHED.replace(ACCOUNT, "1" * 12), f"{PLAIN}2"), PLAIN, id="named-others"),
        pytest.param(
            f"arn:aws:iam::{ACCOUNT}:user/ops/me", (PATHED,), f"arn:aws:iam::{ACCOUNT}:user/ops/me", id="user"
        ),
        pytest.param(f"arn:aws:iam::{ACCOUNT}:root", (), None, id="root"),
        pytest.param(f"arn:aws:sts::{ACCOUNT}:federated-user/me", (), None, id="federated"),
    ],
)
def test_the_permissions_of_a_session_are_those_of_the_role_it_assumed(
    caller: str, named: tuple[str, ...], expected: str | None
) -> None:
    assert find_principal(caller, named) == expected


# Test the IAM policies that `extdns iam-policy` prints


ID = "Z0123456789ABC"
NAMES = "route53:ChangeResourceRecordSetsNormalizedRecordNames"
TYPES = "route53:ChangeResourceRecordSetsRecordTypes"
ACTIONS = "route53:ChangeResourceRecordSetsActions"
PROVIDER = "arn:aws:iam::111122223333:oidc-provider/oidc.eks.eu-central-1.amazonaws.com/id/0123ABCD"


def print_policy(capsys: pytest.CaptureFixture[str], *flags: str, region: str = "") -> dict[str, Any]:
    """Run `extdns iam-policy` with *flags*, and return the statements of the printed policy by their id."""
    assert cli.main(["iam-policy", *flags], {"AWS_REGION": region}) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["Version"] == "2012-10-17"
    return {one["Sid"]: one for one in document["Statement"]}


def conditions(capsys: pytest.CaptureFixture[str], *flags: str) -> dict[str, Any]:
    found: dict[str, Any] = print_policy(capsys, *flags)["Change"]["Condition"]
    return found


def test_with_complete_zone_ids_the_printed_iam_policy_does_not_allow_listing_zones(
    capsys: pytest.CaptureFixture[str],
) -> None:
    found = print_policy(capsys, f"--zone-id-filter=/hostedzone/{ID}", region="us-gov-west-1")
    zone = [f"arn:aws-us-gov:route53:::hostedzone/{ID}"]
    assert {sid: (one["Action"], one["Resource"]) for sid, one in found.items()} == {
        "Find": (["route53:GetHostedZone"], zone),
        "Read": (["route53:ListResourceRecordSets"], zone),
        "Change": (["route53:ChangeResourceRecordSets"], zone),
    }


def test_with_partial_zone_ids_or_tags_the_printed_iam_policy_allows_listing_zones_and_tags(
    capsys: pytest.CaptureFixture[str],
) -> None:
    found = print_policy(capsys, "--zone-id-filter=ABC", "--aws-zone-tags=team=dns")
    assert (found["Find"]["Action"], found["Find"]["Resource"]) == (["route53:ListHostedZones"], ["*"])
    assert found["Read"]["Action"] == ["route53:ListResourceRecordSets", "route53:ListTagsForResources"]
    assert found["Read"]["Resource"] == ["arn:aws:route53:::hostedzone/*ABC"]


def test_without_filters_the_printed_iam_policy_allows_all_names(capsys: pytest.CaptureFixture[str]) -> None:
    assert conditions(capsys) == {
        "ForAllValues:StringEquals": {ACTIONS: ["CREATE", "DELETE"], TYPES: ["A", "AAAA", "CNAME", "TXT"]}
    }


def test_the_printed_iam_policy_allows_changes_of_managed_types_and_of_ownership_records(
    capsys: pytest.CaptureFixture[str],
) -> None:
    found = conditions(
        capsys, "--managed-record-types=CNAME", "--managed-record-types=MX", "--no-aws-conditional-writes"
    )
    equals = found["ForAllValues:StringEquals"]
    assert equals == {ACTIONS: ["CREATE", "DELETE", "UPSERT"], TYPES: ["A", "AAAA", "CNAME", "MX", "TXT"]}
    bare = conditions(capsys, "--managed-record-types=MX", "--registry=noop")
    assert bare["ForAllValues:StringEquals"][TYPES] == ["MX"]


@pytest.mark.parametrize(
    "flags",
    [
        pytest.param([], id="no-affix"),
        pytest.param(["--txt-prefix=%{record_type}-owner."], id="templated-prefix"),
        pytest.param(["--txt-prefix=x"], id="prefix"),
        pytest.param(["--txt-suffix=-mark"], id="suffix"),
    ],
)
def test_the_printed_iam_policy_allows_only_names_within_the_domain_filter_and_their_ownership_records(
    flags: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    found = conditions(capsys, "--domain-filter=apps.example.org", "--exclude-domains=in.apps.example.org", *flags)
    allowed, excluded = found["ForAllValues:StringLike"][NAMES], found["ForAllValues:StringNotLike"][NAMES]
    prefix = next((flag.partition("=")[2] for flag in flags if "prefix" in flag), "")
    suffix = next((flag.partition("=")[2] for flag in flags if "suffix" in flag), "")
    naming = Naming(prefix=prefix, suffix=suffix, wildcard_replacement="")

    def matches(name: str) -> bool:
        text = name.replace("*", r"\052")
        return any(fnmatchcase(text, one.replace("\\", "[\\]")) for one in allowed) and not any(
            fnmatchcase(text, one) for one in excluded
        )

    for text in ("apps.example.org", "web.apps.example.org", "*.apps.example.org"):
        name = DnsName(text)
        assert matches(name)
        for rtype in ("A", "AAAA", "CNAME"):
            assert all(
                matches(ownership_record) for _, ownership_record in naming.build_all_names(name, rtype, alias=True)
            )
    for other in (
        "example.org",
        "www.example.org",
        "evil-apps.example.org",
        "in.apps.example.org",
        "a.in.apps.example.org",
    ):
        assert not matches(other)


def test_with_a_regex_domain_filter_the_printed_iam_policy_does_not_restrict_names(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert "ForAllValues:StringLike" not in conditions(capsys, "--regex-domain-filter=^a", "--domain-filter=b.test")


def test_with_a_leading_dot_the_printed_iam_policy_allows_names_below_the_domain_but_not_the_domain(
    capsys: pytest.CaptureFixture[str],
) -> None:
    found = conditions(capsys, "--domain-filter=.example.org")
    assert found["ForAllValues:StringLike"][NAMES] == ["*.example.org"]


def test_special_characters_of_names_are_escaped_in_the_printed_iam_policy(capsys: pytest.CaptureFixture[str]) -> None:
    found = conditions(capsys, "--domain-filter=a!b.example.org", "--registry=noop")
    assert found["ForAllValues:StringLike"][NAMES] == [r"a\041b.example.org", r"*.a\041b.example.org"]


def test_the_printed_trust_policy_trusts_the_service_account_of_one_cluster(capsys: pytest.CaptureFixture[str]) -> None:
    found = print_policy(capsys, f"--trust={PROVIDER}", "--service-account=dns/extdns")["ServiceAccount"]
    assert found["Principal"] == {"Federated": PROVIDER}
    assert found["Condition"]["StringEquals"] == {
        "oidc.eks.eu-central-1.amazonaws.com/id/0123ABCD:aud": "sts.amazonaws.com",
        "oidc.eks.eu-central-1.amazonaws.com/id/0123ABCD:sub": "system:serviceaccount:dns:extdns",
    }
    pod = print_policy(capsys, "--trust=pod-identity", "--service-account=dns/extdns")["PodIdentity"]
    assert pod["Principal"] == {"Service": "pods.eks.amazonaws.com"}
    assert pod["Action"] == ["sts:AssumeRole", "sts:TagSession"]


def test_with_an_assumed_role_the_printed_iam_policy_of_the_pod_only_allows_assuming_that_role(
    capsys: pytest.CaptureFixture[str],
) -> None:
    role = "arn:aws:iam::111122223333:role/dns"
    found = print_policy(capsys, "--assume", f"--aws-assume-role={role}")
    assert found == {"Assume": {"Sid": "Assume", "Effect": "Allow", "Action": ["sts:AssumeRole"], "Resource": [role]}}


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        pytest.param(["--trust=x", "--service-account=a/b"], "--trust=x is not an OIDC provider", id="trust"),
        pytest.param(["--trust=pod-identity"], "--service-account= is not a service account", id="no-account"),
        pytest.param(
            ["--trust=pod-identity", "--service-account=\x1b"], "--service-account=\\x1b is not a", id="hostile"
        ),
        pytest.param(["--service-account=a/b"], "--trust= is not an OIDC provider", id="no-trust"),
        pytest.param(["--assume"], "--assume needs --aws-assume-role", id="assume"),
        pytest.param(["--zone-id=x"], "--zone-id is not a flag\n  did you mean: --zone-id-filter", id="flag"),
    ],
)
def test_invalid_arguments_of_iam_policy_exit_with_1(
    flags: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["iam-policy", *flags], {}) == 1
    assert capsys.readouterr().err.startswith(f"error: {message}")
