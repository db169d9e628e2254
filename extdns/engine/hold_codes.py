"""Digests, ids and codes, by which people and the saved state name held deletes (docs/how-to/held-deletes.md).

A *digest* identifies one record with its ownership records, a *record id* the record whatever it contains, and a *code*
a set of held deletes.
"""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from itertools import count, islice
from typing import TYPE_CHECKING, Final, NamedTuple

from msgspec.structs import replace

from extdns.model.saved_state import SavedScope

if TYPE_CHECKING:
    from collections.abc import Iterable

    from extdns.model.evidence import Scope
    from extdns.model.record import OwnedRecord, Record, RecordKey

# earlier codes and their digests, of all scopes: the saved state has to fit into a ConfigMap
_MAX_EARLIER: Final = 10_000
_DIGEST_BYTES: Final = 8
_RECORD_ID_BYTES: Final = 6
_CODE_BYTES: Final = 4
_KEY_BYTES: Final = 16


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


def compute_code(digests: Iterable[str], attempt: int = 0) -> str:
    """Return the code of a set of held deletes, such as `7f3a-91c2`; each *attempt* gives another one."""
    salt = attempt.to_bytes(8, "big")
    text = hashlib.blake2b(repr(sorted(digests)).encode(), digest_size=_CODE_BYTES, salt=salt).hexdigest()
    return f"{text[:4]}-{text[4:]}"


def _compute_key(digests: Iterable[str]) -> str:
    return hashlib.blake2b(repr(sorted(digests)).encode(), digest_size=_KEY_BYTES).hexdigest()


class _NamedSet(NamedTuple):
    """The held deletes that a code approves.

    Attributes:
        key: identifies the set that the code was made for.
        digests: those of the set that are still held.
    """

    key: str
    digests: set[str]


class HoldCodes:
    """The codes of each scope that holds deletes: the current and earlier ones, with the deletes that each approves.

    A code is published after the saved state contains it, so that every later process can apply an approval of it.

    Attributes:
        current: the code of each scope, and the first revision of the saved state that contains it.
        published: the code of each scope that people see, with its revision. If the held deletes change, it stays the
            earlier code until the saved state contains the new one.
    """

    def __init__(self) -> None:
        self._sets: dict[Scope, OrderedDict[str, _NamedSet]] = {}
        self.current: dict[Scope, tuple[str, int]] = {}
        self.published: dict[Scope, tuple[str, int]] = {}

    def find_published(self, scope: Scope, saved_revision: float) -> str:
        """Return the current code of *scope*; "" if there is none, or the saved state does not contain it yet."""
        code, revision = self.current.get(scope, ("", 0))
        return code if revision <= saved_revision else ""

    def find_digests(self, code: str) -> set[str]:
        """Return the digests of the held deletes that *code* approves, in any scope; empty for an unknown code."""
        return {digest for sets in self._sets.values() if code in sets for digest in sets[code].digests}

    def update(self, scope: Scope, digests: Iterable[str], revision: int) -> None:
        """Compute and store the code for the held *digests* of *scope*. Drop the oldest codes if there are too many.

        Without any digest, the scope has no current code. *revision* is the first one of the saved state that contains
        this code.
        """
        held = set(digests)
        if not held:
            self.current.pop(scope, None)
            self.published.pop(scope, None)
            return
        key = _compute_key(held)
        codes = (compute_code(held, attempt) for attempt in count())
        code = next(one for one in codes if self._can_name(key, one))
        self.current[scope] = code, revision
        sets = self._sets.setdefault(scope, OrderedDict())
        sets[code] = _NamedSet(key, held)
        sets.move_to_end(code)
        self._drop_oldest()

    def _can_name(self, key: str, code: str) -> bool:
        """Return whether *code* was made for no other set: a tenant can choose records whose codes are equal."""
        return all(sets[code].key == key for sets in self._sets.values() if code in sets)

    def _drop_oldest(self) -> None:
        """Drop the oldest codes of the scopes that have most of the earlier ones, which may change their sets often."""
        sizes = {
            scope: sum(len(one.digests) + 1 for one in islice(sets.values(), len(sets) - 1))
            for scope, sets in self._sets.items()
        }
        while sum(sizes.values()) > _MAX_EARLIER:
            most = max(sizes, key=sizes.__getitem__)
            _, one = self._sets[most].popitem(last=False)
            sizes[most] -= len(one.digests) + 1

    def publish(self, saved_revision: float) -> None:
        """Publish the codes whose revision is at most *saved_revision*, so that people see them."""
        for scope, (code, revision) in self.current.items():
            if revision <= saved_revision:
                self.published[scope] = code, revision

    def withdraw(self) -> None:
        """Let no scope have a current code, because another process leads. Earlier codes still approve their sets."""
        self.current, self.published = {}, {}

    def remove_digest(self, scope: Scope, digest: str) -> None:
        """Remove *digest* from all codes of *scope*, so that an old code does not approve a later hold."""
        sets = self._sets.get(scope, OrderedDict())
        for code, one in tuple(sets.items()):
            one.digests.discard(digest)
            if not one.digests:
                del sets[code]
        if not sets:
            self._sets.pop(scope, None)

    def load(self, scope: Scope, saved: SavedScope) -> None:
        """Add the codes of *scope* that an earlier process saved."""
        for code, digests in (*saved.shown, *([(saved.code, saved.digests)] if saved.code else [])):
            named = _NamedSet(_compute_key(digests), set(digests))
            self._sets.setdefault(scope, OrderedDict()).setdefault(code, named)

    def save_into(self, scopes: dict[Scope, SavedScope]) -> None:
        """Add all codes to the saved form of their scopes in *scopes*, which already contains the holds.

        The current code is saved without its digests if it stands for all saved holds of its scope. If it stands for
        fewer, because some holds are approved, or loaded and not read yet, its digests are saved, too.
        """
        for scope, sets in self._sets.items():
            code, _ = self.current.get(scope, ("", 0))
            saved = scopes.get(scope, SavedScope())
            shown = tuple(
                (one, tuple(sorted(named.digests)))
                for one, named in sets.items()
                if named.digests and (one != code or named.digests != set(saved.digests))
            )
            if code or shown:
                scopes[scope] = replace(saved, code=code, shown=shown)
