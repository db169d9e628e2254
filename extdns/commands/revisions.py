"""Files and folders as they were in a revision of git."""

from __future__ import annotations

import subprocess
import tarfile
from io import BytesIO
from pathlib import Path

from extdns.errors import UsageError, shown
from extdns.flags.mistakes import mistake


def has_revision(path: str, revision: str) -> bool:
    """Whether git knows *revision* where *path* is."""
    folder, _ = _parted(path)
    try:
        _tree(folder, revision)
    except UsageError:
        return False
    return True


def checked_out(path: str, revision: str, to: Path) -> str:
    """*path* as it was in *revision*, below *to*; an empty folder if it was not there.

    Raises:
        UsageError: git does not know *revision*, or what it held cannot be laid out.
    """
    folder, name = _parted(path)
    tree = _tree(folder, revision)
    to.mkdir()
    if not _git(folder, revision, "ls-tree", tree, name if name != "." else "./"):
        return str(to)
    packed = _git(folder, revision, "archive", "--format=tar", tree, name)
    try:
        with tarfile.open(fileobj=BytesIO(packed)) as archive:
            # An attribute, since Python before 3.11.4 knows no argument for it, and takes what git packed as it is.
            archive.extraction_filter = getattr(tarfile, "data_filter", None)
            archive.extractall(to)  # noqa: S202 - filtered
    except (tarfile.TarError, OSError) as exc:
        raise UsageError(f"{shown(path)} of --base={shown(revision)} cannot be laid out: {shown(str(exc))}") from exc
    return str(to / name)


def _parted(path: str) -> tuple[Path, str]:
    """A folder, and what of it *path* means: the folder itself, or a file."""
    where = Path(path).absolute()
    return (where, ".") if where.is_dir() else (where.parent, where.name)


def _tree(folder: Path, revision: str) -> str:
    """What *revision* held, as git calls it."""
    arguments = ("rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{tree}}")
    return _git(folder, revision, *arguments).decode().strip()


def _git(folder: Path, revision: str, *arguments: str) -> bytes:
    """What git prints.

    Raises:
        UsageError: git cannot do it, so that *revision* is none.
    """
    try:
        ended = subprocess.run(  # noqa: S603 - no shell reads the arguments
            ["git", *arguments],  # noqa: S607 - the git that the person uses
            cwd=folder,
            capture_output=True,
            check=False,
        )
    except (OSError, ValueError) as exc:
        why = exc.strerror if isinstance(exc, OSError) else "no revision has such a name"
        raise mistake(f"--base={shown(revision)} is no file or folder", f"git cannot be asked: {why}") from exc
    if ended.returncode:
        raise mistake(
            f"--base={shown(revision)} is neither a file or folder nor a revision of git in {shown(str(folder))}",
            shown(ended.stderr.decode("utf-8", "replace").strip().partition("\n")[0]),
        )
    return ended.stdout
