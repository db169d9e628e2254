"""HTTP responses, and how to pass one to a WSGI server (PEP 3333)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from http import HTTPStatus
from typing import TYPE_CHECKING, Final

from extdns.model.value import Value

if TYPE_CHECKING:
    from wsgiref.types import StartResponse


TEXT: Final = "text/plain; charset=utf-8"
METHODS: Final = ("GET", "HEAD")


class Response(Value, frozen=True, kw_only=True):
    """A complete response. `Content-Length` is computed from the body."""

    status: HTTPStatus = HTTPStatus.OK
    body: bytes
    content_type: str = TEXT
    headers: tuple[tuple[str, str], ...] = ()


def build_text_response(status: HTTPStatus, message: str) -> Response:
    """Build a response of one line of text."""
    return Response(status=status, body=f"{message}\n".encode())


def build_method_not_allowed() -> Response:
    """Build the response to a method other than GET and HEAD."""
    allowed = ", ".join(METHODS)
    return Response(
        status=HTTPStatus.METHOD_NOT_ALLOWED, body=f"allowed: {allowed}\n".encode(), headers=(("Allow", allowed),)
    )


def send_response(
    response: Response, method: str, start_response: StartResponse, more: Sequence[tuple[str, str]] = ()
) -> Iterable[bytes]:
    """Send the headers of *response* and *more*, and return its body; () for HEAD."""
    length = ("Content-Length", str(len(response.body)))
    headers = [("Content-Type", response.content_type), length, *response.headers, *more]
    start_response(f"{response.status.value} {response.status.phrase}", headers)
    return () if method == "HEAD" else (response.body,)
