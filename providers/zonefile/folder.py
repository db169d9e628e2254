"""The folder of zone files: which files are zones, reading them, replacing one."""

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

from extdns.errors import ForbiddenError, ProviderError, RetryableError, UsageError, shown
from extdns.model.zone import Zone
from providers.zonefile.master import Master
from providers.zonefile.parse import parse

# What editors and name servers leave beside a file called db.something.
_LEFTOVERS: Final = ("~", ".bak", ".jbk", ".jnl", ".orig", ".signed", ".swp", ".tmp")
_TEMPORARY: Final = ".extdns.tmp"  # one name, since the lock lets one write at a time; no server takes it for a zone
_FORBIDDEN: Final = frozenset({errno.EACCES, errno.EPERM, errno.EROFS})


class ZoneFolder:
    """Zone files by name; what was read is kept until the bytes differ. Any thread may use it."""

    def __init__(self, path: Path) -> None:
        """Use the folder *path*.

        Raises:
            UsageError: it is no folder that can be listed.
        """
        self.path = path
        self._loaded: dict[str, _Loaded] = {}
        self._lock = Lock()
        try:
            next(path.iterdir(), None)
        except OSError as exc:
            raise UsageError(
                f"--zonefile-dir={shown(str(path))}: {_reason(exc)}; allowed: a folder with zone files"
            ) from exc

    def names(self) -> tuple[str, ...]:
        """The names of the files that are zones, sorted: `*.zone` and `db.*`, not hidden, no leftovers.

        Raises:
            ProviderError: the folder cannot be listed.
        """
        with _translated(f"listing {self.path}"):
            return tuple(sorted(path.name for path in self.path.iterdir() if _is_zone(path.name) and path.is_file()))

    def load(self, name: str) -> Master:
        """Read the file *name*; what is wrong in its text is said in the result.

        Raises:
            ProviderError: it cannot be read.
        """
        octets = _octets(self.path / name)
        known = self._loaded.get(name)
        if known is not None and known.octets == octets and known.is_current():
            return known.master
        included: dict[Path, bytes | None] = {}
        master = parse(octets.decode("latin-1"), name, partial(self._include, included))
        self._loaded[name] = _Loaded(octets=octets, included=included, master=master)
        return master

    def zone(self, zone: Zone) -> Master:
        """Read the file of *zone*.

        Raises:
            ProviderError: it cannot be read, something in it is wrong, or it holds another zone now.
        """
        master = self.load(zone.id)
        if master.fault:
            raise RetryableError(master.fault)
        if master.zone != zone.name:
            raise RetryableError(f"{zone.id} holds the zone {master.zone} now, no longer {zone.name}")
        return master

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Keep all other writers out, of this process (they wait) and of others.

        Raises:
            ProviderError: another process is writing, or the file system has no locks.
        """
        with self._lock, ExitStack() as held:
            with _translated(f"locking {self.path}"):
                descriptor = os.open(self.path, os.O_RDONLY | os.O_DIRECTORY)
                held.callback(os.close, descriptor)
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            yield

    def replace(self, name: str, master: Master) -> None:
        """Put *master* in place of the file *name*, whole, with the same owner and mode.

        Raises:
            ProviderError: the file is as it was.
        """
        path = (self.path / name).resolve()
        temporary = path.with_name(_TEMPORARY)
        octets = master.text.encode("latin-1")
        with _translated(f"writing {path}"):
            try:
                _write(temporary, octets, path.stat())
                temporary.replace(path)
            except BaseException:
                temporary.unlink(missing_ok=True)
                raise
        _settle(path.parent)
        if master.wrong:  # the lines that are told may have moved
            del self._loaded[name]
        else:
            self._loaded[name] = replace(self._loaded[name], octets=octets, master=master)

    def _include(self, included: dict[Path, bytes | None], name: str) -> str:
        if "\0" in name:
            raise RetryableError(f"reading {name!r}: no file has such a name")
        path = self.path / os.fsdecode(name.encode("latin-1"))
        included[path] = None
        included[path] = octets = _octets(path)
        return octets.decode("latin-1")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Loaded:
    """A file as it was read, and what it included; None for what could not be read."""

    octets: bytes
    included: Mapping[Path, bytes | None]
    master: Master

    def is_current(self) -> bool:
        return all(_octets_or_none(path) == octets for path, octets in self.included.items())


def _is_zone(name: str) -> bool:
    if name.startswith(".") or name.endswith(_LEFTOVERS):
        return False
    return name.endswith(".zone") or name.startswith("db.")


def _octets(path: Path) -> bytes:
    with _translated(f"reading {path}"):
        if not stat.S_ISREG(path.stat().st_mode):
            raise RetryableError(f"reading {path}: it is no regular file")
        return path.read_bytes()


def _octets_or_none(path: Path) -> bytes | None:
    with suppress(ProviderError):
        return _octets(path)
    return None


def _write(path: Path, octets: bytes, like: os.stat_result) -> None:
    """Write a new file, down to the disk, with owner and mode *like* those of another."""
    path.unlink(missing_ok=True)
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(octets)
        file.flush()
        mine = os.fstat(descriptor)
        if (mine.st_uid, mine.st_gid) != (like.st_uid, like.st_gid):
            os.fchown(descriptor, like.st_uid, like.st_gid)
        os.fchmod(descriptor, stat.S_IMODE(like.st_mode))
        os.fsync(descriptor)


def _settle(folder: Path) -> None:
    """Have a replacement survive a power cut; it is in place already, so failing is no failure."""
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


@contextmanager
def _translated(call: str) -> Iterator[None]:
    try:
        yield
    except BlockingIOError as exc:
        raise RetryableError(f"{call}: another process is writing") from exc
    except OSError as exc:
        kind = ForbiddenError if exc.errno in _FORBIDDEN else RetryableError
        raise kind(f"{call}: {_reason(exc)}") from exc


def _reason(exc: OSError) -> str:
    return exc.strerror or str(exc)
