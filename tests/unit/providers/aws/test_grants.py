"""What is asked about in a zone, and whose policies are simulated; what comes of it is in `test_check_rights`."""

from __future__ import annotations

import pytest

from extdns.model.name import DnsName
from providers.aws.grants import probes
from providers.aws.identity import principal_of
from providers.aws.rights import Scope, patterns

ACCOUNT = "123456789012"
SESSION = f"arn:aws-cn:sts::{ACCOUNT}:assumed-role/extdns/pod"
PLAIN = f"arn:aws-cn:iam::{ACCOUNT}:role/extdns"
PATHED = f"arn:aws-cn:iam::{ACCOUNT}:role/dns/extdns"


@pytest.mark.parametrize(
    ("filters", "marks", "spared", "expected"),
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
            id="a-part-with-its-marks",
        ),
        pytest.param(("example.org",), (), (".example.org",), ["example.org"], id="spared"),
        pytest.param(("myexample.org",), (), (), [], id="another"),
    ],
)
def test_names_stand_for_what_is_needed_in_the_zone(
    filters: tuple[str, ...], marks: tuple[str, ...], spared: tuple[str, ...], expected: list[str]
) -> None:
    scope = Scope(names=patterns(filters, marks), spared=patterns(spared, ()))
    assert list(probes(scope, DnsName("example.org"))) == expected


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
def test_a_session_has_the_policies_of_its_role(caller: str, named: tuple[str, ...], expected: str | None) -> None:
    assert principal_of(caller, named) == expected
