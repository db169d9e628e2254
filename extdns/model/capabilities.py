"""What a DNS service guarantees, and how much fits into one call."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

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
        max_batch_size: the largest size of a batch, in *size_unit*.
        size_unit: what *measure* counts: bytes or, where each record takes its own, API calls.
        measure: returns the size of a change set at most; None if the bytes of its record data count.
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
    max_batch_size: int = 32000
    size_unit: Literal["bytes", "API calls"] = "bytes"
    measure: Callable[[ChangeSet], int] | None = None
    reads_full_zones: bool = False
    longest_match_only: bool = False

    @property
    def is_safe_to_write_blind(self) -> bool:
        """Whether a batch can be sent without reading its names first: it is atomic and conditional."""
        return self.atomic and self.conditional
