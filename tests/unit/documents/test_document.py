"""JSON documents contain only printable ASCII."""

from __future__ import annotations

import json

import msgspec
import pytest

from extdns.documents.document import Document, encode_json, format_json
from extdns.model.dns_name import DnsName


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
