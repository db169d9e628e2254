"""How batches become plans of octoDNS, and what their failures mean."""

from __future__ import annotations

import pytest

from extdns.model.change import Applied, Batch, ChangeSet, Forbidden, Refused, TryLater, Unknown, Write, WriteConflict
from extdns.model.dns_name import DnsName
from extdns.model.record import Record
from providers.common.api_calls import CallOptions
from tests.conformance.provider import Rig, create, delete, update
from tests.conformance.provider_world import ProviderWorld
from tests.fakes.octodns_package import BusyError, MemoryService, RefusedByPackageError
from tests.unit.providers.octodns.conftest import BuildRig

OWNERSHIP = '"heritage=external-dns,external-dns/owner=me"'


def find(rig: Rig, name: str, rtype: str) -> Record:
    (found,) = (one for one in rig.reader.read_names(rig.zone, [DnsName(f"{name}.example.org")]) if one.type == rtype)
    return found


def submit_ordered(rig: Rig, *writes: Write) -> object:
    change_set = ChangeSet(zone=rig.zone, name=DnsName("web.example.org"), changes=(), writes=writes)
    return rig.writer.submit(rig.zone, Batch(number=1, zone=rig.zone, change_sets=(change_set,)))


def describe(service: MemoryService) -> list[list[str]]:
    """Return the changes of each plan, in the order of octoDNS."""
    return [
        [f"{type(change).__name__} {change.record.name} {change.record._type}" for change in plan.changes]
        for plan in service.plans
    ]


def test_a_batch_uses_the_read_of_names_just_before_it_and_reads_again_if_there_is_none(
    build_rig: BuildRig, service: MemoryService
) -> None:
    rig = build_rig()
    rig.reader.read_names(rig.zone, [])
    rig.apply(create("a.example.org", "A", "192.0.2.1"))
    assert service.reads == 1
    rig.apply(create("b.example.org", "A", "192.0.2.1"))
    assert service.reads == 2


def test_a_batch_reads_the_zone_again_if_the_last_read_was_a_refresh_or_too_old(
    build_rig: BuildRig, service: MemoryService, monkeypatch: pytest.MonkeyPatch
) -> None:
    rig = build_rig()
    rig.reader.read_page(rig.zone, None)
    rig.apply(create("a.example.org", "A", "192.0.2.1"))
    assert service.reads == 2
    monkeypatch.setattr("providers.octodns.provider._MAX_SNAPSHOT_AGE_S", 0.0)
    rig.reader.read_names(rig.zone, [])
    rig.apply(create("b.example.org", "A", "192.0.2.1"))
    assert service.reads == 4


def test_a_record_that_differs_from_the_plan_is_a_write_conflict_and_nothing_is_sent(
    build_rig: BuildRig, service: MemoryService
) -> None:
    rig = build_rig()
    service.put("web", "A", "192.0.2.1")
    web = find(rig, "web", "A")
    service.put("web", "A", "192.0.2.99")
    rig.reader.read_names(rig.zone, [])
    for write in (update(web, "192.0.2.2"), delete(web)):
        outcome = rig.submit(create("a.example.org", "A", "192.0.2.1"), write)
        assert isinstance(outcome, WriteConflict)
        assert outcome.offending_names == ("web.example.org",)
    assert service.plans == []


def test_a_batch_changes_only_its_own_records_although_others_are_invalid_for_octodns(
    build_rig: BuildRig, service: MemoryService
) -> None:
    service.put("semi", "TXT", "v=DKIM1;p=x")
    rig = build_rig()
    outcome = rig.submit(create("a-web.example.org", "TXT", OWNERSHIP), create("web.example.org", "A", "192.0.2.1"))
    assert isinstance(outcome, Applied)
    assert outcome.unconditional
    assert describe(service) == [["Create a-web TXT", "Create web A"]]
    assert service.get("semi", "TXT") == {"type": "TXT", "ttl": 300, "values": ["v=DKIM1;p=x"]}


def test_an_ownership_record_is_deleted_after_its_record_in_a_plan_of_its_own(
    build_rig: BuildRig, service: MemoryService
) -> None:
    rig = build_rig()
    made = rig.apply(create("a-web.example.org", "TXT", OWNERSHIP), create("web.example.org", "A", "192.0.2.1"))
    ownership, web = sorted(made, key=lambda record: record.name)
    service.plans.clear()
    assert isinstance(submit_ordered(rig, delete(web), delete(ownership)), Applied)
    assert describe(service) == [["Delete web A"], ["Delete a-web TXT"]]


def test_a_change_of_type_is_sent_to_octodns_in_the_order_of_the_writes_in_the_batch(
    build_rig: BuildRig, service: MemoryService
) -> None:
    rig = build_rig()
    made = rig.apply(create("a-web.example.org", "TXT", OWNERSHIP), create("web.example.org", "A", "192.0.2.1"))
    ownership, web = sorted(made, key=lambda record: record.name)
    service.plans.clear()
    new = (create("cname-web.example.org", "TXT", OWNERSHIP), create("web.example.org", "CNAME", "lb.example.net"))
    assert isinstance(submit_ordered(rig, new[0], delete(web), new[1], delete(ownership)), Applied)
    assert describe(service) == [
        ["Create cname-web TXT"],
        ["Delete web A", "Create web CNAME"],
        ["Delete a-web TXT"],
    ]


def test_an_update_keeps_the_octodns_options_of_the_record_except_lenient(
    build_rig: BuildRig, service: MemoryService
) -> None:
    service.put("web", "A", "192.0.2.1", octodns={"cloudflare": {"proxied": True}, "lenient": True})
    rig = build_rig()
    rig.apply(update(find(rig, "web", "A"), "192.0.2.2"))
    found = service.get("web", "A")
    assert found is not None
    assert (found["value"], found["octodns"]) == ("192.0.2.2", {"cloudflare": {"proxied": True}})


def test_a_record_that_octodns_considers_invalid_is_never_sent(build_rig: BuildRig, service: MemoryService) -> None:
    outcome = build_rig().submit(create("web.example.org", "SRV", "0 0 1 a.example.net."))
    assert isinstance(outcome, Refused)
    assert "invalid name for SRV record" in outcome.message
    assert service.plans == []


@pytest.mark.parametrize("kind", ["update", "delete"])
def test_a_batch_above_the_safety_thresholds_of_octodns_is_refused(
    build_rig: BuildRig, service: MemoryService, kind: str
) -> None:
    for index in range(10):
        service.put(f"n{index}", "A", "192.0.2.1")
    rig = build_rig()
    records = [find(rig, f"n{index}", "A") for index in range(4)]
    outcome = rig.submit(*(update(record, "192.0.2.2") if kind == "update" else delete(record) for record in records))
    assert isinstance(outcome, Refused)
    assert f"Too many {kind}s" in outcome.message
    assert service.plans == []


def test_with_apply_disabled_a_write_is_forbidden_and_without_leadership_it_is_tried_later(
    build_rig: BuildRig, service: MemoryService
) -> None:
    write = create("web.example.org", "A", "192.0.2.1")
    outcome = build_rig(apply_disabled=True).submit(write)
    assert isinstance(outcome, Forbidden)
    assert "apply_disabled is set for provider here" in outcome.message
    assert isinstance(build_rig(options=CallOptions(can_write=lambda: False)).submit(write), TryLater)
    assert service.plans == []


@pytest.mark.parametrize(
    ("failure", "unchanged"),
    [
        pytest.param(BusyError(400), Refused, id="400"),
        pytest.param(RefusedByPackageError("no"), Refused, id="error-of-the-package"),
        pytest.param(RefusedByPackageError("'too many requests'"), Refused, id="quoted-value-like-a-rate-limit"),
        pytest.param(RefusedByPackageError("forbidden.example.org"), Refused, id="quoted-name-like-no-right"),
        pytest.param(BusyError(403), Forbidden, id="403"),
        pytest.param(BusyError(429), TryLater, id="429"),
        pytest.param(BusyError(500), Unknown, id="500"),
        pytest.param(TimeoutError(), Unknown, id="timeout"),
        pytest.param(ValueError(), Unknown, id="anything-else"),
    ],
)
@pytest.mark.parametrize("made", [0, 1], ids=["nothing-made", "half-made"])
def test_a_failed_write_has_a_definite_outcome_only_if_the_zone_is_unchanged(
    build_rig: BuildRig, service: MemoryService, failure: Exception, unchanged: type, made: int
) -> None:
    rig = build_rig()
    service.failures.append((made, failure))
    outcome = rig.submit(create("a.example.org", "A", "192.0.2.1"), create("b.example.org", "A", "192.0.2.1"))
    assert type(outcome) is (Unknown if made else unchanged)
    assert isinstance(outcome, Refused | Forbidden | TryLater | Unknown)
    assert "Apply on example.org" in outcome.message


def test_a_failed_write_has_an_unknown_outcome_if_the_zone_cannot_be_read_afterwards(
    build_rig: BuildRig, service: MemoryService
) -> None:
    rig = build_rig()
    rig.reader.read_names(rig.zone, [])
    service.failures.append((0, BusyError(400)))
    service.read_failures.append(BusyError(503))
    assert isinstance(rig.submit(create("a.example.org", "A", "192.0.2.1")), Unknown)


def test_after_a_timeout_of_a_write_the_provider_does_not_read_the_zone_itself(
    build_rig: BuildRig, service: MemoryService
) -> None:
    rig = build_rig()
    service.failures.append((0, TimeoutError()))
    rig.submit(create("a.example.org", "A", "192.0.2.1"))
    assert service.reads == 1


def test_a_batch_is_forbidden_or_tried_later_if_the_read_before_it_fails(
    build_rig: BuildRig, service: MemoryService
) -> None:
    rig = build_rig()
    for failure, outcome in ((BusyError(403), Forbidden), (TimeoutError(), TryLater)):
        service.read_failures.append(failure)
        assert isinstance(rig.submit(create("a.example.org", "A", "192.0.2.1")), outcome)


@pytest.mark.parametrize("failure", [BusyError(400), BusyError(429), BusyError(500), TimeoutError()], ids=repr)
@pytest.mark.parametrize("made", range(6))
def test_the_zone_converges_after_an_octodns_provider_failed_halfway(
    build_rig: BuildRig, service: MemoryService, failure: Exception, made: int
) -> None:
    service.put("theirs", "A", "192.0.2.9", ttl=60)
    rig = build_rig()
    service.failures.extend([(made, failure), (1, failure)])
    desired = {"api": "192.0.2.1", "blog": "192.0.2.2", "web": "192.0.2.3"}
    world = ProviderWorld(rig, desired)
    world.run(for_s=1500.0)
    assert world.engine.is_idle
    world.check_converged({**desired, "theirs": "192.0.2.9"})
    assert sorted(name for name, rtype in service.zones["example.org."] if rtype == "TXT") == [
        "a-api",
        "a-blog",
        "a-web",
    ]
