"""Combinations of flags that are valid or contradictory (docs/spec/plan.md 8.4)."""

from __future__ import annotations

from typing import Final

import pytest

from extdns.config import parse
from extdns.errors import UsageError
from extdns.flags.parser import apply_defaults, parse_settings
from extdns.flags.validation import validate

GOOD: Final = ["--source=service", "--provider=inmemory"]
WEBHOOK: Final = ["--source=service", "--provider=webhook"]
RFC2136: Final = ["--source=service", "--provider=rfc2136"]
SERVED: Final = [*RFC2136, "--rfc2136-host=ns1.example.org", "--rfc2136-zone=example.org"]
KEY: Final = ["--rfc2136-tsig-secret=c2VjcmV0", "--rfc2136-tsig-keyname=k", "--rfc2136-tsig-secret-alg=hmac-sha256"]
GSS: Final = [
    "--rfc2136-gss-tsig",
    "--rfc2136-kerberos-realm=R",
    "--rfc2136-kerberos-username=u",
    "--rfc2136-kerberos-password=p",
]


def check(argv: list[str]) -> None:
    validate(apply_defaults(parse_settings(argv, {})))


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        pytest.param(["--provider=inmemory"], "no sources specified", id="8.4-2"),
        pytest.param(["--source=service"], "no provider specified", id="8.4-3"),
        pytest.param(
            [*GOOD, "--compat"],
            "--policy must be set explicitly (one of: sync, upsert-only, create-only)",
            id="8.4-4-under-compat",
        ),
        pytest.param(
            ["--source=service", "--provider=azure", "--azure-config-file="],
            "no Azure config file specified",
            id="8.4-5",
        ),
        pytest.param([*RFC2136, "--rfc2136-min-ttl=-1s"], "TTL specified for rfc2136 is negative", id="8.4-6-min-ttl"),
        pytest.param(
            [*RFC2136, "--rfc2136-insecure", *GSS],
            "--rfc2136-insecure and --rfc2136-gss-tsig are mutually exclusive arguments",
            id="8.4-6-insecure",
        ),
        *(
            pytest.param(
                [*RFC2136, *GSS[:missing], *GSS[missing + 1 :]],
                "--rfc2136-gss-tsig requires --rfc2136-kerberos-realm, --rfc2136-kerberos-username, "
                "--rfc2136-kerberos-password",
                id=f"8.4-6-kerberos-without-{GSS[missing].split('-')[4].split('=')[0]}",
            )
            for missing in (1, 2, 3)
        ),
        pytest.param(
            [*RFC2136, "--rfc2136-batch-change-size=0"],
            "batch size specified for rfc2136 cannot be less than 1",
            id="8.4-6-batch-size",
        ),
        pytest.param(
            [*GOOD, "--ignore-hostname-annotation"],
            "FQDN Template must be set if ignoring annotations",
            id="8.4-7",
        ),
        pytest.param(
            [*GOOD, "--txt-prefix=a", "--txt-suffix=b"], "txt-prefix and txt-suffix are mutual exclusive", id="8.4-8"
        ),
        pytest.param(
            [*GOOD, "--txt-prefix=%{record_type}-", "--txt-suffix=b"],
            "txt-prefix and txt-suffix are mutual exclusive",
            id="8.4-8-templated",
        ),
        pytest.param([*GOOD, "--create-ptr"], "--create-ptr requires PTR in --managed-record-types", id="8.4-13"),
        (["--source=service", "--provider=octodns"], "--provider=octodns has no configuration"),
        pytest.param(
            ["--source=service", "--provider=octodns", "--octodns-config=c", "--leader-elect"],
            "--leader-elect and --provider=octodns do not go together: its writes are not conditional, and may"
            " end after the Lease expired",
            id="octodns-has-one-replica",
        ),
        pytest.param(
            [*WEBHOOK, "--leader-elect"],
            "--leader-elect and --provider=webhook do not go together: its writes are not conditional, and may"
            " end after the Lease expired",
            id="webhook-has-one-replica",
        ),
        pytest.param(
            [*GOOD, "--registry=aws-sd"],
            "--registry=aws-sd and --provider=inmemory do not go together: this registry is only for --provider=aws-sd",
            id="a-registry-of-another-provider",
        ),
        *(
            pytest.param(
                [*WEBHOOK, f"--webhook-provider-url={url}"],
                f"--webhook-provider-url={masked} is not the address of a webhook",
                id=f"webhook-url-{url}",
            )
            for url, masked in (
                ("", ""),
                ("localhost:8888", "localhost:8888"),
                ("ftp://localhost", "ftp://localhost"),
                ("http://", "http://"),
                ("http://localhost:99999", "http://localhost:99999"),
                ("http://a b", "http://a b"),
                ("http://me:pass@host:x", "http://******@host:x"),
            )
        ),
        pytest.param(
            [*WEBHOOK, "--webhook-provider-read-timeout=0s", "--webhook-provider-write-timeout=-1s"],
            "--webhook-provider-read-timeout and --webhook-provider-write-timeout leave no time for a call",
            id="webhook-timeout",
        ),
        (["--source=service", "--provider=zonefile"], "--provider=zonefile has no folder for its files"),
        *(
            pytest.param(
                [*SERVED, *(flag for flag in GSS if part not in flag), f"--rfc2136-kerberos-{part}={value}"],
                f"--rfc2136-kerberos-{part}={value} is invalid",
                id=f"rfc2136-kerberos-{part}-{value}",
            )
            for part, value in (("username", "u@R"), ("username", "D\\u"), ("realm", "a realm"))
        ),
        ([*SERVED, *GSS[:-1], "--rfc2136-kerberos-password=p\udcff"], "--rfc2136-kerberos-password is not text"),
        pytest.param(RFC2136, "--provider=rfc2136 has no DNS server", id="rfc2136-needs-a-server"),
        ([*RFC2136, "--rfc2136-host="], "--provider=rfc2136 has no DNS server"),
        *(
            pytest.param(
                [*RFC2136, f"--rfc2136-host={host}", SERVED[-1]],
                f"--rfc2136-host={host} is not a host",
                id=f"rfc2136-host-{number}",
            )
            for number, host in enumerate(("ns1:53", "[::1]", "a b", "a,b", "dns://ns1", "a..b", "a" * 64, "ns1;"))
        ),
        pytest.param([*SERVED, "--rfc2136-zone=a,b"], "--rfc2136-zone=a,b is not a zone", id="rfc2136-zones-by-comma"),
        pytest.param([*SERVED, "--rfc2136-zone=*.a"], "--rfc2136-zone=*.a is not a zone", id="rfc2136-wildcard-zone"),
        ([*SERVED, *KEY, "--rfc2136-min-ttl=2147483648s"], "--rfc2136-min-ttl is longer than a TTL can be"),
        pytest.param([*RFC2136, SERVED[-2]], "--provider=rfc2136 has no zone", id="rfc2136-needs-a-zone"),
        ([*SERVED, "--rfc2136-port=65536"], "--rfc2136-port=65536 is not a port"),
        ([*SERVED, "--rfc2136-zone=a..b"], "--rfc2136-zone=a..b is not a DNS name"),
        pytest.param(
            [*SERVED, *KEY, "--no-rfc2136-axfr"],
            "--provider=rfc2136 needs --rfc2136-axfr: if a zone is not read, the owners of its records are unknown",
            id="rfc2136-cannot-do-without-reading",
        ),
        pytest.param(SERVED, "--provider=rfc2136 has no key", id="rfc2136-needs-a-key"),
        ([*SERVED, *KEY[:2], "--rfc2136-tsig-secret-alg=hmac-md5"], "hmac-md5 is not supported TSIG algorithm"),
        pytest.param(
            [*SERVED, *KEY, "--rfc2136-tsig-secret-file=/key"],
            "--rfc2136-tsig-secret and --rfc2136-tsig-secret-file are both set",
            id="rfc2136-two-secrets",
        ),
        ([*SERVED, *KEY[1:]], "--provider=rfc2136 needs the secret of its TSIG key"),
        ([*SERVED, *KEY[1:], "--rfc2136-tsig-secret=no base64"], "--rfc2136-tsig-secret is not base64"),
        ([*SERVED, *KEY, "--tls-client-cert=/cert"], "--tls-client-cert and --tls-client-cert-key belong together"),
        pytest.param(
            [*GOOD, "--service-type-filter=ClusterIP", "--service-type-filter=loadbalancer"],
            "--service-type-filter=loadbalancer is not a type of Service",
            id="sources-3.1-unknown-type",
        ),
    ],
)
def test_missing_or_contradictory_flags_are_reported(argv: list[str], message: str) -> None:
    with pytest.raises(UsageError) as error:
        check(argv)
    assert str(error.value).splitlines()[0] == message


@pytest.mark.parametrize(
    "argv",
    [
        pytest.param(GOOD, id="our-default-policy-is-sync"),
        pytest.param([*GOOD, "--compat", "--policy=sync"], id="compat-with-a-policy"),
        pytest.param([*SERVED, *KEY], id="rfc2136-with-a-key"),
        pytest.param([*SERVED, "--rfc2136-insecure"], id="rfc2136-without-a-key"),
        pytest.param([*SERVED, *KEY, "--rfc2136-host=2001:db8::1", "--rfc2136-host=ns_2."], id="rfc2136-hosts"),
        pytest.param([*SERVED, *GSS], id="rfc2136-with-kerberos"),
        pytest.param([*SERVED, *GSS[:-1], "--rfc2136-kerberos-password-file=/p"], id="rfc2136-with-a-password-file"),
        pytest.param([*SERVED, *KEY[1:], "--rfc2136-tsig-secret-file=/key"], id="rfc2136-with-a-key-from-a-file"),
        pytest.param(
            [*SERVED, *KEY, "--compat", "--policy=sync", "--rfc2136-tsig-axfr"], id="rfc2136-old-name-of-axfr"
        ),
        pytest.param([*GOOD, "--rfc2136-min-ttl=-1s", "--rfc2136-batch-change-size=0"], id="not-our-provider"),
        pytest.param([*GOOD, "--ignore-hostname-annotation", "--fqdn-template=x"], id="ignoring-with-a-template"),
        pytest.param([*GOOD, "--create-ptr", "--managed-record-types=PTR"], id="ptr-managed"),
        pytest.param([*GOOD, "--service-type-filter=", "--service-type-filter=x"], id="sources-3.1-empty-switches-off"),
        pytest.param(["--source=ingress", "--provider=inmemory", "--service-type-filter=x"], id="no-services-are-read"),
        pytest.param([*GOOD, "--service-type-filter=NodePort"], id="known-type"),
    ],
)
def test_valid_combinations_of_flags_are_accepted(argv: list[str]) -> None:
    check(argv)


def test_service_types_in_one_value_are_refused_with_the_flags_to_write() -> None:
    with pytest.raises(UsageError) as error:
        check([*GOOD, "--service-type-filter=ClusterIP,NodePort"])
    assert str(error.value) == (
        "--service-type-filter=ClusterIP,NodePort is not a type of Service\n"
        "  commas do not separate; write --service-type-filter=ClusterIP --service-type-filter=NodePort"
    )


def test_of_several_contradictions_the_one_that_the_specification_lists_first_is_reported() -> None:
    with pytest.raises(UsageError, match=r"^no sources specified"):
        check(["--create-ptr", "--txt-prefix=a", "--txt-suffix=b"])
    with pytest.raises(UsageError, match=r"^txt-prefix and txt-suffix"):
        check([*GOOD, "--create-ptr", "--txt-prefix=a", "--txt-suffix=b"])


ELECT: Final = [*GOOD, "--leader-elect"]


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        pytest.param(
            [*ELECT, "--compat", "--policy=sync"],
            "--leader-elect and --compat do not go together: only conditional writes keep two processes apart\n"
            "  leave out one of them",
            id="compat",
        ),
        pytest.param(
            ["--source=service", "--provider=aws", "--leader-elect", "--no-aws-conditional-writes"],
            "--leader-elect and --no-aws-conditional-writes do not go together: only conditional writes keep two "
            "processes apart\n  leave out one of them",
            id="unconditional-writes",
        ),
        pytest.param(
            [*ELECT, "--leader-elect-lease-duration=26s"],
            "--leader-elect-lease-duration=26s may expire during a write\n"
            "  allowed: 27s and more, --leader-elect-renew-deadline plus 12s",
            id="lease-too-short",
        ),
        pytest.param(
            [*ELECT, "--leader-elect-retry-period=15s"],
            "--leader-elect-renew-deadline=15s leaves no time to renew\n"
            "  allowed: more than --leader-elect-retry-period, which is 15s",
            id="deadline-too-short",
        ),
        pytest.param(
            [*ELECT, "--leader-elect-retry-period=0s"],
            "--leader-elect-retry-period=0s is too short\n  allowed: more than 0s",
            id="no-pause",
        ),
    ],
)
def test_unsafe_leader_election_settings_are_refused(argv: list[str], message: str) -> None:
    with pytest.raises(UsageError) as error:
        check(argv)
    assert str(error.value) == message


@pytest.mark.parametrize(
    "argv",
    [
        pytest.param(ELECT, id="defaults"),
        pytest.param([*ELECT, "--leader-elect-lease-duration=27s"], id="just-long-enough"),
        pytest.param([*ELECT, "--no-aws-conditional-writes"], id="flag-of-another-provider"),
        pytest.param([*GOOD, "--leader-elect-retry-period=0s"], id="no-election"),
    ],
)
def test_safe_leader_election_settings_are_accepted(argv: list[str]) -> None:
    check(argv)


@pytest.mark.parametrize(
    "flag",
    [
        "--opa-token-file=/run/token",
        "--opa-path=acme/deny",
        "--opa-failure=allow",
        "--opa-timeout=5s",
        "--opa-tls-ca=ca.pem",
    ],
)
def test_a_flag_of_the_policy_server_without_its_url_is_refused_with_what_to_do(flag: str) -> None:
    with pytest.raises(UsageError) as refused:
        check([*GOOD, flag])
    what, next_line = str(refused.value).splitlines()
    assert what.startswith(f"{flag} has no effect without --opa-url")
    assert next_line.endswith(f"or leave out {flag.partition('=')[0]}")
    check([*GOOD, flag, "--opa-url=http://127.0.0.1:8181"])


def test_the_default_of_a_flag_of_the_policy_server_may_be_given_without_its_url() -> None:
    check([*GOOD, "--opa-failure=keep"])


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        pytest.param(["--tls-ca=ca.pem"], "--tls-ca has no effect", id="authority"),
        pytest.param(
            ["--tls-client-cert=c", "--tls-client-cert-key=k", "--rfc2136-skip-tls-verify"],
            "--tls-client-cert, --tls-client-cert-key, --rfc2136-skip-tls-verify have no effect",
            id="all-others",
        ),
    ],
)
def test_tls_flags_of_rfc2136_give_one_warning_if_tls_is_not_used(flags: list[str], message: str) -> None:
    served = [*SERVED, *KEY, "--policy=sync"]
    (warning,) = parse([*served, *flags], {}).warnings
    assert warning == f"{message}: messages are not encrypted\n  give --rfc2136-use-tls"
    assert parse([*served, *flags, "--rfc2136-use-tls"], {}).warnings == ()


@pytest.mark.parametrize(
    ("flags", "warning"),
    [
        pytest.param(
            ["--rfc2136-insecure", *GSS[1:]],
            "--rfc2136-kerberos-realm, --rfc2136-kerberos-username, --rfc2136-kerberos-password have no effect: updates"
            " are not signed with Kerberos\n  give --rfc2136-gss-tsig",
            id="kerberos-without-gss-tsig",
        ),
        pytest.param(
            ["--rfc2136-insecure", *KEY],
            "--rfc2136-tsig-keyname, --rfc2136-tsig-secret, --rfc2136-tsig-secret-alg have no effect: messages are not"
            " signed with TSIG\n  give either the key or --rfc2136-insecure",
            id="key-with-insecure",
        ),
        pytest.param(
            [*GSS, "--rfc2136-tsig-keyname=k"],
            "--rfc2136-tsig-keyname has no effect: messages are not signed with TSIG"
            "\n  give either the key or --rfc2136-gss-tsig",
            id="key-with-kerberos",
        ),
    ],
)
def test_flags_of_rfc2136_for_signing_that_have_no_effect_give_a_warning(flags: list[str], warning: str) -> None:
    served = [*SERVED, "--txt-owner-id=me"]
    assert parse([*served, *flags], {}).warnings == (warning,)
    assert parse([*served, *KEY], {}).warnings == ()
    assert parse([*served, *GSS], {}).warnings == ()
    assert parse([*GOOD, *flags], {}).warnings == ()


def test_a_tsig_key_without_an_algorithm_is_an_error_that_names_the_flag() -> None:
    with pytest.raises(UsageError) as error:
        parse([*SERVED, *KEY[:2]], {})
    assert str(error.value).startswith(
        "--provider=rfc2136 needs the algorithm of its TSIG key\n  give --rfc2136-tsig-secret-alg; allowed: hmac-"
    )
