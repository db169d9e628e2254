"""Convert the XML of the API from and to dictionaries in the form of boto3.

The element of a list item has the name of the list without the plural s, in all actions implemented here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final
from xml.etree import ElementTree as ET
from xml.sax.saxutils import escape

from tests.fakes.route53.errors import build_invalid_xml
from tests.fakes.service.answers import ApiError

NAMESPACE: Final = "https://route53.amazonaws.com/doc/2013-04-01/"
_PREFIX: Final = len(NAMESPACE) + 2
_DECLARATION: Final = '<?xml version="1.0"?>\n'
_LISTS: Final = frozenset({"Changes", "ResourceRecords", "ResourceIds"})


def _parse_boolean(text: str) -> bool:
    if text not in {"true", "false", "1", "0"}:
        raise ValueError(text)
    return text in {"true", "1"}


_CONVERTERS: Final[Mapping[str, Callable[[str], object]]] = {
    "TTL": int,
    "Weight": int,
    "Bias": int,
    "MultiValueAnswer": _parse_boolean,
    "EvaluateTargetHealth": _parse_boolean,
    "PrivateZone": _parse_boolean,
}


def parse(body: bytes, root: str) -> dict[str, Any]:
    """Parse the body of a request, whose root element must be *root*."""
    try:
        element = ET.fromstring(body)
    except ET.ParseError as exc:
        raise ApiError(400, "MalformedInput", f"Invalid XML ; {exc}") from exc
    if element.tag != f"{{{NAMESPACE}}}{root}":
        raise ApiError(400, "MalformedInput", f"{element.tag} is not valid, expected {root}")
    read = _read(element)
    if not isinstance(read, dict):
        raise build_invalid_xml(f"The content of element '{root}' is not complete")
    return read


def render(root: str, fields: dict[str, Any]) -> bytes:
    return f'{_DECLARATION}<{root} xmlns="{NAMESPACE}">{_encode(fields)}</{root}>'.encode()


def render_error(error: ApiError, request_id: str) -> bytes:
    detail = {"Type": "Sender" if error.status < 500 else "Receiver", "Code": error.code, "Message": error.message}
    return render("ErrorResponse", {"Error": detail, "RequestId": request_id})


def _read(element: ET.Element) -> Any:  # noqa: ANN401 - as deep as the document
    name = element.tag[_PREFIX:]
    if name in _LISTS:
        return [_read(child) for child in element]
    if len(element):
        return {child.tag[_PREFIX:]: _read(child) for child in element}
    text = element.text or ""
    convert = _CONVERTERS.get(name)
    if convert is None:
        return text
    try:
        return convert(text.strip())
    except ValueError as exc:
        raise build_invalid_xml(f"'{text}' is not a valid value of element '{name}'") from exc


def _encode(value: Any) -> str:  # noqa: ANN401 - as deep as the document
    if isinstance(value, dict):
        return "".join([f"<{name}>{_encode_items(name, inner)}</{name}>" for name, inner in value.items()])
    if isinstance(value, bool):
        return "true" if value else "false"
    return escape(str(value))


def _encode_items(name: str, value: Any) -> str:  # noqa: ANN401 - as deep as the document
    if not isinstance(value, list):
        return _encode(value)
    item = name.removesuffix("s")
    return "".join([f"<{item}>{_encode(inner)}</{item}>" for inner in value])
