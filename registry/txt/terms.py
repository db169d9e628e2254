"""What reading and writing of marks depends on, besides the records."""

from __future__ import annotations

from dataclasses import dataclass

from extdns.model.name import DnsName
from registry.txt.heritage import MarkText
from registry.txt.naming import Naming


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """The settings of the txt registry.

    Attributes:
        owner: our owner id.
        previous: the owner whose records we take over, "" for none.
        naming: how marks are named.
        types: managed types; records of others are nobody's to us.
        codec: how marks are written.
        unmarked_creates: as the reference does, create a record without a mark where none can be,
            leave a mark that outlived its record as it is, and never state the record in a mark
            unless nothing else would do.
    """

    owner: str
    previous: str
    naming: Naming
    types: frozenset[str]
    codec: MarkText
    unmarked_creates: bool

    def mine(self, owner: str) -> bool:
        """Tell whether marks of *owner* are ours to change."""
        return owner == self.owner or (bool(owner) and owner == self.previous)

    def states(self, name: DnsName) -> bool:
        """Tell whether marks of *name* say so in their text.

        They do if *name* itself looks like a mark, as `a-foo` does: the mark of A `foo` lies there,
        and must not be taken for an older one of `a-foo` when one object asks for both.
        """
        if self.unmarked_creates:
            return False
        old = self.naming.untyped(name)
        return old is not None and self.naming.may_be_typed(old, self.types)
