"""The JSON API as an OpenAPI document: `python -m extdns.web.openapi > docs/reference/openapi.json`."""

from __future__ import annotations

import json
import sys
from typing import Final, Literal

import msgspec

from extdns.facts.areas import ChangesFacts, NamesFacts, SourcesFacts, StatusFacts, ZonesFacts
from extdns.facts.document import Facts, Version
from extdns.facts.held import HeldFacts
from extdns.facts.name import NameFacts
from extdns.facts.names import State
from extdns.facts.object import ObjectExplanation
from extdns.facts.plan import RunningPlan
from extdns.model.reason import Reason
from extdns.web.api import PREFIX

_HERE: Final = "#/components/schemas/{name}"
_WORDS: Final = "From 1 to 500, 100 if it is not given."


class Error(Facts, frozen=True):
    """Why there is no document."""

    api_version: Version
    kind: Literal["Error"]
    message: str


DOCUMENTS: Final[dict[str, tuple[type[Facts], str]]] = {
    "status": (StatusFacts, "The whole in one sentence, and what fails"),
    "names": (NamesFacts, "Names with their state and reason, sorted, a page at a time"),
    "names/{name}": (NameFacts, "Everything about one name, as `extdns explain NAME --output=json`"),
    "objects/{kind}/{namespace}/{name}": (ObjectExplanation, "Everything about one object, as `extdns explain` has it"),
    "zones": (ZonesFacts, "Zones, and how far they are read and written"),
    "sources": (SourcesFacts, "Kinds of objects, and how far they are listed"),
    "changes": (ChangesFacts, "The last changes that were sent, newest first"),
    "plan": (RunningPlan, "What is planned and not done, and what is kept, withheld or held"),
    "held": (HeldFacts, "Deletes that wait for a person, with the command that releases them"),
}
_QUERY: Final[dict[str, tuple[str, dict[str, object]]]] = {
    "q": ("Part of a name, of an object as `shop/web`, or of a target.", {"type": "string", "maxLength": 300}),
    "state": ("Names in this state.", {"type": "string", "enum": [state.value for state in State]}),
    "reason": ("Names with a record set for this reason.", {"type": "string", "enum": [one.value for one in Reason]}),
    "zone": ("Names of a zone, given by name or id.", {"type": "string"}),
    "source": ("Names that a source asks for, as `--source` spells it.", {"type": "string"}),
    "age": (
        "Names that are asked for since at most so long ago: the oldest object that asks was created then or later.",
        {"type": "string", "examples": ["10m", "1h30m", "7d"]},
    ),
    "after": ("Begin behind this name; an answer's `after` asks for the next page.", {"type": "string"}),
    "limit": (_WORDS, {"type": "integer", "minimum": 1, "maximum": 500}),
}


def document() -> dict[str, object]:
    """The document as JSON values."""
    kinds = [*(kind for kind, _ in DOCUMENTS.values()), Error]
    schemas, components = msgspec.json.schema_components(kinds, ref_template=_HERE)
    for part in components.values():
        if "description" in part:
            part["description"] = " ".join(str(part["description"]).split())
    answers = dict(zip(DOCUMENTS, schemas, strict=False))
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "extdns",
            "version": "v1",
            "description": "What a running extdns knows, served at --web-address. Nothing can be changed here.",
        },
        "paths": {f"{PREFIX}{path}": {"get": _get(path, answers[path], schemas[-1])} for path in DOCUMENTS},
        "components": {"schemas": components},
    }


def _get(path: str, answer: object, error: object) -> dict[str, object]:
    parameters = [
        {"name": part[1:-1], "in": "path", "required": True, "schema": {"type": "string"}}
        for part in path.split("/")
        if part.startswith("{")
    ]
    if path == "names":
        parameters = [
            {"name": name, "in": "query", "description": meaning, "schema": schema}
            for name, (meaning, schema) in _QUERY.items()
        ]
    return {
        "summary": DOCUMENTS[path][1],
        "parameters": parameters,
        "responses": {
            "200": {"description": "The document", "content": {"application/json": {"schema": answer}}},
            "default": {"description": "Why there is none", "content": {"application/json": {"schema": error}}},
        },
    }


def text() -> str:
    """The document as text."""
    return json.dumps(document(), indent=2, sort_keys=True) + "\n"


if __name__ == "__main__":
    sys.stdout.write(text())
