"""The rules in force, the objects that they read, and the answers of a policy server (docs/design/rules.md).

Without rules and without a server `RuleState.is_active` is False, and planning a name never calls anything here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from typing import TYPE_CHECKING, Final, TypeVar

from msgspec.structs import replace

from extdns.engine.effects import QueryRules
from extdns.engine.inputs import PRESENT, Cause, RulesAnswered, RulesChanged, RulesRevised
from extdns.model.claim import NameClaim
from extdns.model.dns_name import DnsName
from extdns.model.kind import ObjectKey
from extdns.model.value import EMPTY_MAP, StringMap, Value
from extdns.planner.proposal import is_published
from extdns.resources.core import NAMESPACE
from extdns.rules.evaluation import Evaluation
from extdns.rules.policy_server import MAX_QUERY
from extdns.rules.rule_input import Operation, RuleInput, RuleNamespace, RuleObject

if TYPE_CHECKING:
    from extdns.engine.claims import ClaimIndex
    from extdns.engine.inputs import Observation
    from extdns.engine.observations import KindPhases
    from extdns.engine.settings import EngineSettings
    from extdns.rules.evaluation import RuleSet

_AWAITED: Final = Evaluation(unavailable="the policy server has not answered yet", is_awaited=True)
_UNREAD_NAMESPACE: Final = Evaluation(unavailable="the namespace of the object was not read")
_UNREAD: Final = Evaluation(unavailable="the rules have not been read yet", is_awaited=True)
_NAMESPACE_NAME: Final = "kubernetes.io/metadata.name"

_Key = TypeVar("_Key")
_Found = TypeVar("_Found")


class UnreadRules(Value, frozen=True, kw_only=True):
    """The rules before their first version was read: every answer is awaited."""

    revision: str = "unread"
    needs_namespaces: bool = False

    def evaluate(self, inputs: Sequence[RuleInput]) -> tuple[Evaluation, ...]:
        """Return for each of *inputs* an evaluation that states that the answer is awaited."""
        return (_UNREAD,) * len(inputs)


class RuleState:
    """Evaluates rules, and records which answers of the policy server are needed.

    Attributes:
        is_active: whether there are rules or a policy server, so that names must be evaluated.
        rules: the local rules, None if there are none.
        evaluated_at_s: when the rules were last evaluated on a record (monotonic seconds), None before the first.
    """

    def __init__(self, settings: EngineSettings, phases: KindPhases) -> None:
        """Start without answers.

        With rules or a policy server, each answer is awaited until the first `RulesChanged`.
        """
        self._phases = phases
        self._has_all_namespaces = settings.has_all_namespaces
        self.rules: RuleSet | None = UnreadRules() if settings.has_rules else None
        self.has_server = settings.has_policy_server
        self.is_active = settings.has_rules or settings.has_policy_server
        self.evaluated_at_s: float | None = None
        self._objects: dict[ObjectKey, RuleObject] = {}
        self._namespaces: dict[str, RuleNamespace] = {}
        self._answers: dict[RuleInput, Evaluation] = {}
        self._requests: dict[RuleInput, Evaluation] = {}  # the answers, without operation and current record
        self._names: dict[RuleInput, set[DnsName]] = {}
        self._used: dict[DnsName, frozenset[RuleInput]] = {}
        self._due: dict[RuleInput, None] = {}

    @property
    def awaits_answers(self) -> bool:
        """Whether the rules were not read yet, or a name waits for an answer of the policy server."""
        return self._is_unread or len(self._answers) < len(self._names)

    @property
    def _is_unread(self) -> bool:
        """Whether there are local rules that were not read yet."""
        return isinstance(self.rules, UnreadRules)

    def store_evaluation_time(self, now_s: float) -> None:
        """Store that a record was evaluated now, unless the local rules were not read yet."""
        if not self._is_unread:
            self.evaluated_at_s = now_s

    def take(self, item: RulesChanged | RulesRevised, all_names: Iterable[DnsName]) -> Iterable[DnsName]:
        """Store the rules of *item*, or query again; return the names to plan again: *all_names* for new rules."""
        match item:
            case RulesChanged(rules=rules):
                is_same = rules.revision == self.rules.revision if rules and self.rules else rules is self.rules
                self.rules, self.is_active = rules, self.has_server or rules is not None
                return () if is_same else all_names
            case RulesRevised():
                # those without an answer first: not all may be able to wait for a query
                self._due.update(dict.fromkeys(sorted(self._names, key=self._has_answer)))
                return ()

    def take_answers(self, item: RulesAnswered) -> dict[str | None, set[DnsName]]:
        """Store the answers of *item*; return the names to plan again, by namespace of the objects, if any."""
        changed: dict[str | None, set[DnsName]] = {}
        for one, evaluation in item.answers:
            if one in self._names and self._answers.get(one) != evaluation:
                self._answers[one] = self._requests[_drop_current(one)] = evaluation
                changed.setdefault(one.object.namespace if one.object else None, set()).update(self._names[one])
        return changed

    def observe(self, seen: Observation, claims: ClaimIndex) -> AbstractSet[DnsName]:
        """Store the labels and annotations of the object of *seen*. Return the names to plan again if they changed."""
        if seen.key.kind == NAMESPACE:
            return self._observe_namespace(seen, claims)
        found = _build_object(seen.key, seen.labels, seen.annotations) if seen.cause in PRESENT else None
        if not _replace(self._objects, seen.key, found) or not self.is_active:
            return frozenset()
        return {claim.name for claim in seen.claims if isinstance(claim, NameClaim)}

    def _observe_namespace(self, seen: Observation, claims: ClaimIndex) -> AbstractSet[DnsName]:
        if seen.cause is Cause.MISSING:
            return frozenset()  # a list can be incomplete
        name = seen.key.name
        found = _build_namespace(name, seen.labels, seen.annotations) if seen.cause in PRESENT else None
        if not _replace(self._namespaces, name, found) or not self.is_active:
            return frozenset()
        requests = (claim for one in claims.names() for claim in claims.claims(one))
        return {claim.name for claim in requests if claim.provenance.ref.key.namespace == name}

    def find_object(self, key: ObjectKey) -> RuleObject:
        """Return the object at *key* as rules see it."""
        return self._objects.get(key) or _build_object(key)

    def find_namespace(self, name: str, *, may_be_gone: bool = False) -> RuleNamespace | None:
        """Return the namespace *name* as rules see it; None if *name* is "" or the namespace was not read.

        An object can be read before its new namespace is. With *may_be_gone*, a namespace that was not read has no
        labels, because it may have been deleted with the object.
        """
        if not name or not self._phases.is_synced(NAMESPACE):
            return None
        found = self._namespaces.get(name)
        if found is None and not self._has_all_namespaces:
            found = self._namespaces[name] = _build_namespace(name)
        return found or (_build_namespace(name) if may_be_gone else None)

    def evaluate(self, inputs: Sequence[RuleInput]) -> Sequence[Evaluation]:
        """Return the evaluation of each of *inputs* by the local rules and the policy server; store nothing."""
        local = self.rules.evaluate(inputs) if self.rules else (Evaluation(),) * len(inputs)
        if not self.has_server:
            return local
        answers = [_UNREAD_NAMESPACE if self._awaits_namespace(item) else self._find_answer(item) for item in inputs]
        return [one.merge(answer or _AWAITED) for one, answer in zip(local, answers, strict=True)]

    def _awaits_namespace(self, item: RuleInput) -> bool:
        """Return whether the namespace of the object of *item* will be read, and was not yet."""
        namespace = item.object.namespace if item.object else ""
        return bool(namespace) and item.namespace is None and self._phases.is_synced(NAMESPACE)

    def _find_answer(self, item: RuleInput) -> Evaluation | None:
        """Return the answer about *item*, None if there is none yet.

        The answer about a change also counts for the record that the change writes, so that a change takes one query.
        """
        found = self._answers.get(item)
        if found is None and item.current is not None and is_published(item.current, item.record):
            found = self._requests.get(_drop_current(item))
        return found

    def _has_answer(self, item: RuleInput) -> bool:
        return not self._answers.get(item, _AWAITED).unavailable

    def require(self, name: DnsName, inputs: Iterable[RuleInput]) -> None:
        """Replace the inputs whose answers *name* needs, and request each of these answers that is not stored."""
        new, old = frozenset(inputs), self._used.get(name, frozenset())
        answers = {one: found for one in new if (found := self._find_answer(one))}
        for gone in old - new:
            self._requests.pop(_drop_current(gone), None)
            self._names[gone].discard(name)
            if not self._names[gone]:
                del self._names[gone]
                self._answers.pop(gone, None)
                self._due.pop(gone, None)
        for one in new - old:
            self._names.setdefault(one, set()).add(name)
            if one not in answers:
                self._due[one] = None
        for one, found in answers.items():
            self._answers[one] = self._requests[_drop_current(one)] = found
        if new:
            self._used[name] = new
        else:
            self._used.pop(name, None)

    def take_due(self) -> Iterator[QueryRules]:
        """Return the queries to send now, each of at most `MAX_QUERY` inputs."""
        due, self._due = tuple(self._due), {}
        for start in range(0, len(due), MAX_QUERY):
            yield QueryRules(inputs=due[start : start + MAX_QUERY])


def _replace(stored: dict[_Key, _Found], key: _Key, found: _Found | None) -> bool:
    """Store *found* at *key*, or nothing if it is None. Return whether *stored* had something else there."""
    if found == stored.get(key):
        return False
    if found is None:
        del stored[key]
    else:
        stored[key] = found
    return True


def _drop_current(item: RuleInput) -> RuleInput:
    """Return *item* without its current record, and with a create as an update, so that equal answers can be shared."""
    operation = Operation.DELETE if item.operation is Operation.DELETE else Operation.UPDATE
    return replace(item, operation=operation, current=None)


def _build_object(key: ObjectKey, labels: StringMap = EMPTY_MAP, annotations: StringMap = EMPTY_MAP) -> RuleObject:
    return RuleObject(
        api_version=key.kind.api_version,
        kind=key.kind.name,
        namespace=key.namespace,
        name=key.name,
        labels=labels,
        annotations=annotations,
    )


def _build_namespace(name: str, labels: StringMap = EMPTY_MAP, annotations: StringMap = EMPTY_MAP) -> RuleNamespace:
    return RuleNamespace(name=name, labels=labels.set(_NAMESPACE_NAME, name), annotations=annotations)
