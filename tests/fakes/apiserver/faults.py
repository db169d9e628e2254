"""What goes wrong between the API and its client, a fault a class.

A fault acts before the work is done, on the answer, or on its way over the wire, line by line: a list is one line,
each frame of a watch is one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from itertools import islice
from threading import Event
from typing import Any, Final

import msgspec

from tests.fakes.apiserver import answers
from tests.fakes.apiserver.answers import Answer, ConnectionCut
from tests.fakes.apiserver.patches import merge
from tests.fakes.apiserver.statuses import ApiError
from tests.fakes.apiserver.watches import error_frame

_HTML: Final = b"<html><head><title>Sign in</title></head><body>Please sign in to go on.</body></html>\n"


class Fault:
    """Changes nothing."""

    def before(self) -> Answer | None:
        """Act before the work is done; an answer stands for the work."""
        return None

    def after(self, answer: Answer) -> Answer:
        """Act on the answer."""
        return answer

    def release(self) -> None:
        """Let go on what waits."""


@dataclass(frozen=True, slots=True)
class Drop(Fault):
    """Close the connection without a word; if *worked*, only after a write was carried out."""

    worked: bool = False

    def before(self) -> Answer | None:
        if not self.worked:
            raise ConnectionCut
        return None

    def after(self, answer: Answer) -> Answer:
        raise ConnectionCut(answer)


@dataclass(frozen=True, slots=True)
class Stall(Fault):
    """Say nothing until released: from the start, or after so many *lines* of the body."""

    lines: int | None = None
    released: Event = field(default_factory=Event)

    def before(self) -> Answer | None:
        if self.lines is None:
            self.released.wait()
        return None

    def after(self, answer: Answer) -> Answer:
        def stalled() -> Iterator[bytes]:
            for number, line in _numbered(answer):
                if number == self.lines:
                    self.released.wait()
                yield line

        return answer if self.lines is None else replace(answer, parts=stalled())

    def release(self) -> None:
        self.released.set()


@dataclass(frozen=True, slots=True)
class Cut(Fault):
    """Close the connection in the middle of a line, after so many whole *lines* of the body."""

    lines: int = 0

    def after(self, answer: Answer) -> Answer:
        def cut() -> Iterator[bytes]:
            for number, line in _numbered(answer):
                if number == self.lines:
                    yield line[: len(line) // 2]
                    raise ConnectionCut
                yield line

        return replace(answer, parts=cut())


@dataclass(frozen=True, slots=True)
class Slow(Fault):
    """Let the body trickle, so many bytes at a time, until released."""

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
    """Answer with a `Status` of that *code*; if *framed*, as the ERROR frame of a watch."""

    code: int
    message: str = "armed by a test"
    reason: str | None = None
    retry_after_s: int | None = None
    framed: bool = False

    def before(self) -> Answer | None:
        error = ApiError(self.code, self.message, reason=self.reason, retry_after_s=self.retry_after_s)
        return answers.stream([error_frame(error)]) if self.framed else answers.failure(error)


@dataclass(frozen=True, slots=True)
class Html(Fault):
    """Answer 200 with a page for people, as a proxy that wants a login does."""

    def before(self) -> Answer | None:
        return answers.plain(_HTML, content_type="text/html")


@dataclass(frozen=True, slots=True)
class Truncated(Fault):
    """Answer half of the JSON as if it were all: HTTP sees nothing wrong, nor does it of a watch that ends so."""

    def after(self, answer: Answer) -> Answer:
        if answer.length is not None:
            body = b"".join(answer.parts)
            return replace(answer, parts=(body[: len(body) // 2],), length=len(body) // 2)
        return replace(answer, parts=(line[: len(line) // 2] for line in islice(filter(None, _lines(answer)), 1)))


@dataclass(frozen=True, slots=True)
class Empty(Fault):
    """Answer as if there were nothing, wrongly; *null* is how Go writes a list that was never made."""

    null: bool = False

    def after(self, answer: Answer) -> Answer:
        def emptied(shown: dict[str, Any]) -> dict[str, Any] | None:
            if "items" not in shown:
                return None if shown.get("type") == "ADDED" else shown
            metadata = {"resourceVersion": shown["metadata"]["resourceVersion"]}
            return shown | {"metadata": metadata, "items": None if self.null else []}

        return _altered(answer, emptied)


@dataclass(frozen=True, slots=True)
class Unknown(Fault):
    """Answer in a kind and version that nobody knows."""

    def after(self, answer: Answer) -> Answer:
        foreign = {"apiVersion": "example.org/v99"}

        def renamed(shown: dict[str, Any]) -> dict[str, Any]:
            if "items" in shown:
                return shown | foreign | {"kind": "FooList"}
            return shown | {"object": shown.get("object", {}) | foreign | {"kind": "Foo"}}

        return _altered(answer, renamed)


@dataclass(frozen=True, slots=True)
class Spoil(Fault):
    """Show the object of that *name* merged with *patch*, wherever it comes up in a list or watch."""

    name: str
    patch: dict[str, Any]

    def after(self, answer: Answer) -> Answer:
        def spoiled(obj: dict[str, Any]) -> dict[str, Any]:
            merged: dict[str, Any] = merge(obj, self.patch)
            return merged if obj.get("metadata", {}).get("name") == self.name else obj

        def shown(said: dict[str, Any]) -> dict[str, Any]:
            if "items" in said:
                return said | {"items": [spoiled(item) for item in said["items"]]}
            return said | {"object": spoiled(said["object"])} if "object" in said else said

        return _altered(answer, shown)


def _altered(answer: Answer, alter: Callable[[dict[str, Any]], dict[str, Any] | None]) -> Answer:
    """Alter each line of a body, or drop it by None; failures are left alone."""
    if answer.code != 200:
        return answer
    if answer.length is not None:
        return answers.json(alter(msgspec.json.decode(b"".join(answer.parts))) or {})

    def lines() -> Iterator[bytes]:
        for line in _lines(answer):
            altered = alter(msgspec.json.decode(line)) if line else None
            yield b"" if altered is None else msgspec.json.encode(altered) + b"\n"

    return replace(answer, parts=lines())


def _lines(answer: Answer) -> Iterator[bytes]:
    """Split a body into lines; empty parts stay, for the listener to look around, and count for nothing."""
    for part in answer.parts:
        yield from part.splitlines(keepends=True) or (b"",)


def _numbered(answer: Answer) -> Iterator[tuple[int, bytes]]:
    """Number the lines of a body; empty parts have no number, which is -1."""
    number = 0
    for line in _lines(answer):
        yield number if line else -1, line
        number += bool(line)
