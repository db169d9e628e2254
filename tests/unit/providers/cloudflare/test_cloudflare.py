"""Read and write zones of the fake Cloudflare: batches by id, properties, limits of plans, throttling, lost answers."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace

from extdns.errors import CredentialsError, ForbiddenError, RetryableError
from extdns.model.change import Applied, Forbidden, Outcome, Refused, TryLater, Unknown, Write, WriteConflict
from extdns.model.dns_name import DnsName
from extdns.model.reason import Reason
from extdns.model.record import DesiredRecord
from providers.cloudflare.entries import COMMENT, PROXIED, TAGS
from providers.cloudflare.provider import CloudflareReader, check_permission
from providers.cloudflare.settings import CloudflareSettings
from providers.common.api_calls import CallFailedError
from tests.cloudflare import client
from tests.cloudflare_world import World
from tests.conformance.provider import Rig, build_batch, build_desired, create, delete, restate, update
from tests.conformance.provider_world import ProviderWorld
from tests.fakes.cloudflare.server import TOKEN, Cloudflare
from tests.fakes.service.faults import Drop, Meanwhile, Refuse, Replace

BATCH = "POST dns_records"
READ = "GET dns_records"
WWW = create("www.example.org", "A", "192.0.2.1")
MARK = create("a-www.example.org", "TXT", '"owner"')


@pytest.fixture
def fake() -> Iterator[Cloudflare]:
    with Cloudflare() as service:
        yield service


@pytest.fixture
def world(fake: Cloudflare) -> World:
    return World(fake)


def test_replaced_values_keep_their_ids_and_the_ownership_record_gets_a_new_one(world: World) -> None:
    made = world.apply(create("www.example.org", "A", "192.0.2.1", "192.0.2.2", "192.0.2.3"), MARK)
    before = world.contents()
    world.apply(update(made["A"], "192.0.2.1", "192.0.2.8", "192.0.2.9"), restate(made["TXT"]))
    after = world.contents()
    assert sorted(after.values()) == sorted(['"owner"', "192.0.2.1", "192.0.2.8", "192.0.2.9"])
    assert {one for one, content in before.items() if content != '"owner"'} == {
        one for one, content in after.items() if content != '"owner"'
    }
    assert {one for one, content in before.items() if content == '"owner"'}.isdisjoint(after)
    posted = world.fake.calls[-1].body or {}
    assert [len(posted[what]) for what in ("deletes", "patches", "posts")] == [1, 2, 1]


@pytest.mark.parametrize(
    "targets", [("192.0.2.1",), ("192.0.2.4",), ("192.0.2.2", "192.0.2.3"), ("192.0.2.2", "192.0.2.3", "192.0.2.4")]
)
def test_a_record_may_get_fewer_more_or_other_values(world: World, targets: tuple[str, ...]) -> None:
    made = world.apply(create("www.example.org", "A", "192.0.2.1", "192.0.2.2"))
    assert world.apply(update(made["A"], *targets))["A"].targets == targets
    assert sorted(world.contents().values()) == sorted(targets)


def test_a_batch_built_before_another_change_of_ours_fails_as_a_whole(world: World) -> None:
    made = world.apply(WWW, MARK)
    world.apply(update(made["A"], "192.0.2.2"), restate(made["TXT"]))
    before = world.contents()
    late = world.submit(update(made["A"], "192.0.2.3"), restate(made["TXT"]))
    assert isinstance(late, WriteConflict)
    assert isinstance(world.submit(WWW, MARK), WriteConflict), "another process created the same name"
    assert world.contents() == before


def test_a_cname_that_appears_after_the_read_is_a_conflict_and_leaves_no_ownership_record(world: World) -> None:
    def publish() -> None:
        world.fake.put(world.id, "www.example.org", "CNAME", "other.example.net")

    world.fake.faults.arm(Meanwhile(publish), action=BATCH)
    assert isinstance(world.submit(WWW, MARK), WriteConflict)
    assert set(world.read()) == {"www.example.org CNAME"}


def test_a_full_quota_refuses_a_batch_as_a_whole_and_says_so(world: World) -> None:
    world.fake.set_quota(world.id, 1)
    outcome = world.submit(WWW, MARK)
    assert isinstance(outcome, Refused)
    assert "quota" in outcome.message
    assert world.contents() == {}
    made = world.apply(WWW)
    assert isinstance(world.submit(MARK), Refused)
    world.apply(delete(made["A"]))
    world.apply(MARK)


def start_engine(world: World, wanted: dict[str, str]) -> ProviderWorld:
    """Run an engine until *wanted*, addresses by name, is requested and it is idle."""
    return ProviderWorld(Rig(reader=world.reader, writer=world.writer, other=world.writer, zone=world.zone), wanted)


FIFTY = {f"n{number}": "192.0.2.1" for number in range(50)}


def test_ten_thousand_values_take_three_calls_to_read(world: World) -> None:
    for number in range(10_000):
        world.fake.put(world.id, f"n{number}.example.org", "A", "192.0.2.1")
    (zone,) = world.reader.list_zones().zones
    assert len(world.reader.read_page(zone, None).records) == 10_000
    assert world.actions() == ["GET zones", READ, READ]


def test_one_refused_name_of_fifty_is_found_by_halving_and_holds_no_other(world: World) -> None:
    world.fake.protect(world.id, "n7.example.org", "A")
    world.fake.nests_errors = True
    running = start_engine(world, FIFTY)
    assert FIFTY.keys() - running.read_addresses().keys() == {"n7"}
    assert max(position for position, one in enumerate(running.line.outcomes, 1) if isinstance(one, Applied)) <= 12
    assert running.engine.decisions.reasons[Reason.REFUSED] == 1
    assert "Content for the record is invalid. (9007)" in str(running.line.outcomes)


@pytest.mark.parametrize(
    ("fault", "outcome"),
    [
        (Drop(worked=True), Unknown),
        (Drop(), Unknown),
        (Refuse(502, "0"), Unknown),
        (Refuse(403, "10000"), Forbidden),
        (Refuse(401, "10000"), TryLater),
        (Refuse(400, "9207"), Refused),
        (Refuse(404, "7003"), TryLater),
        (Refuse(429, "971"), TryLater),
    ],
)
def test_the_outcome_of_a_failed_batch_says_whether_it_may_have_been_applied(
    world: World, fault: Drop | Refuse, outcome: type[Outcome]
) -> None:
    world.fake.faults.arm(fault, action=BATCH)
    assert isinstance(world.submit(WWW), outcome)
    assert world.actions().count(BATCH) == 1


def test_no_call_is_made_for_as_long_as_cloudflare_says_after_throttling(world: World) -> None:
    world.fake.faults.arm(Refuse(429, "971"), action=BATCH)
    world.submit(WWW)
    began_s = world.clock.monotonic_s()
    world.read()
    assert world.clock.monotonic_s() - began_s >= 120
    assert world.reader.read_rate_limits()[0].throttle_count == 1


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        (Replace('{"success":true,"result":[],"result_info":{"total_pages":1000000000}}'), "too many pages"),
        (Replace('{"errors":[' + '{"error_chain":[' * 9999 + "]}" * 9999 + "]}", 400), "ListRecords on zone"),
        (Replace('{"errors":[' + '{"error_chain":[' * 400 + "]}" * 400 + "]}", 400), "ListRecords on zone"),
        (Replace('{"errors":[{"message":"' + "\\u001b\\n" * 50_000 + '"}]}', 400), r"\x1b\n"),
        (Replace(" " * 100_001), "longer than 100000 bytes"),
    ],
    ids=["endless pages", "too deep to decode", "deep", "escape sequences of 100 kB", "long"],
)
def test_an_answer_of_any_size_and_form_costs_one_call_and_gives_a_short_message(
    world: World, monkeypatch: pytest.MonkeyPatch, fault: Replace, message: str
) -> None:
    monkeypatch.setattr("providers.common.http_calls.MAX_BYTES", 100_000 if "long" in message else 1 << 20)
    world.fake.faults.arm(fault, action=READ)
    with pytest.raises(RetryableError) as raised:
        world.read()
    text = str(raised.value)
    assert message in text
    assert len(text) < 1000
    assert text.isprintable()
    assert world.actions() == [READ]


@pytest.mark.parametrize(("stated", "read"), [(10**30, 2**31 - 1), (-5, 0)])
def test_a_ttl_that_no_record_can_have_is_read_as_the_nearest_one(world: World, stated: int, read: int) -> None:
    entry = world.fake.put(world.id, "www.example.org", "A", "192.0.2.1")
    world.fake.edit(entry["id"], ttl=stated)
    assert world.read()["www.example.org A"].ttl_s == read


def test_cloudflare_can_delay_calls_for_an_hour_but_not_for_ever(world: World) -> None:
    world.fake.faults.arm(Replace("{}", 429, {"Retry-After": "9" * 400}), action=READ)
    with pytest.raises(RetryableError):
        world.read()
    assert world.reader.read_rate_limits()[0].calls_left >= -3600 * world.settings.calls.rate_limit.per_s


def test_a_zone_that_changes_between_two_pages_is_read_again(fake: Cloudflare) -> None:
    world = World(fake, page_items=2)
    for number in range(6):
        fake.put(world.id, f"n{number}.example.org", "A", "192.0.2.1")

    def remove_first() -> None:
        records = fake.list_records(world.id)
        assert isinstance(world.writer.submit(world.zone, build_batch(world.zone, [])), Applied)
        fake.delete(world.id, records[0]["id"])

    fake.faults.arm(Meanwhile(lambda: None), action=READ)
    fake.faults.arm(Meanwhile(remove_first), action=READ)
    assert len(world.read()) == 5


def test_one_name_of_a_zone_with_several_pages_is_read_by_its_name(fake: Cloudflare) -> None:
    world = World(fake, page_items=2)
    for number in range(6):
        fake.put(world.id, f"n{number}.example.org", "A", "192.0.2.1")
    assert len(world.read()) == 6
    world.actions()
    (found,) = world.reader.read_names(world.zone, [DnsName("n3.example.org")])
    assert found.name == "n3.example.org"
    assert world.actions() == [READ]


def test_a_name_with_more_values_than_a_page_is_read_completely(fake: Cloudflare) -> None:
    world = World(fake, page_items=1)
    for number in range(3):
        fake.put(world.id, "www.example.org", "A", f"192.0.2.{number}")
    world.read()
    (found,) = world.reader.read_names(world.zone, [DnsName("www.example.org")])
    assert len(found.targets) == 3


def test_nothing_is_written_over_a_record_whose_ids_are_not_known(world: World) -> None:
    made = world.apply(WWW)
    forgotten = replace(made["A"], exact=None)
    assert isinstance(world.submit(delete(forgotten)), WriteConflict)
    assert isinstance(world.submit(update(forgotten, "192.0.2.2")), WriteConflict)
    assert world.read() == {"www.example.org A": made["A"]}


def test_a_record_of_which_one_value_is_proxied_is_proxied_and_can_be_changed_back(world: World) -> None:
    for content, proxied in (("192.0.2.1", False), ("192.0.2.2", True)):
        world.fake.put(world.id, "www.example.org", "A", content, proxied=proxied, ttl=1)
    (mixed,) = world.read().values()
    plain = world.adjust(build_desired("www.example.org", "A", *mixed.targets))
    assert isinstance(plain, DesiredRecord)
    assert mixed.properties != plain.properties
    assert world.apply(Write(old=mixed, new=plain))["A"].properties == plain.properties


@pytest.mark.parametrize("host", ["sip.example.net", "sip.example.net.", "."])
def test_the_replacement_of_a_naptr_may_lack_its_last_dot(world: World, host: str) -> None:
    data = {"order": 1, "preference": 2, "flags": "s", "service": "SIP+D2U", "regex": "", "replacement": host}
    entry = world.fake.put(world.id, "www.example.org", "NAPTR", "", data=data)
    world.fake.edit(entry["id"], data=data)
    desired = world.adjust(build_desired("www.example.org", "NAPTR", f'1 2 "s" "SIP+D2U" "" {host}'))
    assert isinstance(desired, DesiredRecord)
    assert world.read()["www.example.org NAPTR"].targets == desired.targets


def test_what_external_dns_left_needs_no_change(world: World) -> None:
    for content, comment in (("192.0.2.1", "one"), ("192.0.2.2", "two")):
        world.fake.put(world.id, "www.example.org", "A", content, comment=comment, ttl=1)
    world.fake.put(world.id, "p.example.org", "A", "192.0.2.3", proxied=True, ttl=1)
    world.fake.put(world.id, "example.org", "MX", "mail.example.net", priority=10)
    data = {"priority": 0, "weight": 5, "port": 443, "target": "web.example.net"}
    world.fake.put(world.id, "_s._tcp.example.org", "SRV", "", data=data)
    desired = [
        world.adjust(build_desired("www.example.org", "A", "192.0.2.1", "192.0.2.2")),
        world.adjust(build_desired("p.example.org", "A", "192.0.2.3", ttl_s=600), proxied="true"),
        world.adjust(build_desired("example.org", "MX", "10 mail.example.net")),
        world.adjust(build_desired("_s._tcp.example.org", "SRV", "0 5 443 web.example.net.")),
    ]
    held = world.read()
    for one in desired:
        assert isinstance(one, DesiredRecord)
        record = held[f"{one.name} {one.type}"]
        assert (record.targets, record.properties) == (one.targets, one.properties)
        assert not one.has_ttl or one.ttl_s == record.ttl_s


def test_proxying_comment_and_tags_are_set_changed_and_removed(fake: Cloudflare) -> None:
    world = World(fake, plan="pro")
    desired = build_desired("www.example.org", "A", "203.0.113.1", ttl_s=120)
    full = world.adjust(desired, proxied="True", record_comment="by hand", tags="b:2, a:1")
    assert isinstance(full, DesiredRecord)
    assert dict(full.properties) == {PROXIED: "true", COMMENT: "by hand", TAGS: "a:1,b:2"}
    made = world.apply(Write(old=None, new=full))["A"]
    assert made.properties == full.properties
    plain = world.adjust(desired)
    assert isinstance(plain, DesiredRecord)
    (now,) = world.apply(Write(old=made, new=plain)).values()
    assert (now.properties, now.ttl_s) == (plain.properties, 120)
    (entry,) = fake.list_records(world.id)
    assert (entry["proxied"], entry["comment"], entry["tags"]) == (False, None, [])


def test_the_flags_give_the_defaults_that_annotations_override(fake: Cloudflare) -> None:
    world = World(fake, proxied=True, comment="by flag")
    found = world.adjust(build_desired("www.example.org", "A", "203.0.113.1"))
    assert isinstance(found, DesiredRecord)
    assert dict(found.properties) == {PROXIED: "true", COMMENT: "by flag"}
    text = world.adjust(build_desired("www.example.org", "TXT", '"x"'))
    assert isinstance(text, DesiredRecord)
    assert dict(text.properties) == {COMMENT: "by flag"}
    off = world.adjust(build_desired("www.example.org", "A", "203.0.113.1"), proxied="0", record_comment="")
    assert isinstance(off, DesiredRecord)
    assert off.properties == ()


def test_a_cname_at_the_name_of_a_zone_is_published_because_cloudflare_flattens_it(world: World) -> None:
    found = world.adjust(build_desired("example.org", "CNAME", "lb.example.net"))
    assert isinstance(found, DesiredRecord)
    world.apply(Write(old=None, new=found))
    assert world.read()["example.org CNAME"].targets == ("lb.example.net",)


@pytest.mark.parametrize(
    ("record", "properties", "part"),
    [
        (build_desired("www.example.org", "A", "10.0.0.1"), {"proxied": "true"}, "10.0.0.1 cannot be proxied"),
        (build_desired("www.example.org", "A", "192.0.2.1"), {"record_comment": "x" * 101}, "allows 100"),
        (build_desired("www.example.org", "A", "192.0.2.1"), {"tags": "a:1"}, "has no tags"),
        (build_desired("www.example.org", "A", "192.0.2.1"), {"tags": "a:\n" + "x" * 99_999}, r"the tags a:\nx"),
        (build_desired("www.example.org", "A", "192.0.2.1"), {"record_comment": "\x1b[31m"}, r"'\x1b[31m'"),
        (build_desired("www.example.org", "TXT", f'"{"x" * 2050}"'), {}, "allowed: 2048"),
        (build_desired("www.example.org", "A", "192.0.2.1", set_identifier="x"), {}, "set identifier"),
    ],
)
def test_what_the_plan_of_the_zone_does_not_allow_is_refused_without_a_call(
    world: World, record: DesiredRecord, properties: dict[str, str], part: str
) -> None:
    found = world.adjust(record, **properties)
    assert isinstance(found, str)
    assert part in found
    assert len(found) < 1000
    assert world.actions() == []


@pytest.mark.parametrize("tag", ["a b:1", ":1", "a:\x1b[31m", "a\x00"])
def test_a_tag_with_a_name_or_characters_that_cloudflare_does_not_take_is_refused(fake: Cloudflare, tag: str) -> None:
    found = World(fake, plan="pro").adjust(build_desired("www.example.org", "A", "192.0.2.1"), tags=f"ok:1,{tag}")
    assert isinstance(found, str)
    assert "NAME:VALUE" in found
    assert found.isprintable()


@pytest.mark.parametrize(("stated", "held"), [(30, 60), (0, 0), (90_000, 86_400), (600, 600)])
def test_a_ttl_is_raised_or_lowered_to_what_cloudflare_accepts(world: World, stated: int, held: int) -> None:
    found = world.adjust(build_desired("www.example.org", "A", "192.0.2.1", ttl_s=stated))
    assert isinstance(found, DesiredRecord)
    assert found.ttl_s == held


def test_zones_are_chosen_by_name_or_by_id(fake: Cloudflare) -> None:
    world = World(fake)
    other = fake.add_zone("example.net")
    chosen = CloudflareReader(replace(world.settings, zone_ids=(other, "f" * 32)), world.api).list_zones()
    assert [zone.name for zone in chosen.zones] == ["example.net"]
    assert "7003" in chosen.failed[0].message
    assert {zone.name for zone in world.reader.list_zones().zones} == {"example.net", "example.org"}


def test_the_token_may_be_in_a_file_which_is_read_for_each_call(
    world: World, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    token = tmp_path / "token"
    monkeypatch.setenv("CF_API_TOKEN", f"file:{token}")
    with pytest.raises(CredentialsError, match="cannot be read"):
        world.read()
    token.write_text("expired")
    with pytest.raises(ForbiddenError, match="Invalid access token"):
        world.read()
    token.write_text(f"{TOKEN}\n")
    assert world.read() == {}


@pytest.mark.parametrize("token", ["", "two\nlines"])
def test_missing_or_malformed_credentials_are_said_before_a_call(
    world: World, monkeypatch: pytest.MonkeyPatch, token: str
) -> None:
    monkeypatch.setenv("CF_API_TOKEN", token)
    with pytest.raises(CredentialsError, match="CF_API_TOKEN"):
        world.read()
    assert world.actions() == []


def test_calls_go_through_the_proxy_of_the_environment(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", world.fake.url.replace("http://", "http://me:secret@"))
    monkeypatch.setenv("NO_PROXY", "")
    settings = CloudflareSettings(url="http://127.0.0.1:9/client/v4")  # nobody listens there
    assert [zone.name for zone in client(settings).list_zones()[0]] == ["example.org"]
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    with pytest.raises(CallFailedError, match="refused"):
        client(settings).list_zones()
    monkeypatch.setenv("HTTP_PROXY", "me:secret@proxy.example")
    monkeypatch.setenv("NO_PROXY", "")
    with pytest.raises(CallFailedError, match="HTTP_PROXY is not the address of a proxy"):
        client(settings).list_zones()


def test_an_unreachable_service_is_asked_again_later_and_nothing_was_written(world: World) -> None:
    world.fake.kill()
    with pytest.raises(RetryableError):
        world.read()
    assert isinstance(world.submit(WWW), TryLater)


def test_the_permissions_of_a_zone_are_those_that_it_states(world: World) -> None:
    assert check_permission(world.api, world.zone).granted is True
    world.fake.denied.add("GET zones")
    assert check_permission(world.api, world.zone).granted is None
