"""Policies: which changes may be made at all (spec plan 2.8)."""

from __future__ import annotations

from enum import StrEnum
from typing import assert_never

from extdns.model.change import Change, Create, Delete, Update


class Policy(StrEnum):
    """`--policy`."""

    SYNC = "sync"
    UPSERT_ONLY = "upsert-only"
    CREATE_ONLY = "create-only"


def allows(policy: Policy, change: Change) -> bool:
    """Tell whether *policy* lets *change* through."""
    match change:
        case Create():
            return True
        case Update():
            return policy is not Policy.CREATE_ONLY
        case Delete():
            return policy is Policy.SYNC
        case _:
            assert_never(change)
