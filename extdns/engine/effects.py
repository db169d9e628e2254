"""The effects of the engine: requests to the controller, which returns their results as inputs."""

from __future__ import annotations

from extdns.model.change import Batch, Decision, Outcome
from extdns.model.dns_name import DnsName
from extdns.model.evidence import HeldSet
from extdns.model.kind import ObjectKey
from extdns.model.record import DesiredRecord
from extdns.model.saved_state import Saved
from extdns.model.value import Value
from extdns.model.zone import Zone
from extdns.rules.rule_input import RuleInput


class ListZones(Value, frozen=True, kw_only=True):
    """List the zones of all accounts."""


class ReadPage(Value, frozen=True, kw_only=True):
    """Read one page of *zone*, from its start or from the cursor *after*.

    Attributes:
        reads_to_end: whether to read all following pages, too, one after the other, until one fails.
    """

    zone: Zone
    after: str | None
    reads_to_end: bool = False


class ReadNames(Value, frozen=True, kw_only=True):
    """Read all records of *names*."""

    zone: Zone
    names: tuple[DnsName, ...]


class RequestAdjustments(Value, frozen=True, kw_only=True):
    """Show *records* to the DNS service, and store how it adjusts them."""

    records: tuple[DesiredRecord, ...]


class SubmitBatch(Value, frozen=True, kw_only=True):
    """Submit *batch* in one attempt."""

    batch: Batch


class CheckExistence(Value, frozen=True, kw_only=True):
    """Find out whether an object exists in the cluster."""

    key: ObjectKey


class QueryRules(Value, frozen=True, kw_only=True):
    """Query the policy server about *inputs*; the answers come back as `RulesAnswered` (docs/design/rules.md)."""

    inputs: tuple[RuleInput, ...]


class ReportDecisions(Value, frozen=True, kw_only=True):
    """Report decisions that are new or changed, sorted."""

    decisions: tuple[Decision, ...]


class ReportOutcome(Value, frozen=True, kw_only=True):
    """Report the outcome of a batch."""

    batch: Batch
    outcome: Outcome


class ReportHeldDeletes(Value, frozen=True, kw_only=True):
    """Report the deletes that a scope holds, after they changed. The code is "" if none are left."""

    held: HeldSet


class ReportDefect(Value, frozen=True, kw_only=True):
    """Report an unexpected *error* that the engine has handled: all other work of the step was done."""

    error: Exception


class LoadState(Value, frozen=True, kw_only=True):
    """Load the saved state."""


class SaveState(Value, frozen=True, kw_only=True):
    """Save the state *saved*, whose times are monotonic seconds."""

    saved: Saved


class ReadApprovals(Value, frozen=True, kw_only=True):
    """Read the approvals that people wrote to the state store."""


class Wake(Value, frozen=True, kw_only=True):
    """Step again at *at_s* (monotonic seconds) if nothing happens before."""

    at_s: float


Effect = (
    ListZones
    | ReadPage
    | ReadNames
    | RequestAdjustments
    | SubmitBatch
    | CheckExistence
    | QueryRules
    | ReportDecisions
    | ReportOutcome
    | ReportHeldDeletes
    | ReportDefect
    | LoadState
    | SaveState
    | ReadApprovals
    | Wake
)
