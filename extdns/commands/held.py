"""Held deletes as the state shows them, for the commands that go by it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from extdns.app import states
from extdns.config import place_of_state
from extdns.errors import shown
from extdns.flags.mistakes import mistake
from extdns.kube import shelf
from extdns.model.quantity import count

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from extdns.kube.places import Place
    from extdns.kube.shelf import Document
    from extdns.model.saved import SavedZone


class HeldSet(NamedTuple):
    """Deletes that were shown as held, under one code.

    Attributes:
        now: whether just these are held now; sets that were shown before can be released, too.
        released: how many of *deletes* a person has released.
    """

    owner: str
    zone: str
    code: str
    deletes: int
    now: bool
    released: int

    def __str__(self) -> str:
        """Name it in one clause."""
        return f"{count(self.deletes, 'delete')} in {self.zone}, owner {shown(self.owner)}"


def place(arguments: Sequence[str], environ: Mapping[str, str]) -> Place:
    """Where state is kept, by the flags and variables of a run.

    Raises:
        UsageError: a flag is wrong, or the flags name no place.
    """
    cluster, deletes = place_of_state(arguments, environ)
    if cluster.manifests and not deletes.state_file:
        raise mistake("with --manifests state is kept only where --state-file says", "give --state-file=PATH, too")
    found = states.place(cluster, deletes)
    if found is None:
        raise mistake("there is no state to look at", "give --state-configmap=NAME or --state-file=PATH")
    return found


def held_sets(document: Document) -> tuple[HeldSet, ...]:
    """Sets of which something may be held, or all is released, by owner and zone; those held now come first."""
    return tuple(sorted(_held_sets(document), key=lambda one: (not one.now, one.owner, one.zone)))


def zone_text(id_: str, zone: SavedZone) -> str:
    """Name a zone, as `example.org (Z2ABC)`."""
    return shown(f"{zone.name} ({id_})" if zone.name and zone.name != id_ else id_)


def _held_sets(document: Document) -> Iterator[HeldSet]:
    for owner, kept in shelf.owners(document):
        for id_, zone in kept.zones:
            released = {digest for digest, _ in zone.released}
            for code, digests in zone.shown:
                done = sum(digest in released for digest in digests)
                if zone.held or done == len(digests):  # else nothing of it is held any more
                    yield HeldSet(owner, zone_text(id_, zone), shown(code), len(digests), code == zone.held, done)
