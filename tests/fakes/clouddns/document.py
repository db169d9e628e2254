"""Read Google's discovery document of Cloud DNS v1, and find what it does not document in requests and responses."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, Final

import googleapiclient

Json = Mapping[str, Any]

_PYTHON: Final[Mapping[str, tuple[type, ...]]] = {
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
}


@cache
def document() -> Json:
    """Return the document that the Python package googleapiclient contains."""
    folder = Path(googleapiclient.__file__).parent / "discovery_cache" / "documents"
    found: Json = json.loads((folder / "dns.v1.json").read_text(encoding="utf-8"))
    return found


def method(name: str) -> Json:
    """Return the description of a method by its name in the call log, such as `changes.create`."""
    resource, _, verb = name.partition(".")
    found: Json = document()["resources"][resource]["methods"][verb]
    return found


def undocumented_query(name: str, query: Mapping[str, str]) -> set[str]:
    """Return the parameters of a call that neither the method nor the API documents."""
    return set(query) - set(method(name)["parameters"]) - set(document()["parameters"])


def undocumented_body(name: str, body: object) -> list[str]:
    """Return a message for each undocumented field or value in the body of a request."""
    request = method(name).get("request")
    if request is None:
        return [] if body is None else ["a body"]
    return [*_strange(body, {"$ref": request["$ref"]}, "")]


def undocumented_answer(name: str, answer: object) -> list[str]:
    return [*_strange(answer, {"$ref": method(name)["response"]["$ref"]}, "")]


def _strange(value: object, schema: Json, path: str) -> Iterator[str]:
    if "$ref" in schema:
        schema = document()["schemas"][schema["$ref"]]
    match schema.get("type"):
        case "object":
            yield from _strange_object(value, schema, path)
        case "array":
            if not isinstance(value, list):
                yield f"{path}: {value!r} is no array"
                return
            for location, inner in enumerate(value):
                yield from _strange(inner, schema["items"], f"{path}[{location}]")
        case kind:
            if type(value) not in _PYTHON[str(kind)]:
                yield f"{path}: {value!r} is no {kind}"
            elif "enum" in schema and value not in schema["enum"]:
                yield f"{path}: {value!r} is none of {', '.join(schema['enum'])}"


def _strange_object(value: object, schema: Json, path: str) -> Iterator[str]:
    if not isinstance(value, Mapping):
        yield f"{path}: {value!r} is no object"
        return
    for name, inner in value.items():
        known = schema.get("properties", {}).get(name) or schema.get("additionalProperties")
        if known is None:
            yield f"{path}.{name} is not documented"
        else:
            yield from _strange(inner, known, f"{path}.{name}")
