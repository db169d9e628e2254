"""The part of `extdns check` about files that a process writes besides zones: saved state and audit log."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from extdns.app.state_store import find_document_store
from extdns.documents.check import CheckResult
from extdns.errors import ExtdnsError, escape_unprintable
from extdns.flags.process import STANDARD_OUTPUT
from extdns.paths import is_folder

if TYPE_CHECKING:
    from extdns.config import Config

_OWN_FOLDER = "let the user of the process write to the folder"


def check_files(config: Config) -> Iterator[CheckResult]:
    """Report whether the files of `--state-file` and `--audit-log` can be written. Nothing is written."""
    if config.deletes.state_file:
        yield _check_state_file(config, Path(config.deletes.state_file))
    if config.log.audit_log not in {"", STANDARD_OUTPUT}:
        yield _check_audit_log(Path(config.log.audit_log))


def _check_state_file(config: Config, path: Path) -> CheckResult:
    what = f"--state-file={escape_unprintable(str(path))}"
    try:
        store = find_document_store(config.cluster, config.deletes)
        found = store.read() if store else None
    except ExtdnsError as exc:
        detail, _, remedy = str(exc).partition("\n")
        return CheckResult(what=what, state="missing", detail=detail, next=remedy.strip())
    if obstacle := _find_folder_obstacle(path):
        return CheckResult(what=what, state="missing", detail=obstacle, next=_OWN_FOLDER)
    detail = "the file can be read and replaced" if found else "there is no saved state yet; the file can be created"
    return CheckResult(what=what, state="ok", detail=detail, next="")


def _check_audit_log(path: Path) -> CheckResult:
    what = f"--audit-log={escape_unprintable(str(path))}"
    if obstacle := _find_folder_obstacle(path):  # the file is renamed when it is full
        return CheckResult(what=what, state="missing", detail=obstacle, next=_OWN_FOLDER)
    try:
        path.stat()
    except FileNotFoundError:
        return CheckResult(what=what, state="ok", detail="the file can be created", next="")
    except OSError as exc:
        return CheckResult(what=what, state="missing", detail=str(exc.strerror), next="correct the path")
    if not path.is_file():
        remedy = "allowed: stdout, or the path of a file"
        return CheckResult(what=what, state="missing", detail="it is not a file", next=remedy)
    if not os.access(path, os.R_OK | os.W_OK, effective_ids=True):
        detail = f"user {os.geteuid()} has no permission to read and write the file"
        return CheckResult(what=what, state="missing", detail=detail, next="let the user of the process own the file")
    if _is_locked(path):
        remedy = (
            "if the other process is not the extdns that runs with these flags, give each process a file of its own"
        )
        return CheckResult(what=what, state="unknown", detail="another process writes the file", next=remedy)
    return CheckResult(what=what, state="ok", detail="the file can be written", next="")


def _find_folder_obstacle(path: Path) -> str:
    """Return why no file can be created in the folder of *path*, "" if one can."""
    folder = path.parent
    if not is_folder(folder):
        return f"there is no folder {escape_unprintable(str(folder))}"
    if not os.access(folder, os.W_OK | os.X_OK, effective_ids=True):
        return f"the folder {escape_unprintable(str(folder))} is read-only for user {os.geteuid()}"
    return ""


def _is_locked(path: Path) -> bool:
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(descriptor)
    return False
