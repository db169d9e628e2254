"""Ownership: which records are ours, and the marks that prove it (design 2, spec plan 3.2)."""

from __future__ import annotations

from extdns.model import pairs
from extdns.model.pairs import Pairs
from extdns.model.record import RESOURCE, Record, RecordKey
from extdns.model.value import Value


class Owned(Value, frozen=True, kw_only=True):
    """A record that is not a mark, with what the registry knows of its ownership.

    Attributes:
        owner: the owner id that the marks name, None when nothing proves an owner.
        ours: whether the registry proves the record to be ours (law 1).
        labels: of the mark, without `owner`.
        marks: the mark records that prove ownership, as read, in the order of their keys.
        marked: whether a mark in today's naming stands; without it the next update adds one.
        certain: whether the mark can have been made for no other record; else it names no object, and
            nothing may be removed just because nobody asks for it.
        sealed: the name of what looks like its mark, encrypted with another key; "" if nothing does.
        shared: the name of what would be its mark if it held no other value; "" if nothing would.
    """

    record: Record
    owner: str | None = None
    ours: bool = False
    labels: Pairs = pairs.NONE
    marks: tuple[Record, ...] = ()
    marked: bool = True
    certain: bool = True
    sealed: str = ""
    shared: str = ""

    @property
    def key(self) -> RecordKey:
        """The identity of the record."""
        return self.record.key

    @property
    def resource(self) -> str:
        """The object the mark names, as `service/shop/web`, "" if none."""
        return self.labels.get(RESOURCE)
