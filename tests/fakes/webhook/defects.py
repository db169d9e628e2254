"""Defects of webhook providers, and which conformance test finds each of them.

The list was made from docs/spec/plan.md (6.2, 2.6, 0.1, 0.2) before the tests were written.
"""

from __future__ import annotations

from collections.abc import Mapping
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


PLANTED: Final[Mapping[Defect, str]] = {
    Defect.NEGOTIATION_FAILS: "test_the_negotiation_succeeds",
    Defect.PLAIN_JSON_MEDIA_TYPE: "test_the_negotiation_has_the_media_type",
    Defect.MEDIA_TYPE_WITH_BLANK: "test_the_negotiation_has_the_media_type",
    Defect.FILTER_MISSING: "test_the_negotiation_returns_a_domain_filter",
    Defect.FILTER_OF_BOTH_KINDS: "test_the_negotiation_returns_a_domain_filter",
    Defect.FILTER_PATTERN_INVALID: "test_the_negotiation_returns_a_domain_filter",
    Defect.FILTER_WITHOUT_ZONE: "test_the_domain_filter_matches_names_in_the_zone",
    Defect.RECORDS_STATUS_202: "test_records_are_a_list_of_endpoints",
    Defect.RECORDS_IN_OBJECT: "test_records_are_a_list_of_endpoints",
    Defect.RECORDS_MEDIA_TYPE_MISSING: "test_records_have_the_media_type",
    Defect.NAMES_WITH_DOT: "test_a_listed_endpoint_has_the_form_of_the_protocol",
    Defect.TTL_AS_TEXT: "test_a_listed_endpoint_has_the_form_of_the_protocol",
    Defect.LABELS_AS_LIST: "test_a_listed_endpoint_has_the_form_of_the_protocol",
    Defect.ENDPOINT_PER_TARGET: "test_a_record_is_one_endpoint_with_all_targets",
    Defect.ADJUST_IN_OBJECT: "test_adjusted_endpoints_are_a_list_of_endpoints",
    Defect.ADJUST_MEDIA_TYPE_MISSING: "test_adjusted_endpoints_have_the_media_type",
    Defect.ADJUST_REFUSES_EMPTY_LIST: "test_an_empty_list_is_adjusted_to_an_empty_list",
    Defect.ADJUST_LOSES_LABELS: "test_adjusted_endpoints_keep_their_labels",
    Defect.ADJUST_RENAMES: "test_adjusted_endpoints_keep_name_type_and_set_identifier",
    Defect.ADJUST_NOT_IDEMPOTENT: "test_adjusting_an_adjusted_endpoint_changes_nothing",
    Defect.ADJUST_STORES: "test_adjusting_creates_no_record",
    Defect.NO_CHANGES_REFUSED: "test_a_request_without_changes_succeeds",
    Defect.APPLY_STATUS_200: "test_changes_are_answered_with_204",
    Defect.CREATES_IGNORED: "test_a_created_record_is_listed",
    Defect.ONLY_FIRST_TARGET: "test_a_record_with_three_targets_is_listed_with_all",
    Defect.WILDCARD_ESCAPED: "test_a_wildcard_is_listed_with_its_asterisk",
    Defect.CNAME_TARGET_WITH_DOT: "test_a_record_of_a_default_type_comes_back_unchanged",
    Defect.TXT_ESCAPED_TWICE: "test_an_ownership_record_comes_back_unchanged",
    Defect.LONG_TXT_CUT: "test_a_long_ownership_record_comes_back_complete",
    Defect.MX_WITHOUT_PREFERENCE: "test_a_record_of_another_type_is_refused_or_comes_back_unchanged",
    Defect.SRV_TARGET_WITHOUT_DOT: "test_a_record_of_another_type_is_refused_or_comes_back_unchanged",
    Defect.AAAA_ANSWERED_BUT_IGNORED: "test_a_record_of_a_default_type_comes_back_unchanged",
    Defect.TTL_DROPPED: "test_a_record_is_listed_with_its_ttl",
    Defect.TTL_UPDATE_IGNORED: "test_an_update_of_the_ttl_alone_is_made",
    Defect.UPDATE_ADDS: "test_an_update_replaces_the_targets",
    Defect.UPDATES_NOT_READ_BACK: "test_an_update_replaces_the_targets",
    Defect.ONLY_FIRST_UPDATE: "test_one_request_makes_several_updates",
    Defect.DELETES_IGNORED: "test_a_deleted_record_is_not_listed",
    Defect.DELETE_TAKES_ALL_TYPES: "test_a_delete_leaves_the_other_types_at_the_name",
    Defect.DELETE_TAKES_NAMES_BELOW: "test_a_delete_leaves_names_below_and_similar_names",
    Defect.CREATES_BEFORE_DELETES: "test_one_request_replaces_a_record_by_one_of_another_type",
    Defect.DELETES_SKIPPED_IN_MIXED_REQUEST: "test_one_request_creates_updates_and_deletes",
    Defect.SET_IDENTIFIER_IGNORED: "test_records_with_different_set_identifiers_are_separate_records",
    Defect.DELETE_TAKES_ALL_SET_IDENTIFIERS: "test_a_delete_leaves_the_other_set_identifiers",
    Defect.PROPERTIES_DROPPED: "test_a_record_is_listed_with_the_properties_of_its_adjusted_endpoint",
    Defect.KEYS_CASE_SENSITIVE: "test_keys_of_changes_may_begin_with_a_capital_letter",
    Defect.INVALID_JSON_ACCEPTED: "test_a_body_that_is_not_json_is_refused",
    Defect.INVALID_JSON_STATUS_500: "test_a_body_that_is_not_json_is_refused",
    Defect.OTHER_METHODS_ACCEPTED: "test_other_methods_are_refused",
    Defect.INVALID_CHANGE_SKIPPED: "test_one_invalid_change_does_not_block_the_valid_change_of_its_request",
    Defect.REFUSAL_STATUS_400: "test_one_invalid_change_does_not_block_the_valid_change_of_its_request",
    Defect.BLOCKED_AFTER_FAILURE: "test_one_invalid_change_does_not_block_the_valid_change_of_its_request",
    Defect.BODY_AFTER_204: "test_a_connection_can_be_used_again_after_each_answer",
    Defect.CONCURRENT_CHANGES_MISSING: "test_requests_at_the_same_time_do_not_undo_each_other",
    Defect.ONLY_FIRST_PAGE: "test_many_records_are_created_listed_and_deleted_in_one_request_each",
    Defect.LARGE_REQUESTS_REFUSED: "test_many_records_are_created_listed_and_deleted_in_one_request_each",
    Defect.FOREIGN_RECORD_DELETED: "test_the_records_of_others_stay_as_they_were",
}
"""The test in tests/conformance/webhook that must find each defect; no other may fail."""
