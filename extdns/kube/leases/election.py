"""Whether this process holds the Lease, and what to ask for next; pure.

::

              Look ◀───────────── every retry
               │ free, or ours already
               ▼
              Put ── confirmed ──▶ held ── every retry ──▶ Put …
               ▲                    │ no confirmation for the deadline: not held, but tried on
               └────────────────────┘ another one holds it: Look

A Lease is free if it was given up, or if its holder let it stand for as long as it said. One that is
gone stays its last holder's for as long, since a person may have deleted it.
"""

from __future__ import annotations

from typing import NamedTuple, assert_never

from extdns.model.value import Value


class Term(NamedTuple):
    """A Lease as it stands.

    Attributes:
        holder: identity of the process that holds it, "" if it was given up.
        duration_s: how long it is the holder's after a renewal; 0 if that is not said.
        version: another one after each write.
    """

    holder: str
    duration_s: float
    version: str


class Look(Value, frozen=True, kw_only=True):
    """Read the Lease."""


class Put(Value, frozen=True, kw_only=True):
    """Let *holder* hold it, if it is still of the version *over*; "" creates it."""

    holder: str
    over: str


class Found(Value, frozen=True, kw_only=True):
    """The Lease was read; None: there is none."""

    term: Term | None


class Written(Value, frozen=True, kw_only=True):
    """What was to be put, stands."""

    term: Term


class Failed(Value, frozen=True, kw_only=True):
    """A request was refused, came too late, or was not answered: then it may have been carried out."""


class Tick(Value, frozen=True, kw_only=True):
    """Nothing but time has passed."""


class Leave(Value, frozen=True, kw_only=True):
    """Give it up, and ask for it no more."""


Request = Look | Put
Input = Found | Written | Failed | Tick | Leave


class Rules(Value, frozen=True, kw_only=True):
    """What all processes that share a Lease should have in common.

    Attributes:
        duration_s: how long a Lease is its holder's after a renewal.
        deadline_s: how long a holder goes on without a renewal; shorter than *duration_s*.
        retry_s: from one request to the next.
    """

    duration_s: float = 30.0
    deadline_s: float = 15.0
    retry_s: float = 2.0


class Election:
    """One process; at most one request of it is on its way."""

    def __init__(self, identity: str, rules: Rules) -> None:
        """Stand as *identity*, which no other process may bear, nor a former life of this one."""
        self._identity = identity
        self._rules = rules
        self._term: Term | None = None
        self._seen_s = 0.0
        self._missing = True
        self._sure = False
        self._asked_s: float | None = None
        self._renewed_s: float | None = None
        self._leaving = False
        self._next_s = 0.0

    def step(self, item: Input, now_s: float) -> Request | None:
        """Take in *item* at *now_s*, and return what to ask for; its answer is the next input but ticks."""
        match item:
            case Found(term=term):
                self._know(term, now_s)
                self._next_s = now_s if self._is_ours or self._is_free(now_s) else now_s + self._rules.retry_s
            case Written(term=term):
                asked_s, is_new = self._asked_s, term != self._term
                self._know(term, now_s)
                if self._is_ours and is_new:  # a write that changes nothing is a renewal that nobody sees
                    self._renewed_s = asked_s
                self._next_s = now_s + self._rules.retry_s
            case Failed():
                self._asked_s, self._sure, self._next_s = None, False, now_s + self._rules.retry_s
            case Leave():
                self._leaving = True
            case Tick():
                pass
            case _:
                assert_never(item)
        request = None if self._asked_s is not None else self._request(now_s)
        if request is not None:
            self._asked_s = now_s
        return request

    def left_s(self, now_s: float) -> float:
        """For how long nobody else can hold the Lease; 0 if we do not, or were not confirmed for the deadline."""
        renewed_s = self._renewed_s
        if renewed_s is None or self._leaving or now_s - renewed_s >= self._rules.deadline_s:
            return 0.0
        return self._rules.duration_s - (now_s - renewed_s)

    @property
    def holder(self) -> str:
        """Who held it when it was last seen, "" if nobody did."""
        return self._term.holder if self._term else ""

    @property
    def wake_s(self) -> float:
        """When to tick, unless a request is on its way."""
        return self._next_s

    def _know(self, term: Term | None, now_s: float) -> None:
        self._asked_s, self._sure, self._missing = None, True, term is None
        if term is not None and term != self._term:
            self._term, self._seen_s = term, now_s
        if not self._is_ours:
            self._renewed_s = None

    @property
    def _is_ours(self) -> bool:
        return self._term is not None and self._term.holder == self._identity and not self._missing

    def _is_free(self, now_s: float) -> bool:
        if self._term is None or self._term.holder in {"", self._identity}:
            return True
        return now_s - self._seen_s >= (self._term.duration_s or self._rules.duration_s)

    def _request(self, now_s: float) -> Request | None:
        if self._leaving:
            return self._put("") if self._is_ours and self._sure else None
        if now_s < self._next_s:
            return None
        return self._put(self._identity) if self._sure and (self._is_ours or self._is_free(now_s)) else Look()

    def _put(self, holder: str) -> Put:
        self._sure = False
        return Put(holder=holder, over=self._term.version if self._term and not self._missing else "")
