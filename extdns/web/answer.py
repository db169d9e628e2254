"""A whole response, and how it is given to a WSGI server (PEP 3333)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from wsgiref.types import StartResponse

TEXT: Final = "text/plain; charset=utf-8"
METHODS: Final = ("GET", "HEAD")


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """A whole response; `Content-Length` follows from the body."""

    status: HTTPStatus = HTTPStatus.OK
    body: bytes
    content_type: str = TEXT
    headers: tuple[tuple[str, str], ...] = ()


def text(status: HTTPStatus, sentence: str) -> Answer:
    """One line for a person."""
    return Answer(status=status, body=f"{sentence}\n".encode())


def not_allowed() -> Answer:
    """Nothing can be done here but reading."""
    allowed = ", ".join(METHODS)
    return Answer(
        status=HTTPStatus.METHOD_NOT_ALLOWED, body=f"allowed: {allowed}\n".encode(), headers=(("Allow", allowed),)
    )


def give(
    answer: Answer, method: str, start_response: StartResponse, more: Sequence[tuple[str, str]] = ()
) -> Iterable[bytes]:
    """Begin the response, with *more* headers, and return its body, which HEAD leaves out."""
    length = ("Content-Length", str(len(answer.body)))
    headers = [("Content-Type", answer.content_type), length, *answer.headers, *more]
    start_response(f"{answer.status.value} {answer.status.phrase}", headers)
    return () if method == "HEAD" else (answer.body,)
