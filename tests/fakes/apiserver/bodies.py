"""Bodies of requests, and what clients accept in return."""

from __future__ import annotations

from typing import Any, Final

import msgspec
import yaml

from tests.fakes.apiserver.requests import Request
from tests.fakes.apiserver.statuses import ApiError
from tests.fakes.apiserver.store import Json

_TYPES: Final = {"", "application/json", "application/yaml", "application/apply-patch+yaml"}


class _Loader(yaml.SafeLoader):
    """YAML as JSON understands it: a timestamp is a string."""


_Loader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in resolvers if tag != "tag:yaml.org,2002:timestamp"]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}


def decoded(body: bytes) -> Any:  # noqa: ANN401 - any JSON
    """Decode JSON, or YAML.

    Raises:
        ApiError: 400, it is neither.
    """
    try:
        return msgspec.json.decode(body)
    except msgspec.DecodeError:
        pass
    try:
        return yaml.load(body, _Loader)  # a safe loader
    except yaml.YAMLError as exc:
        raise ApiError(400, f"error decoding the body: {exc}") from exc


def body(request: Request) -> Json:
    """Give the object in a request.

    Raises:
        ApiError: 415 or 400.
    """
    content_type = request.headers.get("content-type", "").partition(";")[0].strip()
    if content_type not in _TYPES:
        raise unknown_format("application/json", "application/yaml")
    said = decoded(request.body)
    if not isinstance(said, dict):
        raise ApiError(400, f"the body is not an object: {type(said).__name__}")
    return said


def check_accept(request: Request) -> None:
    """Let a client pass that takes JSON.

    Raises:
        ApiError: 406.
    """
    accepted = {part.partition(";")[0].strip() for part in request.headers.get("accept", "*/*").split(",")}
    if not accepted & {"application/json", "application/*", "*/*"}:
        raise ApiError(406, "only the following media types are accepted: application/json")


def unknown_format(*accepted: str) -> ApiError:
    """The body is of another media type."""
    shown = ", ".join(accepted)
    return ApiError(415, f"the body of the request was in an unknown format - accepted media types include: {shown}")
