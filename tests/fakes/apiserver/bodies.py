"""Decode the bodies of requests to the fake API server."""

from __future__ import annotations

from typing import Any, Final

import msgspec
import yaml

from tests.fakes.apiserver import protobuf
from tests.fakes.apiserver.requests import Request
from tests.fakes.apiserver.statuses import ApiError
from tests.fakes.apiserver.store import Json

_TYPES: Final = {"", "application/json", "application/yaml", "application/apply-patch+yaml"}


class _Loader(yaml.SafeLoader):
    """A YAML loader that reads timestamps as strings, so that the result is valid JSON."""


_Loader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in resolvers if tag != "tag:yaml.org,2002:timestamp"]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}


def decode(body: bytes) -> Any:  # noqa: ANN401 - any JSON
    """Decode JSON or YAML.

    Raises:
        ApiError: with status 400, if *body* is neither.
    """
    try:
        return msgspec.json.decode(body)
    except msgspec.DecodeError:
        pass
    try:
        return yaml.load(body, _Loader)  # `_Loader` is a safe loader
    except yaml.YAMLError as exc:
        raise ApiError(400, f"error decoding the body: {exc}") from exc


def decode_object(request: Request) -> Json:
    """Return the object in the body of *request*.

    Raises:
        ApiError: with status 415 or 400.
    """
    content_type = request.headers.get("content-type", "").partition(";")[0].strip()
    if content_type == protobuf.CONTENT_TYPE:
        return protobuf.decode(request.body)
    if content_type not in _TYPES:
        raise build_unknown_format("application/json", "application/yaml")
    found = decode(request.body)
    if not isinstance(found, dict):
        raise ApiError(400, f"the body is not an object: {type(found).__name__}")
    return found


def check_accept(request: Request) -> None:
    """Check that the client accepts JSON.

    Raises:
        ApiError: with status 406.
    """
    accepted = {part.partition(";")[0].strip() for part in request.headers.get("accept", "*/*").split(",")}
    if not accepted & {"application/json", "application/*", "*/*"}:
        raise ApiError(406, "only the following media types are accepted: application/json")


def build_unknown_format(*accepted: str) -> ApiError:
    """Build the error for a body of another media type than *accepted*."""
    shown = ", ".join(accepted)
    return ApiError(415, f"the body of the request was in an unknown format - accepted media types include: {shown}")
