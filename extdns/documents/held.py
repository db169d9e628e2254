"""Held deletes of a running process, as JSON and as text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Final, Literal

from extdns.documents.document import (
    UNKNOWN_PROCESS,
    VERSION,
    Document,
    LiveDocument,
    ZoneReference,
    build_zone_reference,
    describe_process,
)
from extdns.errors import sanitize
from extdns.model.evidence import ALL_ZONES, Evidence, format_scope
from extdns.model.reason import REASONS, Reason
from extdns.model.value import format_count

if TYPE_CHECKING:
    from extdns.config import Config
    from extdns.documents.snapshot import ProcessSnapshot
    from extdns.flags.process import ClusterFlags
    from extdns.flags.records import DeleteFlags
    from extdns.model.evidence import HeldSet as EngineHeldSet


_STATE_FLAGS: Final = frozenset({"server", "kubeconfig", "state-configmap"})
_STANDBY: Final = "this process is a standby; only the leader knows every held delete"


class HeldRecordDocument(Document, frozen=True):
    """A record whose delete is held, with the evidence as a reason code, and the cause of the hold as text."""

    zone: ZoneReference
    name: str
    type: str
    set_identifier: str
    targets: tuple[str, ...]
    resource: str
    evidence: str
    cause: str = ""


class HeldSetDocument(Document, frozen=True):
    """The held deletes of one scope, and the command that approves them.

    The scope is a zone, a namespace in a zone, or all zones; for all zones the name and id of `zone` are "".
    """

    scope: Literal["zone", "namespace", "all-zones"]
    zone: ZoneReference
    namespace: str
    approval_code: str
    command: str
    records: tuple[HeldRecordDocument, ...]


class HeldDocument(LiveDocument, frozen=True):
    """The held deletes of all scopes that have a code.

    `problem` is why some held deletes may be missing here, or could not be saved to the state store; "" if there is no
    problem. `otherCluster` is the id of the cluster that the objects come from, if a person has to accept that cluster
    with `acceptCommand` before updates and deletes are made; otherwise both are "".
    """

    kind: Literal["Held"]
    items: tuple[HeldSetDocument, ...]
    problem: str = ""
    other_cluster: str = ""
    accept_command: str = ""


def build_held(live: ProcessSnapshot, config: Config) -> HeldDocument:
    """Describe the held deletes by scope, without scopes that have no code yet."""
    items = tuple(build_held_set(found, config) for found in live.engine.held_sets if found.code)
    other = live.engine.other_cluster
    return HeldDocument(
        api_version=VERSION,
        process=UNKNOWN_PROCESS,
        kind="Held",
        at=live.at,
        items=items,
        problem=live.engine.state_problem or ("" if live.engine.is_leader else _STANDBY),
        other_cluster=other,
        accept_command=format_accept_command(config, other) if other else "",
    )


def build_held_set(found: EngineHeldSet, config: Config) -> HeldSetDocument:
    """Describe the held deletes of one scope."""
    return HeldSetDocument(
        scope="all-zones" if found.scope == ALL_ZONES else "namespace" if found.scope.namespace else "zone",
        zone=build_zone_reference(found.zone) if found.zone else ZoneReference(name="", id=""),
        namespace=found.scope.namespace,
        approval_code=found.code,
        command=format_approve_command(config, found.code),
        records=tuple(
            HeldRecordDocument(
                zone=build_zone_reference(one.zone),
                name=one.owned.record.name,
                type=one.owned.record.type,
                set_identifier=one.owned.record.set_identifier,
                targets=one.owned.record.targets,
                resource=one.owned.resource,
                evidence=one.evidence.value,
                cause=one.cause,
            )
            for one in found.held
        ),
    )


def describe_scope(one: HeldSetDocument) -> str:
    """Describe the scope of a held set, as `namespace shop in zone example.org`."""
    return format_scope(one.zone.name, one.namespace)


def format_approve_command(config: Config, code: str) -> str:
    """Return the command that approves *code*: `extdns approve`, or without saved state the flag `--approve`."""
    return _format_command(config, "approve", code)


def format_accept_command(config: Config, cluster: str) -> str:
    """Return the command that accepts *cluster*: `extdns accept-cluster`, or without saved state `--accept-cluster`."""
    return _format_command(config, "accept-cluster", cluster)


def _format_command(config: Config, command: str, code: str) -> str:
    if not config.deletes.state_file and (config.cluster.manifests or not config.deletes.state_configmap):
        return f"extdns --{command}={code} [flags]"
    import shlex  # noqa: PLC0415 - a live program seldom holds deletes

    return shlex.join(("extdns", command, code, *list_state_flags(config.cluster, config.deletes)))


def describe_other_cluster(cluster: str) -> str:
    """Describe that the objects come from another *cluster* than the saved state belongs to."""
    return (
        f"The objects come from another cluster than before, {cluster}: updates and deletes are held until a person"
        " accepts it."
    )


def list_state_flags(cluster: ClusterFlags, deletes: DeleteFlags) -> Iterator[str]:
    """Yield the flags that a command needs to find the same state store; defaults are left out."""
    if deletes.state_file:
        yield f"--state-file={deletes.state_file}"
        return
    for flag, value in (*cluster.list_settings(), *deletes.list_settings()):
        if flag.name in _STATE_FLAGS and value != flag.default:
            yield from flag.format_arguments(value, masked=True)


def count_held(deletes: int) -> str:
    """Return the number of held deletes as a sentence."""
    return f"{format_count(deletes, 'delete')} held." if deletes else "No delete is held."


def format_held_record(name: str, rtype: str, identifier: str, evidence: str) -> str:
    """Format a record whose delete is held, with the evidence."""
    member = f" ({identifier})" if identifier else ""
    return f"{sanitize(f'{name} {rtype}{member}', 300)} [{sanitize(evidence)}]"


def explain_holds(causes: Iterable[str], evidence: Iterable[str]) -> Iterator[str]:
    """Yield the *causes* of holds, and the meaning of each code in *evidence*; nothing if *evidence* has no code."""
    codes = sorted(set(evidence) & set(Evidence))
    if codes:
        yield ""
        yield "Why"
        for cause in sorted(set(causes) - {""}):
            yield f"  [{Reason.HELD}] {sanitize(cause[:1].upper() + cause[1:], 500)}."
        for code in codes:
            yield f"  [{code}] {REASONS[code].row.text}"


def format_held(document: HeldDocument) -> Iterator[str]:
    """Yield the lines about the held deletes of a running process."""
    held = sum(len(one.records) for one in document.items)
    if held or not (document.problem or document.other_cluster):
        yield count_held(held)
    if document.problem:
        yield sanitize(f"Not all is known: {document.problem}", 500)
    if document.other_cluster:
        yield describe_other_cluster(sanitize(document.other_cluster))
    for one in document.items:
        yield ""
        where = sanitize(describe_scope(one))
        yield f"{where[:1].upper()}{where[1:]}"
        yield f"  ! {format_count(len(one.records), 'delete')} HELD, code {sanitize(one.approval_code)}"
        for record in one.records:
            yield f"      {format_held_record(record.name, record.type, record.set_identifier, record.evidence)}"
    records = [record for one in document.items for record in one.records]
    yield from explain_holds((one.cause for one in records), (one.evidence for one in records))
    yield ""
    yield sanitize(f"Answered by {describe_process(document.process)}", 500)
    if document.items or document.other_cluster:
        yield ""
    if document.other_cluster:
        yield f"Continue with this cluster: {sanitize(document.accept_command, 500)}"
    for one in document.items:
        them = "them" if len(one.records) > 1 else "it"
        yield f"Approve {them} in {sanitize(describe_scope(one))}: {sanitize(one.command, 500)}"
