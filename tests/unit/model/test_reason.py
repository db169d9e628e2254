"""The rows of reason codes: what follows from them for exit codes and Events."""

from __future__ import annotations

import pytest

from extdns.model.reason import Category, EventWhen, Group, Reason, ReasonRow, look_up_meaning, select_reasons


def build_row(*, fails: bool = False, transient: bool = False, event_when: EventWhen | None = None) -> ReasonRow:
    return ReasonRow("code", Group.PROVIDER, "text", fails=fails, transient=transient, event_when=event_when)


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        pytest.param(build_row(), EventWhen.NEVER, id="no-failure"),
        pytest.param(build_row(fails=True), EventWhen.ALWAYS, id="failure"),
        pytest.param(build_row(fails=True, transient=True), EventWhen.NEVER, id="transient-failure"),
        pytest.param(build_row(fails=True, event_when=EventWhen.HELD), EventWhen.HELD, id="stated"),
        pytest.param(build_row(event_when=EventWhen.RETAINED), EventWhen.RETAINED, id="stated-without-failure"),
    ],
)
def test_failures_that_do_not_pass_have_an_event_unless_the_row_says_otherwise(
    row: ReasonRow, expected: EventWhen
) -> None:
    assert row.event_rule is expected


@pytest.mark.parametrize("reason", list(Reason))
def test_every_failing_reason_has_an_event_unless_the_failure_is_transient(reason: Reason) -> None:
    if reason.row.fails:
        assert (reason.row.event_rule is EventWhen.ALWAYS) is not reason.row.transient


@pytest.mark.parametrize(
    ("reason", "exit_code"), [(Reason.PUBLISHED, 0), (Reason.REFUSED, 1), (Reason.TRY_LATER, 1), (Reason.HELD, 3)]
)
def test_a_failure_exits_with_1_and_a_held_delete_with_3(reason: Reason, exit_code: int) -> None:
    assert reason.row.exit_code == exit_code


@pytest.mark.parametrize(
    ("reason", "event"), [(Reason.REQUESTED_BY_OTHER, "RequestedByOther"), (Reason.REFUSED, "RecordError")]
)
def test_the_event_of_a_reason_is_named_after_its_code_or_as_in_external_dns(reason: Reason, event: str) -> None:
    assert reason.event == event


def test_the_meaning_of_a_code_is_the_text_of_its_row_and_empty_for_codes_of_other_versions() -> None:
    assert look_up_meaning("published") == Reason.PUBLISHED.row.text
    assert look_up_meaning("code-of-another-version") == ""


def test_the_reasons_of_a_category_are_those_whose_row_has_it() -> None:
    assert Reason.NO_ADDRESS in select_reasons(Category.UNRESOLVED)
    assert Reason.REQUESTED_BY_OTHER in select_reasons(Category.REJECTED)
    assert sum(len(select_reasons(category)) for category in Category) == len(Reason)
