"""When planning may begin: not before every source has been seen whole, or has failed for a while (design 4)."""

from __future__ import annotations

from collections.abc import Iterable

from extdns.model.cluster import Kind, KindState, Phase


class Readiness:
    """The phases of the kinds that sources read, and of those their objects rest on.

    Attributes:
        open: whether planning may begin; once it may, it always may.
    """

    def __init__(self, kinds: Iterable[Kind], patience_s: float) -> None:
        """Wait for *kinds*, each at most *patience_s* after it began to fail."""
        self._phases: dict[Kind, tuple[Phase, float]] = dict.fromkeys(kinds, (Phase.LISTING, 0.0))
        self._patience_s = patience_s
        self.open = not self._phases

    def report(self, state: KindState, now_s: float) -> None:
        """Take in the phase of a kind.

        A kind that fails goes on failing until it is synced: listing it once more changes nothing.
        """
        phase, since_s = self._phases.get(state.kind, (None, now_s))
        down = phase in _DOWN and state.phase is not Phase.SYNCED
        if not (down and state.phase is Phase.LISTING):
            self._phases[state.kind] = (state.phase, since_s if down or phase is state.phase else now_s)
        self.tick(now_s)

    def need(self, kind: Kind) -> None:
        """An object rests on *kind*, which has not been listed yet."""
        self._phases.setdefault(kind, (Phase.LISTING, 0.0))

    def complete(self, now_s: float) -> bool:
        """Tell whether no kind is still being listed for the first time."""
        return all(self._decided(phase, since_s, now_s) for phase, since_s in self._phases.values())

    def tick(self, now_s: float) -> bool:
        """Let time pass; returns whether planning may begin just now."""
        if self.open:
            return False
        self.open = self.complete(now_s)
        return self.open

    def missing(self) -> tuple[tuple[str, Phase], ...]:
        """The names of the kinds that are not synced, for people."""
        return tuple((kind.name, phase) for kind, (phase, _) in self._phases.items() if phase is not Phase.SYNCED)

    def patient_until_s(self, now_s: float) -> float:
        """When the next failing kind has failed for long enough."""
        ends = [since_s + self._patience_s for phase, since_s in self._phases.values() if phase in _DOWN]
        return min((end_s for end_s in ends if end_s > now_s), default=now_s)

    def _decided(self, phase: Phase, since_s: float, now_s: float) -> bool:
        return phase is Phase.SYNCED or (phase in _DOWN and now_s - since_s >= self._patience_s)


_DOWN = frozenset({Phase.FAILING, Phase.FORBIDDEN, Phase.NOT_SERVED})
