"""Query the policy server on a thread of its own, so that a server that is slow or gone delays nothing else.

::

    engine ── QueryRules ──▶ query ──▶ thread ── PolicyClient.evaluate ──────▶ RulesAnswered ──▶ engine
                                         └────── PolicyClient.read_version ──▶ RulesRevised ──▶ engine

docs/design/opa.md says how often the server is queried, and what follows if it fails.
"""

from __future__ import annotations

import threading
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from extdns.controller.participant import Participant
from extdns.documents.rules import PolicyServerSnapshot
from extdns.engine.effects import Effect, QueryRules
from extdns.engine.inputs import Input, RulesAnswered, RulesChanged, RulesRevised
from extdns.engine.namespace_turns import NamespaceTurns
from extdns.errors import describe_error
from extdns.model.value import take_next
from extdns.ports import Clock
from extdns.rules.evaluation import Evaluation
from extdns.rules.policy_server import MAX_QUERY, PolicyAnswers, PolicyClient, PolicyProblem, PolicyRevision
from extdns.rules.rule_input import RuleInput, count_characters

if TYPE_CHECKING:
    from extdns.opa.policy_server_reporter import PolicyServerReporter

POLL_S: Final = 3.0
"""How often the revision of the policies is read."""
REFRESH_S: Final = 300.0
"""How often every record is evaluated again with the same revision, because data of the policies may have changed."""
RETRY_S: Final = 30.0
"""How often records for which policies failed are evaluated again with the same revision."""
_MAX_STORED_CHARACTERS: Final = 32_000_000
_MAX_QUERY_CHARACTERS: Final = 1_000_000
"""After so many, no more inputs are added to a query."""
_DEFECT_PAUSE_S: Final = 1.0


class RuleQueries(Participant):
    """The queries that wait, and the thread that makes them.

    Attributes:
        problem: why the server does not answer, "" if it does. Safe from any thread.
    """

    def __init__(
        self,
        client: PolicyClient,
        listener: PolicyServerReporter,
        *,
        report_defect: Callable[[Exception], None],
        allows_failure: bool,
        clock: Clock,
        has_local_rules: bool = False,
    ) -> None:
        """Query the server after `start`. Only the thread uses *client*.

        *listener* receives the results besides the engine, *report_defect* unexpected errors. With *allows_failure*
        (`--opa-failure=allow`) a record is allowed if there is no valid answer. *has_local_rules* says whether there
        are rules besides those of the server.
        """
        self._client = client
        self._listener = listener
        self._report_defect = report_defect
        self._allows_failure = allows_failure
        self._clock = clock
        self._has_local_rules = has_local_rules
        self._put: Callable[[Input], None] = lambda _item: None
        self.problem = ""
        self._changed = threading.Condition()
        self._is_closing = False
        self._waiting = _BoundedInputs()
        # with whether policies fail for an input alone; and those before the engine was asked last what it needs
        self._unanswered, self._formerly_unanswered = _BoundedInputs(), _BoundedInputs()
        self._version = PolicyRevision()
        # Lines that are asked about apart, with how many inputs: half as many as in a query that got no answer,
        # twice as many as in one that got one.
        self._sizes: dict[_Line, int] = {}
        self._turns: NamespaceTurns[_Line] = NamespaceTurns()  # of these and of those on which policies fail
        self._lead_s = 0.0  # how much longer queries about all others took, while both waited
        self._is_suspended = False  # after a failure, nothing is asked until the revision could be read
        self._poll_at = self._retry_at = 0.0
        self._refresh_at = clock.monotonic_s() + REFRESH_S
        self._problems: dict[PolicyProblem, None] = {}
        self._reported: Mapping[str, str] = {}
        self._answered_at_s: float | None = None
        # a daemon thread, because a call that hangs must not keep the process from ending
        self._thread = threading.Thread(target=self._run, name="policy-server", daemon=True)

    def read_snapshot(self) -> PolicyServerSnapshot:
        """Return the state of the policy server. Safe from any thread."""
        version = self._version
        return PolicyServerSnapshot(
            revision=version.label or version.revision,
            policies=version.policies,
            problem=self.problem,
            policy_problems=tuple(
                PolicyProblem(policy=one, message=text) for one, text in sorted(self._reported.items()) if text
            ),
            answered_at_s=self._answered_at_s,
            waiting=len(self._waiting),
        )

    def connect(self, put: Callable[[Input], None]) -> None:
        """Use *put* to pass inputs to the engine."""
        self._put = put

    def start(self, put: Callable[[Input], None]) -> None:
        """Start the thread, which passes answers to *put*."""
        self.connect(put)
        self._thread.start()
        if not self._has_local_rules:
            put(RulesChanged(rules=None))  # without the first rules, nothing is planned

    def after_step(self, effects: Sequence[Effect]) -> None:
        """Queue what the engine queries."""
        for effect in effects:
            if isinstance(effect, QueryRules):
                self.query(effect.inputs)

    def describe(self) -> dict[str, object]:
        """Describe why the server does not answer."""
        problem = self.problem
        return {"policyServer": {"message": problem}} if problem else {}

    def count_waiting(self) -> dict[str, int]:
        """Count the inputs that wait for a query."""
        return {"policy queries": len(self._waiting)}

    def query(self, inputs: Sequence[RuleInput]) -> None:
        """Queue *inputs* for the next query.

        For an input without a valid answer, tell the engine that there is none, and query it again later.
        """
        with self._changed:
            for item in inputs:
                self._add(self._waiting, item, is_failing=self._is_failing(item))
            self._changed.notify_all()

    def close(self, timeout_s: float) -> None:
        """Send no more queries, and wait for up to *timeout_s* seconds until the thread has ended."""
        with self._changed:
            self._is_closing = True
            self._changed.notify_all()
        if self._thread.is_alive():
            self._thread.join(timeout_s)
        self._listener.close(timeout_s)

    def work(self) -> float:
        """Poll the server and send one query, each if due. Return when to call this again (monotonic seconds)."""
        now_s = self._clock.monotonic_s()
        if now_s >= self._poll_at:
            self._poll(now_s)
            self._poll_at = self._clock.monotonic_s() + POLL_S
        if self._is_suspended:
            self._refuse_waiting()
        else:
            self._send_query()
        if self._waiting:
            return now_s
        self._report_policies()
        return self._poll_at

    def _run(self) -> None:
        while not self._is_closing:
            try:
                next_at = self.work()
            except Exception as exc:  # noqa: BLE001 - law 3: a defect here must not end the process
                self._report_defect(exc)
                self._report_problem(describe_error(exc))
                next_at = self._clock.monotonic_s() + _DEFECT_PAUSE_S
            pause_s = max(0.0, next_at - self._clock.monotonic_s())
            with self._changed:
                self._changed.wait_for(lambda: self._waiting or self._is_closing, pause_s)
        self._client.close()

    def _poll(self, now_s: float) -> None:
        """Read the revision of the policies; if it changed, let the engine query all records again.

        If due, retry the inputs without a valid answer.
        """
        version = self._client.read_version()
        if version.problem:
            self._is_suspended = True
            self._report_problem(version.problem)
            return
        is_back, self._is_suspended = self._is_suspended, False
        is_first, is_revised = not self._version.revision, version.revision != self._version.revision
        self._version = version
        if (is_revised and not is_first) or now_s >= self._refresh_at:
            self._refresh_at, self._problems = now_s + REFRESH_S, {}
            self._formerly_unanswered, self._unanswered = self._unanswered, _BoundedInputs()
            self._put(RulesRevised(revision=version.label or version.revision))
        if is_back or is_revised or now_s >= self._retry_at:
            self._retry_at = now_s + RETRY_S
            self.query(tuple(self._unanswered))
        if not self._waiting:
            self._report_problem("")

    def _refuse_waiting(self) -> None:
        """Pass on the problem of the server for all that waits, until the revision could be read. Turns stay."""
        with self._changed:
            inputs = tuple(self._waiting)
            for item in inputs:
                self._waiting.remove(item)
        if inputs:
            failure = Evaluation(unavailable=self.problem)
            self._answer(inputs, PolicyAnswers(evaluations=(failure,) * len(inputs), problem=self.problem))

    def _send_query(self) -> None:
        """Query the server about the inputs whose turn it is, and pass the answers on."""
        inputs, turn = self._take_inputs()
        if not inputs:
            return
        began_s = self._clock.monotonic_s()
        answers = self._client.evaluate(inputs)
        self._is_suspended = bool(answers.problem)
        self._report_problem(answers.problem)
        took_s = self._clock.monotonic_s() - began_s
        if turn:
            self._turns.spend(took_s)
        self._lead_s += -took_s if turn else took_s
        lines = {turn or (_find_namespace(item), False) for item in inputs}
        sizes = {line: self._sizes.pop(line, MAX_QUERY) for line in lines}
        if answers.problem:
            with self._changed:
                count = sum(line in self._sizes for line in self._waiting.lines)
            if turn or count < MAX_QUERY:  # with more of them, all would wait long after the server is back
                self._sizes |= dict.fromkeys(lines, max(1, len(inputs) // 2))
            if len(inputs) == 1:  # it may be what the server does not answer: it is asked about apart
                answers = replace(answers, failed=frozenset({0}))
        else:
            self._sizes |= {line: 2 * size for line, size in sizes.items() if 2 * size < MAX_QUERY}
            self._answered_at_s = self._clock.monotonic_s()
        self._problems.update(dict.fromkeys(answers.policy_problems))
        self._listener.record_answers(answers, took_s)
        self._answer(inputs, answers)
        unanswered = {line[0] for line in (*self._unanswered.lines, *self._formerly_unanswered.lines)}
        self._sizes = {line: size for line, size in self._sizes.items() if line[0] in unanswered}

    def _take_inputs(self) -> tuple[tuple[RuleInput, ...], _Line | None]:
        """Take the inputs of the next query, and return their line if they are asked about apart.

        So are inputs on which policies fail, because others in a query that fails may get no answer.
        """
        with self._changed:
            lines = self._waiting.lines
            apart = dict.fromkeys(line for line in lines if line[1] or line in self._sizes)
            together = [line for line in lines if line not in apart]
            for line in apart:
                self._turns.add(line[0], line, 2 if line[1] else 1)
            if not (apart and together):
                self._lead_s = 0.0
            if together and (self._lead_s < 0.0 or not apart):
                return self._waiting.take(together, MAX_QUERY), None
            for turn in iter(self._turns.take, None):
                if turn in apart:  # others were refused, or dropped
                    return self._waiting.take([turn], self._sizes.get(turn, MAX_QUERY)), turn
        return (), None

    def _answer(self, inputs: Sequence[RuleInput], answers: PolicyAnswers) -> None:
        found: list[tuple[RuleInput, Evaluation]] = []
        with self._changed:
            for at, (item, evaluation) in enumerate(zip(inputs, answers.evaluations, strict=True)):
                if evaluation.unavailable:
                    self._add(self._unanswered, item, is_failing=at in answers.failed or self._is_failing(item))
                    found.append((item, Evaluation() if self._allows_failure else evaluation))
                else:
                    self._unanswered.remove(item)
                    self._formerly_unanswered.remove(item)
                    found.append((item, evaluation))
        self._put(RulesAnswered(answers=tuple(found)))

    def _is_failing(self, item: RuleInput) -> bool:
        return self._unanswered.is_failing(item) or self._formerly_unanswered.is_failing(item)

    def _add(self, inputs: _BoundedInputs, item: RuleInput, *, is_failing: bool) -> None:
        """Add *item* to *inputs*. If some are dropped, let the engine query soon what it still needs."""
        if inputs.add(item, is_failing=is_failing):
            self._refresh_at = min(self._refresh_at, self._clock.monotonic_s() + RETRY_S)

    def _report_problem(self, problem: str) -> None:
        if problem != self.problem:
            self.problem = problem
            self._listener.report_problem(problem)

    def _report_policies(self) -> None:
        """Report to the listener what is wrong with each policy, if that changed."""
        if self._is_suspended:
            return
        loaded = tuple(policy.id for policy in self._version.policies)
        found = dict.fromkeys(loaded, "")
        for one in self._problems:
            for policy in (one.policy,) if one.policy else loaded:
                found[policy] = found.get(policy) or one.message
        if found != self._reported:
            self._reported = found
            self._listener.report_policies(found)


_Line = tuple[str, bool]
"""The inputs of a namespace on which policies fail, or do not."""


class _BoundedInputs:
    """Inputs of each namespace in the order in which they were added, with whether a policy is known to fail on them.

    If they are too large together, a tenth is dropped: the newest of the namespaces with most characters, at most half
    of each.
    """

    def __init__(self) -> None:
        # each with its characters
        self._lines: dict[_Line, dict[RuleInput, tuple[RuleInput, int]]] = OrderedDict()
        self._total = 0  # characters

    def __len__(self) -> int:
        return sum(map(len, self._lines.values()))

    def __iter__(self) -> Iterator[RuleInput]:
        return chain.from_iterable(self._lines.values())

    @property
    def lines(self) -> tuple[_Line, ...]:
        """The lines that have inputs."""
        return tuple(self._lines)

    def add(self, item: RuleInput, *, is_failing: bool) -> bool:
        """Add *item*, or set its *is_failing* if it is in the table. Return whether an input was dropped for space."""
        line = _find_namespace(item), is_failing
        if item in self._lines.get(line, ()):
            return False
        self.remove(item)
        characters = count_characters(item)
        self._lines.setdefault(line, OrderedDict())[item] = item, characters
        self._total += characters
        if self._total <= _MAX_STORED_CHARACTERS:
            return False
        sizes: Counter[str] = Counter()
        for (namespace, _), inputs in self._lines.items():
            sizes[namespace] += sum(characters for _, characters in inputs.values())
        kept = _MAX_STORED_CHARACTERS * 9 // 10
        for namespace, size in sizes.most_common():
            least = self._total - (size + 1) // 2
            while self._total > max(kept, least):
                inputs = self._lines.get((namespace, True)) or self._lines[namespace, False]
                self.remove(next(reversed(inputs)))
        return True

    def take(self, lines: Iterable[_Line], most: int) -> tuple[RuleInput, ...]:
        """Remove and return inputs of *lines*, which take turns: at most *most*, of about a megabyte."""
        selected = OrderedDict((line, self._lines.pop(line)) for line in lines)
        taken: list[RuleInput] = []
        total = 0
        while len(taken) < most and total < _MAX_QUERY_CHARACTERS and (found := take_next(selected)):
            item, characters = found
            taken.append(item)
            total += characters
        self._lines |= selected
        self._total -= total
        return tuple(taken)

    def remove(self, item: RuleInput) -> None:
        """Remove *item*, if it is in the table."""
        namespace = _find_namespace(item)
        for line in ((namespace, False), (namespace, True)):
            inputs = self._lines.get(line, {})
            if found := inputs.pop(item, None):
                self._total -= found[1]
                if not inputs:
                    del self._lines[line]

    def is_failing(self, item: RuleInput) -> bool:
        """Return whether a policy is known to fail on *item*; False if *item* is not in the table."""
        return item in self._lines.get((_find_namespace(item), True), ())


def _find_namespace(item: RuleInput) -> str:
    return item.object.namespace if item.object else ""
