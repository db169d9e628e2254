"""Command line and environment (docs/spec/sources.md 9.1, docs/spec/plan.md 8.1)."""

from __future__ import annotations

from pathlib import Path

import pytest

from extdns.config import parse
from extdns.errors import UsageError
from extdns.flags.parser import expand_files, find_requested_text, parse_settings
from extdns.flags.table import FLAGS


def values(argv: list[str], environ: dict[str, str] | None = None) -> dict[str, object]:
    return {name: setting.value for name, setting in parse_settings(argv, environ or {}).items()}


@pytest.mark.parametrize(
    ("argv", "expected"),
    [
        pytest.param(["--namespace=a"], {"namespace": "a"}, id="9.1-equals-form"),
        pytest.param(["--namespace", "a"], {"namespace": "a"}, id="9.1-two-arguments"),
        pytest.param(["--cluster-id=a=b"], {"cluster-id": "a=b"}, id="only-the-first-equals-counts"),
        pytest.param(["--namespace="], {"namespace": ""}, id="empty-value"),
        pytest.param(["--namespace", ""], {"namespace": ""}, id="empty-argument"),
        pytest.param(["--cluster-id=-a"], {"cluster-id": "-a"}, id="9.1-dash-needs-the-equals-form"),
        pytest.param(["--manifests", "-"], {"manifests": ("-",)}, id="a-lone-dash-is-a-value"),
        pytest.param(["--dry-run"], {"dry-run": True}, id="9.1-switch"),
        pytest.param(["--no-dry-run"], {"dry-run": False}, id="9.1-switch-off"),
        pytest.param(["--no-exclude-unschedulable"], {"exclude-unschedulable": False}, id="switch-that-is-on"),
        pytest.param(
            ["--domain-filter=a", "--once", "--domain-filter", "b"],
            {"domain-filter": ("a", "b"), "once": True},
            id="9.1-repeatable-flags-accumulate",
        ),
        pytest.param(["--domain-filter=a,b"], {"domain-filter": ("a,b",)}, id="9.1-commas-never-split"),
        pytest.param(["--managed-record-types=A"], {"managed-record-types": ("A",)}, id="9.1-values-replace-defaults"),
        pytest.param(["--interval=1m30s"], {"interval": 90.0}, id="8.1-duration"),
        pytest.param(["--aws-sd-create-tag=k:v"], {"aws-sd-create-tag": (("k", "v"),)}, id="8.1-map"),
        pytest.param(["--compatibility="], {"compatibility": ""}, id="9.2-an-enum-may-allow-the-empty-text"),
        pytest.param(["--log-level=trace"], {"log-level": "trace"}, id="8.2-log-level-trace"),
        pytest.param(["--once", "--"], {"once": True}, id="9.1-two-dashes-end-the-flags"),
        pytest.param([], {}, id="nothing"),
    ],
)
def test_command_line_arguments_are_parsed(argv: list[str], expected: dict[str, object]) -> None:
    assert values(argv) == expected


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        pytest.param(["--events="], "--events= gives a value to a switch", id="switch-with-an-empty-value"),
        pytest.param(["--no-events=1"], "--no-events=1 gives a value to a switch", id="switch-off-with-a-value"),
        pytest.param(["--namespace=a", "--namespace=b"], "--namespace is given twice", id="9.1-given-twice"),
        pytest.param(["--once", "--no-once"], "--once is given twice", id="switch-on-and-off"),
        pytest.param(["--namespace"], "--namespace needs a value", id="value-missing-at-the-end"),
        pytest.param(["--namespace", "--once"], "--namespace needs a value", id="value-missing-before-a-flag"),
        pytest.param(["--namespace", "-a b"], "--namespace needs a value", id="value-with-a-dash-and-a-blank"),
        pytest.param(["--min-ttl", "-1s"], "--min-ttl needs a value", id="negative-value"),
        pytest.param(["--namespace", "--", "a"], "--namespace needs a value", id="two-dashes-are-no-value"),
        pytest.param(["--namespac=a"], "--namespac is not a flag", id="9.1-no-abbreviations"),
        pytest.param(["--Namespace=a"], "--Namespace is not a flag", id="case-matters"),
        pytest.param(["-n", "a"], "-n is not a flag", id="9.1-no-short-flags"),
        pytest.param(["-"], "'-' is not a flag", id="lone-dash"),
        pytest.param(["a"], "'a' is not a flag", id="9.1-positional"),
        pytest.param(["--once", "true"], "'true' is not a flag", id="switch-and-a-word"),
        pytest.param(["--once", "--", "--dry-run"], "'--dry-run' is not a flag", id="positional-after-two-dashes"),
        pytest.param(["--source=Service"], "--source=Service is not a source", id="9.1-enums-are-case-sensitive"),
        pytest.param(["--interval=0"], "--interval=0 is not a duration", id="interval-must-be-positive"),
        pytest.param(["--kube-api-qps=x"], "--kube-api-qps=x is not a whole number", id="8.1-bad-int"),
        pytest.param(["--kube-api-burst=0"], "--kube-api-burst=0 is not", id="8.4-12-burst"),
        pytest.param(["--kube-api-qps=-1"], "--kube-api-qps=-1 is not", id="8.4-12-qps"),
        pytest.param(["--regex-domain-filter=("], "--regex-domain-filter=( is not a regular", id="8.1-bad-regex"),
        pytest.param(["--log-format=xml"], "--log-format=xml is not a log format", id="8.4-1-log-format"),
        pytest.param(["--label-filter=a=b/c"], "--label-filter=a=b/c is not a label selector", id="8.4-9"),
        pytest.param(["--annotation-filter=a!=b"], "--annotation-filter=a!=b is not an annotation", id="8.4-10"),
        pytest.param(["--annotation-prefix=x"], "--annotation-prefix=x is not an annotation prefix", id="8.4-11"),
        pytest.param(["--annotation-prefix="], "--annotation-prefix= is not an annotation prefix", id="8.4-11-empty"),
        pytest.param(["--aws-sd-create-tag=x"], "--aws-sd-create-tag=x is not a pair", id="8.1-bad-map"),
        pytest.param(["--provider="], "--provider= is not a provider", id="empty-provider"),
    ],
)
def test_an_error_on_the_command_line_names_the_flag(argv: list[str], message: str) -> None:
    with pytest.raises(UsageError) as error:
        parse_settings(argv, {})
    assert str(error.value).startswith(message)


@pytest.mark.parametrize(
    ("environ", "expected"),
    [
        pytest.param({"EXTERNAL_DNS_NAMESPACE": "a"}, {"namespace": "a"}, id="9.1-value"),
        pytest.param({"EXTERNAL_DNS_NAMESPACE": ""}, {}, id="9.1-empty-is-unset"),
        pytest.param({"EXTERNAL_DNS_CLUSTER_ID": "a\n"}, {"cluster-id": "a\n"}, id="single-value-is-not-split"),
        pytest.param({"EXTERNAL_DNS_SOURCE": "service\ningress"}, {"source": ("service", "ingress")}, id="9.1-lines"),
        pytest.param({"EXTERNAL_DNS_DOMAIN_FILTER": "a\r\nb\r\n"}, {"domain-filter": ("a", "b")}, id="9.1-crlf"),
        pytest.param({"EXTERNAL_DNS_DOMAIN_FILTER": "a\n\n"}, {"domain-filter": ("a", "")}, id="9.1-one-newline-only"),
        pytest.param({"EXTERNAL_DNS_DOMAIN_FILTER": "\n"}, {"domain-filter": ("",)}, id="a-newline-is-an-empty-value"),
        pytest.param({"EXTERNAL_DNS_DOMAIN_FILTER": "a,b"}, {"domain-filter": ("a,b",)}, id="commas-do-not-split"),
        pytest.param({"EXTERNAL_DNS_EVENTS": "T"}, {"events": True}, id="9.1-true"),
        pytest.param({"EXTERNAL_DNS_EVENTS": "False"}, {"events": False}, id="9.1-false"),
        pytest.param({"EXTERNAL_DNS_NO_EVENTS": "true"}, {}, id="9.1-no-variants-with-no"),
        pytest.param({"EXTERNAL_DNS_VERSION": "0.22"}, {}, id="no-variable-for-help-and-version"),
        pytest.param({"EXTERNAL_DNS_INTERVAL": "2m"}, {"interval": 120.0}, id="duration"),
        pytest.param(
            {"EXTERNAL_DNS_RFC2136_TSIG_SECRET": "AAAA\n"},
            {"rfc2136-tsig-secret": "AAAA"},
            id="secret-without-the-newline-of-its-file",
        ),
        pytest.param(
            {"EXTERNAL_DNS_WEBHOOK_PROVIDER_URL": "http://a:b@localhost\r\n"},
            {"webhook-provider-url": "http://a:b@localhost"},
            id="url-without-the-newline-of-its-file",
        ),
    ],
)
def test_environment_variables_are_parsed(environ: dict[str, str], expected: dict[str, object]) -> None:
    assert values([], environ) == expected


def test_command_line_flags_override_environment_variables() -> None:
    environ = {"EXTERNAL_DNS_DOMAIN_FILTER": "a\nb", "EXTERNAL_DNS_ONCE": "nonsense", "EXTERNAL_DNS_NAMESPACE": "x"}
    argv = ["--domain-filter=c", "--no-once"]
    assert values(argv, environ) == {"namespace": "x", "once": False, "domain-filter": ("c",)}


@pytest.mark.parametrize(
    ("environ", "message"),
    [
        pytest.param({"EXTERNAL_DNS_ONCE": "yes"}, "EXTERNAL_DNS_ONCE=yes is not true or false", id="switch"),
        pytest.param({"EXTERNAL_DNS_SOURCE": "service\nx"}, "EXTERNAL_DNS_SOURCE=x is not a source", id="one-line"),
        pytest.param({"EXTERNAL_DNS_INTERVAL": "72"}, "EXTERNAL_DNS_INTERVAL=72 is not a duration", id="duration"),
    ],
)
def test_an_error_in_an_environment_variable_names_the_variable(environ: dict[str, str], message: str) -> None:
    with pytest.raises(UsageError) as error:
        parse_settings([], environ)
    assert str(error.value).startswith(message)


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        pytest.param("EXTERNAL_DNS_DRYRUN", "EXTERNAL_DNS_DRY_RUN", id="without-underscore"),
        pytest.param("EXTERNALDNS_DRY_RUN", "EXTERNAL_DNS_DRY_RUN", id="without-underscore-in-the-prefix"),
        pytest.param("external_dns_dry_run", "EXTERNAL_DNS_DRY_RUN", id="small-letters"),
        pytest.param("EXTERNAL_DNS_DRY_RUNS", "EXTERNAL_DNS_DRY_RUN", id="letter-more"),
        pytest.param("EXTERNAL_DNS_POLIY", "EXTERNAL_DNS_POLICY", id="letter-less"),
        pytest.param("EXTERNAL_DNS_POLICZ", "EXTERNAL_DNS_POLICY", id="other-letter"),
        pytest.param("EXTERNAL_DNS_POLCIY", "EXTERNAL_DNS_POLICY", id="swapped-letters"),
        pytest.param("EXTERNAL_DNS__ONCE_", "EXTERNAL_DNS_ONCE", id="more-underscores"),
    ],
)
def test_a_misspelled_variable_that_would_keep_the_process_from_writing_is_an_error(name: str, meant: str) -> None:
    with pytest.raises(UsageError) as error:
        parse_settings([], {name: "1"})
    assert str(error.value) == f"{name} is not the variable of a flag\n  did you mean: {meant}"
    assert parse_settings([], {name: ""}) == {}


@pytest.mark.parametrize(
    ("name", "advice"),
    [
        pytest.param("EXTERNAL_DNS_DOMAIN_FILTERS", "did you mean: EXTERNAL_DNS_DOMAIN_FILTER", id="nearest"),
        pytest.param("external_dns_source", "did you mean: EXTERNAL_DNS_SOURCE", id="small-letters"),
        pytest.param("EXTERNAL_DNS_NO_DRY_RUN", "did you mean: EXTERNAL_DNS_DRY_RUN", id="more-than-a-letter"),
        pytest.param("EXTERNAL_DNS_MASTER", "write --server=URL", id="removed"),
        pytest.param("EXTERNAL_DNS_QQQQ", "all flags: extdns help flags", id="none-is-near"),
    ],
)
def test_an_unknown_variable_gives_a_warning_with_the_nearest_one(name: str, advice: str) -> None:
    expected = f"{name} is not the variable of a flag: it has no effect\n  {advice}"
    environ = {name: "secret", "EXTERNAL_DNS_PROVIDER": "inmemory", "EXTERNAL_DNS_QUIET": "", "PATH": "/bin"}
    assert parse(["--source=empty"], environ).warnings == (expected,)
    assert parse(["--source=empty", "--compat", "--policy=sync"], environ).warnings == (expected,)


@pytest.mark.parametrize("service", ["EXTERNAL_DNS", "EXTERNAL_DNS_WEBHOOK"])
def test_the_variables_that_kubernetes_sets_for_a_service_give_no_warning(service: str) -> None:
    port = f"{service}_PORT_7979_TCP"
    names = [f"{service}_SERVICE_HOST", f"{service}_SERVICE_PORT", f"{service}_SERVICE_PORT_HTTP", f"{service}_PORT"]
    names += [port, f"{port}_PROTO", f"{port}_PORT", f"{port}_ADDR"]
    assert parse(["--source=empty", "--provider=inmemory"], dict.fromkeys(names, "x")).warnings == ()


def test_each_setting_records_the_flag_or_variable_that_it_came_from() -> None:
    settings = parse_settings(["--no-once"], {"EXTERNAL_DNS_NAMESPACE": "a"})
    assert [setting.origin for setting in settings.values()] == ["--once", "EXTERNAL_DNS_NAMESPACE"]


def test_an_argument_at_sign_and_file_name_is_replaced_by_the_lines_of_the_file(tmp_path: Path) -> None:
    inner, outer = tmp_path / "inner", tmp_path / "outer"
    inner.write_text("--domain-filter=b\n", encoding="utf-8")
    outer.write_bytes(f"# a comment\r\n\r\n--domain-filter=a\r\n@{inner}\n  \n--domain-filter\nc d".encode())
    assert values([f"@{outer}", "--domain-filter=e"]) == {"domain-filter": ("a", "b", "c d", "e")}


def test_an_at_sign_after_an_equals_sign_or_after_two_dashes_is_not_replaced_by_a_file(tmp_path: Path) -> None:
    file = tmp_path / "value"
    file.write_text("a", encoding="utf-8")
    assert values(["--cluster-id", f"@{file}"]) == {"cluster-id": "a"}
    assert values([f"--cluster-id=@{file}"]) == {"cluster-id": f"@{file}"}
    assert expand_files(["--", f"@{file}"]) == ("--", f"@{file}")


def test_an_unreadable_file_of_arguments_is_reported(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"^@/no/such/file cannot be read: No such file"):
        parse_settings(["@/no/such/file"], {})
    binary = tmp_path / "binary"
    binary.write_bytes(b"\xff\xfe")
    with pytest.raises(UsageError, match="cannot be read: the file is not UTF-8 text"):
        parse_settings([f"@{binary}"], {})


def test_a_null_byte_in_the_name_of_a_file_of_arguments_is_reported() -> None:
    with pytest.raises(UsageError, match="cannot be read"):
        parse_settings(["@a\x00b"], {})


def test_a_file_of_arguments_that_includes_itself_is_reported(tmp_path: Path) -> None:
    loop = tmp_path / "loop"
    loop.write_text(f"@{loop}", encoding="utf-8")
    with pytest.raises(UsageError, match="exceeds the limit of 100 files"):
        parse_settings([f"@{loop}"], {})


@pytest.mark.parametrize(
    ("argv", "expected"),
    [
        pytest.param(["--wrong", "--help"], "help", id="help-wins-over-mistakes"),
        pytest.param(["--version", "--help"], "help", id="help-wins-over-version"),
        pytest.param(["--source=x", "--version"], "version", id="version"),
        pytest.param(["--", "--help"], None, id="not-after-two-dashes"),
        pytest.param(["--once"], None, id="not-asked"),
    ],
)
def test_help_takes_precedence_over_version_and_both_over_other_arguments(
    argv: list[str], expected: str | None
) -> None:
    assert find_requested_text(argv) == expected


# Error messages about invalid flags


@pytest.mark.parametrize(
    ("argv", "text"),
    [
        pytest.param(
            ["--policy=sinc"],
            "--policy=sinc is not a policy\n  allowed: sync, upsert-only, create-only          did you mean: sync",
            id="ux-mistakes-the-nearest-value",
        ),
        (["--domain-filters=a"], "--domain-filters is not a flag\n  did you mean: --domain-filter"),
        (["--no-dryrun"], "--no-dryrun is not a flag\n  did you mean: --no-dry-run"),
        (["--Txt_Owner_Id=a"], "--Txt_Owner_Id is not a flag\n  did you mean: --txt-owner-id"),
        (["-provider=aws"], "-provider is not a flag\n  did you mean: --provider"),
        pytest.param(["-h"], "-h is not a flag\n  did you mean: --help", id="short-help"),
        (["my.flags"], "'my.flags' is not a flag\n  for the flags in a file: @my.flags"),
        pytest.param(
            ["--txt-encrypt-aes-key s3cret"],
            "--txt-encrypt-aes-key and its value are one argument\n"
            "  write --txt-encrypt-aes-key=VALUE: a line of a file is one argument",
            id="flag-and-value-on-one-line-of-a-file",
        ),
        *(
            pytest.param([argument], f"{flag} is not a flag any more: external-dns had it once\n  {advice}", id=flag)
            for flag, argument, advice in (
                ("--master", "--master=https://k8s.example", "write --server=URL"),
                (
                    "--traefik-disable-legacy",
                    "--traefik-disable-legacy",
                    "leave it out: the group traefik.containo.us is read only with --traefik-enable-legacy",
                ),
                (
                    "--no-txt-new-format-only",
                    "--no-txt-new-format-only",
                    "leave it out: ownership records are written in the new format only",
                ),
                (
                    "--infoblox-wapi-password",
                    "--infoblox-wapi-password s3cret",
                    "Infoblox is reached by --provider=webhook, with a provider for it, or by --provider=rfc2136",
                ),
            )
        ),
        (["--traefik-enable-new"], "--traefik-enable-new is not a flag\n  did you mean: --traefik-enable-legacy"),
        pytest.param(["--qqqq"], "--qqqq is not a flag\n  all flags: extdns help flags", id="no-similar-flag"),
        (["--no-namespace"], "--no-namespace is not a flag\n  --namespace takes a value, so it has no --no- form"),
        (["--kube-api-qps=0"], "--kube-api-qps=0 is not a whole number\n  allowed: 1 and more"),
        pytest.param(
            ["--label-filter=a=b c"],
            "--label-filter=a=b c is not a label selector\n"
            "  'c' found where ',' is expected\n"
            "  allowed: key, !key, key=value, key in (a,b), key notin (a,b), key!=value, key>1, key<1; a comma is AND",
            id="parse-error-detail",
        ),
        (["--events=true"], "--events=true gives a value to a switch\n  write --events or --no-events"),
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
