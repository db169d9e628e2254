"""What a person can do about a name, and why a name is excluded (docs/design/messages.md, "The next step").

Advice that depends only on the reason is in its row (`extdns.model.reason`).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple

from extdns.documents.document import format_command
from extdns.documents.names import NameState
from extdns.model import rrtype
from extdns.model.reason import CHECK, REASONS, Group, Reason
from extdns.model.value import format_count

if TYPE_CHECKING:
    from collections.abc import Iterable

    from extdns.documents.document import ObjectReference, ProcessReference
    from extdns.documents.name import NameDocument
    from extdns.documents.names import NameSummary
    from extdns.documents.snapshot import EngineSnapshot
    from extdns.model.dns_name import DnsName

_MAX_ZONES: Final = 5
_HERITAGE: Final = "heritage=external-dns"
SWITCHES_TO_SET: Final = frozenset({"--publish-internal-services", "--gateway-listener-sets"})
"""Flags that exclude objects while they are not set; other flags exclude objects while they are."""


def explain_exclusion(cause: str) -> str:
    """Return why a name is excluded, as a clause. Here and below, *cause* is `ExcludedClaim.excluded_by`."""
    if cause in SWITCHES_TO_SET:
        return f"{cause} is not set"
    field, colon, problem = cause.partition(": ")
    return f"{problem} ({field})" if colon else f"{cause}{',' if ', ' in cause else ''} excludes it"


def describe_excluded(what: str, cause: str) -> str:
    """Return that *what* is excluded by *cause*, as a phrase."""
    return f"{what}: {explain_exclusion(cause)}" if ": " in cause else f"{what}, by {cause}"


def suggest_for_exclusion(cause: str) -> str:
    """Return what a person can do if *cause* excludes a name."""
    if cause in SWITCHES_TO_SET:
        return f"add {cause}"
    return f"correct {cause}" if ": " in cause else f"change {cause}, or the object"


class OtherAffix(NamedTuple):
    """Ownership records under a prefix or suffix that is not ours: the flag that would read them, and their number."""

    flag: str
    records: int


_NO_AFFIX: Final = OtherAffix("", 0)


def find_other_affix(seen: EngineSnapshot, name: DnsName, row: NameSummary | None) -> OtherAffix:
    """Find ownership records that may cover a foreign record at *name* with another prefix or suffix than ours.

    *row* has the decisions about *name*.
    """
    if row is None or row.worst.reason is not Reason.FOREIGN_RECORD:
        return _NO_AFFIX
    head, _, rest = name.partition(".")
    without_affix = {head, f"a-{head}", f"aaaa-{head}", f"cname-{head}"}
    for entry in (one for one in seen.zones if one.zone in seen.zones_of(name)):
        texts = [
            one.name for one in entry.cache.all_records() if one.type == rrtype.TXT and _HERITAGE in str(one.targets)
        ]
        for text in texts:
            label, _, other_rest = text.partition(".")
            if other_rest != rest or label in without_affix:
                continue
            if found := re.fullmatch(rf"(.+?)(?:(?:a|aaaa|cname)-)?{re.escape(head)}", label):
                prefix = found[1]
                if prefix not in {"a-", "aaaa-", "cname-"}:
                    return OtherAffix(f"--txt-prefix={prefix}", sum(one.startswith(prefix) for one in texts))
            if found := re.fullmatch(rf"(?:(?:a|aaaa|cname)-)?{re.escape(head)}(.+)", label):
                return OtherAffix(f"--txt-suffix={found[1]}", sum(found[1] in one.partition(".")[0] for one in texts))
    return _NO_AFFIX


def select_zones(names: Iterable[str]) -> tuple[str, ...]:
    """Return the first five *names* of zones, sorted: as many as are displayed."""
    return tuple(sorted(set(names))[:_MAX_ZONES])


_RETRY_LATER: Final = "try again when everything can be read"
_CONFLICT: Final = "Resolve the conflict; extdns retries automatically"
_ORPHANS: Final = frozenset({Reason.ORPHAN_UNCLAIMED, Reason.ORPHAN_GONE})


def suggest_next_step(document: NameDocument) -> str:
    """Return what a person can do about the state of the name, as text whose commands can be pasted."""
    if advice := _suggest_by_reason(document):
        return advice
    match document.state:
        case None:
            return _suggest_for_unrequested(document)
        case NameState.PUBLISHED:
            return "nothing to do"
        case NameState.HELD:
            command = format_command("status" if document.process.address else "plan --held", document.process)
            if document.reason == Reason.OTHER_CLUSTER:
                return f"to continue with the cluster of the objects, see how to accept it: {command}"
            return f"see all held deletes, and how to approve them: {command}{_advise_on_orphan(document)}"
        case NameState.CHANGING if document.reason == Reason.IN_GRACE:
            return "nothing to do; to keep the record, let an object request the name before the grace period ends"
        case NameState.CHANGING:
            return _suggest_for_change(document)
        case NameState.UNKNOWN:
            return _suggest_retry(document.process)
        case NameState.NOT_PUBLISHED if _may_be_in_unlisted_zone(document):
            return _suggest_retry(document.process)
        case _:
            return _suggest_for_all_names(document)


def _suggest_for_change(document: NameDocument) -> str:
    command = format_command("plan", document.process)
    if orphan := _advise_on_orphan(document):
        return f"nothing to do if nobody needs the record: extdns deletes it. All deletes: {command}{orphan}"
    return f"nothing to do if extdns runs. The plan for all names: {command}"


def _suggest_for_all_names(document: NameDocument) -> str:
    reason = REASONS.get(document.reason or "")
    is_conflict = reason is not None and reason.row.group is Group.CONFLICT
    advice = f"{_CONFLICT}. " if is_conflict else "extdns decides again when something changes. "
    return f"{advice}All names: {format_command('plan', document.process)}"


def _suggest_by_reason(document: NameDocument) -> str:
    """Return the advice for the reason of *document*; "" if there is none, so that the state of the name decides."""
    match document.reason:
        case Reason.NO_ZONE if not _may_be_in_unlisted_zone(document):
            return f"request a name in one of your zones ({_list_zones(document)}), or create a zone for it"
        case Reason.TYPE_UNMANAGED:
            types = " ".join(f"--managed-record-types={claim.type}" for claim in document.claims if claim.type)
            return f"to manage the type, add {types} to the flags" if types else ""
        case Reason.OWNED_BY_OTHER:
            return _suggest_for_other_owner(document)
        case Reason.FOREIGN_RECORD:
            return _suggest_for_foreign_record(document)
        case Reason.NO_ADDRESS if document.claims:
            return _suggest_for_missing_address(document.claims[0].object, document.process)
        case Reason.FILTERED_OUT | Reason.TARGETS_FILTERED if not document.claims:
            flag = next((one.by for one in document.excluded if one.certain), "")
            return suggest_for_exclusion(flag) if flag else ""
        case _:
            return _suggest_by_row(document)


def _suggest_by_row(document: NameDocument) -> str:
    reason = REASONS.get(document.reason or "")
    if reason is None or not reason.row.next_step or reason.row.see != CHECK:
        return reason.row.next_step if reason else ""
    return f"{reason.row.next_step}. {CHECK.replace('extdns check', _format_check(document.process))}"


def _suggest_retry(process: ProcessReference) -> str:
    return f"{_RETRY_LATER}. What cannot be read: {_format_check(process)}"


def _format_check(process: ProcessReference) -> str:
    """Return the command that checks credentials, permissions and rules. A running process cannot be asked for that."""
    return "extdns check FLAGS, with the flags of the process" if process.address else format_command("check", process)


def _suggest_for_missing_address(one: ObjectReference, process: ProcessReference) -> str:
    text = "extdns publishes the name once the object has an address. "
    if process.reads_files:
        return f"{text}Add it to the status in the manifest, as kubectl get --output=yaml shows it"
    where = f" --namespace={one.namespace}" if one.namespace else ""
    return f"{text}To see why it has none: kubectl describe {one.kind.lower()} {one.name}{where}"


def _suggest_for_other_owner(document: NameDocument) -> str:
    owner = next((one.owner for one in document.records if one.owner and not one.ours), "")
    if not owner:
        return ""
    return (
        f'{_CONFLICT}. If owner "{owner}" is this installation: --txt-owner-id={owner}; '
        f"if it has ended, take its records over: --migrate-from-txt-owner={owner}"
    )


def _suggest_for_foreign_record(document: NameDocument) -> str:
    if document.other_affix:
        found = format_count(document.other_affix_records, "ownership record")
        exist = "exists" if document.other_affix_records == 1 else "exist"
        return f"{found} under another prefix or suffix {exist}: is {document.other_affix} missing?"
    if not document.claims:
        return _suggest_for_unrequested(document)
    command = format_command("adopt", document.process)
    return f"{_CONFLICT}. To take over existing records that are as requested: {command}"


def _advise_on_orphan(document: NameDocument) -> str:
    """Return how to keep an orphan, and when clusters need different owner ids; "" for any other record."""
    if document.claims or document.reason not in _ORPHANS or not document.owner:
        return ""
    return (
        ". To keep the record, let an object request the name (extdns plan lists invalid annotations). "
        f'If objects of another cluster request the name, both use the owner id "{document.owner}": '
        "give each cluster its own --txt-owner-id"
    )


def _suggest_for_unrequested(document: NameDocument) -> str:
    if document.records and document.excluded:
        one = document.excluded[0]
        return f"nothing to do, unless {one.object} is to publish the name: {suggest_for_exclusion(one.by)}"
    if document.records:
        return "nothing to do; extdns leaves the name as it is"
    if document.reason:
        return _suggest_for_all_names(document)
    if document.unread_zones or _may_be_in_unlisted_zone(document):
        return _suggest_retry(document.process)
    search = (
        "look for a misspelt name or annotation on the object (extdns plan lists invalid annotations), or for a filter "
        "that leaves the object out"
    )
    return f"nothing to do if the wildcard is to answer; else {search}" if document.wildcards else search


def _may_be_in_unlisted_zone(document: NameDocument) -> bool:
    return not document.zones and not document.all_zones


def _list_zones(document: NameDocument) -> str:
    more = document.zones_known - len(document.known_zones)
    return ", ".join(document.known_zones) + (f" and {more} more" if more > 0 else "")
