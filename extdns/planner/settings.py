"""What is the same for every name: the settings of the planner, and `--policy` (docs/spec/plan.md 2.8)."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from enum import StrEnum

from extdns.model import rrtype
from extdns.model.change import AdjustedRecords, Blocked, ChangeSet
from extdns.model.kind import Kind, ObjectKey
from extdns.model.record import DesiredRecord, OwnedRecord, Record
from extdns.model.selection import DomainFilter
from extdns.model.value import Value
from extdns.model.zone import Zone
from extdns.rules.evaluation import Evaluation
from extdns.rules.rule_input import RuleInput

Adjust = Callable[[Sequence[DesiredRecord], Zone], AdjustedRecords]
Complete = Callable[[ChangeSet, Sequence[Record]], ChangeSet | Blocked]
Evaluate = Callable[[Sequence[RuleInput]], Sequence[Evaluation]]


class Policy(StrEnum):
    """The value of `--policy`."""

    SYNC = "sync"
    UPSERT_ONLY = "upsert-only"
    CREATE_ONLY = "create-only"


class PlanSettings(Value, frozen=True, kw_only=True):
    """The settings of the planner.

    Attributes:
        owner: our owner id, "" if the registry has no ownership records (noop).
        migrate_from: an earlier owner id whose records are taken over if requested, "" for none.
        managed_types: record types in scope, exclusions already taken out.
        source_order: the names of the sources in the order of `--source`, by which claims are sorted.
        properties: the properties that the provider honours, as `is_honoured` takes them.
        min_ttl_s: the TTL for records without one, 0 for none.
        creates_ptr: whether address records get PTR records; the property `record-type` overrides it for one record.
        owns_names: whether the registry owns all records of a name together, so that one contest decides all types.
        merges_namespaces: whether claims of several namespaces to one name are merged instead of being in a contest.
        compat: the value of `--compat`: whether to behave as external-dns (docs/design/differences.md).
    """

    owner: str
    migrate_from: str = ""
    policy: Policy = Policy.SYNC
    domains: DomainFilter = DomainFilter()
    managed_types: frozenset[str] = frozenset({rrtype.A, rrtype.AAAA, rrtype.CNAME})
    source_order: tuple[str, ...] = ()
    properties: tuple[str, ...] = ()
    min_ttl_s: int = 0
    prefer_alias: bool = False
    creates_ptr: bool = False
    owns_names: bool = False
    merges_namespaces: bool = False
    compat: bool = False

    def is_requested_by(self, owned: OwnedRecord, namespaces: Collection[str]) -> bool:
        """Return whether a request of one of *namespaces* for the record *owned* is that of its namespace.

        Any is, if namespaces are merged, or if the ownership record names no object.
        """
        if owned.namespace in namespaces:
            return True
        return bool(namespaces) and (self.merges_namespaces or not owned.resource)


class Planner(Value, frozen=True, kw_only=True, gc=True):
    """The settings and pure functions with which every name is planned.

    Attributes:
        adjust: returns what the DNS service would hold for desired records.
        complete: adds ownership records to a change set, or returns the reason why it cannot be written.
        evaluate: evaluates the rules.
        kinds: the kinds that sources read, by the first part of a `resource` label (`service`).
        namespaces: the namespaces that sources read, () for all.
        expires_unresolved: whether unresolved claims retain a record for a limited time only (`--unresolved-timeout`).
    """

    settings: PlanSettings
    adjust: Adjust
    complete: Complete
    evaluate: Evaluate
    kinds: Mapping[str, Kind]
    namespaces: tuple[str, ...] = ()
    expires_unresolved: bool = False

    def find_object(self, resource: str) -> ObjectKey | None:
        """Return the object that a `resource` label names; None if no source reads its kind in its namespace."""
        label, _, location = resource.partition("/")
        kind = self.kinds.get(label)
        if kind is None:
            return None
        if not kind.namespaced:
            name = location.removeprefix("/")  # the empty namespace of `clusterthing//x`
            return ObjectKey(kind, "", name) if name else None
        namespace, _, name = location.partition("/")
        readable = not self.namespaces or namespace in self.namespaces
        return ObjectKey(kind, namespace, name) if namespace and name and readable else None

    def normalize_resource(self, owned: OwnedRecord) -> str:
        """Return the resource of *owned* in the spelling of claims: some kinds have two labels or two spellings."""
        key = self.find_object(owned.resource)
        return key.resource if key else owned.resource
