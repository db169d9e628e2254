"""Documents as JSON in printable ASCII, and the record data in them."""

from __future__ import annotations

import json

import msgspec
import pytest

from extdns.documents.document import Document, build_record_data, encode_json, format_json
from extdns.documents.name_text import describe_record
from extdns.model.dns_name import DnsName
from extdns.model.record import DesiredRecord, Record, project_record

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
