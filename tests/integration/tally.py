"""Count how often the cache of a live cluster has to decode a Service, by reading the API server's responses."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final

import msgspec

from extdns.kube.api import MAX_ANSWER_BYTES, ApiClient
from extdns.kube.client import HttpClient
from extdns.kube.connections import ResponseStream

_LIST: Final = ("ServiceList", "v1")
_OBJECT: Final = ("Service", "v1")
_END: Final = {"k8s.io/initial-events-end": "true"}


class Tally(ApiClient):
    """An API client that counts the Services in lists and watches which are new to it."""

    def __init__(self, client: HttpClient, *, request_timeout_s: float) -> None:
        super().__init__(client, request_timeout_s=request_timeout_s)
        self._due: Counter[str] = Counter()  # by request path; only one thread writes each entry
        self._known: dict[tuple[str, str], tuple[str, str]] = {}

    @property
    def due(self) -> int:
        """Watch events, plus items of lists whose uid or resourceVersion changed since they were last seen."""
        return sum(self._due.copy().values())

    def get(self, path: str, query: Mapping[str, str] | None = None, *, max_bytes: int = MAX_ANSWER_BYTES) -> bytes:
        body = super().get(path, query, max_bytes=max_bytes)
        decoded = _decoded(body)
        if _typed(decoded) == _LIST and query is not None and "resourceVersion" not in query:
            for item in decoded.get("items") or ():
                self._list(path, item)
        return body

    @contextmanager
    def stream(self, path: str, query: Mapping[str, str]) -> Iterator[ResponseStream]:
        with super().stream(path, query) as stream:
            yield _CountingStream(stream, self, path, is_list="sendInitialEvents" in query)

    def _list(self, path: str, item: Any) -> None:  # noqa: ANN401 - any JSON
        self._note(path, item, is_event=self._known.get(_namespaced_name(item)) != _version(item))

    def count_line(self, path: str, line: bytes, *, is_list: bool) -> bool:
        """Count one line of a watch. Return whether the next line still belongs to the initial list."""
        decoded = _decoded(line)
        obj = decoded.get("object")
        if not isinstance(obj, dict) or _typed(obj) != _OBJECT:
            return is_list
        match decoded.get("type"):
            case "ADDED" | "MODIFIED" if is_list:
                self._list(path, obj)
            case "ADDED" | "MODIFIED":
                self._note(path, obj, is_event=True)
            case "DELETED":
                self._known.pop(_namespaced_name(obj), None)
            case _:
                return is_list and obj["metadata"].get("annotations") != _END
        return is_list

    def _note(self, path: str, obj: Any, *, is_event: bool) -> None:  # noqa: ANN401 - any JSON
        self._due[path] += is_event
        self._known[_namespaced_name(obj)] = _version(obj)


class _CountingStream(ResponseStream):
    def __init__(self, stream: ResponseStream, tally: Tally, path: str, *, is_list: bool) -> None:
        self._stream = stream
        self._tally = tally
        self._path = path
        self._is_list = is_list

    def set_idle_timeout(self, silence_s: float) -> None:
        self._stream.set_idle_timeout(silence_s)

    def __iter__(self) -> Iterator[bytes]:
        for line in self._stream:
            self._is_list = self._tally.count_line(self._path, line, is_list=self._is_list)
            yield line


def _decoded(text: bytes) -> dict[str, Any]:
    try:
        decoded = msgspec.json.decode(text)
    except msgspec.DecodeError:
        return {}
    return decoded if isinstance(decoded, dict) else {}


def _typed(decoded: Any) -> tuple[str, str]:  # noqa: ANN401 - any JSON
    return (decoded.get("kind", ""), decoded.get("apiVersion", "")) if isinstance(decoded, dict) else ("", "")


def _namespaced_name(obj: Any) -> tuple[str, str]:  # noqa: ANN401 - any JSON
    return obj["metadata"]["namespace"], obj["metadata"]["name"]


def _version(obj: Any) -> tuple[str, str]:  # noqa: ANN401 - any JSON
    return obj["metadata"]["uid"], obj["metadata"]["resourceVersion"]
