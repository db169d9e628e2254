"""What a DNS service guarantees, and how much fits into one call."""

from __future__ import annotations

from collections.abc import Callable

from extdns.model.change import ChangeSet
from extdns.model.value import Value


class Capabilities(Value, frozen=True, kw_only=True):
    """What a DNS service guarantees (docs/design/architecture.md, "Ports").

    Attributes:
        atomic: whether a batch applies completely or not at all.
        conditional: whether a write fails if the record is not what the change states.
        sends_upserts: whether an update is sent as one UPSERT, which counts as twice the new record. A change set that
            is too large as UPSERTs is sent alone, as deletes and creates.
        max_batch_writes: the most writes in a batch; ownership records count too, and an update counts two.
        max_batch_values: the most values in a batch, counted likewise; an alias counts one. None for no limit.
        max_batch_bytes: the most bytes of record data in a batch, or of what *measure* returns.
        measure: returns how many bytes a change set takes at most; None if the bytes of its record data count.
        reads_full_zones: whether reading some names costs as much as reading the zone. Then a batch whose names must be
            read first can have several change sets, and their names are read together.
        longest_match_only: whether a name belongs only to the zones of the longest match; if not, to every private zone
            above it as well.
    """

    atomic: bool
    conditional: bool
    sends_upserts: bool = False
    max_batch_writes: int = 1000
    max_batch_values: int | None = None
    max_batch_bytes: int = 32000
    measure: Callable[[ChangeSet], int] | None = None
    reads_full_zones: bool = False
    longest_match_only: bool = False

    @property
    def is_safe_to_write_blind(self) -> bool:
        """Whether a batch can be sent without reading its names first: it is atomic and conditional."""
        return self.atomic and self.conditional
