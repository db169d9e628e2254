"""What a zone will hold around a name once all that goes before it is written.

Marks of two names may meet at one. Each name is therefore completed as if what is planned for the
others stood already: then a plan, a dry run's too, is what is done, and the second learns at once
that its mark has no place.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from extdns.model.change import ChangeSet
from extdns.model.name import DnsName
from extdns.model.record import Record, foreseen_record


def foreseen(
    held: Sequence[Record], ahead: Iterable[ChangeSet], name: DnsName, related: Iterable[DnsName]
) -> Sequence[Record]:
    """What stands at *name* and the names *related* to it, which hold *held* now, after the change sets *ahead*."""
    waiting = tuple(ahead)
    if not waiting:
        return held
    names = {name, *related}
    writes = [write for change_set in waiting for write in change_set.writes if write.key.name in names]
    standing = {record.key: record for record in held}
    for write in writes:
        standing.pop(write.key, None)
        if write.new is not None:
            standing[write.key] = foreseen_record(write.new)
    return tuple(standing.values())
