"""Store the saved state in a ConfigMap or in a file."""

from __future__ import annotations

import fcntl
import getpass
import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final, Protocol

import msgspec

from extdns.errors import ApiError, ConflictError, ExtdnsError, InvalidValueError, describe_cause, escape_unprintable
from extdns.kube import state_document
from extdns.kube.access_review import read_user_name
from extdns.kube.api_protocol import build_collection_path, build_object_path
from extdns.kube.live.existence import read_existing
from extdns.kube.state_document import StateDocument
from extdns.model.kind import CONFIG_MAP, ObjectKey

if TYPE_CHECKING:
    from extdns.kube.api import ApiClient


_MAX_FILE_BYTES: Final = 4 * state_document.MAX_STATE_BYTES  # JSON in a JSON string is longer
_ATTEMPTS: Final = 2


class StateDocumentStore(Protocol):
    """Stores one document. `str` describes it for messages. `read` and `update` may raise `ExtdnsError`."""

    def read(self) -> StateDocument | None:
        """Return the document, or None if it does not exist."""
        ...

    def update(self, change: Callable[[StateDocument], StateDocument]) -> None:
        """Replace the document by what *change* returns for it, or for an empty one if it does not exist.

        *change* can be called twice. What others write meanwhile is never overwritten.
        """
        ...

    def find_user(self) -> str:
        """Return the name of the user who updates the document, "" if it is not known. Never fails."""
        ...


class ConfigMapStateStore:
    """Stores the document in a ConfigMap, which is created if it does not exist."""

    def __init__(self, api: ApiClient, namespace: str, name: str) -> None:
        """Store the document in the ConfigMap *name* of *namespace*. Raises `ValueError` if either is not valid."""
        self._api = api
        self._key = ObjectKey(CONFIG_MAP, namespace, name)
        self._collection_path = build_collection_path(CONFIG_MAP, namespace)
        self._path = build_object_path(self._key)

    def __str__(self) -> str:
        return f"ConfigMap {self._key.namespace}/{self._key.name}"

    def read(self) -> StateDocument | None:
        """Return the document in the ConfigMap, None if there is no ConfigMap."""
        body = read_existing(self._api, self._key)
        return None if body is None else _parse(body, str(self))

    def update(self, change: Callable[[StateDocument], StateDocument]) -> None:
        """Read the ConfigMap, and replace it by what *change* returns, unless somebody changed it since it was read.

        In that case, try once more.
        """
        for attempt in range(1, _ATTEMPTS + 1):
            found = self.read()
            changed = change(state_document.build_empty_document(self._key.name) if found is None else found)
            if changed == found:
                return
            try:
                method, path = ("POST", self._collection_path) if found is None else ("PUT", self._path)
                _parse(self._api.send(method, path, body=msgspec.json.encode(changed)), str(self))
            except ConflictError:
                if attempt == _ATTEMPTS:
                    raise
            else:
                return

    def find_user(self) -> str:
        """Return the user name under which the API server knows this process, "" if that cannot be read."""
        with suppress(ApiError):
            return read_user_name(self._api)
        return ""


class FileStateStore:
    """Stores the document in a file, which is replaced atomically and readable by its owner only."""

    def __init__(self, path: Path) -> None:
        """Store the document in the file at *path*. Its folder must exist."""
        self._path = path

    def __str__(self) -> str:
        return f"state file {escape_unprintable(str(self._path))}"

    def read(self) -> StateDocument | None:
        """Return the document in the file, None if the file is absent or empty."""
        try:
            with self._path.open("rb") as file:
                body = file.read(_MAX_FILE_BYTES + 1)
        except FileNotFoundError:
            return None
        except (OSError, ValueError) as exc:
            raise ExtdnsError(f"{self} cannot be read: {describe_cause(exc)}") from exc
        if len(body) > _MAX_FILE_BYTES:
            raise ExtdnsError(f"{self} is larger than {_MAX_FILE_BYTES >> 20} MiB")
        return _parse(body, str(self)) if body.strip() else None

    def update(self, change: Callable[[StateDocument], StateDocument]) -> None:
        """Read the file, and replace it by what *change* returns, under a lock against other processes."""
        try:
            with self._locked():
                found = self.read()
                changed = change(state_document.build_empty_document(self._path.name) if found is None else found)
                if changed != found:
                    self._replace(msgspec.json.format(msgspec.json.encode(changed)) + b"\n")
        except (OSError, ValueError) as exc:
            raise ExtdnsError(f"{self} cannot be written: {describe_cause(exc)}") from exc

    def find_user(self) -> str:
        """Return the user of this machine, "" if the user id has no name."""
        with suppress(KeyError, OSError):
            return getpass.getuser()
        return ""

    @contextmanager
    def _locked(self) -> Iterator[None]:
        folder = os.open(self._path.parent, os.O_RDONLY)
        try:
            fcntl.flock(folder, fcntl.LOCK_EX)
            yield
        finally:
            os.close(folder)

    def _replace(self, body: bytes) -> None:
        """Write a temporary file and rename it, so that a crash leaves either the old or the new content."""
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


def _parse(body: bytes, location: str) -> StateDocument:
    try:
        return state_document.parse_document(body)
    except InvalidValueError as exc:
        raise ExtdnsError(f"{location} has no valid state: {exc}") from exc
