"""The threads that read DNSPolicies, from files and from the cluster, and pass them to the engine as rules."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Sequence
from typing import Final

from extdns import log
from extdns.cel.policy_index import PolicyIndex, PolicyState
from extdns.cel.policy_rules import PolicyRules
from extdns.controller.participant import Participant
from extdns.documents.rules import LocalRulesSnapshot
from extdns.engine.inputs import Input, RulesChanged
from extdns.log import Event
from extdns.model.value import compute_backoff_s
from extdns.ports import Cluster
from extdns.resources.extdns import DNS_POLICY

_log = log.get(__name__)
FIRST_READ_TIMEOUT_S: Final = 30.0
"""For this long, planning waits for the rules. Then they count as unavailable until they are read."""

_TAKE_TIMEOUT_S: Final = 60.0
_FIRST_BACKOFF_S: Final = 0.25
_MAX_BACKOFF_S: Final = 30.0


class PolicyWatcher(Participant):
    """Reads the DNSPolicies of several origins, each on a thread of its own.

    The first rules are passed on once every origin was read or has failed, at most after `FIRST_READ_TIMEOUT_S`, then
    after each change. An origin that fails keeps its last valid policies.
    """

    def __init__(self, origins: Sequence[Cluster], *, report_defect: Callable[[Exception], None]) -> None:
        """Read the DNSPolicies of *origins*, the cluster last, after `start`; `close` closes them."""
        self._origins = tuple(origins)
        self._report_defect = report_defect
        self._put: Callable[[Input], None] = lambda _: None
        self._indexes = tuple(PolicyIndex() for _ in origins)
        self._lock = threading.Lock()
        self._published: tuple[str, list[PolicyState]] = "", []
        self._problems: frozenset[str] = frozenset()
        self._warnings: frozenset[str] = frozenset()
        self._closed = threading.Event()
        self._read = threading.Event()
        self._threads = [
            threading.Thread(target=self._run, args=one, name="policies", daemon=True)
            for one in zip(self._origins, self._indexes, strict=True)
        ]
        self._threads.append(threading.Thread(target=self._limit_first_read, name="policies timeout", daemon=True))

    def read_snapshot(self) -> LocalRulesSnapshot:
        """Return the state of the rules. Safe from any thread."""
        with self._lock:
            revision, states = self._published
        return LocalRulesSnapshot(revision=revision, policies=tuple(states), problems=self.problems)

    def list_cluster_states(self) -> tuple[PolicyState, ...]:
        """Return the state of each policy of the last origin, the cluster. Safe from any thread."""
        with self._lock:
            return tuple(self._indexes[-1].list_states())

    @property
    def problems(self) -> tuple[str, ...]:
        """What is wrong with policies, files and lists now, sorted. Safe from any thread."""
        return tuple(sorted(self._problems))

    def start(self, put: Callable[[Input], None]) -> None:
        """Start the threads. *put* takes inputs for the engine."""
        self._put = put
        for thread in self._threads:
            thread.start()

    def describe(self) -> dict[str, object]:
        """Describe what is wrong with policies, files and lists."""
        problems = self.problems
        return {"rules": {"problems": list(problems)}} if problems else {}

    def close(self, timeout_s: float) -> None:
        """Stop the threads. Wait at most *timeout_s* seconds for the current work of each."""
        self._closed.set()
        self._read.set()
        for origin in self._origins:
            origin.close()
        for thread in self._threads:
            if thread.is_alive():
                thread.join(timeout_s)

    def _run(self, origin: Cluster, index: PolicyIndex) -> None:
        failures = 0
        while not self._closed.is_set():
            try:
                origin.require(DNS_POLICY)
                changes = origin.take(_TAKE_TIMEOUT_S)
                with self._lock:
                    index.apply(changes)
                    self._publish()
                failures = 0
            except Exception as exc:  # noqa: BLE001 - law 3: the last valid rules stay in use
                self._report_defect(exc)
                failures += 1
                self._closed.wait(compute_backoff_s(_FIRST_BACKOFF_S, failures, _MAX_BACKOFF_S))

    def _limit_first_read(self) -> None:
        if not self._read.wait(FIRST_READ_TIMEOUT_S):
            with self._lock:
                self._publish(is_limited=True)

    def _publish(self, *, is_limited: bool = False) -> None:
        """Pass the rules on if they changed, and log problems that are new. The caller holds the lock.

        Before every origin was read or has failed, nothing is passed on without *is_limited*.
        """
        if not (self._read.is_set() or is_limited or all(index.is_ready for index in self._indexes)):
            return
        self._read.set()
        policies = [policy for index in self._indexes for policy in index.policies]
        unavailable = [one for index in self._indexes for one in index.find_unavailable()]
        rules = PolicyRules(policies, unavailable)
        states = [state for index in self._indexes for state in index.list_states()]
        if (rules.revision, states) != self._published and not self._closed.is_set():
            if rules.revision != self._published[0]:
                is_empty = not policies and not unavailable
                _log.write(
                    logging.WARNING if is_empty else logging.INFO,
                    Event.RULES_CHANGED,
                    policies=len(policies),
                    revision=rules.revision,
                    message="There are no DNSPolicies, so none denies anything" if is_empty else None,
                )
            self._published = rules.revision, states
            # also for a state alone, which is written to the cluster
            self._put(RulesChanged(rules=rules))
        self._report_problems()

    def _report_problems(self) -> None:
        before = self._problems
        self._problems = frozenset(problem for index in self._indexes for problem in index.list_problems())
        for problem in sorted(self._problems - before):
            _log.error(Event.RULE_UNUSABLE, message=problem)
        for problem in sorted(before - self._problems):
            _log.info(Event.RULE_USABLE, message=problem)
        states = (state for index in self._indexes for state in index.list_states())
        warnings = frozenset(f"{state.label}: {text}" for state in states for text in state.warnings)
        for warning in sorted(warnings - self._warnings):
            _log.warning(Event.RULE_WARNING, message=warning)
        self._warnings = warnings
