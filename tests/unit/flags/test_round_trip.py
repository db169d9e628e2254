"""Values survive being written as arguments or variables and read again."""

from __future__ import annotations

from typing import Any, Final

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from extdns.config import parse, shown
from extdns.flags.address import ADDRESS, ListenAddress
from extdns.flags.duration import DURATION, PERIOD
from extdns.flags.election import WRITE_S
from extdns.flags.flag import Flag, Implemented
from extdns.flags.google import ENDPOINT
from extdns.flags.kind import BOOLEAN, PAIR, Kind
from extdns.flags.parser import read
from extdns.flags.regex import REGEX, parse_regex
from extdns.flags.selector import ANNOTATION_SELECTOR, LABEL_SELECTOR
from extdns.flags.service import SERVICE_TYPE
from extdns.flags.sources import PREFIX
from extdns.flags.support import AVAILABLE
from extdns.flags.table import BY_NAME, FLAGS

TEXTS: Final = st.text(st.characters(exclude_characters="\r\n", exclude_categories=["Cs"]), max_size=12)
NANOSECONDS: Final = st.integers(min_value=-(2**61), max_value=2**61)
TERMS: Final = st.sampled_from(["team=red", "!lab", "size in (1, 2)", "a.test/x notin (y)", "dns", "empty="])
SELECTORS: Final = st.lists(TERMS, max_size=4).map(",".join)
ADDRESSES: Final = st.builds(
    ListenAddress, host=st.sampled_from(["", "::1", "127.0.0.1", "localhost"]), port=st.integers(0, 65535)
)
REGEXES: Final = st.sampled_from(["", r"(^|\.)acme\.test$", "(?i)a|b", "[[:alpha:]]+", "^x{2,3}?$"])


BY_KIND: Final[dict[Kind[Any], st.SearchStrategy[object]]] = {
    BOOLEAN: st.booleans(),
    DURATION: NANOSECONDS.map(lambda count: count / 10**9),
    PERIOD: st.integers(min_value=1, max_value=2**61).map(lambda count: count / 10**9),
    PAIR: st.tuples(st.text(alphabet="abc", max_size=3), TEXTS),
    ADDRESS: ADDRESSES,
    ENDPOINT: st.sampled_from(("", "https://dns.example", "http://127.0.0.1:8080/")),
    REGEX: REGEXES.map(parse_regex),
    LABEL_SELECTOR: SELECTORS.map(LABEL_SELECTOR.read),
    ANNOTATION_SELECTOR: SELECTORS.map(ANNOTATION_SELECTOR.read),
    PREFIX: TEXTS.map(lambda text: f"{text}/"),
}


def one_value(flag: Flag) -> st.SearchStrategy[object]:
    if flag.kind in BY_KIND:
        return BY_KIND[flag.kind]
    if flag.kind.choices:
        return st.sampled_from(flag.kind.choices)
    return st.integers(1, 2**63 - 1) if flag.kind.metavar == "N" else TEXTS


def any_value(flag: Flag) -> st.SearchStrategy[object]:
    one = one_value(flag)
    return st.lists(one, min_size=1, max_size=3).map(tuple) if flag.repeatable else one


def as_variable(flag: Flag, value: object) -> str:
    """The text of the environment variable; "" where it cannot say *value*."""
    if flag.repeatable:
        assert isinstance(value, tuple)
        return "".join(f"{flag.kind.write(one)}\n" for one in value)
    return flag.kind.write(value)


@st.composite
def given_values(draw: st.DrawFn) -> dict[str, object]:
    flags = draw(st.lists(st.sampled_from([flag for flag in FLAGS if flag.variable]), unique=True, max_size=6))
    return {flag.name: draw(any_value(flag)) for flag in flags}


@given(given_values())
def test_what_is_written_as_arguments_is_read_again(values: dict[str, object]) -> None:
    argv = [argument for name, value in values.items() for argument in BY_NAME[name].arguments(value)]
    said = {name: value for name, value in values.items() if value is not None}
    assert {name: setting.value for name, setting in read(argv, {}).items()} == said


@given(given_values())
def test_environment_and_command_line_agree(values: dict[str, object]) -> None:
    variables = {name: as_variable(BY_NAME[name], value) for name, value in values.items()}
    sayable = {name: value for name, value in values.items() if variables[name]}
    argv = [argument for name, value in sayable.items() for argument in BY_NAME[name].arguments(value)]
    environ = {BY_NAME[name].variable: text for name, text in variables.items()}
    by_arguments = {name: setting.value for name, setting in read(argv, {}).items()}
    by_variables = {name: setting.value for name, setting in read([], environ).items()}
    assert by_variables == by_arguments == sayable


@st.composite
def starts(draw: st.DrawFn) -> list[str]:
    """Command lines that start, whatever else they say; without secrets, which are not shown."""
    implemented = [flag for flag in FLAGS if isinstance(flag.state, Implemented) and flag.variable and not flag.secret]
    chosen = draw(st.lists(st.sampled_from(implemented), unique=True))
    values = {flag.name: draw(any_value(flag)) for flag in chosen}
    values["source"] = draw(st.lists(st.sampled_from(AVAILABLE["source"]), min_size=1).map(tuple))
    values["provider"] = draw(st.sampled_from(AVAILABLE["provider"]))
    values["registry"] = draw(st.sampled_from(AVAILABLE["registry"]))
    values["policy"] = draw(st.sampled_from(BY_NAME["policy"].kind.choices))
    values["manifests"] = draw(st.lists(TEXTS, min_size=1, max_size=2).map(tuple))
    values["zonefile-dir"] = draw(TEXTS.filter(bool))
    values["service-type-filter"] = draw(st.lists(st.sampled_from(SERVICE_TYPE.choices)).map(tuple))
    values["txt-suffix"] = "" if values.get("txt-prefix") else draw(TEXTS)
    values |= {name: abs(values[name]) for name in ("delete-grace-period", "stale-hold") if name in values}  # type: ignore[arg-type]
    if values.get("ignore-hostname-annotation"):
        values["fqdn-template"] = ("{{.Name}}",)
    if values.get("create-ptr"):
        values["managed-record-types"] = ("A", "PTR")
    if values.get("leader-elect"):
        retry_s, more_s, spare_s = (float(draw(st.integers(1, 60))) for _ in range(3))
        values |= {"compat": False, "aws-conditional-writes": True, "leader-elect-retry-period": retry_s}
        values["leader-elect-renew-deadline"] = retry_s + more_s
        values["leader-elect-lease-duration"] = retry_s + more_s + WRITE_S + spare_s
    return [argument for name, value in values.items() for argument in BY_NAME[name].arguments(value)]


@settings(suppress_health_check=[HealthCheck.too_slow])
@given(starts())
def test_a_configuration_shown_and_read_again_is_the_same(argv: list[str]) -> None:
    config = parse(argv, {})
    assert replace(parse(shown(config), {}), notices=config.notices) == config


@given(starts())
def test_the_order_of_different_flags_does_not_matter(argv: list[str]) -> None:
    assert parse(sorted(argv, key=lambda argument: argument.partition("=")[0]), {}) == parse(argv, {})
