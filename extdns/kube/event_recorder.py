"""Kubernetes Events on objects (docs/spec/sources.md 10, docs/design/differences.md)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Final

from extdns.errors import sanitize
from extdns.kube.event_sender import MAX_PER_OBJECT, EventMessage, EventSender
from extdns.model.change import Action, Batch, BulkUpdate, Decision, Delete, RuleAction
from extdns.model.claim import Claim, InvalidClaim, ResolvedClaim, find_problems
from extdns.model.evidence import HeldSet
from extdns.model.kind import Kind, ObjectKey
from extdns.model.reason import RECORD_ERROR, Category, EventWhen, Reason
from extdns.model.record import DesiredRecord, OwnedRecord, Record
from extdns.model.value import group_by

READY: Final = "RecordReady"
DELETED: Final = "RecordDeleted"
ERROR: Final = RECORD_ERROR
BULK_UPDATE: Final = "BulkUpdate"
WARNING: Final = "PolicyWarning"
"""The `reason` of Events about rules that warn."""

_PROBLEMS: Final = frozenset(reason for reason in Reason if reason.row.event_rule is EventWhen.ALWAYS)
_PROBLEMS_OF_RETAINED: Final = frozenset(reason for reason in Reason if reason.row.event_rule is EventWhen.RETAINED)
_COMPLETED_ACTIONS: Final = {Action.CREATE: "Created", Action.UPDATE: "Updated"}
_MAX_NAMES: Final = 5
_MAX_UNPUBLISHED: Final = 10_000


class KubernetesEventRecorder:
    """Records Events about decisions, problems and held deletes: the `EventRecorder` port.

    Remembers up to 10,000 created or updated records until they are published, to report `RecordReady` once for each.
    Forgets a tenth if there are more: the oldest of the namespaces that have most of them, at most half of each.
    """

    def __init__(
        self,
        sender: EventSender,
        *,
        owner: str,
        kinds: Mapping[str, Kind],
        emitted_reasons: Iterable[str],
        emits_problems: bool,
        state: ObjectKey | None = None,
        approve: Callable[[str], str] = "extdns approve {}".format,
    ) -> None:
        """Configure which Events *sender* gets. *approve* returns the command that approves the held deletes of a code.

        *kinds* has the kinds by the first part of the resource of a record, such as `service` of `service/shop/web`.
        *emits_problems* adds problems, rules that warn, and held deletes. The ConfigMap *state* of the saved state also
        gets the Events about held deletes.
        """
        self._sender = sender
        self._owner = owner
        self._kinds = kinds
        self._emitted_reasons = frozenset(emitted_reasons)
        self._emits_problems = emits_problems
        self._state = state
        self._approve = approve
        self._unpublished: dict[tuple[str, str, str, str], Decision] = {}

    def record_decisions(self, decisions: Sequence[Decision]) -> None:
        """Record Events about problems, warnings and published records among *decisions*, on the requesters."""
        for decision in decisions:
            if self._emits_problems:
                self._send(_describe_problem(decision))
                self._send(_describe_warnings(decision))
            if READY in self._emitted_reasons:
                self._send(self._describe_ready(decision))

    def record_invalid_claims(self, claims: Sequence[Claim]) -> None:
        """Record Events about the first invalid values in *claims*, the claims of one object; at most ten are sent."""
        problems = find_problems(claims)[:MAX_PER_OBJECT] if self._emits_problems else ()
        if not problems:
            return
        where = next(claim.provenance for claim in claims if isinstance(claim, InvalidClaim | ResolvedClaim))
        for one in problems:
            what = f"{one.field}: {sanitize(one.value)!r} {one.reason.row.verdict}"
            text = f"{what}; allowed: {one.allowed} [{one.reason}]"
            self._sender.send(EventMessage(where.ref, where.source, one.reason.event, "Publish", text))

    def record_failure(self, key: ObjectKey, message: str) -> None:
        """Record an Event that the claims of the object at *key* could not be computed, and why (*message*)."""
        if self._emits_problems:
            text = f"{Reason.OBJECT_FAILED.row.text} {sanitize(message, 600)} [{Reason.OBJECT_FAILED}]"
            self._sender.send(EventMessage(key, key.kind.label, Reason.OBJECT_FAILED.event, "Publish", text))

    def record_batch(self, batch: Batch) -> None:
        """Record Events about the deletes of *batch*, which was applied."""
        if DELETED not in self._emitted_reasons:
            return
        for change in (change for change_set in batch.change_sets for change in change_set.changes):
            if isinstance(change, Delete) and (key := self._find_object(change.current)):
                text = self._format_record(change.current.record)
                self._sender.send(EventMessage(key, key.kind.label, DELETED, "Deleted", text, is_warning=False))

    def record_bulk_update(self, found: BulkUpdate) -> None:
        """Record Events about changes of the first pass, on the state ConfigMap and the first objects."""
        if self._emits_problems:
            text = sanitize(str(found))
            if self._state:
                self._sender.send(EventMessage(self._state, self._state.kind.label, BULK_UPDATE, "Publish", text))
            for request in found.objects:
                self._sender.send(EventMessage(request.ref, request.source, BULK_UPDATE, "Publish", text))

    def record_held_deletes(self, held: HeldSet) -> None:
        """Record Events about the held deletes of a scope, repeatedly, until this is called again for the scope."""
        self._sender.replace_held(held.scope, tuple(self._describe_held_deletes(held)))

    def close(self, timeout_s: float) -> None:
        """Stop accepting messages, and send the queued ones for up to *timeout_s* seconds."""
        self._sender.close(timeout_s)

    def _send(self, messages: Iterable[EventMessage]) -> None:
        for message in messages:
            self._sender.send(message)

    def _describe_held_deletes(self, found: HeldSet) -> Iterator[EventMessage]:
        """Yield messages about the held deletes of one scope: one for each object, and one for the state ConfigMap."""
        if not self._emits_problems or not found.code:
            return
        by_object: defaultdict[ObjectKey, list[str]] = defaultdict(list)
        for one in found.held:
            text = f"{sanitize(one.owned.record.name)} {one.owned.record.type} [{one.evidence}]"
            for key in filter(None, (self._find_object(one.owned), self._state)):
                by_object[key].append(text)
        for key, records in sorted(by_object.items(), key=lambda item: (item[0] == self._state, item[0])):
            more = ["..."] if len(records) > _MAX_NAMES else []
            text = (
                f"Deletes are HELD in {sanitize(str(found))}: {', '.join(records[:_MAX_NAMES] + more)}. "
                f"To see them: extdns status. To approve them: {self._approve(found.code)} [{Reason.HELD}]"
            )
            yield EventMessage(key, key.kind.label, Reason.HELD.event, "Delete", text)

    def _describe_ready(self, decision: Decision) -> Iterator[EventMessage]:
        if decision.reason.row.category is Category.REJECTED:
            return  # the decision about the claim that was used instead may have the same key
        before = self._unpublished.pop(decision.key, None)
        if decision.action in _COMPLETED_ACTIONS:
            self._unpublished[decision.key] = decision
            if len(self._unpublished) > _MAX_UNPUBLISHED:
                self._forget_some(_MAX_UNPUBLISHED // 10)
        elif before and decision.reason is Reason.PUBLISHED and decision.desired:
            text = self._format_record(decision.current.record if decision.current else decision.desired)
            for request in before.requested_by:
                yield EventMessage(
                    request.ref, request.source, READY, _COMPLETED_ACTIONS[before.action], text, is_warning=False
                )

    def _forget_some(self, count: int) -> None:
        by_namespace = group_by(self._unpublished.values(), _get_namespace)
        for decisions in sorted(by_namespace.values(), key=len, reverse=True):
            oldest = decisions[: min(count, (len(decisions) + 1) // 2)]
            count -= len(oldest)
            for decision in oldest:
                del self._unpublished[decision.key]

    def _format_record(self, record: Record | DesiredRecord) -> str:
        """Format a record as external-dns does (docs/spec/sources.md 10.4)."""
        return (
            f"(external-dns) record:{record.name},owner:{self._owner},type:{record.type},"
            f"ttl:{record.ttl_s},targets:{','.join(record.targets)}"
        )

    def _find_object(self, owned: OwnedRecord) -> ObjectKey | None:
        label, _, path = owned.resource.partition("/")
        kind = self._kinds.get(label)
        namespace, _, name = path.rpartition("/")
        return ObjectKey(kind, namespace, name) if kind and name and bool(namespace) is kind.namespaced else None


def _get_namespace(decision: Decision) -> str:
    return decision.desired.namespace if decision.desired else ""


def _describe_problem(decision: Decision) -> Iterator[EventMessage]:
    stays = decision.action is Action.KEEP and decision.current is not None and decision.current.is_ours
    if decision.reason not in _PROBLEMS and not (decision.reason in _PROBLEMS_OF_RETAINED and stays):
        return
    record = f"{decision.name} {decision.type}".strip()
    detail = f" {sanitize(decision.detail, 600)}" if decision.detail else ""
    text = f"{record}: {decision.reason.row.text}{detail} [{decision.reason}]"
    for request in decision.requested_by:
        yield EventMessage(request.ref, request.source, decision.reason.event, "Publish", text)


def _describe_warnings(decision: Decision) -> Iterator[EventMessage]:
    """Yield messages about the rules that warn about a record, which is published nevertheless."""
    for violation in decision.violations:
        if violation.action is RuleAction.WARN:
            rule, message = sanitize(violation.rule), sanitize(violation.message, 600)
            text = f"{decision.name} {decision.type}: rule {rule} warns: {message}"
            for request in decision.requested_by:
                yield EventMessage(request.ref, request.source, WARNING, "Publish", text)
