"""Codes for held deletes, and the releases that a person gave by them (design 6)."""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from extdns.model.ownership import Owned
    from extdns.model.record import Record
    from extdns.model.zone import Zone

RELEASE_S: Final = 24 * 3600.0
_KEPT_CODES: Final = 4  # the code that a person reads may be some sets old when it is typed
_KEPT_DIGESTS: Final = 10_000  # of all sets but the last: what is kept has to fit into a ConfigMap
_DIGEST_BYTES: Final = 8
_CODE_BYTES: Final = 4


def digest(owner: str, zone: Zone, owned: Owned) -> str:
    """16 hexadecimal digits that stand for exactly this record and its marks."""
    parts = [owner, zone.id]
    for record in (owned.record, *owned.marks):
        parts += _words(record)
    return hashlib.blake2b(repr(parts).encode(), digest_size=_DIGEST_BYTES).hexdigest()


def _words(record: Record) -> Iterable[str]:
    yield from (record.name, record.set_identifier, record.type, str(record.ttl_s))
    yield from record.targets
    for key, value in record.properties:
        yield f"{key}={value}"


def code_of(digests: Iterable[str]) -> str:
    """The code of a set of held deletes, as `7f3a-91c2`."""
    text = hashlib.blake2b(repr(sorted(digests)).encode(), digest_size=_CODE_BYTES).hexdigest()
    return f"{text[:4]}-{text[4:]}"


class Releases:
    """The sets of one zone that were shown as held, and what was released of them.

    Attributes:
        code: of the set that is held now, "" for none.
        given: codes that a person released before their sets were shown; each counts once.
    """

    def __init__(self, given: Iterable[str] = ()) -> None:
        """Start with nothing shown and nothing released but what will be shown under *given* codes."""
        self.code = ""
        self.given = set(given)
        self._shown: OrderedDict[str, frozenset[str]] = OrderedDict()
        self._until_s: dict[str, float] = {}

    @property
    def shown(self) -> Mapping[str, frozenset[str]]:
        """The last sets that were shown, by code, oldest first."""
        return self._shown

    @property
    def until_s(self) -> Mapping[str, float]:
        """What is released, by digest, and until when (monotonic seconds)."""
        return self._until_s

    def restore(
        self, shown: Mapping[str, frozenset[str]], until_s: Mapping[str, float], given: Iterable[str] = ()
    ) -> None:
        """Take over what a former process showed, what was released to it, and codes *given* meanwhile."""
        self.given.update(given)
        for code, digests in shown.items():
            self._shown.setdefault(code, digests)
        self._until_s.update(until_s)

    def show(self, digests: Iterable[str]) -> None:
        """*digests* are held now."""
        held = frozenset(digests)
        self.code = code_of(held) if held else ""
        if held:
            self._shown[self.code] = held
            self._shown.move_to_end(self.code)
            while len(self._shown) > 1 and self._are_many():
                self._shown.popitem(last=False)

    def _are_many(self) -> bool:
        return len(self._shown) > _KEPT_CODES or sum(map(len, self._shown.values())) > _KEPT_DIGESTS

    def release(self, code: str, waiting: AbstractSet[str], now_s: float) -> bool:
        """Release what is *waiting* still of the set shown under *code*; returns whether that is anything new.

        What came back since is not part of the set any more: were it to go again, that would be another accident.
        """
        if code not in self._shown:
            return False
        self._shown[code] &= waiting
        new = [one for one in self._shown[code] if not self.released(one, now_s)]
        for one in new:
            self._until_s[one] = now_s + RELEASE_S
        if new:
            self.given.discard(code)
        return bool(new)

    def forget(self, one: str) -> bool:
        """The delete with the digest *one* was made, or is not wanted any more; returns whether it was released."""
        return self._until_s.pop(one, None) is not None

    def released(self, one: str, now_s: float) -> bool:
        """Tell whether the delete with the digest *one* may be made whatever the budget says."""
        return self._until_s.get(one, now_s) > now_s

    def expire(self, now_s: float) -> None:
        """Forget releases that are over."""
        if self._until_s and min(self._until_s.values()) <= now_s:
            self._until_s = {one: until_s for one, until_s in self._until_s.items() if until_s > now_s}
