"""The audit: zones are read again page by page, round after round (design 4)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from extdns.engine.backoff import Backoff
from extdns.engine.mirror import Mirror
from extdns.model.name import DnsName
from extdns.model.record import Record
from extdns.model.zone import Page

_TRIES = 3
_LONGEST_PAUSE_S = 60.0  # no more often than where nothing fails


@dataclass(slots=True)
class Audit:
    """One zone's rounds. The first one makes the mirror whole.

    A name counts as absent only at the end of a round, when no page held it. Names written or read
    by themselves while a round was under way are left to the next one: a page may be older.

    Attributes:
        asked: whether a page is on its way; see `ask`.
        asked_s: monotonic time at which the last page was asked for.
        after: cursor of the page to ask for next.
        next_s: monotonic time at which the next round may begin.
        pages: pages read in this round, for progress.
        read_s: monotonic time at which the last complete round began, None before there is one.
        backoff: pause after reads that failed, of pages as of names.
    """

    asked: bool = False
    asked_s: float = 0.0
    after: str | None = None
    next_s: float = 0.0
    pages: int = 0
    read_s: float | None = None
    backoff: Backoff = field(default_factory=lambda: Backoff(most_s=_LONGEST_PAUSE_S))
    _onward: bool = False
    _began_s: float = 0.0
    _seen: set[DnsName] = field(default_factory=set)
    _touched: set[DnsName] = field(default_factory=set)
    _open: tuple[Record, ...] = ()

    @property
    def due_s(self) -> float:
        """Monotonic time from which on a page may be asked for, the pace of calls aside, if none is on its way."""
        return max(self.backoff.until_s, 0.0 if self.pages else self.next_s)

    def ask(self, now_s: float, *, onward: bool = False) -> None:
        """A page is asked for, or with *onward* all that are left."""
        self._onward = onward
        if self.pages == 0:
            self._began_s = now_s
        self.asked, self.asked_s = True, now_s

    def touch(self, names: Iterable[DnsName]) -> None:
        """Leave *names* to the next round: more is known of them than pages on their way may tell."""
        if self.asked or self.pages:
            self._touched.update(names)

    def read(self, page: Page, mirror: Mirror, busy: set[DnsName]) -> tuple[set[DnsName], bool]:
        """Take in the page that was asked for.

        Args:
            page: the answer.
            mirror: what is brought up to date.
            busy: names with a write in flight.

        Returns:
            The names that changed, and whether the round is complete.
        """
        self.asked = self._onward and page.after is not None
        self.backoff.succeed()
        self._touched |= busy
        self.after, self.pages = page.after, self.pages + 1
        records = self._open + page.records
        self._open = ()
        if page.after is not None and records:
            last = records[-1].name  # a page may end in the middle of a name
            self._open = tuple(record for record in records if record.name == last)
            records = tuple(record for record in records if record.name != last)
        names = {record.name for record in records}
        self._seen |= names
        changed = mirror.read(names - self._touched, [record for record in records if record.name not in self._touched])
        if page.after is not None:
            return changed, False
        absent = set(mirror.names()) - self._seen - self._touched
        return changed | mirror.read(absent, ()), True

    def end_round(self, now_s: float, interval_s: float) -> None:
        """Begin anew *interval_s* after this round began."""
        self.after, self.pages, self.next_s = None, 0, max(now_s, self._began_s + interval_s)
        self.read_s = self._began_s
        self._seen, self._touched, self._open = set(), set(), ()

    def fail(self) -> None:
        """The page did not come; it is asked for again once `backoff`, which counts the failure, is over.

        After a few failures in a row the round starts again, since the cursor may have expired.
        """
        self.asked = False
        if self.backoff.failures % _TRIES == 0:
            self.after, self.pages = None, 0
            self._seen, self._open = set(), ()
