"""All checks in the order in which they run, and the function that runs them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from time import monotonic
from typing import Final

from extdns.errors import ExtdnsError
from extdns.webhook_check import adjustment_checks as adjustments
from extdns.webhook_check import change_checks as changes
from extdns.webhook_check import fault_checks as faults
from extdns.webhook_check import negotiation_checks as negotiations
from extdns.webhook_check import record_checks as records
from extdns.webhook_check.check import CheckEnd, CheckOutcome, ProtocolCheck
from extdns.webhook_check.exchange import NoAnswerInTimeError
from extdns.webhook_check.scratch import Scratch, UnsupportedError

_MODEL: Final = "docs/spec/plan.md 0.1"
_VALIDITY: Final = "docs/spec/plan.md 0.4"
_LOOP: Final = "docs/spec/plan.md 1.2"
_ERRORS: Final = "docs/spec/plan.md 1.4"
_PLANNED: Final = "docs/spec/plan.md 2.5"
_COMPARED: Final = "docs/spec/plan.md 2.6"
_TYPE_CHANGES: Final = "docs/spec/plan.md 2.7"
_OWNERSHIP: Final = "docs/spec/plan.md 3.2.3"
_CALLS: Final = "docs/spec/plan.md 6.2.1"
_JSON: Final = "docs/spec/plan.md 6.2.2"
_SERVER: Final = "docs/spec/plan.md 6.2.3"

_MEDIA_TYPE: Final = "The media type is application/external.dns.webhook+json;version=1, compared as an exact string."
_CONFIRMED: Final = "What 204 confirms is in the next GET /records; otherwise the change is made again in every loop."
_IDENTITY: Final = "Name, type and set identifier identify a record; a change is of exactly the record that they name."
_EQUAL: Final = "A record whose targets, TTL or properties differ from the adjusted endpoint is updated in every loop."

_MAX_UNANSWERED: Final = 3
"""After so many checks without an answer in time, the others are not run."""


def _check(name: str, run: Callable[[Scratch], None], section: str, protocol: str, *needs: str) -> ProtocolCheck:
    return ProtocolCheck(name=name, run=run, section=section, protocol=protocol, needs=needs)


def _build_type_checks() -> Iterator[ProtocolCheck]:
    sections = {"TXT": _OWNERSHIP, "MX": _VALIDITY, "SRV": _VALIDITY, "PTR": _VALIDITY}
    for rtype in (*records.REQUIRED, *records.OPTIONAL):
        section = sections.get(rtype, _COMPARED)
        yield _check(f"type-{rtype}", records.build_type_check(rtype), section, _EQUAL, "create")


CHECKS: Final = (
    _check("negotiate", negotiations.check_negotiation, _CALLS, "GET of the URL answers 2xx."),
    _check("negotiate-media-type", negotiations.check_negotiated_media_type, _CALLS, _MEDIA_TYPE, "negotiate"),
    _check(
        "negotiate-filter",
        negotiations.check_filter,
        _JSON,
        "The body is a domain filter: lists or patterns, not both, {} to match all. An invalid pattern is an error.",
        "negotiate",
    ),
    _check(
        "zone-in-filter",
        negotiations.check_zone_in_filter,
        _CALLS,
        "external-dns manages only names that the domain filter matches.",
        "negotiate-filter",
    ),
    _check(
        "records",
        negotiations.check_records,
        _CALLS,
        "GET /records answers 200 and an array of Endpoint, or null.",
        "zone-in-filter",
    ),
    _check("records-media-type", negotiations.check_records_media_type, _CALLS, _MEDIA_TYPE, "records"),
    _check(
        "adjust",
        adjustments.check_adjustment,
        _CALLS,
        "POST /adjustendpoints answers 200 and an array of Endpoint.",
        "zone-in-filter",
    ),
    _check("adjust-media-type", adjustments.check_adjusted_media_type, _CALLS, _MEDIA_TYPE, "adjust"),
    _check(
        "adjust-empty-list",
        adjustments.check_empty_adjustment,
        _CALLS,
        "The request is an array of Endpoint; it is empty if no object requests a name.",
        "adjust",
    ),
    _check(
        "adjust-identity",
        adjustments.check_adjusted_identity,
        _CALLS,
        "Adjusted endpoints are matched with the objects by name, type and set identifier.",
        "adjust",
    ),
    _check(
        "adjust-labels",
        adjustments.check_adjusted_labels,
        _COMPARED,
        "The labels of the adjusted endpoint become the ownership record, so none may be missing.",
        "adjust-identity",
    ),
    _check(
        "adjust-idempotent",
        adjustments.check_idempotent_adjustment,
        _LOOP,
        "Every loop adjusts the desired endpoints and compares them with the records, so adjusting has a fixed result.",
        "adjust-identity",
    ),
    _check(
        "adjust-changes-nothing",
        adjustments.check_pure_adjustment,
        _CALLS,
        "Only POST /records applies changes.",
        "adjust",
        "records",
    ),
    _check(
        "record-form",
        negotiations.check_record_form,
        _MODEL,
        "The JSON of an Endpoint: dnsName without a trailing dot, targets an array of texts, recordTTL a number, "
        "labels an object of texts. A list with any other JSON is not read at all.",
        "records",
    ),
    _check(
        "one-endpoint-per-record",
        negotiations.check_unique_records,
        _MODEL,
        "Name, type and set identifier identify an Endpoint, which has all targets.",
        "record-form",
    ),
    _check("create", records.check_create, _PLANNED, _CONFIRMED, "record-form"),
    _check(
        "apply-status",
        records.check_apply_status,
        _CALLS,
        "POST /records answers 204. At another status below 500 external-dns ends.",
        "create",
    ),
    _check("apply-no-changes", records.check_no_changes, _JSON, "Empty lists are omitted: {} is no change.", "records"),
    _check("several-targets", records.check_several_targets, _COMPARED, _EQUAL, "create", "one-endpoint-per-record"),
    _check("wildcard", records.check_wildcard, _MODEL, "dnsName is the name itself, with * in it.", "create"),
    *_build_type_checks(),
    _check(
        "long-TXT",
        records.check_long_text,
        _OWNERSHIP,
        "external-dns does not split values into strings of 255 bytes, and does not join them: the provider does.",
        "type-TXT",
    ),
    _check("ttl", records.check_ttl, _COMPARED, _EQUAL, "create"),
    _check("update", changes.check_update, _JSON, "updateNew replaces updateOld.", "create"),
    _check("ttl-update", records.check_ttl_update, _COMPARED, _EQUAL, "ttl", "update"),
    _check(
        "several-updates",
        changes.check_several_updates,
        _JSON,
        "updateOld and updateNew are paired by index; all pairs are made.",
        "update",
    ),
    _check("delete", changes.check_delete, _PLANNED, _CONFIRMED, "create"),
    _check("delete-type", changes.check_delete_of_type, _MODEL, _IDENTITY, "delete", "type-TXT"),
    _check("delete-name", changes.check_delete_of_name, _MODEL, _IDENTITY, "delete"),
    _check(
        "type-change",
        changes.check_type_change,
        _TYPE_CHANGES,
        "A change of type is a delete and a create in one request.",
        "delete",
        "type-CNAME",
    ),
    _check(
        "mixed-changes",
        changes.check_mixed_changes,
        _JSON,
        "One request may have creates, updates and deletes.",
        "update",
        "delete",
    ),
    _check("set-identifiers", records.check_set_identifiers, _MODEL, _IDENTITY, "create"),
    _check(
        "delete-set-identifier", changes.check_delete_of_set_identifier, _MODEL, _IDENTITY, "delete", "set-identifiers"
    ),
    _check("properties", adjustments.check_properties, _COMPARED, _EQUAL, "create"),
    _check("key-case", changes.check_key_case, _JSON, "Keys are decoded without regard to case.", "create"),
    _check(
        "invalid-json", faults.check_invalid_json, _SERVER, "A body that is not JSON is answered with 400.", "adjust"
    ),
    _check("methods", faults.check_methods, _SERVER, "Other methods are answered with 400.", "records"),
    _check(
        "partial-failure",
        faults.check_partial_failure,
        _ERRORS,
        "204 confirms all changes. 500 to 510 says that some were not made, and what is missing is tried again.",
        "create",
    ),
    _check(
        "connection-reuse",
        faults.check_connection_reuse,
        _CALLS,
        "Connections are used again, so an answer ends where HTTP says; 204 has no body (RFC 9110 section 15.3.5).",
        "records",
    ),
    _check("concurrent-changes", faults.check_concurrent_changes, _PLANNED, _CONFIRMED, "create"),
    _check(
        "many-records",
        faults.check_many_records,
        _CALLS,
        "One request has all changes, and one answer all records, each within 15 s and 32 MiB.",
        "delete",
        "one-endpoint-per-record",
    ),
    _check("other-records", faults.check_other_records, _JSON, "Only the records of a request change.", "record-form"),
)
"""Every check. The first ones write nothing, and no other runs unless the provider says that it manages the zone."""


def run_checks(scratch: Scratch) -> Iterator[CheckOutcome]:
    """Run all checks, and yield how each one ended. Records that they create are not removed."""
    ends: dict[str, CheckEnd] = {}
    unanswered = 0
    for check in CHECKS:
        unpassed = next((name for name in check.needs if ends[name] is not CheckEnd.PASSED), "")
        started = monotonic()
        end, message = CheckEnd.SKIPPED, f"needs the check {unpassed}, which did not pass"
        if unanswered == _MAX_UNANSWERED:
            message = f"{unanswered} checks had no answer in time"
        elif not unpassed:
            try:
                check.run(scratch)
                end, message = CheckEnd.PASSED, ""
            except UnsupportedError as exc:
                end, message = CheckEnd.SKIPPED, f"not supported: {exc}"
            except ExtdnsError as exc:
                end, message = CheckEnd.FAILED, str(exc)
                unanswered += isinstance(exc, NoAnswerInTimeError)
        ends[check.name] = end
        yield CheckOutcome(check=check, end=end, message=message, seconds=monotonic() - started)
