"""Read and write zones of the fake Azure: order and conditions of calls, lost answers, aliases, metadata, pages.

The engine runs in front of the provider where the order of writes or a second reading matters.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import suppress

import pytest
from msgspec.structs import replace

from extdns.errors import CredentialsError, ForbiddenError, RetryableError
from extdns.model.change import Applied, Create, Forbidden, Outcome, Refused, TryLater, Unknown, Write, WriteConflict
from extdns.model.dns_name import DnsName
from extdns.model.reason import Reason
from extdns.model.record import DesiredRecord, Record
from extdns.model.selection import DomainFilter
from extdns.model.value import StringMap
from providers.azure.client import find_path
from providers.azure.permissions import check_permission
from providers.azure.provider import AzureReader, AzureWriter
from providers.azure.records import TAGS
from providers.azure.settings import AzureSettings
from providers.common.api_calls import CallFailedError, CallOptions, FailureKind, RateLimiter
from tests import azure
from tests.azure import OWNERSHIP_NAMES, FixedTokens, client
from tests.builders import INGRESS, SERVICE, build_claim, change_phase, observe, observe_gone, observe_new
from tests.conformance.provider import Rig, build_batch, build_desired, create, delete, update
from tests.conformance.provider_world import ProviderWorld
from tests.fakes.azure.server import list_names
from tests.fakes.azure.values import Json, spell_field
from tests.fakes.service.faults import Drop, Fault, Meanwhile, Refuse, Replace
from tests.route53 import FastClock

OURS = '"heritage=external-dns,external-dns/owner=me,external-dns/resource=service/shop/www"'
WWW = create("www.example.org", "A", "192.0.2.1")
MARK = create("a-www.example.org", "TXT", OURS)
BOTH = [MARK, WWW]


class Killed(BaseException):
    """The end of the process."""


class World:
    """A zone in the fake, with a reader and a writer."""

    def __init__(self, *, private: bool = False, tokens: FixedTokens | None = None, **settings: object) -> None:
        self.fake = azure.service()
        self.fake.reset()
        self.held = self.fake.add_zone("example.org", private=private)
        self.clock = FastClock()
        self.settings: AzureSettings = replace(azure.settings(self.fake, private=private), **settings)
        self.api = client(self.settings, self.clock, tokens)
        self.reader = AzureReader(self.settings, self.api, OWNERSHIP_NAMES)
        self.writer = AzureWriter(self.api, OWNERSHIP_NAMES)
        (self.zone,) = self.reader.list_zones().zones
        self.fake.calls.clear()

    def run(self, targets: dict[str, str]) -> ProviderWorld:
        """Run an engine until *targets*, addresses by name, are requested and it is idle."""
        rig = Rig(reader=self.reader, writer=self.writer, other=self.writer, zone=self.zone)
        return ProviderWorld(rig, targets)

    def submit(self, *writes: Write) -> Outcome:
        batch = build_batch(self.zone, writes)
        changes = tuple(Create(desired=one.new) for one in writes if one.new and one.new.type != "TXT")
        name = DnsName("www.example.org")
        together = replace(batch.change_sets[0], name=name, changes=changes, writes=writes)
        return self.writer.submit(self.zone, replace(batch, change_sets=(together,)))

    def apply(self, *writes: Write) -> dict[str, Record]:
        outcome = self.submit(*writes)
        assert isinstance(outcome, Applied), outcome
        assert not outcome.unconditional
        return {record.type: record for record in outcome.records}

    def read(self) -> dict[str, Record]:
        records = self.reader.read_page(self.zone, None).records
        return {
            f"{record.name.split('.')[0]} {record.type}": record for record in records if record.name != "example.org"
        }

    def put(self, name: str, rtype: str, records: object, **properties: object) -> Json:
        return self.fake.put(self.held, name, rtype, records, **properties)

    def edit(self, name: str, rtype: str, records: object) -> None:
        self.fake.edit(self.held, name, rtype, **{spell_field(rtype, private=self.held.private): records})

    def take_writes(self) -> list[str]:
        found = [f"{one.action} {one.name}" for one in self.fake.calls if one.action[:3] in {"PUT", "DEL"}]
        self.fake.calls.clear()
        return found

    def adjust(self, desired: DesiredRecord) -> DesiredRecord | str:
        found = self.reader.adjust([desired], self.zone)
        return found.accepted[0] if found.accepted else found.refused[0].detail


@pytest.fixture(params=[False, True], ids=["public", "private"])
def world(request: pytest.FixtureRequest) -> World:
    return World(private=bool(request.param))


# The cases of a specification of the service, in its order.


def test_an_ownership_record_is_created_before_its_record_and_deleted_after_it(world: World) -> None:
    running = world.run({"www": "192.0.2.1"})
    assert world.take_writes() == ["PUT TXT a-www", "PUT A www"]
    running.run(for_s=7200.0)
    assert world.take_writes() == []
    (text,) = world.held.sets["a-www", "TXT"]["properties"][spell_field("TXT", private=world.held.private)]
    assert text["value"][0].startswith('"heritage=external-dns,'), "as external-dns writes it"
    running.run(observe_gone("www"))
    assert world.take_writes() == ["DELETE A www", "DELETE TXT a-www"]


@pytest.mark.parametrize("kind", ["update", "delete"])
def test_what_somebody_else_changed_meanwhile_is_neither_updated_nor_deleted(world: World, kind: str) -> None:
    held = world.apply(WWW)["A"]
    world.edit("www", "A", [{"ipv4Address": "192.0.2.9"}])
    outcome = world.submit(update(held, "192.0.2.2") if kind == "update" else delete(held))
    assert isinstance(outcome, WriteConflict)
    assert outcome.offending_names == ("www.example.org",)
    assert world.read()["www A"].targets == ("192.0.2.9",)


def test_a_record_that_appears_before_ours_stays_foreign(world: World) -> None:
    world.fake.faults.arm(Meanwhile(lambda: world.put("www", "A", [{"ipv4Address": "192.0.2.9"}])), action="PUT A")
    running = world.run({"www": "192.0.2.1"})
    assert world.take_writes() == ["PUT TXT a-www", "PUT A www", "DELETE TXT a-www"]
    assert isinstance(running.line.outcomes[0], WriteConflict)
    assert world.read().keys() == {"www A"}
    running.run(for_s=7200.0)
    assert world.read()["www A"].targets == ("192.0.2.9",)


@pytest.mark.parametrize(
    "fault", [Refuse(429, "Throttled"), Refuse(409, "Conflict", "Another operation is pending for it")]
)
def test_an_ownership_record_is_withdrawn_also_if_azure_is_busy(world: World, fault: Refuse) -> None:
    world.fake.faults.arm(Meanwhile(lambda: world.put("www", "A", [{"ipv4Address": "192.0.2.9"}])), action="PUT A")
    world.fake.faults.arm(fault, action="DELETE TXT", times=3)
    world.run({"www": "192.0.2.1"})
    assert world.read().keys() == {"www A"}


@pytest.mark.parametrize("rtype", ["A", "AAAA", "CNAME"])
def test_only_ownership_records_of_records_that_were_not_written_go_again(world: World, rtype: str) -> None:
    field = {"A": [{"ipv4Address": "192.0.2.9"}], "AAAA": [{"ipv6Address": "::9"}], "CNAME": {"cname": "a.example.net"}}
    wanted = [("CNAME", "lb.example.net")] if rtype == "CNAME" else [("A", "192.0.2.1"), ("AAAA", "2001:db8::1")]
    claims = [build_claim("www", "www", target, rtype=one) for one, target in wanted]
    running = world.run({})
    world.fake.faults.arm(Meanwhile(lambda: world.put("www", rtype, field[rtype])), action=f"PUT {rtype}")
    running.run(observe("www", *claims), for_s=60.0)
    found = world.read()
    ours = {"www A", "a-www TXT"} if rtype == "AAAA" else set()  # the A record was written before
    assert found.keys() == {f"www {rtype}"} | ours
    assert found[f"www {rtype}"].targets[0].endswith(("9", "a.example.net"))


def test_an_edit_between_read_and_write_is_seen_before_it_is_replaced(world: World) -> None:
    running = world.run({"www": "192.0.2.1"})
    running.forget()
    world.fake.faults.arm(Meanwhile(lambda: world.edit("www", "A", [{"ipv4Address": "192.0.2.9"}])), action="PUT A")
    running.request(www="192.0.2.2")
    assert [type(outcome) for outcome in running.line.outcomes] == [WriteConflict, Applied]
    assert world.read()["www A"].targets == ("192.0.2.2",)


ALIAS = {"id": "/subscriptions/s/resourceGroups/g/providers/x/y/lb"}


@pytest.mark.parametrize("rtype", ["A", "AAAA", "CNAME"])
def test_an_alias_record_set_is_foreign_and_never_written(rtype: str) -> None:
    world = World()
    shown = [{"ipv4Address": "192.0.2.9"}] if rtype == "A" else None
    world.put("www", rtype, shown, targetResource=ALIAS)
    if rtype != "CNAME":
        world.put("www", "TXT", [{"value": ["v=spf1 -all"]}])
    running = world.run({"www": "192.0.2.1"} if rtype != "AAAA" else {})
    assert not running.engine.decisions.reasons[Reason.RECORD_UNREADABLE], "it is no failure"
    assert world.read()[f"www {rtype}"].targets == (ALIAS["id"],)
    assert world.take_writes() == []


def test_a_record_of_ours_that_became_an_alias_is_never_written() -> None:
    world = World()
    running = world.run({"www": "192.0.2.1"})
    world.take_writes()
    world.fake.edit(world.held, "www", "A", targetResource=ALIAS, ARecords=[])
    running.request(www="192.0.2.2")
    running.run(observe_gone("www"), for_s=7200.0)
    assert running.engine.decisions.reasons[Reason.RECORD_UNREADABLE]
    assert world.take_writes() == []
    without = AzureReader(world.settings, world.api, None).read_names(world.zone, [DnsName("www.example.org")])
    assert [record.type for record in without] == ["?A"], "without ownership records, every record may be ours"


TYPE_CHANGE = ["PUT TXT cname-www", "DELETE A www", "PUT CNAME www", "DELETE TXT a-www"]


def change_type(running: ProviderWorld) -> None:
    running.run(observe("www", build_claim("www", "www", "lb.example.net", rtype="CNAME")), for_s=60.0)


def change_all(running: ProviderWorld) -> None:
    """Create, update and delete a name each, and change the type of one."""
    running.run(change_phase(SERVICE), change_phase(INGRESS))
    running.request(new="192.0.2.1", moved="192.0.2.2")
    change_type(running)
    running.run(observe_gone("old"), for_s=7200.0)


def check_history(world: World) -> None:
    for names in list_names(world.held.history):
        assert not {"www A", "www CNAME"} <= names
        owned = {one for one in names if not one.endswith("TXT")}
        assert {f"{one.split()[1].lower()}-{one.split()[0]} TXT" for one in owned} <= names


def test_a_change_of_type_is_never_without_ownership_record(world: World) -> None:
    running = world.run({"www": "192.0.2.1"})
    world.take_writes()
    change_type(running)
    assert world.take_writes() == TYPE_CHANGE
    check_history(world)


def test_a_cname_that_appears_before_ours_stays_foreign_as_an_a_record_would(world: World) -> None:
    running = world.run({"www": "192.0.2.1"})
    world.fake.faults.arm(Meanwhile(lambda: world.put("www", "CNAME", {"cname": "a.example.net"})), action="PUT CNAME")
    change_type(running)
    assert world.read().keys() == {"www CNAME"}


def test_a_refused_change_of_type_leaves_what_was_there(world: World) -> None:
    running = world.run({"www": "192.0.2.1"})
    world.fake.faults.arm(Refuse(403, "AuthorizationFailed"), action="DELETE A", times=None)
    change_type(running)
    assert world.read().keys() == {"www A", "a-www TXT"}


@pytest.mark.parametrize("made", range(10))
def test_what_a_kill_interrupts_is_completed_by_the_next_process(made: int) -> None:
    left = [100]

    def can_write() -> bool:
        if not left[0]:
            raise Killed
        left[0] -= 1
        return True

    world = World(calls=CallOptions(can_write=can_write))
    running = world.run({"www": "192.0.2.1", "old": "192.0.2.1", "moved": "192.0.2.1"})
    left[0] = made
    with suppress(Killed):
        change_all(running)
        assert made == 9
    left[0] = 100
    change_all(world.run({"old": "192.0.2.1"} if "old A" in world.read() else {}))
    ours = {"www CNAME", "cname-www TXT", "new A", "a-new TXT", "moved A", "a-moved TXT"}
    assert world.read().keys() - ours <= {"a-www TXT", "a-old TXT"}, "an ownership record alone has no effect"
    assert ours <= world.read().keys()
    assert world.read()["moved A"].targets == ("192.0.2.2",)
    check_history(world)


def test_throttling_delays_the_calls_to_the_zone_and_all_names_are_written(world: World) -> None:
    began_s = 0.0

    def throttle() -> None:
        nonlocal began_s
        began_s = world.clock.monotonic_s()

    class Throttle(Refuse):
        def before(self) -> None:
            throttle()
            super().before()

    for _ in range(29):
        world.fake.faults.arm(Fault(), action="PUT TXT")
    world.fake.faults.arm(Throttle(429, "Throttled"), action="PUT TXT")
    after: list[float] = []
    world.fake.faults.arm(Meanwhile(lambda: after.append(world.clock.monotonic_s())), action="GET ALL", times=None)
    running = world.run({f"n{number}": "192.0.2.1" for number in range(50)})
    running.run(for_s=600.0)
    assert next(time_s for time_s in after if time_s > began_s) - began_s >= 10.0
    names = {f"n{number} A" for number in range(50)} | {f"a-n{number} TXT" for number in range(50)}
    assert world.read().keys() == names
    for found in list_names(world.held.history):
        assert all(f"a-{one[:-1]}TXT" in found for one in found if one.endswith(" A"))


@pytest.mark.parametrize(("worked", "puts"), [(True, 1), (False, 2)], ids=["answer-lost", "request-lost"])
def test_after_a_lost_answer_a_record_set_is_written_again_only_if_unchanged(
    world: World, worked: bool, puts: int
) -> None:
    world.fake.faults.arm(Drop(worked=worked), action="PUT A")
    made = world.apply(*BOTH)
    assert [one.action for one in world.fake.calls if one.name == "www"] == ["PUT A", "GET A", "PUT A"][: puts + 1]
    world.fake.faults.arm(Drop(worked=worked), action="DELETE A")
    world.fake.calls.clear()
    world.apply(delete(made["A"]), delete(made["TXT"]))
    assert [one.action for one in world.fake.calls if one.name == "www"] == ["DELETE A", "GET A", "DELETE A"][
        : puts + 1
    ]


def test_a_lost_answer_does_not_hide_that_somebody_else_created_the_record(world: World) -> None:
    class Overtaken(Drop):
        def before(self) -> None:
            world.put("www", "A", [{"ipv4Address": "192.0.2.9"}])
            super().before()

    world.fake.faults.arm(Overtaken(), action="PUT A")
    running = world.run({"www": "192.0.2.1"})
    running.run(for_s=7200.0)
    assert {key: record.targets for key, record in world.read().items()} == {"www A": ("192.0.2.9",)}


def test_a_request_that_comes_late_is_recognized_by_what_it_made(world: World) -> None:
    world.fake.faults.arm(Drop(), action="PUT A")
    world.fake.faults.arm(Meanwhile(lambda: world.put("www", "A", [{"ipv4Address": "192.0.2.1"}])), action="PUT A")
    assert world.apply(*BOTH)["A"].targets == ("192.0.2.1",)
    assert world.read().keys() == {"www A", "a-www TXT"}


def test_metadata_of_others_stays_and_that_of_the_annotation_changes(world: World) -> None:
    def tag(write: Write, tags: str) -> Write:
        assert write.new is not None
        return Write(
            old=write.old, new=replace(write.new, properties=StringMap.from_items({TAGS: tags} if tags else {}))
        )

    def set_tags(tags: str) -> dict[str, Record]:
        held = {record.type: record for record in world.read().values()}
        wanted = [update(held["TXT"], OURS), update(held["A"], "192.0.2.1")] if held else BOTH
        return world.apply(*(tag(write, tags) for write in wanted))

    def read_metadata() -> Json:
        found: Json = world.held.sets["www", "A"]["properties"]["metadata"]
        return found

    stated = build_desired("www.example.org", "A", "192.0.2.1")
    adjusted = world.adjust(replace(stated, properties=StringMap.from_items({TAGS: "b=2, a=1, c=,=d, e"})))
    assert isinstance(adjusted, DesiredRecord)
    assert adjusted.properties.get(TAGS) == "a=1,b=2"
    set_tags("a=1,b=2")
    world.fake.edit(world.held, "www", "A", metadata={"a": "1", "b": "2", "team": "x"})
    assert world.read()["www A"].properties.get(TAGS) == "a=1,b=2"
    set_tags("a=3")
    assert read_metadata() == {"a": "3", "team": "x"}
    set_tags("")
    assert read_metadata() == {"team": "x"}
    assert world.read()["www A"].properties == ()


def test_without_ownership_records_only_desired_tags_are_ours(world: World) -> None:
    reader = AzureReader(world.settings, world.api, None)
    world.put("www", "A", [{"ipv4Address": "192.0.2.1"}], metadata={"team": "x"})
    for tags, metadata in (("a=1", {"a": "1", "team": "x"}), ("", {"team": "x"})):
        stated = build_desired("www.example.org", "A", "192.0.2.1")
        properties = StringMap.from_items({TAGS: tags} if tags else {})
        (held,) = reader.read_names(world.zone, [stated.name])
        (desired,) = reader.adjust([replace(stated, properties=properties)], world.zone).accepted
        world.apply(Write(old=held, new=desired))
        assert world.held.sets["www", "A"]["properties"]["metadata"] == metadata
        assert reader.read_names(world.zone, [stated.name])[0].properties == properties


def test_a_record_set_deleted_between_two_pages_hides_no_other(world: World) -> None:
    world.fake.max_top = 10
    for number in range(100, 200):
        world.put(f"n{number}", "A", [{"ipv4Address": "192.0.2.1"}])
    for _ in range(3):
        world.fake.faults.arm(Fault(), action="GET ALL")
    world.fake.faults.arm(Meanwhile(lambda: world.fake.delete(world.held, "n105", "A")), action="GET ALL")
    assert world.read().keys() >= {f"n{number} A" for number in range(100, 200)} - {"n105 A"}
    assert len(world.fake.calls) == 11
    assert {call.top for call in world.fake.calls} == {"1000"}


def test_a_record_that_a_virtual_network_registered_is_never_written() -> None:
    world = World(private=True)
    world.put("vm1", "A", [{"ipv4Address": "10.0.0.4"}], isAutoRegistered=True)
    running = world.run({"vm1": "192.0.2.1"})
    assert not running.engine.decisions.reasons[Reason.RECORD_UNREADABLE], "it is no failure"
    assert world.take_writes() == []
    world.put("a-vm1", "TXT", [{"value": [OURS]}])
    running = world.run({"vm1": "192.0.2.1"})
    assert running.engine.decisions.reasons[Reason.RECORD_UNREADABLE]
    assert world.take_writes() == []


def test_texts_and_ids_of_external_dns_are_read_as_it_meant_them(world: World) -> None:
    world.put("WWW", "A", [{"ipv4Address": "192.0.2.1"}], metadata={"a": "1"})
    world.put("A-www", "TXT", [{"value": [OURS]}], metadata={"a": "1"})
    for found in world.held.sets.values():
        found["type"] = found["type"].replace("dnszones", "dnsZones")
    records = world.read()
    assert records["a-www TXT"].targets == (OURS,)
    assert records["www A"].properties.get(TAGS) == "a=1"


# What the calls answer.


@pytest.mark.parametrize("action", ["PUT TXT", "PUT A"])
@pytest.mark.parametrize(
    ("fault", "outcome", "text"),
    [
        (Refuse(400, "BadRequest"), Refused, "BadRequest"),
        (Refuse(403, "AuthorizationFailed"), Forbidden, "AuthorizationFailed"),
        (Refuse(409, "ScopeLocked", "the scope is locked"), Forbidden, "locked"),
        (Refuse(409, "MissingSubscriptionRegistration"), Forbidden, "Registration"),
        (Refuse(409, "Conflict", "another record with the same name"), WriteConflict, "same name"),
        (Refuse(409, "Conflict", "for x='Another operation is pending'"), WriteConflict, "pending"),
        (Refuse(409, "Conflict", "Another operation is pending for requested object"), TryLater, "pending"),
        (Refuse(412, "PreconditionFailed"), WriteConflict, "PreconditionFailed"),
        (Refuse(429, "TooManyRequests"), TryLater, "TooManyRequests"),
        (Refuse(404, "ParentResourceNotFound"), TryLater, "ParentResourceNotFound"),
        (Refuse(401, "ExpiredAuthenticationToken"), TryLater, "InvalidAuthenticationToken"),
        (Refuse(503, "ServiceUnavailable"), Unknown, "ServiceUnavailable"),
    ],
)
def test_the_outcome_of_a_refused_creation_says_why_and_nothing_is_left(
    world: World, fault: Refuse, outcome: type[Outcome], text: str, action: str
) -> None:
    world.fake.faults.arm(fault, action=action, times=None)
    found = world.submit(*BOTH)
    assert isinstance(found, outcome)
    assert not isinstance(found, Applied)
    assert text in found.message
    is_left = outcome is Unknown and action == "PUT A"
    assert world.read().keys() == ({"a-www TXT"} if is_left else set()), "the record may have been made"


def test_a_batch_of_which_something_was_written_has_an_unknown_outcome(world: World) -> None:
    for action in ("PUT A", "DELETE TXT"):
        world.fake.faults.arm(Refuse(403, "AuthorizationFailed"), action=action)
    outcome = world.submit(*BOTH)
    assert isinstance(outcome, Unknown)
    assert "AuthorizationFailed" in outcome.message


def test_refused_names_do_not_stop_the_others_and_are_named(world: World) -> None:
    names = [f"n{number:02}" for number in range(20)]
    for position in range(20):
        world.fake.faults.arm(Refuse(400, "BadRequest") if position in {3, 9} else Fault(), action="PUT TXT")
    running = world.run({})
    running.run(observe_new(*names), for_s=0.01)
    assert isinstance(running.line.outcomes[0], Unknown)
    assert len(world.read()) == 2 * 18
    running.run(for_s=120.0)
    assert world.read().keys() == {key for name in names for key in (f"{name} A", f"a-{name} TXT")}


def test_an_expired_token_is_replaced_once() -> None:
    world = World(tokens=FixedTokens("expired"))
    assert world.read() == {}


def test_tokens_are_sent_to_nobody_else(world: World) -> None:
    world.fake.faults.arm(Replace('{"value": [], "nextLink": "https://elsewhere.example/x"}'), action="GET ALL")
    with pytest.raises(RetryableError, match="elsewhere"):
        world.read()


@pytest.mark.parametrize(
    ("link", "path"),
    [
        ("https://Management.azure.com:443/a?b=c", "/a?b=c"),
        ("https://management.azure.com/a?b=c", "/a?b=c"),
        ("https://management.azure.com:444/a?b=c", None),
        ("http://management.azure.com:443/a?b=c", None),
        ("https://[management.azure.com/a?b=c", None),
    ],
)
def test_the_next_page_is_at_the_same_server_however_it_is_spelled(link: str, path: str | None) -> None:
    assert find_path(link, "https://management.azure.com") == path


@pytest.mark.parametrize(
    ("code", "slowed"), [("Throttled", 0), ("TooManyRequests", 1), ("SubscriptionRequestsThrottled", 1)]
)
def test_a_throttled_subscription_slows_down_all_zones(world: World, code: str, slowed: int) -> None:
    world.fake.faults.arm(Refuse(429, code), action="GET ALL")
    with pytest.raises(RetryableError):
        world.read()
    assert world.api.read_rate_limits()[0].throttle_count == slowed


@pytest.mark.parametrize(
    ("private", "limits"),
    [
        (False, {"CreateRecordSet": 200, "UpdateRecordSet": 200, "DeleteRecordSet": 200, "ListRecordSets": 60}),
        (True, {"CreateRecordSet": 60, "UpdateRecordSet": 60, "DeleteRecordSet": 60, "ListRecordSets": 100}),
    ],
)
def test_no_minute_has_more_than_four_fifths_of_the_calls_of_a_zone(private: bool, limits: dict[str, int]) -> None:
    for action, limit in limits.items():
        clock, made = FastClock(), -1
        limits_of_zone = AzureSettings(private=private).rate_limits
        limiter = RateLimiter(actions=limits_of_zone, monotonic_s=clock.monotonic_s, wait=clock.wait)
        while clock.now_s < 60:
            limiter.acquire(action)
            made += 1
        assert 0.7 * limit < made <= 0.8 * limit


def test_a_zone_that_was_deleted_is_not_taken_for_a_deleted_record_set(world: World) -> None:
    held = world.apply(WWW)["A"]
    world.fake.faults.arm(Drop(), action="DELETE A")
    world.fake.faults.arm(Refuse(404, "ResourceNotFound"), action="GET A")
    assert isinstance(world.submit(delete(held)), Unknown)


def test_a_write_over_a_broken_tls_connection_may_have_been_made(world: World) -> None:
    settings = replace(world.settings, url=world.settings.url.replace("http:", "https:"))
    api = client(settings, world.clock)
    with pytest.raises(CallFailedError, match="SSLError") as error:
        api.delete_set("example.org", "A", "www", "etag")
    assert error.value.kind is FailureKind.UNANSWERED


@pytest.mark.parametrize(
    "body",
    ["<html>", "[]", "[" * 100_000, '{"value": 1}', '{"value": [{"name": "w", "type": "x/A", "properties": []}]}'],
)
def test_an_answer_without_the_form_of_the_api_is_a_short_error(world: World, body: str) -> None:
    world.fake.faults.arm(Replace(body), action="GET ALL")
    with pytest.raises(RetryableError, match="not the form of the API") as error:
        world.read()
    assert len(str(error.value)) < 500


@pytest.mark.parametrize(
    ("etag", "properties"),
    [
        pytest.param("e", {"ARecords": [{"ipv6Address": "::1"}]}, id="another-field"),
        pytest.param("e", {"ARecords": ["192.0.2.1"]}, id="no-object"),
        pytest.param("e", {"ARecords": [{"ipv4Address": "192.0.2.1"}], "TTL": "x"}, id="ttl"),
        pytest.param("e", {"ARecords": [{"ipv4Address": "192.0.2.1"}], "metadata": {"a": 1}}, id="metadata"),
        pytest.param("e", {"ARecords": []}, id="empty"),
        pytest.param("", {"ARecords": [{"ipv4Address": "192.0.2.1"}]}, id="no-etag"),
        pytest.param(None, {"ARecords": [{"ipv4Address": "192.0.2.1"}]}, id="null-etag"),
    ],
)
def test_a_record_set_without_the_form_of_the_api_is_never_written(
    world: World, etag: str | None, properties: Json
) -> None:
    found = {"name": "www", "type": "Microsoft.Network/dnszones/A", "etag": etag, "properties": properties}
    world.fake.faults.arm(Replace(json.dumps({"value": [found]})), action="GET ALL", times=None)
    running = world.run({"www": "192.0.2.1"})
    assert running.engine.decisions.reasons[Reason.RECORD_UNREADABLE]
    assert world.take_writes() == []


def test_a_list_that_never_ends_is_an_error(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("providers.azure.client._MAX_PAGES", 5)
    world.fake.max_top = 1
    for number in range(9):
        world.put(f"n{number}", "A", [{"ipv4Address": "192.0.2.1"}])
    with pytest.raises(RetryableError, match="more than 5 pages"):
        world.read()
    assert len(world.fake.calls) == 5


@pytest.mark.parametrize(
    ("fault", "error"),
    [
        (Refuse(403, "AuthorizationFailed"), ForbiddenError),
        (Refuse(401, "InvalidAuthenticationToken"), CredentialsError),
        (Refuse(429, "Throttled"), RetryableError),
        (Drop(), RetryableError),
    ],
)
def test_a_failed_read_says_whether_a_person_must_act(world: World, fault: Fault, error: type[Exception]) -> None:
    world.fake.faults.arm(fault, action="GET ALL", times=None)
    with pytest.raises(error):
        world.read()


@pytest.mark.parametrize(
    ("change", "granted", "text"),
    [
        (lambda _: None, True, "2 of 10000"),
        (lambda zone: setattr(zone, "lock", "CanNotDelete"), False, "nothing can be deleted"),
        (lambda zone: zone.role.update(actions=["*/read"]), False, "Zones/A/write"),
        (lambda zone: zone.role.update(notActions=["Microsoft.Network/*/TXT/delete"]), False, "Zones/TXT/delete"),
    ],
    ids=["granted", "lock", "reader", "except-one"],
)
def test_permissions_are_known_without_a_write(change: Callable[..., object], granted: bool, text: str) -> None:
    world = World()
    change(world.held)
    found = check_permission(world.api, world.zone, ["A"])
    assert (found.granted, text in found.detail) == (granted, True)
    assert world.take_writes() == []


@pytest.mark.parametrize(
    ("ids", "names", "expected"),
    [
        ((), (), {"example.org", "sub.example.org"}),
        (("/dnszones/sub.example.org",), (), {"sub.example.org"}),
        ((), ("sub.example.org",), {"sub.example.org"}),
    ],
)
def test_zones_are_selected_by_the_end_of_their_ids_and_by_their_names(
    ids: tuple[str, ...], names: tuple[str, ...], expected: set[str]
) -> None:
    world = World()
    world.fake.add_zone("sub.example.org")
    world.fake.add_zone("private.example", private=True)
    filters = replace(world.settings, zone_ids=ids, zone_names=DomainFilter(include=names) if names else None)
    reader = AzureReader(filters, client(filters), None)
    assert {zone.name for zone in reader.list_zones().zones} == expected


def test_zones_are_read_one_by_one_if_the_group_cannot_be_listed(world: World) -> None:
    world.fake.faults.arm(Refuse(403, "AuthorizationFailed"), action="GET ZONES", times=None)
    (failure,) = world.reader.list_zones().failed
    assert "--zone-id-filter" in failure.message
    filters = replace(world.settings, zone_ids=("example.org",))
    assert AzureReader(filters, client(filters), None).list_zones().zones == (world.zone,)


@pytest.mark.parametrize(
    ("desired", "text"),
    [
        (build_desired("www.example.org", "DNAME", "a.example.net"), "does not support DNAME"),
        (build_desired("n.example.org", "A", *(f"192.0.2.{n}" for n in range(21))), "21 values; allowed: 20"),
        (build_desired("t.example.org", "TXT", f'"{"x" * 4097}"'), "4097 characters; allowed: 4096"),
        (build_desired("t.example.org", "TXT", '"\\"quoted\\""'), "quotation marks"),
        (build_desired("t.example.org", "TXT", '"\\200"'), "is not text"),
    ],
)
def test_what_azure_would_refuse_or_change_is_refused_before(desired: DesiredRecord, text: str) -> None:
    found = World().adjust(desired)
    assert isinstance(found, str)
    assert text in found
