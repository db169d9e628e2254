"""What a zone will hold around a name once all that goes before it is written.

Marks of two names may meet at one. Each name is therefore completed as if what is planned for the
others stood already: then a plan, a dry run's too, is what is done, and the second learns at once
that its mark has no place.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence

from extdns.model.change import ChangeSet
from extdns.model.name import DnsName
from extdns.model.record import Record, foreseen_record


def foreseen(held: Sequence[Record], ahead: Iterable[ChangeSet], names: Container[DnsName]) -> Sequence[Record]:
    """What stands at *names*, of which the zone has *held* now, after the change sets *ahead*."""
    writes = [write for change_set in ahead for write in change_set.writes if write.key.name in names]
    if not writes:
        return held
    standing = {record.key: record for record in held}
    for write in writes:
        standing.pop(write.key, None)
        if write.new is not None:
            standing[write.key] = foreseen_record(write.new)
    return tuple(standing.values())
