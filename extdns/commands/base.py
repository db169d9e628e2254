"""What stood before a branch: manifests of another folder or of another revision, and the plan beside theirs."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from msgspec.structs import replace

from extdns.app.fingerprint import fingerprint
from extdns.commands.onepass import Pass, look
from extdns.commands.pretended import PretendedState
from extdns.commands.revisions import checked_out, has_revision
from extdns.commands.storedzones import as_read
from extdns.errors import shown
from extdns.flags.cluster import STANDARD_INPUT
from extdns.flags.mistakes import mistake
from extdns.model.record import Record, foreseen_record
from extdns.model.saved import Saved, SavedZone

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from extdns.config import Config
    from extdns.engine.zones import ZoneState
    from extdns.model.decision import Decision
    from extdns.model.zone import Zone
    from extdns.ports import ZoneReader


def difference(config: Config, base: str, reader: Callable[[Config], ZoneReader]) -> Pass:
    """What the manifests of *config* bring about in zones that are as those of *base* would leave them.

    Args:
        config: what the flags say.
        base: a file or folder, or a revision of git from which the manifests of *config* are taken.
        reader: reads the zones as they are.

    Raises:
        UsageError: *base* is neither or both, or *config* reads no manifests.
    """
    if not config.cluster.manifests:
        raise mistake(f"--base={shown(base)} needs --manifests", "a live cluster has no other version to compare with")
    with _manifests(config.cluster.manifests, base) as paths:
        before = look(replace(config, cluster=replace(config.cluster, manifests=paths)), reader)
    zones = [state.zone for state in before.engine.zones]
    after = look(config, partial(as_read, before.engine, _left), _in_order(zones, fingerprint(config)))
    was, known = {_essence(decision) for decision in before.engine.decisions}, set(before.mistakes)
    return after._replace(
        base=base,
        missing=(*(f"before: {one}" for one in before.missing if one not in after.missing), *after.missing),
        decisions=tuple(one for one in after.decisions if _essence(one) not in was),
        mistakes=tuple(one for one in after.mistakes if one not in known),
    )


def _in_order(zones: Iterable[Zone], fingerprint: str) -> PretendedState:
    """State that says of *zones* that nothing that stands there is a surprise under the settings of now."""
    accepted = SavedZone(fingerprint=fingerprint)
    return PretendedState(Saved(zones=tuple(sorted((zone.id, accepted) for zone in zones))))


def _essence(decision: Decision) -> tuple[object, ...]:
    """What makes two decisions alike for people."""
    return (*decision.key, decision.verdict, decision.reason, decision.detail, decision.wanted)


def _left(state: ZoneState) -> Iterator[Record]:
    """What a zone holds once all is written that waits."""
    records = {one.key: one for one in state.mirror.records()}
    for change_sets in state.writes.pending.values():
        for write in (write for change_set in change_sets for write in change_set.writes):
            if write.new is None:
                records.pop(write.key, None)
            else:
                records[write.key] = foreseen_record(write.new)
    yield from records.values()


@contextmanager
def _manifests(paths: Sequence[str], base: str) -> Iterator[tuple[str, ...]]:
    """The paths of the manifests of *base*, as long as the context is open.

    Raises:
        UsageError: *base* is no path and no revision, or both.
    """
    piped = STANDARD_INPUT in paths
    if os.path.lexists(base):
        if not piped and any(has_revision(path, base) for path in paths):
            raise mistake(  # as git itself does
                f"--base={shown(base)} is a file or folder, and also a revision of git",
                f"the file or folder: --base=./{shown(base)}",
                f"the revision: --base=$(git rev-parse {shown(base)})",
            )
        yield (base,)
        return
    if piped:
        raise mistake(
            f"--base={shown(base)} is no file or folder, and standard input has no other revision",
            "give a folder with the manifests of before, or the paths that a repository keeps",
        )
    with TemporaryDirectory(prefix="extdns-base-") as folder:
        yield tuple(checked_out(path, base, Path(folder) / str(at)) for at, path in enumerate(paths))
