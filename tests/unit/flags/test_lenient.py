"""Values without effect: our own flags refuse them, flags of external-dns accept them with a warning."""

from __future__ import annotations

from typing import Final

import pytest

from extdns.config import parse
from extdns.errors import UsageError
from extdns.flags.table import FLAGS

START: Final = ["--source=service", "--source=ingress", "--provider=inmemory", "--manifests=-"]
AWS: Final = ["--source=service", "--provider=aws", "--manifests=-"]


def list_messages(text: str) -> list[tuple[str, str]]:
    """Return each message in *text*, after an empty line, with the argument by which it begins."""
    return [(message.partition(" is not ")[0], message) for message in text.strip("\n").split("\n\n")]


REFUSED: Final = """\
--max-delete-percent=300 is not a whole number
  allowed: 0 to 100

--max-delete-percent=-1 is not a whole number
  allowed: 0 to 100

--delete-grace-period=-5s is not a duration
  it is negative
  allowed: 0s and more, such as 90s, 1m30s or 2h

--unresolved-timeout=-5s is not a duration
  it is negative
  allowed: 0s and more, such as 90s, 1m30s or 2h

--leader-elect-renew-deadline=-5s is not a duration
  it is negative
  allowed: 0s and more, such as 90s, 1m30s or 2h

--opa-timeout=-1s is not a duration
  allowed: more than 0s, up to 60s

--opa-timeout=0s is not a duration
  allowed: more than 0s, up to 60s

--opa-timeout=61s is not a duration
  allowed: more than 0s, up to 60s
"""


@pytest.mark.parametrize(("argument", "message"), list_messages(REFUSED))
def test_a_value_without_effect_is_refused_for_a_flag_that_only_extdns_has(argument: str, message: str) -> None:
    with pytest.raises(UsageError) as error:
        parse([*START, argument], {})
    assert str(error.value) == message


@pytest.mark.parametrize("code", ["xx", "7f3a", "7f3a-91c", "7F3A-91C2", "7f3a91c2", ""])
@pytest.mark.parametrize(
    ("flag", "message"),
    [
        pytest.param(
            "--approve",
            "is not the code of held deletes\n  allowed: a code as extdns status shows it",
            id="held-deletes",
        ),
        pytest.param(
            "--accept-cluster",
            "is not the id of a cluster\n  allowed: the id of the cluster as extdns status shows it, such as",
            id="cluster",
        ),
    ],
)
def test_an_approval_code_or_cluster_id_with_an_invalid_format_is_refused(flag: str, message: str, code: str) -> None:
    with pytest.raises(UsageError, match=message):
        parse([*START, f"{flag}={code}"], {})


@pytest.mark.parametrize("flag", ["--approve", "--accept-cluster"])
def test_an_approval_code_or_cluster_id_without_hyphen_gets_a_suggestion(flag: str) -> None:
    with pytest.raises(UsageError, match="did you mean: 7f3a-91c2"):
        parse([*START, f"{flag}=7F3A91C2"], {})


WARNINGS: Final = r"""
--managed-record-types=A,TXT is not a record type: it matches nothing
  commas do not separate; write --managed-record-types=A --managed-record-types=TXT

--exclude-record-types=aaaa is not a record type: it matches nothing
  allowed: A, AAAA, CNAME, NS, MX, PTR, SRV, NAPTR, TXT, DNAME          did you mean: AAAA

--domain-filter=a.test,b.test is not a domain: it matches nothing
  commas do not separate; write --domain-filter=a.test --domain-filter=b.test

--exclude-domains=^x\.a\.test$ is not a domain: it matches nothing
  allowed: one domain, such as example.org, or .example.org for what is below it

--domain-filter=*.a.test is not a domain: it matches nothing
  allowed: one domain, such as example.org, or .example.org for what is below it

--target-net-filter=192.0.2.1 is not a network: the value is left out of the filter
  allowed: one network, such as 192.0.2.0/24 or 2001:db8::/32          did you mean: 192.0.2.1/32

--exclude-target-net=10.0.0.0/8,172.16.0.0/12 is not a network: the value is left out of the filter
  commas do not separate; write --exclude-target-net=10.0.0.0/8 --exclude-target-net=172.16.0.0/12

--ingress-class=a,b is not a class: it matches nothing
  commas do not separate; write --ingress-class=a --ingress-class=b

--events-emit=recordready is not a reason of Events: it matches nothing
  allowed: RecordReady, RecordDeleted, RecordError          did you mean: RecordReady

--txt-owner-id=a,b is not an owner id: ownership records cannot name this owner
  allowed: a text without commas, quotes, = and blanks

--txt-prefix=%x- is not a part of a name: the names of ownership records with it are not valid
  allowed: letters, digits, hyphens, dots and %{record_type}

--domain-filter=  is not a domain: it is left out, and a filter without values excludes nothing
  allowed: one domain, such as example.org, or .example.org for what is below it

--domain-filter=. is not a domain: it is left out, and a filter without values excludes nothing
  allowed: one domain, such as example.org, or .example.org for what is below it

--txt-wildcard-replacement=a/b is not a label: the names of ownership records with it are not valid
  allowed: letters, digits and hyphens

--min-ttl=-5s is not a duration: it counts as 0s
  allowed: 0s and more, such as 90s, 1m30s or 2h
"""


@pytest.mark.parametrize(("argument", "warning"), list_messages(WARNINGS))
def test_a_value_without_effect_gives_a_warning_for_a_flag_of_external_dns_unless_compat_is_set(
    argument: str, warning: str
) -> None:
    assert parse([*START, argument], {}).warnings == (warning,)
    assert parse([*START, argument, "--compat", "--policy=sync"], {}).warnings == ()


WARNINGS_OF_AWS: Final = """\
--zone-id-filter=example.org is not the id of a hosted zone: it matches nothing
  allowed: the id of a hosted zone, such as Z0123456789ABC, or its end; to select zones by name, use --domain-filter

--zone-id-filter=Z1,Z2 is not the id of a hosted zone: it matches nothing
  commas do not separate; write --zone-id-filter=Z1 --zone-id-filter=Z2

--aws-zone-tags=a=b,c=d is not a tag: it matches nothing
  commas do not separate; write --aws-zone-tags=a=b --aws-zone-tags=c=d

--aws-batch-change-size=0 is not a size: it counts as 1
  allowed: 1 and more
"""


@pytest.mark.parametrize(("argument", "warning"), list_messages(WARNINGS_OF_AWS))
def test_values_of_aws_flags_are_checked_only_if_the_provider_is_aws(argument: str, warning: str) -> None:
    assert parse([*AWS, argument], {}).warnings == (warning,)
    assert parse([*START, argument], {}).warnings == ()


@pytest.mark.parametrize(
    "arguments",
    [
        ["--domain-filter=", "--managed-record-types=A", "--managed-record-types=DNAME", "--namespace="],
        ["--domain-filter=.a.test.", "--exclude-domains=bücher.test", "--exclude-domains=_tcp.a.test"],
        ["--target-net-filter=192.0.2.0/24", "--exclude-target-net=2001:db8::/32"],
        ["--txt-prefix=%{record_type}-x.", "--txt-owner-id=team/one:prod@eu"],
        [
            "--txt-wildcard-replacement=*",
            "--txt-suffix=-%{record_type}",
            "--ingress-class=Nginx/internal",
            "--events-emit=RecordError",
        ],
    ],
)
def test_a_value_that_can_have_an_effect_gives_no_warning(arguments: list[str]) -> None:
    assert parse([*START, *arguments], {}).warnings == ()


@pytest.mark.parametrize("affix", ["%{record_typ}-", "%{Record_Type}", "a%{record_type"])
@pytest.mark.parametrize("flag", ["--txt-prefix", "--txt-suffix"])
def test_an_affix_with_an_unknown_placeholder_is_an_error_that_names_the_known_one(flag: str, affix: str) -> None:
    with pytest.raises(UsageError, match=r"is not a placeholder; there is one: %\{record_type\}") as error:
        parse([*START, f"{flag}={affix}"], {})
    assert str(error.value).startswith(f"{flag}={affix} is not a part of a name\n")


@pytest.mark.parametrize("zone_id", ["Z0123456789ABC", "/hostedzone/Z0123456789ABC", "9ABC", ""])
def test_a_zone_id_filter_may_be_the_end_of_a_zone_id(zone_id: str) -> None:
    assert parse([*AWS, f"--zone-id-filter={zone_id}"], {}).warnings == ()


def test_the_warning_about_a_value_from_an_environment_variable_names_that_variable() -> None:
    (warning,) = parse(START, {"EXTERNAL_DNS_DOMAIN_FILTER": "a.test,b.test"}).warnings
    assert warning.startswith("EXTERNAL_DNS_DOMAIN_FILTER=a.test,b.test is not a domain: ")


def test_the_default_of_a_flag_never_gives_a_warning() -> None:
    for flag in FLAGS:
        for default in (flag.get_default(compat=False), flag.get_default(compat=True)):
            values = default if flag.repeatable else (() if default is None else (default,))
            assert all(map(flag.kind.is_effective, values)), flag.name
