"""The codes of held deletes, and the deletes that a person approved with them (docs/how-to/held-deletes.md).

A *digest* identifies one record with its ownership records, a *code* identifies a set of digests.
"""

from __future__ import annotations

import hashlib
import math
from collections import OrderedDict
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from extdns.model.saved_state import Approval, SavedScope

if TYPE_CHECKING:
    from collections.abc import Iterable

    from extdns.model.evidence import Scope
    from extdns.model.record import OwnedRecord, Record, RecordKey
    from extdns.model.saved_state import Saved

_PLAN: Final = Approval(code="")
"""The approval of a delete by a person who applied a plan."""
APPROVAL_S: Final = 24 * 3600.0
_MAX_CODES: Final = 4  # for each scope: the set may have changed a few times between reading a code and entering it
_MAX_EARLIER_DIGESTS: Final = 10_000  # for each scope: the saved state has to fit into a ConfigMap
_DIGEST_BYTES: Final = 8
_RECORD_ID_BYTES: Final = 6
_CODE_BYTES: Final = 4


def compute_digest(owner: str, zone_id: str, owned: OwnedRecord) -> str:
    """Return the digest, 16 hexadecimal digits, of a record and its ownership records; any edit changes it."""
    parts = [owner, zone_id]
    for record in (owned.record, *owned.ownership_records):
        parts += _list_fields(record)
    return hashlib.blake2b(repr(parts).encode(), digest_size=_DIGEST_BYTES).hexdigest()


def compute_record_id(owner: str, zone_id: str, key: RecordKey) -> str:
    """Return 12 hexadecimal digits that identify a record, whatever it contains."""
    parts = (owner, zone_id, key.name, key.set_identifier, key.type)
    return hashlib.blake2b(repr(parts).encode(), digest_size=_RECORD_ID_BYTES).hexdigest()


def _list_fields(record: Record) -> Iterable[str]:
    yield from (record.name, record.set_identifier, record.type, str(record.ttl_s))
    yield from record.targets
    for key, value in record.properties:
        yield f"{key}={value}"


def compute_code(digests: Iterable[str]) -> str:
    """Return the code of a set of held deletes, such as `7f3a-91c2`."""
    text = hashlib.blake2b(repr(sorted(digests)).encode(), digest_size=_CODE_BYTES).hexdigest()
    return f"{text[:4]}-{text[4:]}"


class HoldCodes:
    """The codes of each scope that holds deletes: the current and earlier ones, with the deletes that each approves.

    A code is published after the saved state contains it, so that every later process can apply an approval of it.

    Attributes:
        current: the code of each scope, and the first revision of the saved state that contains it.
        published: the code of each scope that people see, with its revision. If the held deletes change, it stays the
            earlier code until the saved state contains the new one.
    """

    def __init__(self) -> None:
        self._sets: dict[Scope, OrderedDict[str, set[str]]] = {}
        self.current: dict[Scope, tuple[str, int]] = {}
        self.published: dict[Scope, tuple[str, int]] = {}

    def find_published(self, scope: Scope, saved_revision: float) -> str:
        """Return the current code of *scope*; "" if there is none, or the saved state does not contain it yet."""
        code, revision = self.current.get(scope, ("", 0))
        return code if revision <= saved_revision else ""

    def find_digests(self, code: str) -> set[str]:
        """Return the digests of the held deletes that *code* approves, in any scope; empty for an unknown code."""
        return {digest for sets in self._sets.values() for digest in sets.get(code, ())}

    def update(self, scope: Scope, digests: Iterable[str], revision: int) -> None:
        """Compute and store the code for the held *digests* of *scope*. Drop its oldest codes if it has too many.

        Args:
            scope: the scope whose held deletes changed.
            digests: the digests of all deletes that it holds now; without any, the scope has no current code.
            revision: the first revision of the saved state that contains this code.
        """
        held = set(digests)
        if not held:
            self.current.pop(scope, None)
            self.published.pop(scope, None)
            return
        code = compute_code(held)
        self.current[scope] = code, revision
        sets = self._sets.setdefault(scope, OrderedDict())
        sets[code] = held
        sets.move_to_end(code)
        while len(sets) > 1 and (
            len(sets) > _MAX_CODES or sum(map(len, sets.values())) - len(held) > _MAX_EARLIER_DIGESTS
        ):
            sets.popitem(last=False)

    def publish(self, saved_revision: float) -> None:
        """Publish the codes whose revision is at most *saved_revision*, so that people see them."""
        for scope, (code, revision) in self.current.items():
            if revision <= saved_revision:
                self.published[scope] = code, revision

    def remove_digest(self, scope: Scope, digest: str) -> None:
        """Remove *digest* from all codes of *scope*, so that an old code does not approve a later hold."""
        sets = self._sets.get(scope, OrderedDict())
        for code, digests in tuple(sets.items()):
            digests.discard(digest)
            if not digests:
                del sets[code]
        if not sets:
            self._sets.pop(scope, None)

    def restore(self, scope: Scope, saved: SavedScope) -> None:
        """Add the codes of *scope* that an earlier process saved."""
        for code, digests in (*saved.shown, *([(saved.code, saved.digests)] if saved.code else [])):
            self._sets.setdefault(scope, OrderedDict()).setdefault(code, set(digests))

    def save_into(self, scopes: dict[Scope, SavedScope]) -> None:
        """Add all codes to the saved form of their scopes in *scopes*, which already contains the holds.

        The current code is saved without its digests if it stands for all saved holds of its scope. If it stands for
        fewer, because some holds are approved, or restored and not read yet, its digests are saved, too.
        """
        for scope, sets in self._sets.items():
            code, _ = self.current.get(scope, ("", 0))
            saved = scopes.get(scope, SavedScope())
            shown = tuple(
                (one, tuple(sorted(digests)))
                for one, digests in sets.items()
                if digests and (one != code or digests != set(saved.digests))
            )
            if code or shown:
                scopes[scope] = replace(saved, code=code, shown=shown)


class Approvals:
    """The deletes that a person approved, each for at most 24 hours.

    Attributes:
        waiting: the approvals, by code, of codes that no scope has yet. Each is applied once, when a scope
            gets this code.
        next_expiry_at: the time before which no approval expires (monotonic seconds), infinity if there is none.
    """

    def __init__(self, codes: Iterable[str] = ()) -> None:
        self.waiting = {code: Approval(code=code) for code in codes}
        self.next_expiry_at = math.inf
        self._expires_s: dict[str, float] = {}
        self._by_digest: dict[str, Approval] = {}

    def is_approved(self, digest: str) -> bool:
        """Return whether a person approved the delete with *digest*; it then needs no sufficient evidence or budget."""
        return digest in self._expires_s

    def find(self, digest: str) -> Approval | None:
        """Return the approval of the delete with *digest*, None if there is none."""
        return self._by_digest.get(digest, _PLAN) if digest in self._expires_s else None

    def add(self, digest: str, now_s: float, approval: Approval = _PLAN) -> bool:
        """Approve a delete for 24 hours, by default as part of a plan. Return False if it was approved already."""
        if digest in self._expires_s:
            return False
        self._by_digest[digest] = approval
        self._expires_s[digest] = now_s + APPROVAL_S
        self.next_expiry_at = min(self.next_expiry_at, now_s + APPROVAL_S)
        return True

    def remove(self, digest: str) -> bool:
        """Remove the approval of the delete with *digest*. Return whether there was one."""
        self._by_digest.pop(digest, None)
        return self._expires_s.pop(digest, None) is not None

    def expire(self, now_s: float) -> list[str]:
        """Remove expired approvals, and return their digests, sorted."""
        if now_s < self.next_expiry_at:
            return []
        expired = sorted(digest for digest, expires_s in self._expires_s.items() if expires_s <= now_s)
        for digest in expired:
            del self._expires_s[digest]
            self._by_digest.pop(digest, None)
        self.next_expiry_at = min(self._expires_s.values(), default=math.inf)
        return expired

    def restore(self, saved: Saved) -> None:
        """Add the approvals that an earlier process saved, and those that a person wrote to the state store since."""
        expires_s = dict(saved.approved)
        self._expires_s.update(expires_s)
        self.next_expiry_at = min((self.next_expiry_at, *expires_s.values()))
        self._by_digest.update(
            {digest: Approval(code=code, claimed_user=user) for digest, code, user in saved.approved_by}
        )
        self.waiting.update({approval.code: approval for approval in saved.approvals})

    def save_by_digest(self) -> tuple[tuple[str, str, str], ...]:
        """Return, for each approved delete, its digest, the code, and the user name given with the approval; sorted."""
        approvals = [(digest, self._by_digest.get(digest, _PLAN)) for digest in sorted(self._expires_s)]
        return tuple((digest, one.code, one.claimed_user) for digest, one in approvals)

    def save(self) -> tuple[tuple[str, float], ...]:
        """Return, for the saved state, the approved digests, sorted, each with when its approval expires."""
        return tuple(sorted(self._expires_s.items()))
