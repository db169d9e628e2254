"""Documents as JSON in printable ASCII, and the record data in them."""

from __future__ import annotations

import importlib
import json
import pkgutil
from collections import Counter
from datetime import UTC, datetime, timedelta

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

import extdns.documents
from extdns.config import parse
from extdns.documents.document import Document, RootDocument, build_record_data, encode_json, format_json
from extdns.documents.held import format_accept_command, format_approve_command
from extdns.documents.text import (
    describe_record,
    escape_line,
    format_age,
    format_age_of,
    format_duration,
    list_problems,
)
from extdns.errors import escape_unprintable
from extdns.model.claim import Claim, InvalidClaim
from extdns.model.dns_name import DnsName
from extdns.model.kind import ObjectKey
from extdns.model.reason import Reason
from extdns.model.record import DesiredRecord, Record, project_record
from tests.builders import build_claim, origin

NAME = DnsName("web.example.org")
UNSET = DesiredRecord(name=NAME, type="A", targets=("192.0.2.1",))


class Thing(Document, frozen=True):
    """A document with a field of each type."""

    some_text: str
    name: DnsName
    nothing: None = None
    several: tuple[str, ...] = ()
    table: dict[str, int] = msgspec.field(default_factory=dict)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("plain", id="plain"),
        pytest.param('"quoted" \\ / \t\r\n\x00\x1b\x7f\x9b', id="controls"),
        pytest.param("naïve → \u202e 😀", id="beyond-ascii"),
    ],
)
def test_a_document_is_formatted_as_indented_ascii_json(text: str) -> None:
    written = format_json(Thing(some_text=text, name=DnsName("a.example.org"), several=("x",), table={"b": 1, "a": 2}))
    values = {"name": "a.example.org", "nothing": None, "several": ["x"], "someText": text, "table": {"a": 2, "b": 1}}
    assert written == json.dumps(values, indent=2) + "\n"
    assert all(character.isprintable() for character in written.replace("\n", ""))


def test_an_unpaired_surrogate_character_becomes_a_question_mark_in_json() -> None:
    assert (
        json.loads(format_json({"text": "a\ud800b"}))
        == json.loads(encode_json({"text": "a\ud800b"}))
        == {"text": "a?b"}
    )


@pytest.mark.parametrize(
    ("record", "ttl_s", "text"),
    [
        pytest.param(Record(name=NAME, type="A", targets=("192.0.2.1",), ttl_s=0), 0, "TTL 0", id="0 in the zone"),
        pytest.param(Record(name=NAME, type="A", targets=("192.0.2.1",), ttl_s=60), 60, "TTL 60", id="in the zone"),
        pytest.param(UNSET, None, "default TTL", id="none requested"),
        pytest.param(project_record(UNSET), None, "default TTL", id="none requested, as it will be in the zone"),
    ],
)
def test_a_ttl_of_zero_in_a_zone_differs_from_one_that_nobody_stated(
    record: Record | DesiredRecord, ttl_s: int | None, text: str
) -> None:
    data = build_record_data(record)
    assert data.ttl_seconds == ttl_s
    assert describe_record(record.type, data) == f"A 192.0.2.1, {text}"


# Each JSON document has its own value of `kind`


def list_subclasses(parent: type[Document]) -> set[type[Document]]:
    return {one for child in parent.__subclasses__() for one in (child, *list_subclasses(child))}


def test_no_two_documents_have_the_same_value_of_kind() -> None:
    for module in pkgutil.iter_modules(extdns.documents.__path__, "extdns.documents."):
        importlib.import_module(module.name)
    kinds = Counter(one.__struct_config__.tag for one in list_subclasses(RootDocument))
    assert {kind for kind, number in kinds.items() if number > 1} == set()
    assert {"Status", "SavedState", "Plan", "RunningPlan", "NameExplanation", "Reason"} <= kinds.keys()


# Times and durations in text output


AT = datetime(2026, 11, 20, 9, 14, 31, tzinfo=UTC)


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        pytest.param(-3.0, "0s", id="negative"),
        pytest.param(59.9, "59s", id="seconds"),
        pytest.param(60.0, "1m", id="minutes"),
        pytest.param(7199.0, "1h", id="hours"),
        pytest.param(86400.0 * 12, "12d", id="days"),
    ],
)
def test_a_duration_is_shown_in_whole_numbers_of_the_largest_unit_that_fits(seconds: float, text: str) -> None:
    assert format_duration(seconds) == text


def test_a_time_is_shown_with_its_age_if_now_is_known() -> None:
    assert format_age(AT, AT + timedelta(minutes=4)) == "2026-11-20 09:14:31 UTC, 4m ago"
    assert format_age(AT, None) == "2026-11-20 09:14:31 UTC"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("2026-11-20T09:14:31Z", "2026-11-20 09:14:31 UTC, 1d ago", id="utc"),
        pytest.param("2026-11-20T10:14:31+01:00", "2026-11-20 09:14:31 UTC, 1d ago", id="other-time-zone"),
        pytest.param("2026-11-20T09:14:31", "2026-11-20T09:14:31", id="without-time-zone"),
        pytest.param("0001-01-01T00:00:00+23:00", "0001-01-01T00:00:00+23:00", id="before-year-1"),
        pytest.param("yesterday\x1b", "yesterday\x1b", id="not-a-time"),
    ],
)
def test_a_creation_time_is_shown_with_its_age_or_unchanged_if_it_is_invalid(text: str, expected: str) -> None:
    assert format_age_of(text, AT + timedelta(days=1)) == expected


# Untrusted text is escaped before it is printed on a terminal


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("plain text", "plain text", id="plain"),
        pytest.param("zone è · → 例", "zone è · → 例", id="letters of all scripts"),
        pytest.param("\x1b[31mred", r"\x1b[31mred", id="a terminal escape"),
        pytest.param("a\r\nb\tc", r"a\r\nb\tc", id="lines"),
        pytest.param("\u202egnp", r"\u202egnp", id="right-to-left override"),
        pytest.param("\ud800", r"\ud800", id="lone surrogate"),
        pytest.param("\x9b31m", r"\x9b31m", id="eight-bit escape"),
        pytest.param("", "", id="nothing"),
    ],
)
def test_unprintable_characters_of_untrusted_text_are_escaped(text: str, expected: str) -> None:
    assert escape_line(text) == expected


def test_a_long_line_is_cut_and_its_length_appended() -> None:
    assert escape_line("x" * 600) == "x" * 500 + "… (600 characters)"
    assert escape_unprintable("x" * 600) == "x" * 600


@given(st.text())
def test_escaped_text_is_always_printable(text: str) -> None:
    assert escape_line(text).isprintable()
    assert escape_unprintable(text).isprintable()


# The list of invalid values in a plan


def invalid(name: str, value: str) -> InvalidClaim:
    return InvalidClaim(provenance=origin(name), reason=Reason.INVALID_NAME, value=value, allowed="a name")


def test_invalid_values_are_sorted_by_object() -> None:
    web, api = origin("web").ref.key, origin("api").ref.key
    observed: list[tuple[ObjectKey, tuple[Claim, ...]]] = [
        (web, (invalid("web", "2"), invalid("web", "1"))),
        (web, (invalid("web", "0"),)),
        (api, ()),
        (api, (invalid("api", "x"), build_claim("api", "api"))),
    ]
    found = [(one.name, one.value) for one in list_problems(observed)]
    assert found == [("api", "x"), ("web", "0"), ("web", "2"), ("web", "1")]
    assert found == [(one.name, one.value) for one in list_problems(reversed(observed))]


# The command that approves held deletes


@pytest.mark.parametrize(
    ("flags", "command"),
    [
        pytest.param([], "extdns approve 7f3a-91c2", id="a-cluster"),
        pytest.param(
            ["--manifests=m", "--state-file=s.json"], "extdns approve 7f3a-91c2 --state-file=s.json", id="a-state-file"
        ),
        pytest.param(
            ["--kubeconfig=/my files/k", "--state-configmap=dns/held"],
            "extdns approve 7f3a-91c2 '--kubeconfig=/my files/k' --state-configmap=dns/held",
            id="another-cluster-and-configmap",
        ),
        pytest.param(["--state-configmap="], "extdns --approve=7f3a-91c2 [flags]", id="a-cluster-without-state"),
        pytest.param(["--manifests=m"], "extdns --approve=7f3a-91c2 [flags]", id="no-state"),
    ],
)
def test_the_approve_command_contains_the_flags_of_the_state_store_that_extdns_uses(
    flags: list[str], command: str
) -> None:
    config = parse(["--source=service", "--provider=inmemory", *flags], {})
    assert format_approve_command(config, "7f3a-91c2") == command
    assert format_accept_command(config, "7f3a-91c2") == command.replace("approve", "accept-cluster")
