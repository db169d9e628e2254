"""Grace and budget (design 6) as somebody keeps them who sees only what is asked for and what is written."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import lru_cache

from extdns.engine.deletesettings import DeleteSettings
from extdns.engine.effects import TellHeld
from extdns.model.change import Batch, Delete
from extdns.model.claim import Wanted
from extdns.model.evidence import Evidence
from extdns.model.name import DnsName
from extdns.model.record import Record, RecordKey
from tests.fakes.faulty import Submission
from tests.unit.engine.cluster import Cluster
from tests.unit.engine.stage import REGISTRY, Stage

_WINDOW_S = 600.0
_FIFTH = 5
_ROUNDING_S = 1e-6
_WAITED = frozenset({Evidence.ABSENT, Evidence.ORPHAN_GONE})


@dataclass(kw_only=True)
class Allowance:
    """What may be deleted; zones are known by their ids, since all else about one may be another at its next listing.

    Attributes:
        settings: what a person allows.
        started_s: when the process began.
        wanted: name and set identifier of all that is asked for now.
        wanted_s: by name and set identifier, when somebody asked for it last.
        asking: name, set identifier and resource of all that is asked for now.
        asking_s: by these three, when that object asked for it last.
        seen_s: when it was looked at what is asked for.
        released: by zone, what a person released.
        made: by zone and whether by absence, when a record was deleted.
        forgets: whether state could not be kept: then each process has a budget of its own.
        owned: by zone, when there were how many records of ours, as they stood or as the engine knew them: what
            somebody else removed meanwhile, it counts until it has looked again.
    """

    settings: DeleteSettings
    started_s: float
    wanted: set[tuple[DnsName, str]] = field(default_factory=set)
    wanted_s: dict[tuple[DnsName, str], float] = field(default_factory=dict)
    asking: set[tuple[DnsName, str, str]] = field(default_factory=set)
    asking_s: dict[tuple[DnsName, str, str], float] = field(default_factory=dict)
    seen_s: float = 0.0
    released: set[tuple[str, RecordKey]] = field(default_factory=set)
    made: dict[tuple[str, bool], list[float]] = field(default_factory=dict)
    forgets: bool = False
    owned: dict[str, list[tuple[float, int]]] = field(default_factory=dict)

    def restart(self, now_s: float) -> None:
        """Another process begins, which knows what the former deleted if that could be kept."""
        self.started_s = now_s
        if self.forgets:
            self.made.clear()

    def see(self, cluster: Cluster, stage: Stage) -> None:
        """What is asked for, what is ours now, and what the engine takes to be ours."""
        now_s = stage.now_s
        for state in stage.engine.zones:
            known = tuple(state.mirror.records())
            for records in (tuple(stage.provider.contents(state.zone).values()), known):
                self.owned.setdefault(state.zone.id, []).append((now_s, _ours(records)))
        if now_s > self.seen_s:  # a wish that was withdrawn at once was none
            self.wanted_s |= dict.fromkeys(self.wanted, now_s)
            self.asking_s |= dict.fromkeys(self.asking, now_s)
        self.seen_s = now_s
        self.asking = {
            (name, claim.set_identifier, claim.provenance.ref.key.resource)
            for name, claim in cluster.all_claims()
            if isinstance(claim, Wanted)
        }
        self.wanted = {(name, identifier) for name, identifier, _ in self.asking}

    def release(self, held: TellHeld) -> None:
        """A person releases what is *held*."""
        self.released |= {(held.zone.id, one.owned.key) for one in held.held}

    def check_grace(self, batch: Batch, now_s: float) -> None:
        """Nothing goes that was asked for a moment ago; where its object is absent, that has to last (design 6)."""
        for change in _deletes(batch):
            asked_s = self.wanted_s.get(_pair(change.key), self.started_s)
            if change.evidence in _WAITED:
                asked_s = self.asking_s.get((*_pair(change.key), change.held.resource), self.started_s)
            quiet_s = now_s - max(asked_s, self.started_s)
            assert quiet_s > self.settings.grace_s - _ROUNDING_S, f"{change.key} goes after {quiet_s} s"

    def check_budget(self, submission: Submission, now_s: float) -> None:
        """Nobody's word is needed for a few, and for no more."""
        zone = submission.batch.zone.id
        counts = self.owned.setdefault(zone, [])
        for contents in (submission.before, submission.after):
            counts.append((now_s, _ours(tuple(contents.values()))))
        most = max(count for at_s, count in counts if at_s > now_s - 2 * _WINDOW_S)
        begin_s = now_s - _WINDOW_S + _ROUNDING_S
        for change in _deletes(submission.batch):
            if change.key in submission.before and change.key not in submission.after:
                by_absence = change.evidence.by_absence
                made = self.made.setdefault((zone, by_absence), [])
                if (zone, change.key) not in self.released:
                    made.append(now_s)
                recent = sum(at_s > begin_s for at_s in made) * (_FIFTH if by_absence else 1)
                limits = self.settings.limits
                fits = recent <= limits.count or recent * 100 <= limits.percent * most or limits.percent == 100
                assert fits, f"{zone}: {recent} deletes of {most}"


def _deletes(batch: Batch) -> Iterable[Delete]:
    return (
        change
        for change_set in batch.sets
        for change in change_set.changes
        if isinstance(change, Delete) and change.evidence is not Evidence.REPLACED
    )


@lru_cache(maxsize=256)
def _ours(records: tuple[Record, ...]) -> int:
    """How many of *records* are ours; asked at every step, while little changes."""
    return sum(owned.ours for owned in REGISTRY.read(records))


def _pair(key: RecordKey) -> tuple[DnsName, str]:
    return key.name, key.set_identifier
