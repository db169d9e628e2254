"""Error messages about invalid flags."""

from __future__ import annotations

import pytest

from extdns.errors import UsageError
from extdns.flags.parser import parse_settings
from extdns.flags.table import FLAGS

SOURCE_LIST = "allowed: ambassador-host, connector, "


@pytest.mark.parametrize(
    ("argv", "text"),
    [
        pytest.param(
            ["--policy=sinc"],
            "--policy=sinc is not a policy\n  allowed: sync, upsert-only, create-only          did you mean: sync",
            id="ux-mistakes-the-nearest-value",
        ),
        pytest.param(
            ["--domain-filters=a"],
            "--domain-filters is not a flag\n  did you mean: --domain-filter",
            id="the-nearest-flag",
        ),
        pytest.param(
            ["--no-dryrun"], "--no-dryrun is not a flag\n  did you mean: --no-dry-run", id="the-nearest-switch-off"
        ),
        pytest.param(
            ["--Txt_Owner_Id=a"], "--Txt_Owner_Id is not a flag\n  did you mean: --txt-owner-id", id="another-spelling"
        ),
        pytest.param(
            ["-provider=aws"], "-provider is not a flag\n  did you mean: --provider", id="one-dash-instead-of-two"
        ),
        pytest.param(["--qqqq"], "--qqqq is not a flag\n  all flags: extdns help flags", id="no-similar-flag"),
        pytest.param(
            ["--no-namespace"],
            "--no-namespace is not a flag\n  --namespace takes a value, so it has no --no- form",
            id="no-form-of-a-flag-with-a-value",
        ),
        pytest.param(
            ["--interval=72"],
            "--interval=72 is not a duration\n"
            "  allowed: numbers with units, such as 90s, 1m30s or 2h (units: ns us ms s m h d w)"
            "          did you mean: 72s",
            id="number-without-unit",
        ),
        pytest.param(
            ["--kube-api-qps=0"],
            "--kube-api-qps=0 is not a whole number\n  allowed: 1 and more",
            id="allowed-values-without-suggestion",
        ),
        pytest.param(
            ["--metrics-address=7979"],
            "--metrics-address=7979 is not an address to listen on\n"
            "  allowed: :PORT, HOST:PORT or [IPV6]:PORT, with a port from 0 to 65535          did you mean: :7979",
            id="port-without-colon",
        ),
        pytest.param(
            ["--label-filter=a=b c"],
            "--label-filter=a=b c is not a label selector\n"
            "  'c' found where ',' is expected\n"
            "  allowed: key, !key, key=value, key in (a,b), key notin (a,b), key!=value, key>1, key<1; a comma is AND",
            id="parse-error-detail",
        ),
        pytest.param(
            ["--events=true"],
            "--events=true gives a value to a switch\n  write --events or --no-events",
            id="a-switch-with-a-value",
        ),
        pytest.param(
            ["--namespace", "-x"],
            "--namespace needs a value\n  write --namespace=NAME; a value that begins with - needs the =",
            id="a-value-with-a-dash",
        ),
    ],
)
def test_an_invalid_flag_is_reported_with_allowed_values_or_a_suggestion(argv: list[str], text: str) -> None:
    with pytest.raises(UsageError) as error:
        parse_settings(argv, {})
    assert str(error.value) == text


@pytest.mark.parametrize(
    ("flag", "noun", "values"),
    [("--source", "a source", ("service", "ingress")), ("--gloo-namespace", "a namespace", ("edge", "dmz"))],
)
def test_the_error_about_a_list_with_commas_says_to_repeat_the_flag(
    flag: str, noun: str, values: tuple[str, str]
) -> None:
    with pytest.raises(UsageError) as error:
        parse_settings([f"{flag}={','.join(values)}"], {})
    assert str(error.value).splitlines() == [
        f"{flag}={','.join(values)} is not {noun}",
        f"  commas do not separate; write {flag}={values[0]} {flag}={values[1]}",
    ]


@pytest.mark.parametrize("value", ["production,staging", "*", "a b", "x/y", "-a", "a-", "a.b", "a\n", "a" * 64])
@pytest.mark.parametrize(
    ("flag", "advice"),
    [
        (
            "--namespace",
            "allowed: the name of one namespace, or nothing for all of them; for some of them, select their",
        ),
        ("--gateway-namespace", "allowed: the name of one namespace, or nothing for all of them"),
        (
            "--gloo-namespace",
            ("allowed: the name of one namespace, or nothing for all of them", "commas do not separate;"),
        ),
        ("--leader-elect-resource-namespace", "allowed: the name of a namespace, or nothing for the pod's own"),
    ],
)
def test_a_text_that_cannot_name_a_namespace_is_an_error(flag: str, advice: str | tuple[str, str], value: str) -> None:
    with pytest.raises(UsageError) as error:
        parse_settings([f"{flag}={value}"], {})
    first, second = str(error.value).split("\n")
    assert first.endswith("is not a namespace")
    assert second.strip().startswith(advice)


@pytest.mark.parametrize("value", ["", "a b", "x/y", "Extdns", "a_b", "a" * 254])
def test_a_text_that_cannot_name_a_lease_is_an_error(value: str) -> None:
    with pytest.raises(
        UsageError, match=r"is not the name of a Lease\n  allowed: lower-case letters, digits, - and \."
    ):
        parse_settings([f"--leader-elect-resource-name={value}"], {})


@pytest.mark.parametrize("value", ["Shop", " shop "])
def test_the_error_about_a_namespace_with_capitals_or_blanks_suggests_it_without(value: str) -> None:
    with pytest.raises(UsageError, match=r"did you mean: shop$"):
        parse_settings([f"--namespace={value}"], {})


@pytest.mark.parametrize("value", ["", "a", "0", "shop-2", "a" * 63])
def test_a_text_that_can_name_a_namespace_is_accepted(value: str) -> None:
    assert parse_settings([f"--namespace={value}"], {})["namespace"].value == value


def test_a_long_flag_value_is_shortened_in_the_error() -> None:
    with pytest.raises(UsageError) as error:
        parse_settings([f"--policy={'x' * 5000}"], {})
    assert len(str(error.value)) < 300


def test_the_error_about_a_secret_given_twice_does_not_print_its_values() -> None:
    with pytest.raises(UsageError) as error:
        parse_settings(["--pdns-api-key=one", "--pdns-api-key=two"], {})
    assert str(error.value) == "--pdns-api-key is given twice\n  the flag takes one value only; leave out all but one"


EVIL = "bad\nerror: all is well\r\x1b[2J"


@pytest.mark.parametrize(
    "argv",
    [
        *(pytest.param([f"{flag.spelling}={EVIL}"], id=flag.name) for flag in FLAGS),
        pytest.param([f"--{EVIL}"], id="no-flag"),
        pytest.param([EVIL], id="no-flag-at-all"),
    ],
)
def test_line_breaks_in_a_flag_value_are_escaped_in_the_error(argv: list[str]) -> None:
    message = ""
    try:
        parse_settings(argv, {})
    except UsageError as exc:
        message = str(exc)
    assert "bad\n" not in message
    assert all(line.isprintable() for line in message.split("\n"))


def test_line_breaks_in_an_environment_variable_are_escaped_in_the_error() -> None:
    with pytest.raises(UsageError, match=r"EXTERNAL_DNS_POLICY=bad\\nerror: all is well\\r\\x1b\[2J is not a policy"):
        parse_settings([], {"EXTERNAL_DNS_POLICY": EVIL})
