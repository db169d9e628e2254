"""Names at which something was not as a batch said (design 4, "Outcome of a batch")."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Final

from extdns.engine.backoff import Backoff
from extdns.model.change import ChangeSet, alike
from extdns.model.name import DnsName

_CONTESTED_AFTER: Final = 5  # pauses


@dataclass(slots=True)
class _Clash:
    """What was *sent* in vain; it is *unfounded* that this clashed if it is planned again once the name was read."""

    sent: tuple[ChangeSet, ...]
    unfounded: bool = False
    backoff: Backoff = field(default_factory=lambda: Backoff(most_s=60.0))


class Clashes:
    """The first clash of a name is planned again at once, later ones after growing pauses.

    A clash that reading does not bear out may be about any other name of the batch.
    """

    def __init__(self) -> None:
        """Start with none."""
        self._clashes: dict[DnsName, _Clash] = {}

    def met(self, name: DnsName, sent: tuple[ChangeSet, ...], now_s: float) -> None:
        """The service said that *sent* clashes with what stands at *name*."""
        clash = self._clashes.get(name)
        if clash is None:
            self._clashes[name] = _Clash(sent)
        else:
            clash.sent = sent
            clash.backoff.fail(now_s)

    def planned(self, name: DnsName, sets: tuple[ChangeSet, ...]) -> None:
        """*sets* are planned for *name*, which was read since it clashed, if it did."""
        if clash := self._clashes.get(name):
            clash.unfounded = alike(clash.sent, sets)

    def unfounded(self, name: DnsName) -> bool:
        """Tell whether reading did not bear out that *name* clashed."""
        clash = self._clashes.get(name)
        return clash is not None and clash.unfounded

    def free_s(self, name: DnsName) -> float:
        """From when on *name* may be written again; 0 if there is no pause."""
        clash = self._clashes.get(name)
        return clash.backoff.until_s if clash else 0.0

    def names(self) -> Iterable[DnsName]:
        """The names that `free_s` may hold up."""
        return self._clashes

    def forget(self, name: DnsName) -> None:
        """*name* was written, or nothing is to be written there."""
        self._clashes.pop(name, None)

    def retain(self, belongs: Callable[[DnsName], bool]) -> None:
        """Forget names that no longer belong to the zone."""
        self._clashes = {name: clash for name, clash in self._clashes.items() if belongs(name)}

    @property
    def contested(self) -> int:
        """How many names could not be written for long, because they were changed every time before we came to it."""
        return sum(clash.backoff.failures >= _CONTESTED_AFTER for clash in self._clashes.values())

    def vain(self, lost: Callable[[Backoff], bool]) -> set[DnsName]:
        """The names whose pauses are *lost*."""
        return {name for name, clash in self._clashes.items() if lost(clash.backoff)}
