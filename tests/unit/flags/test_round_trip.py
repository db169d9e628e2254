"""Values formatted as arguments or environment variables parse to the same values."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any, Final

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from extdns.config import list_settings, parse
from extdns.flags.address import ADDRESS, ListenAddress
from extdns.flags.duration import DURATION, NON_NEGATIVE_DURATION, POSITIVE_DURATION
from extdns.flags.flag import Flag, Support
from extdns.flags.kind import ANNOTATION_SELECTOR, BOOLEAN, KEY_VALUE, LABEL_SELECTOR, ValueKind
from extdns.flags.parser import parse_settings
from extdns.flags.process import MAX_WRITE_S
from extdns.flags.records import CLUSTER_ID, CODE
from extdns.flags.regex import REGEX, parse_regex
from extdns.flags.rules import TIMEOUT
from extdns.flags.sources import PREFIX, SERVICE_TYPE
from extdns.flags.table import BY_NAME, FLAGS
from extdns.flags.unchecked_kinds import TIME
from extdns.flags.validation import AVAILABLE
from providers.google.flags import ENDPOINT

TEXTS: Final = st.text(st.characters(exclude_characters="\r\n{", exclude_categories=["Cs"]), max_size=12)
NANOSECONDS: Final = st.integers(min_value=-(2**61), max_value=2**61)
REQUIREMENTS: Final = st.sampled_from(["team=red", "!lab", "size in (1, 2)", "a.test/x notin (y)", "dns", "empty="])
SELECTORS: Final = st.lists(REQUIREMENTS, max_size=4).map(",".join)
ADDRESSES: Final = st.builds(
    ListenAddress, host=st.sampled_from(["", "::1", "127.0.0.1", "localhost"]), port=st.integers(0, 65535)
)
REGEXES: Final = st.sampled_from(["", r"(^|\.)acme\.test$", "(?i)a|b", "[[:alpha:]]+", "^x{2,3}?$"])


NAMES: Final = ("namespace", "gateway-namespace", "leader-elect-resource-name", "leader-elect-resource-namespace")
BY_KIND: Final[dict[ValueKind[Any], st.SearchStrategy[object]]] = {
    BOOLEAN: st.booleans(),
    DURATION: NANOSECONDS.map(lambda count: count / 10**9),
    POSITIVE_DURATION: st.integers(min_value=1, max_value=2**61).map(lambda count: count / 10**9),
    NON_NEGATIVE_DURATION: st.integers(min_value=0, max_value=2**61).map(lambda count: count / 10**9),
    TIME: NANOSECONDS.map(lambda count: count / 10**9),
    TIMEOUT: st.integers(min_value=1, max_value=60 * 10**9).map(lambda count: count / 10**9),
    CODE: st.from_regex("[0-9a-f]{4}-[0-9a-f]{4}", fullmatch=True),
    CLUSTER_ID: st.from_regex("[0-9a-f]{4}-[0-9a-f]{4}", fullmatch=True),
    BY_NAME["max-delete-percent"].kind: st.integers(0, 100),
    KEY_VALUE: st.tuples(st.text(alphabet="abc", max_size=3), TEXTS),
    ADDRESS: ADDRESSES,
    ENDPOINT: st.sampled_from(("", "https://dns.example", "http://127.0.0.1:8080/")),
    REGEX: REGEXES.map(parse_regex),
    LABEL_SELECTOR: SELECTORS.map(LABEL_SELECTOR.parse),
    ANNOTATION_SELECTOR: SELECTORS.map(ANNOTATION_SELECTOR.parse),
    PREFIX: TEXTS.map(lambda text: f"{text}/"),
    **{kind: st.from_regex(kind.pattern, fullmatch=True) for kind in (BY_NAME[name].kind for name in NAMES)},
}


def one_value(flag: Flag) -> st.SearchStrategy[object]:
    if flag.kind in BY_KIND:
        return BY_KIND[flag.kind]
    if flag.kind.choices:
        return st.sampled_from(flag.kind.choices)
    return st.integers(1, 2**63 - 1) if flag.kind.metavar == "N" else TEXTS


@cache
def any_value(flag: Flag) -> st.SearchStrategy[object]:
    one = one_value(flag)
    return st.lists(one, min_size=1, max_size=3).map(tuple) if flag.repeatable else one


def as_variable(flag: Flag, value: object) -> str:
    """Format *value* as the text of the environment variable; "" if the variable cannot express it."""
    if flag.repeatable:
        assert isinstance(value, tuple)
        if flag.secret and value[-1:] == ("",):  # line ends at the end of a secret are dropped
            return ""
        return "".join(f"{flag.kind.format(one)}\n" for one in value)
    return flag.kind.format(value)


WITH_VARIABLES = st.lists(st.sampled_from([flag for flag in FLAGS if flag.variable]), unique=True, max_size=6)


@st.composite
def flag_values(draw: st.DrawFn) -> dict[str, object]:
    flags = draw(WITH_VARIABLES)
    return {flag.name: draw(any_value(flag)) for flag in flags}


@given(flag_values())
def test_values_written_as_arguments_or_environment_variables_are_read_as_the_same_values(
    values: dict[str, object],
) -> None:
    argv = [argument for name, value in values.items() for argument in BY_NAME[name].format_arguments(value)]
    expected = {name: value for name, value in values.items() if value is not None}
    assert {name: setting.value for name, setting in parse_settings(argv, {}).items()} == expected
    variables = {name: as_variable(BY_NAME[name], value) for name, value in values.items()}
    environ = {BY_NAME[name].variable: text for name, text in variables.items()}
    by_variables = {name: setting.value for name, setting in parse_settings([], environ).items()}
    assert by_variables == {name: value for name, value in values.items() if variables[name]}


@st.composite
def starts(draw: st.DrawFn) -> list[str]:
    """Generate valid command lines without secrets; secrets would be masked in formatted arguments."""
    implemented = [flag for flag in FLAGS if flag.support is Support.IMPLEMENTED and flag.variable and not flag.secret]
    chosen = draw(st.lists(st.sampled_from(implemented), unique=True))
    values = {flag.name: draw(any_value(flag)) for flag in chosen}
    values["source"] = draw(st.lists(st.sampled_from(AVAILABLE["source"]), min_size=1).map(tuple))
    values["provider"] = "aws"  # flags of other providers may have any values
    values["registry"] = draw(
        st.sampled_from([one for one in AVAILABLE["registry"] if one not in AVAILABLE["provider"]])
    )
    values["policy"] = draw(st.sampled_from(BY_NAME["policy"].kind.choices))
    values["manifests"] = draw(st.lists(TEXTS, min_size=1, max_size=2).map(tuple))
    values["service-type-filter"] = draw(st.lists(st.sampled_from(SERVICE_TYPE.choices)).map(tuple))
    values["txt-suffix"] = "" if values.get("txt-prefix") else draw(TEXTS)
    if values.get("ignore-hostname-annotation"):
        values["fqdn-template"] = ("{{.Name}}",)
    if values.get("create-ptr"):
        values["managed-record-types"] = ("A", "PTR")
    values["opa-url"] = "http://127.0.0.1:8181"
    if values.get("leader-elect"):
        retry_s, more_s, spare_s = (float(draw(st.integers(1, 60))) for _ in range(3))
        values |= {"compat": False, "aws-conditional-writes": True, "leader-elect-retry-period": retry_s}
        values["leader-elect-renew-deadline"] = retry_s + more_s
        values["leader-elect-lease-duration"] = retry_s + more_s + MAX_WRITE_S + spare_s
    return [argument for name, value in values.items() for argument in BY_NAME[name].format_arguments(value)]


@settings(suppress_health_check=[HealthCheck.too_slow])
@given(starts())
def test_a_configuration_written_as_arguments_in_any_order_is_read_as_the_same_configuration(argv: list[str]) -> None:
    config = parse(argv, {})
    written = [argument for flag, value in list_settings(config) for argument in flag.format_arguments(value)]
    assert replace(parse(written, {}), notices=config.notices) == config
    assert parse(sorted(argv, key=lambda argument: argument.partition("=")[0]), {}) == config
