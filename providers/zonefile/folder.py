"""Access the folder of zone files: list, read, lock and replace files."""

from __future__ import annotations

import errno
import fcntl
import os
import stat
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from threading import Lock
from typing import Final

from extdns.errors import ForbiddenError, ProviderError, RetryableError, UsageError, escape_unprintable
from extdns.model.zone import Zone
from extdns.paths import is_file
from providers.zonefile.master import MasterFile
from providers.zonefile.parse import parse_master_file

# Suffixes that editors and name servers add to copies of a file such as db.example.
_LEFTOVERS: Final = ("~", ".bak", ".jbk", ".jnl", ".orig", ".signed", ".swp", ".tmp")
_TEMPORARY: Final = ".extdns.tmp"  # one name is enough, since the lock allows one write at a time; servers ignore it
_FORBIDDEN: Final = frozenset({errno.EACCES, errno.EPERM, errno.EROFS})


class ZoneFolder:
    """Reads and replaces zone files, from any thread.

    A parsed file is reused until it, or a file that it includes, changes. Where the folder or a file cannot be used,
    methods raise `ProviderError`.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._loaded: dict[str, _Loaded] = {}
        self._lock = Lock()

    def check(self) -> None:
        """Check that the folder can be used."""
        flag = f"--zonefile-dir={escape_unprintable(str(self.path))}"
        try:
            next(self.path.iterdir(), None)
        except (OSError, ValueError) as exc:  # ValueError: the path has a null byte
            parent = escape_unprintable(str(self.path.parent))
            hint = f"did you mean: --zonefile-dir={parent}\n  " if is_file(self.path) else ""
            raise UsageError(f"{flag}: {_describe_error(exc)}\n  {hint}allowed: a folder with zone files") from exc
        if not os.access(self.path, os.W_OK | os.X_OK):
            raise UsageError(f"{flag}: no write permission; allowed: a folder that can be written")

    def list_files(self) -> tuple[str, ...]:
        """Return the names of the zone files, sorted: `*.zone` and `db.*`, without hidden files and backup copies."""
        with _translate_errors(f"listing {self.path}"):
            return tuple(sorted(path.name for path in self.path.iterdir() if _is_zone(path.name) and path.is_file()))

    def load(self, name: str) -> MasterFile:
        """Read the file *name*; problems in its text are part of the result."""
        content = _read_bytes(self.path / name)
        known = self._loaded.get(name)
        if known is not None and known.content == content and known.is_current():
            return known.master
        included: dict[Path, bytes | None] = {}
        master = parse_master_file(content.decode("latin-1"), name, partial(self._include, included))
        self._loaded[name] = _Loaded(content=content, included=included, master=master)
        return master

    def load_zone(self, zone: Zone) -> MasterFile:
        """Read the file of *zone*, which must be valid and still contain it."""
        master = self.load(zone.id)
        if master.problem:
            raise RetryableError(master.problem)
        if master.zone != zone.name:
            raise RetryableError(f"{zone.id} holds the zone {master.zone} now, no longer {zone.name}")
        return master

    @contextmanager
    def lock(self) -> Iterator[None]:
        """Lock the folder. Other threads wait; other processes that try to lock it fail at once."""
        with self._lock, ExitStack() as stack:
            with _translate_errors(f"locking {self.path}"):
                descriptor = os.open(self.path, os.O_RDONLY | os.O_DIRECTORY)
                stack.callback(os.close, descriptor)
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            yield

    def replace(self, name: str, master: MasterFile) -> None:
        """Replace the file *name* by *master* in one step or not at all, with the same owner and mode."""
        path = (self.path / name).resolve()
        temporary = path.with_name(_TEMPORARY)
        content = master.text.encode("latin-1")
        with _translate_errors(f"writing {path}"):
            try:
                _write(temporary, content, path.stat())
                temporary.replace(path)
            except BaseException:
                temporary.unlink(missing_ok=True)
                raise
        _flush_folder(path.parent)
        if master.has_invalid_lines:  # the line numbers in messages may have changed
            del self._loaded[name]
        else:
            self._loaded[name] = replace(self._loaded[name], content=content, master=master)

    def find_write_obstacle(self, name: str) -> str:
        """Return why permissions do not allow replacing the file *name*, "" if they do."""
        path = (self.path / name).resolve()
        if not os.access(path.parent, os.W_OK | os.X_OK, effective_ids=True):
            return f"the folder {path.parent} is read-only for user {os.geteuid()}"
        owner = path.stat().st_uid
        if owner != os.geteuid() and os.geteuid() != 0:
            return f"the file belongs to user {owner}, and user {os.geteuid()} cannot keep that owner when replacing it"
        return ""

    def _include(self, included: dict[Path, bytes | None], name: str) -> str:
        if "\0" in name:
            raise RetryableError(f"reading {name!r}: a file name cannot contain NUL")
        path = self.path / os.fsdecode(name.encode("latin-1"))
        included[path] = None
        included[path] = content = _read_bytes(path)
        return content.decode("latin-1")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Loaded:
    """A file as it was read, and the bytes of the files that it includes, None for those that could not be read."""

    content: bytes
    included: Mapping[Path, bytes | None]
    master: MasterFile

    def is_current(self) -> bool:
        return all(_read_bytes_or_none(path) == content for path, content in self.included.items())


def _is_zone(name: str) -> bool:
    if name.startswith(".") or name.endswith(_LEFTOVERS):
        return False
    return name.endswith(".zone") or name.startswith("db.")


def _read_bytes(path: Path) -> bytes:
    with _translate_errors(f"reading {path}"):
        if not stat.S_ISREG(path.stat().st_mode):
            raise RetryableError(f"reading {path}: it is not a regular file")
        return path.read_bytes()


def _read_bytes_or_none(path: Path) -> bytes | None:
    with suppress(ProviderError):
        return _read_bytes(path)
    return None


def _write(path: Path, content: bytes, like: os.stat_result) -> None:
    """Write a new file and flush it to disk, with the owner and mode of *like*."""
    path.unlink(missing_ok=True)
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(content)
        file.flush()
        own = os.fstat(descriptor)
        if (own.st_uid, own.st_gid) != (like.st_uid, like.st_gid):
            os.fchown(descriptor, like.st_uid, like.st_gid)
        os.fchmod(descriptor, stat.S_IMODE(like.st_mode))
        os.fsync(descriptor)


def _flush_folder(folder: Path) -> None:
    """Flush the entry of a replaced file to disk, so that it survives a power failure; errors are ignored."""
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


@contextmanager
def _translate_errors(call: str) -> Iterator[None]:
    try:
        yield
    except BlockingIOError as exc:
        raise RetryableError(f"{call}: another process is writing to the folder") from exc
    except OSError as exc:
        kind = ForbiddenError if exc.errno in _FORBIDDEN else RetryableError
        raise kind(f"{call}: {_describe_error(exc)}") from exc


def _describe_error(exc: OSError | ValueError) -> str:
    return (exc.strerror if isinstance(exc, OSError) else "") or str(exc)
