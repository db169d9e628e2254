"""JSON for programs, which a terminal may show, too."""

from __future__ import annotations

import json

import msgspec
import pytest

from extdns.facts.document import Facts, compact_json, json_text
from extdns.model.name import DnsName


class Thing(Facts, frozen=True):
    """Of every kind of value."""

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
def test_a_document_is_indented_ascii_that_reads_the_same(text: str) -> None:
    written = json_text(Thing(some_text=text, name=DnsName("a.example.org"), several=("x",), table={"b": 1, "a": 2}))
    values = {"name": "a.example.org", "nothing": None, "several": ["x"], "someText": text, "table": {"a": 2, "b": 1}}
    assert written == json.dumps(values, indent=2) + "\n"
    assert all(character.isprintable() for character in written.replace("\n", ""))


def test_half_a_character_becomes_a_question_mark_so_that_every_reader_can_read_it() -> None:
    assert (
        json.loads(json_text({"text": "a\ud800b"})) == json.loads(compact_json({"text": "a\ud800b"})) == {"text": "a?b"}
    )
