"""Deletes that wait for a person (design 6)."""

from __future__ import annotations

from extdns.model.evidence import Evidence
from extdns.model.ownership import Owned
from extdns.model.value import Value


class Held(Value, frozen=True, kw_only=True):
    """A record of ours that stands, and on what evidence it would go."""

    owned: Owned
    evidence: Evidence
