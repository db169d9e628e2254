"""Faults of the fake API server, one class each.

A fault acts before the request is processed, on the response, or on each line of the response. A list is one line,
and so is each event of a watch.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from itertools import islice
from threading import Event
from typing import Any, Final

import msgspec

from tests.fakes.apiserver import answers
from tests.fakes.apiserver.answers import Answer
from tests.fakes.apiserver.statuses import ApiError
from tests.fakes.apiserver.watches import encode_error
from tests.fakes.service.answers import ConnectionCut

_HTML: Final = b"<html><head><title>Sign in</title></head><body>Please sign in to go on.</body></html>\n"


class Fault:
    """The base of all faults, which changes nothing."""

    def before(self) -> Answer | None:
        """Act before the request is processed. A returned response replaces the processing."""
        return None

    def after(self, answer: Answer) -> Answer:
        """Return the response to send in place of *answer*."""
        return answer

    def release(self) -> None:
        """Continue the responses that this fault delays."""


@dataclass(frozen=True, slots=True)
class Drop(Fault):
    """Close the connection without a response. With *worked*, a write is made before."""

    worked: bool = False

    def before(self) -> Answer | None:
        if not self.worked:
            raise ConnectionCut
        return None

    def after(self, answer: Answer) -> Answer:
        raise ConnectionCut(answer)


@dataclass(frozen=True, slots=True)
class Stall(Fault):
    """Send nothing until released, from the start or after *lines* lines of the body."""

    lines: int | None = None
    released: Event = field(default_factory=Event)

    def before(self) -> Answer | None:
        if self.lines is None:
            self.released.wait()
        return None

    def after(self, answer: Answer) -> Answer:
        def stalled() -> Iterator[bytes]:
            for number, line in _number_lines(answer):
                if number == self.lines:
                    self.released.wait()
                yield line

        return answer if self.lines is None else replace(answer, parts=stalled())

    def release(self) -> None:
        self.released.set()


@dataclass(frozen=True, slots=True)
class Cut(Fault):
    """Close the connection in the middle of a line, after *lines* complete lines of the body."""

    lines: int = 0

    def after(self, answer: Answer) -> Answer:
        def cut() -> Iterator[bytes]:
            for number, line in _number_lines(answer):
                if number == self.lines:
                    yield line[: len(line) // 2]
                    raise ConnectionCut
                yield line

        return replace(answer, parts=cut())


@dataclass(frozen=True, slots=True)
class Slow(Fault):
    """Send the body slowly, a few bytes at a time, until released."""

    step_bytes: int = 16
    every_s: float = 0.001
    released: Event = field(default_factory=Event)

    def after(self, answer: Answer) -> Answer:
        def trickled() -> Iterator[bytes]:
            for part in answer.parts:
                for first in range(0, len(part), self.step_bytes):
                    if self.released.wait(self.every_s):
                        yield part[first:]
                        break
                    yield part[first : first + self.step_bytes]

        return replace(answer, parts=trickled())

    def release(self) -> None:
        self.released.set()


@dataclass(frozen=True, slots=True, kw_only=True)
class Refuse(Fault):
    """Answer with a `Status` of *code*. With *framed*, send it as the ERROR event of a watch."""

    code: int
    message: str = "armed by a test"
    reason: str | None = None
    retry_after_s: int | None = None
    framed: bool = False

    def before(self) -> Answer | None:
        error = ApiError(self.code, self.message, reason=self.reason, retry_after_s=self.retry_after_s)
        return answers.build_stream([encode_error(error)]) if self.framed else answers.build_failure(error)


@dataclass(frozen=True, slots=True)
class Html(Fault):
    """Answer with an HTML page, as a proxy with a login does."""

    code: int = 200

    def before(self) -> Answer | None:
        return answers.build_answer(_HTML, code=self.code, content_type="text/html")


@dataclass(frozen=True, slots=True)
class Terse(Fault):
    """Remove from a 404 response which object is missing, as aggregated API servers do."""

    def after(self, answer: Answer) -> Answer:
        return answers.build_failure(ApiError(404, "not found")) if answer.status == 404 else answer


@dataclass(frozen=True, slots=True)
class Swapped(Fault):
    """Answer with an object of another kind with the same metadata."""

    def after(self, answer: Answer) -> Answer:
        if answer.status == 201:  # created
            answer = replace(answer, status=200)
        return _alter_lines(answer, lambda shown: shown | {"apiVersion": "example.org/v99", "kind": "Foo"})


@dataclass(frozen=True, slots=True)
class Truncated(Fault):
    """Send only half of the JSON with a matching length, so that HTTP shows no error."""

    def after(self, answer: Answer) -> Answer:
        if answer.length is not None:
            body = b"".join(answer.parts)
            return replace(answer, parts=(body[: len(body) // 2],), length=len(body) // 2)
        return replace(answer, parts=(line[: len(line) // 2] for line in islice(filter(None, _split_lines(answer)), 1)))


@dataclass(frozen=True, slots=True)
class Empty(Fault):
    """Answer as if no objects existed. With *null*, the list of items is null, as Go encodes a nil slice."""

    null: bool = False

    def after(self, answer: Answer) -> Answer:
        def emptied(shown: dict[str, Any]) -> dict[str, Any] | None:
            if "items" not in shown:
                return None if shown.get("type") == "ADDED" else shown
            metadata = {"resourceVersion": shown["metadata"]["resourceVersion"]}
            return shown | {"metadata": metadata, "items": None if self.null else []}

        return _alter_lines(answer, emptied)


@dataclass(frozen=True, slots=True)
class Unknown(Fault):
    """Answer with objects of an unknown kind and version."""

    def after(self, answer: Answer) -> Answer:
        foreign = {"apiVersion": "example.org/v99"}

        def renamed(shown: dict[str, Any]) -> dict[str, Any]:
            if "items" in shown:
                return shown | foreign | {"kind": "FooList"}
            return shown | {"object": shown.get("object", {}) | foreign | {"kind": "Foo"}}

        return _alter_lines(answer, renamed)


def _alter_lines(answer: Answer, alter: Callable[[dict[str, Any]], dict[str, Any] | None]) -> Answer:
    """Return *answer* with each line changed by *alter*, or removed if that returns None. Failures are not changed."""
    if answer.status != 200:
        return answer
    if answer.length is not None:
        return answers.build_json_answer(alter(msgspec.json.decode(b"".join(answer.parts))) or {})

    def lines() -> Iterator[bytes]:
        for line in _split_lines(answer):
            altered = alter(msgspec.json.decode(line)) if line else None
            yield b"" if altered is None else msgspec.json.encode(altered) + b"\n"

    return replace(answer, parts=lines())


def _split_lines(answer: Answer) -> Iterator[bytes]:
    """Split a body into lines. Empty parts are passed on, since the listener uses them, and are not lines."""
    for part in answer.parts:
        yield from part.splitlines(keepends=True) or (b"",)


def _number_lines(answer: Answer) -> Iterator[tuple[int, bytes]]:
    """Yield the lines of a body with their numbers, and empty parts with the number -1."""
    number = 0
    for line in _split_lines(answer):
        yield number if line else -1, line
        number += bool(line)
