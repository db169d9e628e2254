"""The codes by which people approve held deletes."""

from __future__ import annotations

from extdns.engine.hold_codes import HoldCodes, compute_code
from extdns.model.evidence import Scope

SCOPE = Scope("Z1")


def hold(codes: HoldCodes, first: int, count: int, scope: Scope = SCOPE) -> tuple[str, set[str]]:
    """Let *scope* hold *count* deletes; return their code and digests."""
    digests = {f"{number:016x}" for number in range(first, first + count)}
    codes.update(scope, digests, revision=first)
    return compute_code(digests), digests


def test_a_code_approves_its_set_after_fifty_deletes_changed_a_hundred_times() -> None:
    codes = HoldCodes()
    held = [hold(codes, first, 50) for first in range(101)]
    assert [codes.find_digests(code) for code, _ in held] == [digests for _, digests in held]


def test_earlier_codes_are_dropped_if_they_approve_more_than_10000_deletes_together() -> None:
    codes = HoldCodes()
    (first, digests), (second, _) = hold(codes, 0, 4999), hold(codes, 1, 4999)
    third, _ = hold(codes, 2, 9000)
    assert codes.find_digests(first) == digests
    hold(codes, 3, 1)
    assert [bool(codes.find_digests(code)) for code in (first, second, third)] == [False, False, True]


def test_a_scope_whose_held_deletes_change_often_loses_its_own_earlier_codes_first() -> None:
    codes = HoldCodes()
    (code, digests), _ = hold(codes, 0, 50, Scope("Z1", "calm")), hold(codes, 1, 50, Scope("Z1", "calm"))
    for first in range(400):
        hold(codes, first, 50, Scope("Z1", "busy"))
    assert codes.find_digests(code) == digests


def test_a_scope_without_held_deletes_has_no_code_and_is_published_once_it_is_saved() -> None:
    codes = HoldCodes()
    code, _ = hold(codes, 7, 1)
    assert [codes.find_published(SCOPE, revision) for revision in (6, 7)] == ["", code]
    codes.update(SCOPE, (), revision=8)
    assert codes.find_published(SCOPE, 8) == ""


def test_the_code_of_one_scope_approves_no_delete_of_another_whose_code_would_be_equal() -> None:
    codes, others = HoldCodes(), Scope("Z1", "shop")
    (code, digests), (equal, _) = hold(codes, 2764, 1), hold(codes, 33_681, 1, others)
    assert code == equal
    assert codes.find_digests(code) == digests
    assert codes.find_published(others, 33_681) not in {"", code}


def test_a_set_has_its_code_again_after_one_of_its_deletes_was_gone_for_a_while() -> None:
    codes = HoldCodes()
    code, _ = hold(codes, 0, 2)
    codes.remove_digest(SCOPE, f"{0:016x}")
    hold(codes, 1, 1)
    assert hold(codes, 0, 2)[0] == code
    assert codes.find_published(SCOPE, 1) == code
