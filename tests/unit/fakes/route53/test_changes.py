"""Change batches: API reference, ChangeResourceRecordSets and GetChange; developer guide, "Quotas"."""

from __future__ import annotations

import pytest
from botocore.exceptions import ClientError

from tests.fakes.route53.probe import Clock, Probe, alias, simple
from tests.fakes.route53.server import Route53
from tests.fakes.route53.zones import Author

A = simple("a.example.com", "A", "192.0.2.1", "192.0.2.2")
WEIGHTED = simple("w.example.com", SetIdentifier="one", Weight=1, HealthCheckId="check")
ALIAS = alias("l.example.com", "x.us-east-1.elb.amazonaws.com", "Z35SXDOTRQ7X7K")


@pytest.fixture(autouse=True)
def _health_check(fake: Route53) -> None:
    fake.api.health_checks.add("check")


@pytest.mark.parametrize(
    "record", [pytest.param(A, id="simple"), pytest.param(WEIGHTED, id="weighted"), pytest.param(ALIAS, id="alias")]
)
def test_what_is_created_can_be_deleted_as_it_is_listed(fake: Route53, probe: Probe, record: dict[str, object]) -> None:
    probe.create(record)
    (shown,) = fake.shown(probe.zone_id)
    probe.change(("DELETE", shown))
    assert fake.shown(probe.zone_id) == []


@pytest.mark.parametrize(
    "record", [pytest.param(A, id="simple"), pytest.param(WEIGHTED, id="weighted"), pytest.param(ALIAS, id="alias")]
)
def test_a_create_of_what_exists_is_refused(probe: Probe, record: dict[str, object]) -> None:
    probe.create(record)
    code, message = probe.refusal(("CREATE", record))
    assert code == "InvalidChangeBatch"
    assert message.startswith(f"[Tried to create resource record set [name='{record['Name']}.', type='A'")
    assert message.endswith("] but it already exists]")


def test_a_message_names_the_set_identifier(probe: Probe) -> None:
    probe.create(WEIGHTED)
    assert "[name='w.example.com.', type='A', set-identifier='one']" in probe.refusal(("CREATE", WEIGHTED))[1]


@pytest.mark.parametrize(
    ("held", "change"),
    [
        pytest.param(A, {"TTL": 60}, id="ttl"),
        pytest.param(A, {"ResourceRecords": [{"Value": "192.0.2.1"}]}, id="fewer-values"),
        pytest.param(WEIGHTED, {"Weight": 2}, id="weight"),
        pytest.param(WEIGHTED, {"HealthCheckId": "other"}, id="health-check"),
        pytest.param(ALIAS, {"AliasTarget": ALIAS["AliasTarget"] | {"EvaluateTargetHealth": True}}, id="alias"),
    ],
)
def test_a_delete_has_to_repeat_all_values(probe: Probe, held: dict[str, object], change: dict[str, object]) -> None:
    """«… you must specify all the same values that you specified when you created it»."""
    probe.create(held)
    code, message = probe.refusal(("DELETE", held | change))
    assert code == "InvalidChangeBatch"
    assert "Tried to delete resource record set [name=" in message
    assert message.endswith("but the values provided do not match the current values]")


def test_a_delete_may_give_values_in_any_order(probe: Probe) -> None:
    probe.create(A)
    probe.change(("DELETE", A | {"ResourceRecords": [{"Value": "192.0.2.2"}, {"Value": "192.0.2.1"}]}))
    assert probe.listed() == []


def test_a_delete_of_what_is_not_there_is_refused(probe: Probe) -> None:
    expected = "[Tried to delete resource record set [name='a.example.com.', type='A'] but it was not found]"
    assert probe.refusal(("DELETE", A)) == ("InvalidChangeBatch", expected)


def test_an_upsert_creates_and_then_replaces(fake: Route53, probe: Probe) -> None:
    for address in ("192.0.2.1", "192.0.2.9"):
        probe.change(("UPSERT", simple("a.example.com", "A", address)))
        assert fake.shown(probe.zone_id) == [simple("a.example.com.", "A", address)]


def test_a_batch_is_applied_all_or_nothing_and_tells_every_error(probe: Probe) -> None:
    """«InvalidChangeBatch … contains a list of messages that might contain one or more error messages»."""
    probe.create(A)
    code, message = probe.refusal(
        ("CREATE", simple("good.example.com")), ("CREATE", A), ("DELETE", simple("none.example.com"))
    )
    assert code == "InvalidChangeBatch"
    assert message == (
        "[Tried to create resource record set [name='a.example.com.', type='A'] but it already exists, "
        "Tried to delete resource record set [name='none.example.com.', type='A'] but it was not found]"
    )


def test_a_record_set_can_be_deleted_and_created_anew_in_one_batch(fake: Route53, probe: Probe) -> None:
    """«Route 53 deletes the first resource record set and creates the second … in a single operation»."""
    probe.create(simple("www.example.com", "CNAME", "a.test"))
    probe.change(
        ("DELETE", simple("www.example.com", "CNAME", "a.test")), ("CREATE", ALIAS | {"Name": "www.example.com"})
    )
    assert probe.listed() == ["www.example.com. A"]
    (shown,) = fake.shown(probe.zone_id)
    probe.change(("DELETE", shown), ("CREATE", simple("www.example.com", ttl=60)))
    assert fake.shown(probe.zone_id) == [simple("www.example.com.", ttl=60)]


@pytest.mark.parametrize(
    "actions",
    [
        pytest.param(("DELETE", "DELETE"), id="«delete the same resource record set more than once»"),
        pytest.param(("UPSERT", "UPSERT"), id="upsert-twice"),
        pytest.param(("UPSERT", "DELETE"), id="upsert-and-delete"),
        pytest.param(("DELETE", "CREATE", "UPSERT"), id="again-after-delete-and-create"),
    ],
)
def test_a_record_set_that_comes_twice_is_refused(probe: Probe, actions: tuple[str, ...]) -> None:
    probe.create(A)
    expected = "[The request contains an invalid set of changes for a resource record set 'A a.example.com.']"
    assert probe.refusal(*((action, A) for action in actions)) == ("InvalidChangeBatch", expected)


@pytest.mark.parametrize(
    ("action", "count", "limit"),
    [
        pytest.param("CREATE", 1000, None, id="1000-elements"),
        pytest.param("CREATE", 1001, "Number of records limit of 1000 exceeded.", id="1001-elements"),
        pytest.param("UPSERT", 500, None, id="«when UPSERT, each ResourceRecord element is counted twice»"),
        pytest.param("UPSERT", 501, "Number of records limit of 1000 exceeded.", id="501-upserts"),
    ],
)
def test_elements_are_limited(probe: Probe, action: str, count: int, limit: str | None) -> None:
    records = [(action, simple(f"n{number}.example.com")) for number in range(count)]
    if limit is None:
        probe.change(*records)
    else:
        assert probe.refusal(*records) == ("InvalidChangeBatch", f"[{limit}]")


def test_values_count_not_record_sets(probe: Probe) -> None:
    records = [simple(f"n{n}.example.com", "A", *(f"192.0.2.{i}" for i in range(200))) for n in range(6)]
    probe.create(*records[:5])
    assert probe.refusal(*(("CREATE", record | {"Name": f"x{record['Name']}"}) for record in records))[1] == (
        "[Number of records limit of 1000 exceeded.]"
    )


@pytest.mark.parametrize(
    ("action", "length", "limit"),
    [
        pytest.param("CREATE", 320, None, id="32000-characters"),
        pytest.param("CREATE", 321, "RDATA character limit of 32000 exceeded.", id="32100-characters"),
        pytest.param("UPSERT", 160, None, id="«each character in a Value element is counted twice»"),
        pytest.param("UPSERT", 161, "RDATA character limit of 32000 exceeded.", id="32200-characters-doubled"),
    ],
)
def test_characters_are_limited(probe: Probe, action: str, length: int, limit: str | None) -> None:
    strings = f'"{"a" * 150}" "{"b" * (length - 155)}"'
    assert len(strings) == length
    records = [(action, simple(f"n{number}.example.com", "TXT", strings)) for number in range(100)]
    if limit is None:
        probe.change(*records)
    else:
        assert probe.refusal(*records) == ("InvalidChangeBatch", f"[{limit}]")


def test_record_sets_of_a_zone_are_limited_if_wanted(fake: Route53, probe: Probe) -> None:
    """Developer guide, "Quotas on entities": 10,000 a zone, more on request."""
    fake.api.max_records = 3
    probe.create(simple("a.example.com"))
    expected = "[Exceeded limit MAX_RRSETS_BY_ZONE for zone: ZEXAMPLE]"
    assert probe.refusal(("CREATE", simple("b.example.com"))) == ("InvalidChangeBatch", expected)
    probe.change(("DELETE", simple("a.example.com")), ("CREATE", simple("b.example.com")))


def test_a_health_check_has_to_exist(probe: Probe) -> None:
    code, message = probe.refusal(("CREATE", WEIGHTED | {"HealthCheckId": "none"}))
    assert (code, message) == ("NoSuchHealthCheck", "No health check exists with the specified ID: none")


def test_a_change_is_pending_until_it_is_in_sync(fake: Route53, probe: Probe, clock: Clock) -> None:
    """«Changes generally propagate … within 60 seconds»; GetChange says PENDING, then INSYNC."""
    fake.api.propagation_s = 60
    change_id = probe.create(A)
    assert change_id.startswith("/change/C")
    assert probe.client.get_change(Id=change_id)["ChangeInfo"]["Status"] == "PENDING"
    clock.now_s += 60
    assert probe.client.get_change(Id=change_id)["ChangeInfo"]["Status"] == "INSYNC"


def test_an_unknown_change_is_refused(probe: Probe) -> None:
    with pytest.raises(ClientError, match="NoSuchChange"):
        probe.client.get_change(Id="C0")


def test_a_zone_is_busy_while_a_change_is_worked_off(fake: Route53, probe: Probe, clock: Clock) -> None:
    """«If Route 53 can't process a request before the next request arrives, it will reject subsequent requests»."""
    fake.api.working_s = 1
    probe.create(A)
    code, message = probe.refusal(("CREATE", simple("b.example.com")))
    assert code == "PriorRequestNotComplete"
    assert message == "The request was rejected because Route 53 was still processing a prior request."
    assert probe.listed() == ["a.example.com. A"], "reading goes on"
    clock.now_s += 1
    probe.create(simple("b.example.com"))


def test_edits_tell_who_changed_what(fake: Route53, probe: Probe) -> None:
    probe.create(A, simple("b.example.com"))
    fake.put(probe.zone_id, simple("b.example.com", ttl=60))
    probe.change(("DELETE", A), ("UPSERT", simple("b.example.com", ttl=60)))
    fake.delete(probe.zone_id, "b.example.com", "A")
    shown = [(one.by, one.before and one.before.name, one.after and one.after.ttl) for one in fake.edits("ZEXAMPLE")]
    assert shown == [
        (Author.API, None, 300),
        (Author.API, None, 300),
        (Author.TEST, "b.example.com.", 60),
        (Author.API, "a.example.com.", None),
        (Author.TEST, "b.example.com.", None),
    ]
    assert len(fake.edits("ZEXAMPLE", by=Author.API)) == 3
