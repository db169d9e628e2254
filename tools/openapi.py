"""The JSON API as an OpenAPI document, docs/reference/openapi.json."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any, Final

import msgspec

from extdns.documents.document import Document, RootDocument
from extdns.documents.held import HeldDocument
from extdns.documents.name import NameDocument
from extdns.documents.names import NameState
from extdns.documents.object import ObjectDocument
from extdns.documents.plan import RunningPlanDocument
from extdns.documents.policies import PoliciesDocument
from extdns.documents.status import ChangesDocument, NamesDocument, SourcesDocument, StatusDocument, ZonesDocument
from extdns.model.reason import Reason
from extdns.web.api import PREFIX
from extdns.web.query import PAGE_PARAMETERS

_HERE: Final = "#/components/schemas/{name}"
_WORDS: Final = "Rows of a page, from 1 to 500; 100 by default."


class Error(RootDocument, frozen=True, tag="Error"):
    """An error: why there is no document."""

    message: str


DOCUMENTS: Final[dict[str, tuple[type[Document], str]]] = {
    "status": (StatusDocument, "A summary in one sentence, and what fails"),
    "names": (NamesDocument, "Names with their state and reason, sorted, a page at a time"),
    "names/{name}": (NameDocument, "Everything about one name, as `extdns explain NAME --output=json`"),
    "objects/{kind}/{namespace}/{name}": (ObjectDocument, "Everything about one object, as in `extdns explain`"),
    "zones": (ZonesDocument, "Zones, and how much of them is read and written"),
    "sources": (SourcesDocument, "Kinds of objects, and whether they are listed"),
    "changes": (ChangesDocument, "The last changes that were sent, newest first"),
    "policies": (PoliciesDocument, "Rules about who may publish what, what they answer, and the policy server"),
    "plan": (
        RunningPlanDocument,
        "Changes that are planned and not made yet, and records that stay, are retained or held",
    ),
    "held": (HeldDocument, "Held deletes, with the command that approves them"),
}
_QUERY: Final[dict[str, tuple[str, dict[str, object]]]] = {
    "q": ("Part of a name, of an object as `shop/web`, or of a target.", {"type": "string", "maxLength": 300}),
    "state": ("Names in this state.", {"type": "string", "enum": [state.value for state in NameState]}),
    "reason": ("Names with a record that has this reason.", {"type": "string", "enum": [one.value for one in Reason]}),
    "zone": ("Names of a zone, given by name or id.", {"type": "string"}),
    "source": ("Names that a source requests, as in `--source`.", {"type": "string"}),
    "rule": ("Names with a record that a rule matches, such as a DNSPolicy.", {"type": "string"}),
    "age": (
        "Names requested for at most this long: the oldest object that requests them was created then or later.",
        {"type": "string", "examples": ["10m", "1h30m", "7d"]},
    ),
    "after": ("Start after this name; the `after` of a response requests the next page.", {"type": "string"}),
    "limit": (_WORDS, {"type": "integer", "minimum": 1, "maximum": 500}),
}


def finish_parts(parts: Iterable[dict[str, Any]]) -> None:
    """Put the descriptions of *parts* of a schema on one line, and say that every property is always present."""
    for part in parts:
        if "description" in part:
            part["description"] = " ".join(part["description"].split())
        if "properties" in part:
            part["required"] = sorted(part["properties"])
            for one in part["properties"].values():
                one.pop("default", None)


def build_openapi() -> dict[str, object]:
    """Return the OpenAPI document as JSON values."""
    kinds = [*(kind for kind, _ in DOCUMENTS.values()), Error]
    schemas, components = msgspec.json.schema_components(kinds, ref_template=_HERE)
    finish_parts(components.values())
    answers = dict(zip(DOCUMENTS, schemas, strict=False))
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "extdns",
            "version": "v1",
            "description": "The state of a running extdns, served at --web-address. Read-only.",
        },
        "paths": {f"{PREFIX}{path}": {"get": _describe_get(path, answers[path], schemas[-1])} for path in DOCUMENTS},
        "components": {"schemas": components},
    }


def _describe_get(path: str, answer: object, error: object) -> dict[str, object]:
    parameters = [
        {"name": part[1:-1], "in": "path", "required": True, "schema": {"type": "string"}}
        for part in path.split("/")
        if part.startswith("{")
    ]
    parameters += [
        {"name": name, "in": "query", "description": meaning, "schema": schema}
        for name, (meaning, schema) in _QUERY.items()
        if path == "names" or (path == "policies" and name in PAGE_PARAMETERS)
    ]
    return {
        "summary": DOCUMENTS[path][1],
        "parameters": parameters,
        "responses": {
            "200": {"description": "The document", "content": {"application/json": {"schema": answer}}},
            "default": {"description": "Why there is no document", "content": {"application/json": {"schema": error}}},
        },
    }


def render_openapi() -> str:
    """Return the OpenAPI document as text."""
    return json.dumps(build_openapi(), indent=2, sort_keys=True) + "\n"
