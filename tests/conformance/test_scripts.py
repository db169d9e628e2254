"""Run the engine with each provider through edits, refusals and lost responses, and check that it converges."""

from __future__ import annotations

from pathlib import Path

import pytest

from extdns.model.change import Applied, Refused, Unknown, WriteConflict
from tests.builders import build_claim, host, observe, observe_gone
from tests.conformance.provider import Rig, build_rig, create, delete, update
from tests.conformance.provider_world import ProviderWorld
from tests.fakes.careless import CarelessProvider


@pytest.fixture
def rig(provider: str, tmp_path: Path) -> Rig:
    return build_rig(provider, tmp_path)


def test_a_change_of_a_name_needs_one_write_and_a_read_before_it_only_without_conditional_writes(rig: Rig) -> None:
    world = ProviderWorld(rig, {"a": "192.0.2.1"})
    world.forget()
    world.request(a="192.0.2.2")
    assert world.calls == (["SubmitBatch"] if world.guards else ["ReadNames", "SubmitBatch"])
    world.forget()
    world.request(b="192.0.2.3", c="192.0.2.4")
    assert [type(outcome) for outcome in world.line.outcomes] == [Applied] * (1 if world.gathers else 2)
    world.forget()
    world.run(observe_gone("a"))
    assert [type(outcome) for outcome in world.line.outcomes] == [Applied]
    world.check_converged({"b": "192.0.2.3", "c": "192.0.2.4"})


def test_an_applied_write_is_marked_unconditional_if_and_only_if_the_provider_cannot_write_conditionally(
    rig: Rig,
) -> None:
    world = ProviderWorld(rig, {"a": "192.0.2.1"})
    (outcome,) = world.line.outcomes
    assert isinstance(outcome, Applied)
    assert outcome.unconditional is not rig.reader.capabilities.conditional


def test_a_record_that_others_edit_between_read_and_write_is_still_set_to_the_desired_target(rig: Rig) -> None:
    world = ProviderWorld(rig, {"a": "192.0.2.1", "b": "192.0.2.2"})
    world.forget()
    (held,) = (record for record in rig.reader.read_names(rig.zone, [host("a")]) if record.type == "A")
    rig.edit(update(held, "192.0.2.99"))
    world.request(a="192.0.2.3")
    assert [type(outcome) for outcome in world.line.outcomes] == (
        [WriteConflict, Applied] if world.guards else [Applied]
    )
    world.check_converged({"a": "192.0.2.3", "b": "192.0.2.2"})


def test_a_record_that_others_removed_with_its_ownership_record_is_created_again(rig: Rig) -> None:
    world = ProviderWorld(rig, {"a": "192.0.2.1"})
    world.forget()
    rig.edit(*(delete(record) for record in rig.reader.read_names(rig.zone, [host("a"), host("a-a")])))
    world.request(a="192.0.2.3")
    assert [type(outcome) for outcome in world.line.outcomes] == (
        [WriteConflict, Applied] if world.guards else [Applied]
    )
    world.check_converged({"a": "192.0.2.3"})


def test_a_foreign_record_is_never_overwritten(rig: Rig) -> None:
    world = ProviderWorld(rig, {"a": "192.0.2.1"})
    rig.edit(create("b.example.org", "A", "192.0.2.99"))
    world.request(b="192.0.2.3")
    world.check_converged({"a": "192.0.2.1", "b": "192.0.2.99"})


def test_an_unread_foreign_record_at_one_name_does_not_prevent_the_other_names_from_being_written(rig: Rig) -> None:
    world = ProviderWorld(rig, {"a": "192.0.2.1"})
    world.forget()
    rig.edit(create("bad.example.org", "CNAME", "elsewhere.example.net"))
    desired = {f"n{number}": f"192.0.2.{number}" for number in range(10, 20)}
    world.request(bad="192.0.2.66", **desired)
    if not world.guards:  # the foreign record is read before anything is sent
        count = 1 if world.gathers else len(desired)
        assert [type(outcome) for outcome in world.line.outcomes] == [Applied] * count
    else:
        refused, rest = world.line.outcomes
        assert isinstance(refused, Refused)
        assert refused.offending_names == ("bad.example.org",)
        assert isinstance(rest, Applied)
    assert world.read_addresses() == {"a": ("192.0.2.1",)} | {name: (address,) for name, address in desired.items()}
    world.run(observe_gone("bad"))
    world.check_converged({"a": "192.0.2.1", **desired})


@pytest.mark.parametrize("applied", [True, False], ids=["batch-applied", "batch-lost"])
def test_after_a_lost_response_the_zone_is_read_to_find_the_outcome(rig: Rig, applied: bool) -> None:
    world = ProviderWorld(rig, {"a": "192.0.2.1"})
    world.forget()
    world.line.losses.append(applied)
    world.request(a="192.0.2.2", b="192.0.2.3")
    world.run(for_s=60.0)
    made = [outcome for outcome in world.line.outcomes if isinstance(outcome, Applied)]
    assert len(made) == (1 if world.gathers else 2), "no change is made twice"
    world.check_converged({"a": "192.0.2.2", "b": "192.0.2.3"})


def test_the_zone_converges_although_several_responses_were_lost(rig: Rig) -> None:
    world = ProviderWorld(rig, {})
    world.line.losses += (False, True, False, True)
    world.request(a="192.0.2.1", b="192.0.2.2")
    world.request(a="192.0.2.3")
    world.run(for_s=600.0)
    world.check_converged({"a": "192.0.2.3", "b": "192.0.2.2"})


@pytest.mark.parametrize("made", [0, 1, 2])
@pytest.mark.parametrize("kind", ["create", "update", "delete"])
def test_a_connection_that_breaks_during_a_batch_leaves_no_address_record_without_ownership_record(
    kind: str, made: int
) -> None:
    provider = CarelessProvider(["example.org"])
    rig = Rig(reader=provider, writer=provider, other=provider, zone=provider.list_zones().zones[0])
    desired = {} if kind == "create" else {"a": "192.0.2.1"}
    world = ProviderWorld(rig, desired)
    world.forget()
    provider.breaks_after.append(made)
    world.feed(observe_gone("a") if kind == "delete" else observe("a", build_claim("a", "a", "192.0.2.2")))
    while not world.line.outcomes:
        world.run(for_s=0.01)
    assert isinstance(world.line.outcomes[0], Unknown | Applied)
    names = {(record.name, record.type) for record in rig.read()}
    assert (host("a"), "A") not in names or (host("a-a"), "TXT") in names
    world.run(for_s=60.0)
    world.check_converged({} if kind == "delete" else {"a": "192.0.2.2"})
