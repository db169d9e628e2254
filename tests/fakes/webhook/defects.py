"""Defects of webhook providers, what the protocol says, and which check of `extdns webhook-check` finds each of them.

The list was made from docs/spec/plan.md (6.2, 2.6, 0.1, 0.2) before the checks were written.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum, auto
from typing import Final


class Defect(Enum):
    """One thing that a webhook provider does wrong."""

    NEGOTIATION_FAILS = auto()
    PLAIN_JSON_MEDIA_TYPE = auto()
    MEDIA_TYPE_WITH_BLANK = auto()
    FILTER_MISSING = auto()
    FILTER_OF_BOTH_KINDS = auto()
    FILTER_PATTERN_INVALID = auto()
    FILTER_WITHOUT_ZONE = auto()
    RECORDS_STATUS_202 = auto()
    RECORDS_IN_OBJECT = auto()
    RECORDS_MEDIA_TYPE_MISSING = auto()
    NAMES_WITH_DOT = auto()
    TTL_AS_TEXT = auto()
    LABELS_AS_LIST = auto()
    ENDPOINT_PER_TARGET = auto()
    ADJUST_IN_OBJECT = auto()
    ADJUST_MEDIA_TYPE_MISSING = auto()
    ADJUST_REFUSES_EMPTY_LIST = auto()
    ADJUST_LOSES_LABELS = auto()
    ADJUST_RENAMES = auto()
    ADJUST_NOT_IDEMPOTENT = auto()
    ADJUST_STORES = auto()
    NO_CHANGES_REFUSED = auto()
    APPLY_STATUS_200 = auto()
    CREATES_IGNORED = auto()
    ONLY_FIRST_TARGET = auto()
    WILDCARD_ESCAPED = auto()
    CNAME_TARGET_WITH_DOT = auto()
    TXT_ESCAPED_TWICE = auto()
    LONG_TXT_CUT = auto()
    MX_WITHOUT_PREFERENCE = auto()
    SRV_TARGET_WITHOUT_DOT = auto()
    AAAA_ANSWERED_BUT_IGNORED = auto()
    TTL_DROPPED = auto()
    TTL_UPDATE_IGNORED = auto()
    UPDATE_ADDS = auto()
    UPDATES_NOT_READ_BACK = auto()
    ONLY_FIRST_UPDATE = auto()
    DELETES_IGNORED = auto()
    DELETE_TAKES_ALL_TYPES = auto()
    DELETE_TAKES_NAMES_BELOW = auto()
    CREATES_BEFORE_DELETES = auto()
    DELETES_SKIPPED_IN_MIXED_REQUEST = auto()
    SET_IDENTIFIER_IGNORED = auto()
    DELETE_TAKES_ALL_SET_IDENTIFIERS = auto()
    PROPERTIES_DROPPED = auto()
    KEYS_CASE_SENSITIVE = auto()
    INVALID_JSON_ACCEPTED = auto()
    INVALID_JSON_STATUS_500 = auto()
    OTHER_METHODS_ACCEPTED = auto()
    INVALID_CHANGE_SKIPPED = auto()
    REFUSAL_STATUS_400 = auto()
    BLOCKED_AFTER_FAILURE = auto()
    BODY_AFTER_204 = auto()
    CONCURRENT_CHANGES_MISSING = auto()
    ONLY_FIRST_PAGE = auto()
    LARGE_REQUESTS_REFUSED = auto()
    FOREIGN_RECORD_DELETED = auto()


@dataclass(frozen=True, slots=True, kw_only=True)
class Planted:
    """A defect that the fake can have.

    Attributes:
        protocol: what the protocol says.
        section: the section of docs/spec/plan.md that says it.
        check: the check of `extdns webhook-check` that must find it; no other may fail.
    """

    protocol: str
    section: str
    check: str


def _describe(protocol: str, section: str, check: str) -> Planted:
    return Planted(protocol=protocol, section=section, check=check)


_MEDIA_TYPE: Final = "the media type is application/external.dns.webhook+json;version=1, compared as an exact string"
_EQUAL: Final = "a record whose targets or TTL differ from what is desired is updated in every loop"
_FORM: Final = "the JSON of an Endpoint: names without trailing dot, recordTTL a number, labels an object of texts"

PLANTED: Final[Mapping[Defect, Planted]] = {
    Defect.NEGOTIATION_FAILS: _describe("GET / answers 2xx", "6.2.1", "negotiate"),
    Defect.PLAIN_JSON_MEDIA_TYPE: _describe(_MEDIA_TYPE, "6.2.1", "negotiate-media-type"),
    Defect.MEDIA_TYPE_WITH_BLANK: _describe(_MEDIA_TYPE, "6.2.1", "negotiate-media-type"),
    Defect.FILTER_MISSING: _describe("the body is a DomainFilter, {} to match all", "6.2.2", "negotiate-filter"),
    Defect.FILTER_OF_BOTH_KINDS: _describe("a filter has lists or patterns, not both", "6.2.2", "negotiate-filter"),
    Defect.FILTER_PATTERN_INVALID: _describe("an invalid pattern is an error", "6.2.2", "negotiate-filter"),
    Defect.FILTER_WITHOUT_ZONE: _describe("only names that the filter matches are managed", "6.2.1", "zone-in-filter"),
    Defect.RECORDS_STATUS_202: _describe("GET /records answers 200", "6.2.1", "records"),
    Defect.RECORDS_IN_OBJECT: _describe("the body is an array of Endpoint, or null", "6.2.1", "records"),
    Defect.RECORDS_MEDIA_TYPE_MISSING: _describe(_MEDIA_TYPE, "6.2.1", "records-media-type"),
    Defect.NAMES_WITH_DOT: _describe(_FORM, "0.1", "record-form"),
    Defect.TTL_AS_TEXT: _describe(_FORM, "0.1", "record-form"),
    Defect.LABELS_AS_LIST: _describe(_FORM, "0.1", "record-form"),
    Defect.ENDPOINT_PER_TARGET: _describe(
        "name, type and set identifier identify an Endpoint, which has all targets", "0.1", "one-endpoint-per-record"
    ),
    Defect.ADJUST_IN_OBJECT: _describe("the answer is 200 and an array of Endpoint", "6.2.1", "adjust"),
    Defect.ADJUST_MEDIA_TYPE_MISSING: _describe(_MEDIA_TYPE, "6.2.1", "adjust-media-type"),
    Defect.ADJUST_REFUSES_EMPTY_LIST: _describe("the request is an array of Endpoint", "6.2.1", "adjust-empty-list"),
    Defect.ADJUST_LOSES_LABELS: _describe(
        "the labels of the winner are kept, and the ownership record is made of them", "2.6", "adjust-labels"
    ),
    Defect.ADJUST_RENAMES: _describe(
        "adjusted endpoints are recognized by name, type and set identifier", "6.2.1", "adjust-identity"
    ),
    Defect.ADJUST_NOT_IDEMPOTENT: _describe(
        "adjusted endpoints are compared with records in every loop", "1.2", "adjust-idempotent"
    ),
    Defect.ADJUST_STORES: _describe("only POST /records applies changes", "6.2.1", "adjust-changes-nothing"),
    Defect.NO_CHANGES_REFUSED: _describe("empty lists are omitted", "6.2.2", "apply-no-changes"),
    Defect.APPLY_STATUS_200: _describe("the answer is 204; another one ends the process", "6.2.1", "apply-status"),
    Defect.CREATES_IGNORED: _describe("a record that is not there is created in every loop", "2.5", "create"),
    Defect.ONLY_FIRST_TARGET: _describe(_EQUAL, "2.6", "several-targets"),
    Defect.WILDCARD_ESCAPED: _describe("dnsName is the name itself", "0.1", "wildcard"),
    Defect.CNAME_TARGET_WITH_DOT: _describe(_EQUAL, "2.6", "type-CNAME"),
    Defect.TXT_ESCAPED_TWICE: _describe("the value of an ownership record", "3.2.3", "type-TXT"),
    Defect.LONG_TXT_CUT: _describe("the value of an ownership record", "3.2.3", "long-TXT"),
    Defect.MX_WITHOUT_PREFERENCE: _describe("MX: two fields, the first a number", "0.4", "type-MX"),
    Defect.SRV_TARGET_WITHOUT_DOT: _describe("SRV: four fields, the last one ends with a dot", "0.4", "type-SRV"),
    Defect.AAAA_ANSWERED_BUT_IGNORED: _describe(_EQUAL, "2.6", "type-AAAA"),
    Defect.TTL_DROPPED: _describe(_EQUAL, "2.6", "ttl"),
    Defect.TTL_UPDATE_IGNORED: _describe(_EQUAL, "2.6", "ttl-update"),
    Defect.UPDATE_ADDS: _describe("updateNew replaces updateOld", "6.2.2", "update"),
    Defect.UPDATES_NOT_READ_BACK: _describe("updateNew replaces updateOld", "6.2.2", "update"),
    Defect.ONLY_FIRST_UPDATE: _describe("updateOld and updateNew are paired by index", "6.2.2", "several-updates"),
    Defect.DELETES_IGNORED: _describe("a record that is still there is deleted in every loop", "2.5", "delete"),
    Defect.DELETE_TAKES_ALL_TYPES: _describe("the type is part of the identity", "0.1", "delete-type"),
    Defect.DELETE_TAKES_NAMES_BELOW: _describe("the name is part of the identity", "0.1", "delete-name"),
    Defect.CREATES_BEFORE_DELETES: _describe(
        "a change of type is a delete and a create in one request", "2.7", "type-change"
    ),
    Defect.DELETES_SKIPPED_IN_MIXED_REQUEST: _describe(
        "one request has creates, updates and deletes", "6.2.2", "mixed-changes"
    ),
    Defect.SET_IDENTIFIER_IGNORED: _describe("the set identifier is part of the identity", "0.1", "set-identifiers"),
    Defect.DELETE_TAKES_ALL_SET_IDENTIFIERS: _describe(
        "the set identifier is part of the identity", "0.1", "delete-set-identifier"
    ),
    Defect.PROPERTIES_DROPPED: _describe("a desired property that is missing causes an update", "2.6", "properties"),
    Defect.KEYS_CASE_SENSITIVE: _describe("keys are decoded without regard to case", "6.2.2", "key-case"),
    Defect.INVALID_JSON_ACCEPTED: _describe("400 to what is not JSON", "6.2.3", "invalid-json"),
    Defect.INVALID_JSON_STATUS_500: _describe("400 to what is not JSON", "6.2.3", "invalid-json"),
    Defect.OTHER_METHODS_ACCEPTED: _describe("400 to other methods", "6.2.3", "methods"),
    Defect.INVALID_CHANGE_SKIPPED: _describe("204 confirms all changes", "1.4", "partial-failure"),
    Defect.REFUSAL_STATUS_400: _describe(
        "500 to 510 are tried again; others end the process", "1.4", "partial-failure"
    ),
    Defect.BLOCKED_AFTER_FAILURE: _describe("a soft error is tried again", "1.4", "partial-failure"),
    Defect.BODY_AFTER_204: _describe("the connection is used again", "6.2.1", "connection-reuse"),
    Defect.CONCURRENT_CHANGES_MISSING: _describe("what 204 confirms is in the zone", "2.5", "concurrent-changes"),
    Defect.ONLY_FIRST_PAGE: _describe("Records lists everything", "6.2.1", "many-records"),
    Defect.LARGE_REQUESTS_REFUSED: _describe("one request has all changes", "6.2.1", "many-records"),
    Defect.FOREIGN_RECORD_DELETED: _describe("only the records of the request change", "6.2.2", "other-records"),
}
"""Every defect, with the check that finds it."""
