"""`extdns plan --base`: plan only what manifests change compared with those of another folder or Git revision."""

from __future__ import annotations

import os
import subprocess
import tarfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory

from extdns.app.cluster import ClusterSnapshot
from extdns.app.engine_settings import compute_settings_digest
from extdns.commands.one_pass import FixedStateStore, run_pass
from extdns.commands.zone_snapshot import build_engine_reader
from extdns.config import Config
from extdns.documents.plan import PassResult
from extdns.engine.zones import ZoneState
from extdns.errors import UsageError, sanitize
from extdns.flags.process import STANDARD_INPUT
from extdns.flags.usage_errors import usage_error
from extdns.model.change import Decision
from extdns.model.record import Record, project_record
from extdns.model.saved_state import Saved, SavedZone
from extdns.model.zone import Zone
from extdns.ports import ZoneReader


def plan_difference(
    config: Config, base: str, reader: Callable[[Config], ZoneReader], snapshot: ClusterSnapshot | None = None
) -> PassResult:
    """Plan what the manifests of *config* change, in zones as they are after the changes for the manifests of *base*.

    *base* is a file or folder, or a Git revision of these manifests. *snapshot* completes both.
    """
    if not config.cluster.manifests:
        raise usage_error(
            f"--base={sanitize(base)} needs --manifests", "a cluster has no other version to compare with"
        )
    with _open_manifests(config.cluster.manifests, base) as paths:
        before = run_pass(replace(config, cluster=config.cluster.replace(manifests=paths)), reader, snapshot=snapshot)
        zones = [zone_state.zone for zone_state in before.engine.zones]
        after = run_pass(
            config,
            partial(build_engine_reader, before.engine, _project_records),
            _accept_settings(zones, compute_settings_digest(config)),
            snapshot and snapshot._replace(former=paths),
        )
    decided, known = {_identify(decision) for decision in before.engine.decisions}, set(before.problems)
    return after._replace(
        base=base,
        missing=(*(f"base: {one}" for one in before.missing if one not in after.missing), *after.missing),
        decisions=tuple(one for one in after.decisions if _identify(one) not in decided),
        problems=tuple(one for one in after.problems if one not in known),
    )


def _accept_settings(zones: Iterable[Zone], settings_digest: str) -> FixedStateStore:
    """Return a store in whose state the settings are accepted for *zones*, so that orphans in them may be deleted."""
    accepted = SavedZone(fingerprint=settings_digest)
    return FixedStateStore(Saved(zones=tuple(sorted((zone.id, accepted) for zone in zones))))


def _identify(decision: Decision) -> tuple[object, ...]:
    """Return the parts of a decision that a plan shows. Decisions for which they are equal are not a difference."""
    return (*decision.key, decision.action, decision.reason, decision.detail, decision.desired)


def _project_records(zone_state: ZoneState) -> Iterator[Record]:
    """Yield what a zone holds after all queued changes are written."""
    records = {one.key: one for one in zone_state.cache.all_records()}
    for change_sets in zone_state.queue.queued.values():
        for write in (write for change_set in change_sets for write in change_set.writes):
            if write.new is None:
                records.pop(write.key, None)
            else:
                records[write.key] = project_record(write.new)
    yield from records.values()


@contextmanager
def _open_manifests(paths: Sequence[str], base: str) -> Iterator[tuple[str, ...]]:
    """Return the paths of the manifests of *base*, a path or a revision, which exist until the context ends."""
    is_piped = STANDARD_INPUT in paths
    if os.path.lexists(base):
        if not is_piped and any(has_revision(path, base) for path in paths):
            raise usage_error(  # as git itself does
                f"--base={sanitize(base)} is both a path and a Git revision",
                f"if the path is meant: --base=./{sanitize(base)}",
                f"if the revision is meant: --base=$(git rev-parse {sanitize(base)})",
            )
        yield (base,)
        return
    if is_piped:
        raise usage_error(
            f"--base={sanitize(base)} is not a path, and standard input has no other revision",
            "give a folder with the former manifests, or --manifests=PATH with a path in a Git repository",
        )
    with TemporaryDirectory(prefix="extdns-base-") as folder:
        yield tuple(check_out(path, base, Path(folder) / str(at)) for at, path in enumerate(paths))


def has_revision(path: str, revision: str) -> bool:
    """Return whether the repository of *path* has the Git revision *revision*."""
    folder, _ = _split_path(path)
    try:
        _find_tree(folder, revision)
    except UsageError:
        return False
    return True


def check_out(path: str, revision: str, to: Path) -> str:
    """Check out *path* as of *revision* below *to*; return where it is: an empty folder if *revision* lacks *path*."""
    folder, name = _split_path(path)
    tree = _find_tree(folder, revision)
    to.mkdir()
    if not _run_git(folder, revision, "ls-tree", tree, name if name != "." else "./"):
        return str(to)
    packed = _run_git(folder, revision, "archive", "--format=tar", tree, name)
    try:
        with tarfile.open(fileobj=BytesIO(packed)) as archive:
            # Python before 3.11.4 has no `filter` argument, but honours the attribute.
            archive.extraction_filter = getattr(tarfile, "data_filter", None)
            archive.extractall(to)  # noqa: S202 - filtered
    except (tarfile.TarError, OSError) as exc:
        raise UsageError(
            f"{sanitize(path)} of --base={sanitize(revision)} cannot be extracted: {sanitize(str(exc))}"
        ) from exc
    return str(to / name)


def _split_path(path: str) -> tuple[Path, str]:
    """Split *path* into a folder and the name in it; the name is "." if *path* is a folder."""
    where = Path(path).absolute()
    return (where, ".") if where.is_dir() else (where.parent, where.name)


def _find_tree(folder: Path, revision: str) -> str:
    arguments = ("rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{tree}}")
    return _run_git(folder, revision, *arguments).decode().strip()


def _run_git(folder: Path, revision: str, *arguments: str) -> bytes:
    """Run Git with *arguments* in *folder*, and return its standard output. If it fails, there is no *revision*."""
    try:
        completed = subprocess.run(  # noqa: S603 - no shell reads the arguments
            ["git", *arguments],  # noqa: S607 - the Git in PATH
            cwd=folder,
            capture_output=True,
            check=False,
        )
    except (OSError, ValueError) as exc:
        reason = exc.strerror if isinstance(exc, OSError) else "not a valid name of a revision"
        raise usage_error(f"--base={sanitize(revision)} is not a path", f"Git cannot be run: {reason}") from exc
    if completed.returncode:
        raise usage_error(
            f"--base={sanitize(revision)} is neither a path nor a Git revision in {sanitize(str(folder))}",
            sanitize(completed.stderr.decode("utf-8", "replace").strip().partition("\n")[0]),
        )
    return completed.stdout
