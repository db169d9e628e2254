"""Counts, between the wire and the cache, how often the cache has to decode an object."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final

import msgspec

from extdns.kube.api import Api, Stream
from extdns.kube.client import Client

_LIST: Final = ("ServiceList", "v1")
_OBJECT: Final = ("Service", "v1")
_END: Final = {"k8s.io/initial-events-end": "true"}


class Tally(Api):
    """Asks as ever; what lists and watches of Services bring is looked at on its way."""

    def __init__(self, client: Client, *, request_timeout_s: float) -> None:
        super().__init__(client, request_timeout_s=request_timeout_s)
        self._due: Counter[str] = Counter()  # by path, each of which belongs to one thread
        self._known: dict[tuple[str, str], tuple[str, str]] = {}

    @property
    def due(self) -> int:
        """Events, and items of lists whose uid or resourceVersion was another before."""
        return sum(self._due.copy().values())

    def get(self, path: str, query: Mapping[str, str] | None = None) -> bytes:
        body = super().get(path, query)
        said = _decoded(body)
        if _typed(said) == _LIST and query is not None and "resourceVersion" not in query:
            for item in said.get("items") or ():
                self._list(path, item)
        return body

    @contextmanager
    def stream(self, path: str, query: Mapping[str, str]) -> Iterator[Stream]:
        with super().stream(path, query) as stream:
            yield _Tapped(stream, self, path, is_list="sendInitialEvents" in query)

    def _list(self, path: str, item: Any) -> None:  # noqa: ANN401 - any JSON
        self._note(path, item, is_event=self._known.get(_place(item)) != _version(item))

    def hear(self, path: str, line: bytes, *, is_list: bool) -> bool:
        """Take in a line of a watch; returns whether it still belongs to the list that came first."""
        said = _decoded(line)
        shown = said.get("object")
        if not isinstance(shown, dict) or _typed(shown) != _OBJECT:
            return is_list
        match said.get("type"):
            case "ADDED" | "MODIFIED" if is_list:
                self._list(path, shown)
            case "ADDED" | "MODIFIED":
                self._note(path, shown, is_event=True)
            case "DELETED":
                self._known.pop(_place(shown), None)
            case _:
                return is_list and shown["metadata"].get("annotations") != _END
        return is_list

    def _note(self, path: str, shown: Any, *, is_event: bool) -> None:  # noqa: ANN401 - any JSON
        self._due[path] += is_event
        self._known[_place(shown)] = _version(shown)


class _Tapped(Stream):
    def __init__(self, stream: Stream, tally: Tally, path: str, *, is_list: bool) -> None:
        self._stream = stream
        self._tally = tally
        self._path = path
        self._is_list = is_list

    def allow_silence(self, silence_s: float) -> None:
        self._stream.allow_silence(silence_s)

    def __iter__(self) -> Iterator[bytes]:
        for line in self._stream:
            self._is_list = self._tally.hear(self._path, line, is_list=self._is_list)
            yield line


def _decoded(text: bytes) -> dict[str, Any]:
    try:
        said = msgspec.json.decode(text)
    except msgspec.DecodeError:
        return {}
    return said if isinstance(said, dict) else {}


def _typed(said: Any) -> tuple[str, str]:  # noqa: ANN401 - any JSON
    return (said.get("kind", ""), said.get("apiVersion", "")) if isinstance(said, dict) else ("", "")


def _place(obj: Any) -> tuple[str, str]:  # noqa: ANN401 - any JSON
    return obj["metadata"]["namespace"], obj["metadata"]["name"]


def _version(obj: Any) -> tuple[str, str]:  # noqa: ANN401 - any JSON
    return obj["metadata"]["uid"], obj["metadata"]["resourceVersion"]
