"""Encrypted marks: what is planned again is the same, although no two of them are equal."""

from __future__ import annotations

from itertools import count

from extdns.model.outcome import Conflict
from registry.txt.encryption import NONCE_BYTES, EncryptedText
from registry.txt.naming import Naming
from registry.txt.registry import TxtRegistry
from tests.unit.engine.stage import PLAN, Stage, blaming, new, refusing, running


def encrypted() -> Stage:
    """A running engine whose marks are encrypted."""
    numbers = count()
    codec = EncryptedText(key=b"k" * 32, nonce=lambda: next(numbers).to_bytes(NONCE_BYTES), writes=True)
    return running(
        registry=TxtRegistry(owner="me", naming=Naming(), managed_types=PLAN.managed_types, codec=codec),
    )


def test_a_refused_name_is_not_sent_again_at_once() -> None:
    world = encrypted()
    world.provider.rule = blaming("bad")
    world.run(new("bad", "good"), for_s=30.0)
    assert world.batches == [["bad", "good"], ["good"]]


def test_a_refused_name_is_tried_at_once_when_its_claim_changes() -> None:
    world = encrypted()
    world.provider.rule = blaming("bad")
    world.run(new("bad"), for_s=1.0)
    world.run(new("bad", target="192.0.2.9"), for_s=1.0)
    assert world.batches == [["bad"], ["bad"]]


def test_a_name_that_conflicts_with_nothing_sets_itself_aside_alone() -> None:
    world = encrypted()
    world.provider.rule = refusing("bad", outcome=Conflict(message="already exists"))
    world.run(new("bad", "good"), for_s=30.0)
    assert world.endings("good") == ["A keep programmed"]
    assert world.endings("bad") == ["A none refused"]
    assert len(world.batches) <= 4
