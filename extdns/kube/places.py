"""Where state is kept: a ConfigMap, or a file that takes its place where there is no API server."""

from __future__ import annotations

import fcntl
import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final, Protocol

import msgspec

from extdns.errors import ConflictError, ExtdnsError, InvalidValueError, NotFoundError, shown
from extdns.kube import shelf
from extdns.kube.paths import collection_path, object_path
from extdns.kube.shelf import Document
from extdns.model.cluster import Kind, ObjectKey

if TYPE_CHECKING:
    from extdns.kube.api import Api

_CONFIG_MAP: Final = Kind("", "v1", "ConfigMap", "configmaps")
_MOST_FILE_BYTES: Final = 4 * shelf.MOST_BYTES  # JSON within JSON is longer
_ATTEMPTS: Final = 2


class Place(Protocol):
    """Holds one document; `str` names it for people. Everything raises `ExtdnsError`."""

    def read(self) -> Document | None:
        """The document, None if there is none yet."""
        ...

    def update(self, change: Callable[[Document], Document]) -> None:
        """Put what *change* makes of the document in its place, unless somebody else did so meanwhile."""
        ...


class ConfigMapPlace:
    """A ConfigMap, which is created when there is none."""

    def __init__(self, api: Api, namespace: str, name: str) -> None:
        """Ask *api*. Raises `ValueError` if no ConfigMap can be there."""
        self._api = api
        self._name = name
        self._namespace = namespace
        self._all = collection_path(_CONFIG_MAP, namespace)
        self._one = object_path(ObjectKey(_CONFIG_MAP, namespace, name))

    def __str__(self) -> str:
        """Name it for people."""
        return f"ConfigMap {self._namespace}/{self._name}"

    def read(self) -> Document | None:
        """GET it."""
        try:
            body = self._api.get(self._one)
        except NotFoundError as exc:
            if exc.name == self._name:
                return None
            raise
        return _document(body, str(self))

    def update(self, change: Callable[[Document], Document]) -> None:
        """GET it and PUT it with its version; if somebody else was quicker, once more."""
        for attempt in range(1, _ATTEMPTS + 1):
            found = self.read()
            changed = change(shelf.empty(self._name) if found is None else found)
            if changed == found:
                return
            try:
                method, path = ("POST", self._all) if found is None else ("PUT", self._one)
                self._api.send(method, path, body=msgspec.json.encode(changed))
            except ConflictError:
                if attempt == _ATTEMPTS:
                    raise
            else:
                return


class FilePlace:
    """A file, replaced whole, which only its owner may read."""

    def __init__(self, path: Path) -> None:
        """Keep at *path*; its folder must be there."""
        self._path = path

    def __str__(self) -> str:
        """Name it for people."""
        return f"state file {shown(str(self._path))}"

    def read(self) -> Document | None:
        """Read it; an empty file holds nothing."""
        try:
            with self._path.open("rb") as file:
                body = file.read(_MOST_FILE_BYTES + 1)
        except FileNotFoundError:
            return None
        except (OSError, ValueError) as exc:
            raise ExtdnsError(f"{self} cannot be read: {_said(exc)}") from exc
        if len(body) > _MOST_FILE_BYTES:
            raise ExtdnsError(f"{self} is larger than {_MOST_FILE_BYTES >> 20} MiB")
        return _document(body, str(self)) if body.strip() else None

    def update(self, change: Callable[[Document], Document]) -> None:
        """Read it and replace it, alone among the processes that do the same."""
        try:
            with self._locked():
                found = self.read()
                changed = change(shelf.empty(self._path.name) if found is None else found)
                if changed != found:
                    self._replace(msgspec.json.format(msgspec.json.encode(changed)) + b"\n")
        except (OSError, ValueError) as exc:
            raise ExtdnsError(f"{self} cannot be written: {_said(exc)}") from exc

    @contextmanager
    def _locked(self) -> Iterator[None]:
        folder = os.open(self._path.parent, os.O_RDONLY)
        try:
            fcntl.flock(folder, fcntl.LOCK_EX)
            yield
        finally:
            os.close(folder)

    def _replace(self, body: bytes) -> None:
        """Write beside it and rename, so that a crash leaves the one or the other."""
        descriptor, name = tempfile.mkstemp(prefix=f".{self._path.name}.", dir=self._path.parent)
        temporary = Path(name)
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(body)
                file.flush()
                os.fsync(file.fileno())
            temporary.replace(self._path)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise


def _document(body: bytes, place: str) -> Document:
    try:
        return shelf.parsed(body)
    except InvalidValueError as exc:
        raise ExtdnsError(f"{place}: {exc}") from exc


def _said(exc: Exception) -> str:
    return (exc.strerror if isinstance(exc, OSError) else "") or str(exc)
