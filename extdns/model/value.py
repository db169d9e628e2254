"""The base of values: what passes between rooms, and what is held of every name."""

from __future__ import annotations

import msgspec


class Value(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A frozen class of keyword-only fields, which compares and hashes by them.

    A struct rather than a dataclass: there are dozens of these for each name, and a struct is made ten
    times as fast and takes less memory. The collector of cycles passes them over, so nothing that a
    value holds may refer back to it. `msgspec.structs.replace` gives an altered copy.
    """
