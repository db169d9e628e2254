"""Change batches (API reference, ChangeResourceRecordSets, GetChange; developer guide, "Quotas")."""

from __future__ import annotations

import pytest
from botocore.exceptions import ClientError

from tests.fakes.clocks import MovedClock
from tests.fakes.route53.server import Route53
from tests.fakes.route53.zones import Author
from tests.unit.fakes.route53.raw_client import RawClient, build_alias, build_simple

A = build_simple("a.example.com", "A", "192.0.2.1", "192.0.2.2")
WEIGHTED = build_simple("w.example.com", SetIdentifier="one", Weight=1, HealthCheckId="check")
ALIAS = build_alias("l.example.com", "x.us-east-1.elb.amazonaws.com", "Z35SXDOTRQ7X7K")


@pytest.fixture(autouse=True)
def _health_check(fake: Route53) -> None:
    fake.api.health_checks.add("check")


@pytest.mark.parametrize(
    "record", [pytest.param(A, id="simple"), pytest.param(WEIGHTED, id="weighted"), pytest.param(ALIAS, id="alias")]
)
def test_a_created_record_set_can_be_deleted_as_listed(
    fake: Route53, raw_client: RawClient, record: dict[str, object]
) -> None:
    raw_client.create(record)
    (shown,) = fake.shown(raw_client.zone_id)
    raw_client.change(("DELETE", shown))
    assert fake.shown(raw_client.zone_id) == []


@pytest.mark.parametrize(
    "record", [pytest.param(A, id="simple"), pytest.param(WEIGHTED, id="weighted"), pytest.param(ALIAS, id="alias")]
)
def test_creating_an_existing_record_set_is_refused(raw_client: RawClient, record: dict[str, object]) -> None:
    raw_client.create(record)
    code, message = raw_client.refusal(("CREATE", record))
    assert code == "InvalidChangeBatch"
    assert message.startswith(f"[Tried to create resource record set [name='{record['Name']}.', type='A'")
    assert message.endswith("] but it already exists]")


def test_the_message_about_a_routed_record_set_contains_the_set_identifier(raw_client: RawClient) -> None:
    raw_client.create(WEIGHTED)
    assert "[name='w.example.com.', type='A', set-identifier='one']" in raw_client.refusal(("CREATE", WEIGHTED))[1]


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
def test_a_delete_with_values_other_than_the_current_ones_is_refused(
    raw_client: RawClient, held: dict[str, object], change: dict[str, object]
) -> None:
    """«… you must specify all the same values that you specified when you created it»."""
    raw_client.create(held)
    code, message = raw_client.refusal(("DELETE", held | change))
    assert code == "InvalidChangeBatch"
    assert "Tried to delete resource record set [name=" in message
    assert message.endswith("but the values provided do not match the current values]")


def test_a_delete_may_list_the_values_in_another_order(raw_client: RawClient) -> None:
    raw_client.create(A)
    raw_client.change(("DELETE", A | {"ResourceRecords": [{"Value": "192.0.2.2"}, {"Value": "192.0.2.1"}]}))
    assert raw_client.listed() == []


def test_deleting_a_missing_record_set_is_refused(raw_client: RawClient) -> None:
    expected = "[Tried to delete resource record set [name='a.example.com.', type='A'] but it was not found]"
    assert raw_client.refusal(("DELETE", A)) == ("InvalidChangeBatch", expected)


def test_an_upsert_creates_or_replaces_a_record_set(fake: Route53, raw_client: RawClient) -> None:
    for address in ("192.0.2.1", "192.0.2.9"):
        raw_client.change(("UPSERT", build_simple("a.example.com", "A", address)))
        assert fake.shown(raw_client.zone_id) == [build_simple("a.example.com.", "A", address)]


def test_a_refused_batch_lists_the_error_of_every_change(raw_client: RawClient) -> None:
    """«InvalidChangeBatch … contains a list of messages that might contain one or more error messages»."""
    raw_client.create(A)
    code, message = raw_client.refusal(
        ("CREATE", build_simple("good.example.com")), ("CREATE", A), ("DELETE", build_simple("none.example.com"))
    )
    assert code == "InvalidChangeBatch"
    assert message == (
        "[Tried to create resource record set [name='a.example.com.', type='A'] but it already exists, "
        "Tried to delete resource record set [name='none.example.com.', type='A'] but it was not found]"
    )


def test_a_record_set_can_be_deleted_and_created_again_in_one_batch(fake: Route53, raw_client: RawClient) -> None:
    """«Route 53 deletes the first resource record set and creates the second … in a single operation»."""
    raw_client.create(build_simple("www.example.com", "CNAME", "a.test"))
    raw_client.change(
        ("DELETE", build_simple("www.example.com", "CNAME", "a.test")), ("CREATE", ALIAS | {"Name": "www.example.com"})
    )
    assert raw_client.listed() == ["www.example.com. A"]
    (shown,) = fake.shown(raw_client.zone_id)
    raw_client.change(("DELETE", shown), ("CREATE", build_simple("www.example.com", ttl=60)))
    assert fake.shown(raw_client.zone_id) == [build_simple("www.example.com.", ttl=60)]


@pytest.mark.parametrize(
    "actions",
    [
        pytest.param(("DELETE", "DELETE"), id="«delete the same resource record set more than once»"),
        pytest.param(("UPSERT", "UPSERT"), id="upsert-twice"),
        pytest.param(("UPSERT", "DELETE"), id="upsert-and-delete"),
        pytest.param(("DELETE", "CREATE", "UPSERT"), id="again-after-delete-and-create"),
    ],
)
def test_a_batch_that_changes_a_record_set_twice_is_refused(raw_client: RawClient, actions: tuple[str, ...]) -> None:
    raw_client.create(A)
    expected = "[The request contains an invalid set of changes for a resource record set 'A a.example.com.']"
    assert raw_client.refusal(*((action, A) for action in actions)) == ("InvalidChangeBatch", expected)


@pytest.mark.parametrize(
    ("action", "count", "limit"),
    [
        pytest.param("CREATE", 1000, None, id="1000-elements"),
        pytest.param("CREATE", 1001, "Number of records limit of 1000 exceeded.", id="1001-elements"),
        pytest.param("UPSERT", 500, None, id="«when UPSERT, each ResourceRecord element is counted twice»"),
        pytest.param("UPSERT", 501, "Number of records limit of 1000 exceeded.", id="501-upserts"),
    ],
)
def test_the_number_of_values_in_a_batch_is_limited(
    raw_client: RawClient, action: str, count: int, limit: str | None
) -> None:
    records = [(action, build_simple(f"n{number}.example.com")) for number in range(count)]
    if limit is None:
        raw_client.change(*records)
    else:
        assert raw_client.refusal(*records) == ("InvalidChangeBatch", f"[{limit}]")


def test_the_batch_limit_counts_values_instead_of_record_sets(raw_client: RawClient) -> None:
    records = [build_simple(f"n{n}.example.com", "A", *(f"192.0.2.{i}" for i in range(200))) for n in range(6)]
    raw_client.create(*records[:5])
    assert raw_client.refusal(*(("CREATE", record | {"Name": f"x{record['Name']}"}) for record in records))[1] == (
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
def test_the_number_of_characters_in_a_batch_is_limited(
    raw_client: RawClient, action: str, length: int, limit: str | None
) -> None:
    strings = f'"{"a" * 150}" "{"b" * (length - 155)}"'
    assert len(strings) == length
    records = [(action, build_simple(f"n{number}.example.com", "TXT", strings)) for number in range(100)]
    if limit is None:
        raw_client.change(*records)
    else:
        assert raw_client.refusal(*records) == ("InvalidChangeBatch", f"[{limit}]")


def test_the_number_of_record_sets_in_a_zone_can_be_limited(fake: Route53, raw_client: RawClient) -> None:
    """The default quota is 10,000 record sets in a zone (developer guide, "Quotas on entities")."""
    fake.api.max_records = 3
    raw_client.create(build_simple("a.example.com"))
    expected = "[Exceeded limit MAX_RRSETS_BY_ZONE for zone: ZEXAMPLE]"
    assert raw_client.refusal(("CREATE", build_simple("b.example.com"))) == ("InvalidChangeBatch", expected)
    raw_client.change(("DELETE", build_simple("a.example.com")), ("CREATE", build_simple("b.example.com")))


def test_a_record_set_with_an_unknown_health_check_is_refused(raw_client: RawClient) -> None:
    code, message = raw_client.refusal(("CREATE", WEIGHTED | {"HealthCheckId": "none"}))
    assert (code, message) == ("NoSuchHealthCheck", "No health check exists with the specified ID: none")


def test_a_change_is_pending_until_the_propagation_time(
    fake: Route53, raw_client: RawClient, clock: MovedClock
) -> None:
    """«Changes generally propagate … within 60 seconds»; GetChange returns PENDING, then INSYNC."""
    fake.api.propagation_s = 60
    change_id = raw_client.create(A)
    assert change_id.startswith("/change/C")
    assert raw_client.client.get_change(Id=change_id)["ChangeInfo"]["Status"] == "PENDING"
    clock.now_s += 60
    assert raw_client.client.get_change(Id=change_id)["ChangeInfo"]["Status"] == "INSYNC"


def test_reading_an_unknown_change_id_is_refused(raw_client: RawClient) -> None:
    with pytest.raises(ClientError, match="NoSuchChange"):
        raw_client.client.get_change(Id="C0")


def test_a_change_to_a_zone_that_still_processes_another_is_refused(
    fake: Route53, raw_client: RawClient, clock: MovedClock
) -> None:
    """«If Route 53 can't process a request before the next request arrives, it will reject subsequent requests»."""
    fake.api.working_s = 1
    raw_client.create(A)
    code, message = raw_client.refusal(("CREATE", build_simple("b.example.com")))
    assert code == "PriorRequestNotComplete"
    assert message == "The request was rejected because Route 53 was still processing a prior request."
    assert raw_client.listed() == ["a.example.com. A"], "reading goes on"
    clock.now_s += 1
    raw_client.create(build_simple("b.example.com"))


def test_the_edits_of_a_zone_are_listed_with_who_made_them(fake: Route53, raw_client: RawClient) -> None:
    raw_client.create(A, build_simple("b.example.com"))
    fake.put(raw_client.zone_id, build_simple("b.example.com", ttl=60))
    raw_client.change(("DELETE", A), ("UPSERT", build_simple("b.example.com", ttl=60)))
    fake.delete(raw_client.zone_id, "b.example.com", "A")
    shown = [(one.by, one.before and one.before.name, one.after and one.after.ttl) for one in fake.edits("ZEXAMPLE")]
    assert shown == [
        (Author.API, None, 300),
        (Author.API, None, 300),
        (Author.TEST, "b.example.com.", 60),
        (Author.API, "a.example.com.", None),
        (Author.TEST, "b.example.com.", None),
    ]
    assert len(fake.edits("ZEXAMPLE", by=Author.API)) == 3
