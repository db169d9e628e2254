"""Sample names and the principal of the permission check; `test_check_permissions` tests its results."""

from __future__ import annotations

import pytest

from extdns.model.dns_name import DnsName
from providers.aws.iam_policy import PolicyScope, build_name_patterns
from providers.aws.permissions import find_principal, list_sample_names

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
