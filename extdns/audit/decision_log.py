"""The decision log: what rules answered about each record (docs/design/decision-log.md)."""

from __future__ import annotations

import threading
import uuid
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from extdns import log
from extdns.audit.line_queue import LineQueue
from extdns.controller.participant import Participant
from extdns.documents.decision_log import LOCAL_PATH, build_decision_line, encode_decision_line
from extdns.log import Event
from extdns.rules.rule_input import count_characters

if TYPE_CHECKING:
    from extdns.audit.line_targets import LineTarget
    from extdns.engine.inputs import Input
    from extdns.metrics.metrics import Metrics
    from extdns.ports import Clock
    from extdns.rules.evaluation import Evaluation, RuleSet
    from extdns.rules.rule_input import RuleInput

_log = log.get(__name__)
_MAX_FORMER: Final = 20_000
MAX_FORMER_CHARACTERS: Final = 64_000_000


class DecisionLog(Participant):
    """Write a line for each evaluation that is new for its input, or of a new revision. Never wait for a write.

    Attributes:
        queue: writes the lines.
    """

    def __init__(
        self,
        target: LineTarget,
        *,
        clock: Clock,
        labels: Mapping[str, str],
        erased: Sequence[str],
        metrics: Metrics,
    ) -> None:
        """Write to *target* after `start`.

        Args:
            target: where lines are written.
            clock: the clock.
            labels: identify this process.
            erased: JSON pointers to the fields that are left out.
            metrics: receives whether writing fails, and how many lines were dropped.
        """
        self._clock = clock
        self._labels = labels
        self._erased = erased
        self._metrics = metrics
        self._is_failing = False
        self._lock = threading.Lock()
        self._former: OrderedDict[tuple[str, RuleInput], tuple[str, Evaluation]] = OrderedDict()
        self._former_characters = 0
        self.queue = LineQueue(target, load=lambda _lines: None, report=self._report, name="decisions", is_lossy=True)

    def start(self, put: Callable[[Input], None]) -> None:  # noqa: ARG002 - it has no inputs
        """Open the file or connection, without waiting for it."""
        self.queue.start(waits=False)

    def describe(self) -> dict[str, object]:
        """Describe why lines cannot be written."""
        problem = self.queue.problem
        return {"decisionLog": {"message": problem}} if problem else {}

    def count_waiting(self) -> dict[str, int]:
        """Count the lines that wait to be written."""
        return {"decision lines": self.queue.waiting_count}

    def close(self, timeout_s: float) -> None:
        """Write the queued lines, for at most *timeout_s* seconds, and close the file or connection."""
        self.queue.close(timeout_s)

    def record(
        self, inputs: Sequence[RuleInput], evaluations: Sequence[Evaluation], *, path: str, revision: str
    ) -> None:
        """Queue a line for each of *inputs* whose evaluation or revision is new. Safe from any thread."""
        now = self._clock.now()
        new = self._take_new(list(zip(inputs, evaluations, strict=True)), path, revision)
        lines = [
            build_decision_line(
                item,
                evaluation,
                path=path,
                revision=revision,
                labels=self._labels,
                decision_id=str(uuid.uuid4()),
                at=now,
                erased=self._erased,
            )
            for item, evaluation in new
        ]
        if lines:
            self.queue.put([encode_decision_line(line) for line in lines], waits=False)

    def _take_new(
        self, found: Sequence[tuple[RuleInput, Evaluation]], path: str, revision: str
    ) -> list[tuple[RuleInput, Evaluation]]:
        """Return those of *found* that differ from the last ones about the same input, and store them."""
        new: list[tuple[RuleInput, Evaluation]] = []
        with self._lock:
            for item, evaluation in found:
                key, value = (path, item), (revision, evaluation)
                if self._former.get(key) != value:
                    if key not in self._former:
                        self._former_characters += count_characters(item)
                    self._former[key] = value
                    new.append((item, evaluation))
            while len(self._former) > _MAX_FORMER or self._former_characters > MAX_FORMER_CHARACTERS:
                (_, oldest), _ = self._former.popitem(last=False)
                self._former_characters -= count_characters(oldest)
        return new

    def _report(self, problem: str, dropped: int) -> None:
        """Report why lines cannot be written ("" if they can), and how many were dropped."""
        was_failing, self._is_failing = self._is_failing, bool(problem)
        self._metrics.set_decision_log(is_failing=bool(problem), dropped=dropped)
        if problem and not was_failing:
            _log.error(Event.DECISION_LOG_FAILED, message=problem)
        elif was_failing and not problem:
            _log.info(Event.DECISION_LOG_WRITTEN, dropped=dropped or None)

    def watch(self, rules: RuleSet) -> RuleSet:
        """Return rules that answer as *rules* do, and write their evaluations to this log."""
        return _LoggedRules(rules, self)


class _LoggedRules:
    """Implements `RuleSet` with other rules, and writes their evaluations to a decision log."""

    def __init__(self, rules: RuleSet, decision_log: DecisionLog) -> None:
        self._rules = rules
        self._log = decision_log

    @property
    def revision(self) -> str:
        """The revision of the rules."""
        return self._rules.revision

    @property
    def needs_namespaces(self) -> bool:
        """Whether a rule reads labels or annotations of namespaces."""
        return self._rules.needs_namespaces

    def evaluate(self, inputs: Sequence[RuleInput]) -> tuple[Evaluation, ...]:
        """Return the evaluation of each of *inputs*, in their order."""
        found = self._rules.evaluate(inputs)
        matched = [(item, one) for item, one in zip(inputs, found, strict=True) if one.matched or one.unavailable]
        if matched:
            self._log.record(
                [item for item, _ in matched],
                [one for _, one in matched],
                path=LOCAL_PATH,
                revision=self._rules.revision,
            )
        return found
