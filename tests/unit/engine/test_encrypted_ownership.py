"""Planning with encrypted ownership records, whose text differs each time it is encrypted."""

from __future__ import annotations

from itertools import count

from extdns.model.change import Action, WriteConflict
from extdns.model.reason import Reason
from registry.txt.encryption import NONCE_BYTES, EncryptedTextCodec
from registry.txt.naming import Naming
from registry.txt.registry import TxtRegistry
from tests.builders import PLAN, observe_new, refuse_names, refuse_with_names
from tests.world import World, start_world


def start_encrypted() -> World:
    """Start an engine that encrypts ownership records."""
    numbers = count()
    codec = EncryptedTextCodec(key=b"k" * 32, nonce=lambda: next(numbers).to_bytes(NONCE_BYTES), encrypts=True)
    return start_world(
        registry=TxtRegistry(owner="me", naming=Naming(), managed_types=PLAN.managed_types, codec=codec),
    )


def test_a_refused_name_with_an_encrypted_ownership_record_is_not_sent_again_within_seconds() -> None:
    world = start_encrypted()
    world.provider.rule = refuse_with_names("bad")
    world.run(observe_new("bad", "good"), for_s=30.0)
    assert world.batches == [["bad", "good"], ["good"]]


def test_a_refused_name_with_an_encrypted_ownership_record_is_retried_when_its_claim_changes() -> None:
    world = start_encrypted()
    world.provider.rule = refuse_with_names("bad")
    world.run(observe_new("bad"), for_s=1.0)
    world.run(observe_new("bad", target="192.0.2.9"), for_s=1.0)
    assert world.batches == [["bad"], ["bad"]]


def test_an_unconfirmed_write_conflict_of_a_name_with_an_encrypted_ownership_record_delays_no_other_name() -> None:
    world = start_encrypted()
    world.provider.rule = refuse_names("bad", outcome=WriteConflict(message="already exists"))
    world.run(observe_new("bad", "good"), for_s=30.0)
    assert world.list_decisions("good") == [("A", Action.KEEP, Reason.PUBLISHED)]
    assert world.list_decisions("bad") == [("A", Action.NONE, Reason.REFUSED)]
    assert len(world.batches) <= 4
