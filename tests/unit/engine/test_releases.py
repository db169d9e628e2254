"""What a person releases in one zone (design 6)."""

from __future__ import annotations

import pytest
from msgspec import structs

from extdns.engine.deletes import Deletes
from extdns.engine.deletesettings import DeleteSettings
from extdns.engine.releases import RELEASE_S
from extdns.model.reason import Reason
from tests.unit.engine.waiting import ENDING, GRACE_S, ZONE, answers, deletes, end, go, owned, weigh


def test_a_release_lets_go_what_was_shown_and_does_not_count() -> None:
    state = deletes()
    end(state, range(31))
    state.release([state.releases.code], GRACE_S)
    weigh(state, owned(40), GRACE_S)
    assert len(state.advance(GRACE_S)) == 31
    assert answers(state, range(31)) == {ENDING}
    for number in range(31):
        go(state, owned(number), GRACE_S)
    state.advance(2 * GRACE_S)
    assert weigh(state, owned(40), 2 * GRACE_S) is ENDING
    assert not state.budget.made


def test_a_release_concerns_exactly_what_was_shown() -> None:
    state = deletes()
    end(state, range(31))
    code = state.releases.code
    answers(state, range(1), now_s=GRACE_S)
    weigh(state, owned(0, "192.0.2.99"), GRACE_S)
    weigh(state, owned(99), GRACE_S)
    state.release([code], GRACE_S)
    state.advance(2 * GRACE_S)
    assert answers(state, range(1, 31), now_s=2 * GRACE_S) == {ENDING}
    assert weigh(state, owned(0, "192.0.2.99"), 2 * GRACE_S) is ENDING, "two are within the budget again"
    assert state.releases.code == ""


def test_what_came_back_is_not_released_with_the_others() -> None:
    state = deletes()
    end(state, range(62))
    code = state.releases.code
    for number in range(31):
        state.planned(owned(number).record.name, {owned(number).key}, GRACE_S)
    state.release([code], GRACE_S)
    state.advance(GRACE_S)
    assert answers(state, range(31, 62)) == {ENDING}
    end(state, range(31))
    assert answers(state, range(31)) == {Reason.HELD}


def test_a_release_ends_with_the_delete() -> None:
    state = deletes()
    end(state, range(31))
    state.release([state.releases.code], GRACE_S)
    state.advance(GRACE_S)
    for number in range(31):
        go(state, owned(number), GRACE_S)
    assert not state.releases.until_s
    again = end(state, range(31))
    assert answers(state, range(31)) == {Reason.HELD}, "made again, it goes again only if that is released"
    assert again


def test_a_release_ends_after_a_day() -> None:
    state = deletes()
    end(state, range(31))
    state.release([state.releases.code], GRACE_S)
    state.advance(GRACE_S)
    assert state.wake_s == GRACE_S + RELEASE_S
    assert len(state.advance(GRACE_S + RELEASE_S)) == 31
    assert answers(state, range(31), now_s=GRACE_S + RELEASE_S) == {Reason.HELD}


def test_an_unknown_code_releases_nothing() -> None:
    state = deletes()
    end(state, range(31))
    state.release(["0000-0000"], GRACE_S)
    assert state.advance(GRACE_S) == set()


def test_a_code_given_at_start_releases_the_set_that_shows_it_and_no_other() -> None:
    asked = deletes()
    end(asked, range(31))
    code = asked.releases.code
    told = deletes(releases=(code,))
    end(told, range(31))
    assert answers(told, range(31)) == {ENDING}
    other = deletes(releases=(code,))
    end(other, range(32))
    assert answers(other, range(32)) == {Reason.HELD}


@pytest.mark.parametrize(
    "changes",
    [pytest.param({"owner": "you"}, id="owner"), pytest.param({"zone": structs.replace(ZONE, id="Z2")}, id="zone")],
)
def test_the_code_says_whose_and_where(changes: dict[str, object]) -> None:
    one = deletes()
    end(one, range(31))
    two = Deletes(
        changes.get("zone", ZONE),  # type: ignore[arg-type]
        DeleteSettings(owner=str(changes.get("owner", "me")), grace_s=GRACE_S),
    )
    two.budget.own(100, 0.0)
    end(two, range(31))
    assert one.releases.code != two.releases.code
