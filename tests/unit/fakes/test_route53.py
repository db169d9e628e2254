"""What the documentation of Route 53 says of requests and answers, and the fake Route 53 does.

Sources are the API reference and the developer guide (quoted in «»). Messages are compared if those of the real service
are publicly known.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import closing
from http.client import HTTPConnection
from typing import Any, Final
from urllib.parse import urlsplit

import boto3
import pytest
from botocore.config import Config
from botocore.exceptions import ClientError

from tests.fakes.clocks import MovedClock
from tests.fakes.route53.buckets import Rate
from tests.fakes.route53.names import BadName, build_sort_key, normalize
from tests.fakes.route53.server import Route53

Json = dict[str, Any]
Client = Any  # of boto3; without validation it takes any type
Row = Any  # of pytest
ZONE: Final = "ZEXAMPLE"
# A client that neither retries nor checks requests.
ONCE: Final = Config(retries={"total_max_attempts": 1}, connect_timeout=60, read_timeout=60, parameter_validation=False)
WWW: Final = "www.example.com"
CHANGE: Final = "ChangeResourceRecordSets"


@pytest.fixture(scope="module")
def running() -> Iterator[tuple[Route53, MovedClock, Client]]:
    clock = MovedClock()
    with Route53(clock=clock.monotonic_s, accounts={"AKIDOTHER": "222222222222"}) as fake:
        yield fake, clock, connect(fake)


@pytest.fixture
def fake(running: tuple[Route53, MovedClock, Client]) -> Route53:
    fake = running[0]
    fake.reset()
    fake.buckets.action = None
    fake.api.health_checks.add("check")
    fake.add_zone("example.com", zone_id=ZONE, tags={"team": "a"})
    return fake


@pytest.fixture
def clock(running: tuple[Route53, MovedClock, Client]) -> MovedClock:
    return running[1]


@pytest.fixture
def client(running: tuple[Route53, MovedClock, Client]) -> Client:
    return running[2]


def connect(fake: Route53, key: str = "AKIDTEST") -> Client:
    session = boto3.session.Session(key, "secret", region_name="us-east-1")
    return session.client("route53", endpoint_url=fake.url, config=ONCE)


def record(name: str = WWW, kind: str = "A", *values: str, ttl: int = 300, **fields: Any) -> Json:  # noqa: ANN401 - JSON
    shown = [{"Value": value} for value in values or ("192.0.2.1",)]
    return {"Name": name, "Type": kind, "TTL": ttl, "ResourceRecords": shown} | fields


def www(kind: str, *values: str, **fields: Any) -> Json:  # noqa: ANN401 - JSON
    return record(WWW, kind, *values, **fields)


def alias(target: str, zone_id: str, *, healthy: bool = False, **fields: Any) -> Json:  # noqa: ANN401 - JSON
    where = {"HostedZoneId": zone_id, "DNSName": target, "EvaluateTargetHealth": healthy}
    return {"Name": WWW, "Type": "A", "AliasTarget": where} | fields


def routed(identifier: str, **policy: Any) -> Json:  # noqa: ANN401 - JSON
    return www("A", SetIdentifier=identifier, **policy)


def many(count: int, kind: str = "A", *values: str) -> list[Json]:
    return [record(f"n{number}.example.com", kind, *values) for number in range(count)]


def call(client: Client, action: str, **query: Any) -> str:  # noqa: ANN401 - of the API
    """Return "" if the call succeeds, else code and message of the error."""
    try:
        getattr(client, action)(**query)
    except ClientError as exc:
        detail = exc.response.get("Error", {})
        return f"{detail.get('Code')}: {detail.get('Message')}"
    return ""


def send(client: Client, *batch: tuple[str, Mapping[str, Any]], zone_id: str = ZONE) -> str:
    changes = [{"Action": action, "ResourceRecordSet": one} for action, one in batch]
    return call(client, "change_resource_record_sets", HostedZoneId=zone_id, ChangeBatch={"Changes": changes})


def case(label: str, answer: str, *batch: tuple[str, Mapping[str, Any]], held: tuple[Json, ...] = ()) -> Row:
    """Build a row: a batch, the records before it, and a part of the error, or "" if the batch is applied."""
    return pytest.param(held, batch, answer, id=label)


def create(label: str, answer: str, one: Json, *, held: tuple[Json, ...] = ()) -> Row:
    return case(label, answer, ("CREATE", one), held=held)


def value(kind: str, text: str, problem: str = "") -> Row:
    answer = f"InvalidChangeBatch: [Invalid Resource Record: 'FATAL problem: {problem}" if problem else ""
    return create(f"{kind}-{text[:40]}", answer, www(kind, text))


BATCH: Final = "InvalidChangeBatch: "
A: Final = record("a.example.com", "A", "192.0.2.1", "192.0.2.2")
WEIGHTED: Final = record("w.example.com", SetIdentifier="one", Weight=1, HealthCheckId="check")
CNAME: Final = www("CNAME", "target.test")
TEXT: Final = www("TXT", '"x"')
LB: Final = "x.us-east-1.elb.amazonaws.com"
LB_ZONE: Final = "Z35SXDOTRQ7X7K"
CLOUDFRONT: Final = "Z2FDTNDATAQYW2"
ALIAS: Final = alias(LB, LB_ZONE)
BASE: Final = record("base.example.com")
TO_BASE: Final = alias("base.example.com", ZONE)
NOT_CURRENT: Final = "but the values provided do not match the current values]"
NOT_FOUND: Final = "that target was not found]"
TWICE: Final = f"{BATCH}[The request contains an invalid set of changes for a resource record set 'A a.example.com.']"
TOO_MANY: Final = f"{BATCH}[Number of records limit of 1000 exceeded.]"
TOO_LONG: Final = f"{BATCH}[RDATA character limit of 32000 exceeded.]"
POLICIES: Final[Mapping[str, Json]] = {
    "Weight": {"Weight": 1},
    "Region": {"Region": "eu-west-1"},
    "Failover": {"Failover": "PRIMARY"},
    "GeoLocation": {"GeoLocation": {"CountryCode": "DE"}},
    "MultiValueAnswer": {"MultiValueAnswer": True},
    "GeoProximityLocation": {"GeoProximityLocation": {"AWSRegion": "eu-west-1", "Bias": 0}},
    "CidrRoutingConfig": {"CidrRoutingConfig": {"CollectionId": "c", "LocationName": "*"}},
}
MULTI: Final = {"SetIdentifier": "one", "MultiValueAnswer": True}
ONE: Final = routed("one", Weight=1)
TWO: Final = routed("two", Weight=1)
EU: Final = routed("one", Region="eu-west-1")
ADDRESSES: Final = tuple(f"192.0.2.{n}" for n in range(200))
LONG: Final = f'"{"a" * 150}" "{"b" * 165}"'  # 320 characters
FIELDS: Final = "Expected exactly one of [AliasTarget, all of [TTL, and ResourceRecords], or TrafficPolicyInstanceId]"
POLICY: Final = (
    "Expected exactly one of [Weight, Region, Failover, GeoLocation, MultiValueAnswer, CidrRoutingConfig, "
    "or GeoProximityLocation]"
)
OUTSIDE: Final = "but the alias target name does not lie within the target zone"

CHANGES: Final = [
    case("delete-as-listed", "", ("DELETE", WEIGHTED), held=(WEIGHTED,)),
    create("create-existing", f"{BATCH}[Tried to create resource record set [name='a.example.com.', type='A'] "
        "but it already exists]", A, held=(A,)),
    create("create-again", "[name='w.example.com.', type='A', set-identifier='one']", WEIGHTED, held=(WEIGHTED,)),
    case("«all the same values»-ttl", NOT_CURRENT, ("DELETE", A | {"TTL": 60}), held=(A,)),
    case("«all the same values»-weight", NOT_CURRENT, ("DELETE", WEIGHTED | {"Weight": 2}), held=(WEIGHTED,)),
    case("«all the same values»-alias", NOT_CURRENT, ("DELETE", alias(LB, LB_ZONE, healthy=True)), held=(ALIAS,)),
    case("delete-fewer-values", NOT_CURRENT, ("DELETE", record("a.example.com")), held=(A,)),
    case("delete-in-other-order", "", ("DELETE", record("a.example.com", "A", "192.0.2.2", "192.0.2.1")), held=(A,)),
    case("delete-missing", "[name='a.example.com.', type='A'] but it was not found]", ("DELETE", A)),
    case("upsert-creates", "", ("UPSERT", A)),
    case("upsert-replaces", "", ("UPSERT", A | {"TTL": 60}), held=(A,)),
    case("«a list of messages»", "type='A'] but it already exists, Tried to delete resource record set [name='none.",
        ("CREATE", BASE), ("CREATE", A), ("DELETE", record("none.example.com")), held=(A,)),
    case("«in a single operation»", "", ("DELETE", CNAME), ("CREATE", www("A")), held=(CNAME,)),
    case("in-the-order-of-the-batch", "because a conflicting", ("CREATE", www("A")), ("DELETE", CNAME), held=(CNAME,)),
    case("«the same resource record set more than once»", TWICE, ("DELETE", A), ("DELETE", A), held=(A,)),
    case("again-after-delete-and-create", TWICE, ("DELETE", A), ("CREATE", A), ("UPSERT", A), held=(A,)),
    case("1000-values", "", *(("CREATE", one) for one in many(1000))),
    case("1001-values", TOO_MANY, *(("CREATE", one) for one in many(1001))),
    case("1200-values-in-6-sets", TOO_MANY, *(("CREATE", one) for one in many(6, "A", *ADDRESSES))),
    case("«when UPSERT, each ResourceRecord element is counted twice»", "", *(("UPSERT", one) for one in many(500))),
    case("501-upserts", TOO_MANY, *(("UPSERT", one) for one in many(501))),
    case("32000-characters", "", *(("CREATE", one) for one in many(100, "TXT", LONG))),
    case("32320-characters", TOO_LONG, *(("CREATE", one) for one in many(101, "TXT", LONG))),
    case("32640-characters-of-upserts", TOO_LONG, *(("UPSERT", one) for one in many(51, "TXT", LONG))),
    create("health-check", "NoSuchHealthCheck: No health check exists with the specified ID: none",
        WEIGHTED | {"HealthCheckId": "none"}),
]  # fmt: skip
CONFLICTS: Final = [
    create("cname-at-the-apex", f"{BATCH}[RRSet of type CNAME with DNS name example.com. is not permitted at apex in "
        "zone example.com.]", CNAME | {"Name": "example.com"}),
    create("cname-beside-others", f"{BATCH}[RRSet of type CNAME with DNS name www.example.com. is not permitted as it "
        "conflicts with other records with the same DNS name in zone example.com.]", CNAME, held=(TEXT,)),
    create("beside-a-cname", f"{BATCH}[RRSet of type CAA with DNS name www.example.com. is not permitted because a "
        "conflicting RRSet of type  CNAME with the same DNS name already exists in zone example.com.]",
        www("CAA", '0 issue "ca.test"'), held=(CNAME,)),
    create("outside-the-zone", "RRSet with DNS name www.example.org. is not permitted in zone example.com.",
        record("www.example.org")),
    create("outside-the-zone-by-a-dot", "is not permitted in zone", record("wwwexample.com")),
    create("«can't use the * wildcard for … NS»", BATCH, record("*.example.com", "NS", "ns.test")),
    *(create(f"{policy}-beside-simple", f"{BATCH}[RRSet with DNS name www.example.com., type A, SetIdentifier one "
        "cannot be created as a non-", routed("one", **POLICIES[policy]), held=(www("A"),)) for policy in POLICIES),
    *(create(policy, "", routed("one", **POLICIES[policy])) for policy in POLICIES),
    create("simple-beside-routed", f"{BATCH}[RRSet with DNS name www.example.com., type A cannot be created as other "
        "RRSets exist with the same name and type.]", www("A"), held=(ONE,)),
    create("two-policies", "as a non-weighted set exists", TWO, held=(EU,)),
    case("upsert-of-another-policy", "", ("UPSERT", ONE), held=(EU,)),
    create("«only one latency … for each Amazon EC2 Region»", f"{BATCH}[RRSet with DNS name www.example.com., type A, "
        "SetIdentifier two, and Region Name=eu-west-1 cannot be created because a latency RRSet with the same name, "
        "type and region already exists.]", routed("two", Region="eu-west-1"), held=(EU,)),
    *(create(f"same-{policy}", BATCH, routed("two", **POLICIES[policy]), held=(routed("one", **POLICIES[policy]),))
        for policy in ("Failover", "GeoLocation", "GeoProximityLocation")),
    *(create(f"equal-{policy}", "", routed("two", **POLICIES[policy]), held=(routed("one", **POLICIES[policy]),))
        for policy in ("Weight", "MultiValueAnswer")),
    create("«weighted … must have the same value for TTL»", f"{BATCH}[RRSet with DNS name www.example.com. and type A, "
        "SetIdentifier two cannot be created as weighted sets must contain the same TTL.]",
        TWO | {"TTL": 60}, held=(ONE,)),
    case("both-ttls-at-once", "", ("UPSERT", ONE | {"TTL": 60}), ("UPSERT", TWO | {"TTL": 60}),
        held=(ONE, TWO)),
    create("«a maximum of 100 weighted»", f"{BATCH}[Exceeded limit on number of weighted RRSets for www.example.com., "
        "type A in this zone.]", routed("more", Weight=1), held=tuple(routed(f"{n}", Weight=1) for n in range(100))),
    create("weighted-ns", BATCH, www("NS", "ns.test", SetIdentifier="one", Weight=1)),
    create("multivalue-cname", BATCH, www("CNAME", "a.test", **MULTI)),
]  # fmt: skip
ALIASES: Final = [
    create("load-balancer", "", ALIAS),
    create("in-capitals-with-dot", "", alias(f"dualstack.{LB.upper()}.", LB_ZONE)),
    create("network-load-balancer", "", alias("x.elb.us-east-1.amazonaws.com", "Z26RNL4JYFTOTI")),
    create("cloudfront", "", alias("d1.cloudfront.net", CLOUDFRONT)),
    create("unknown-zone-of-aws", "", alias("s3-website.us-east-2.amazonaws.com", "Z2O1EMRO9K5GLX")),
    create("zone-of-another-region", OUTSIDE, alias(LB, "Z3AADJGX6KTTL2")),
    create("name-outside-aws", OUTSIDE, alias("www.example.net", LB_ZONE)),
    create("unknown-zone", OUTSIDE, alias("www.example.net", "ZOTHER")),
    create("suffix-without-a-name", OUTSIDE, alias("elb.amazonaws.com", LB_ZONE)),
    create("no-target", f"[Tried to create an alias that targets base.example.com., type A in zone ZEXAMPLE, "
        f"but {NOT_FOUND}", TO_BASE),
    case("target-later-in-the-batch", NOT_FOUND, ("CREATE", TO_BASE), ("CREATE", BASE)),
    case("target-earlier-in-the-batch", "", ("CREATE", BASE), ("CREATE", TO_BASE)),
    create("«the type of the … alias»", NOT_FOUND, TO_BASE, held=(record("base.example.com", "CNAME", "a.test"),)),
    create("itself", NOT_FOUND, alias(WWW, ZONE)),
    create("«can't set EvaluateTargetHealth»", BATCH, alias("d1.cloudfront.net", CLOUDFRONT, healthy=True)),
    create("«can't create multivalue … alias»", BATCH, ALIAS | MULTI),
    create("beside-an-alias-without-target", "", TEXT, held=(TO_BASE,)),
]  # fmt: skip
VALUES: Final = [
    *(value(kind, text) for kind, text in (
        ("A", "192.0.2.1"), ("AAAA", "2001:0db8:85a3:0:0:8a2e:0370:7334"), ("CNAME", "hostname.example.com"),
        ("CAA", '0 issue "ca.example.net; account=123456"'), ("CNAME", "192.0.2.1"), ("MX", "10 mail.example.com."),
        ("NAPTR", '100 50 "u" "E2U+sip" "!^(\\\\+441632960083)$!sip:\\\\1@example.com!" .'), ("NS", "ns-1.example.com"),
        ("PTR", "hostname.example.com"), ("SPF", '"v=spf1 ip4:192.168.0.1/16-all"'), ("SRV", "0 0 0 ."),
        ("SRV", "10 5 80 hostname.example.com"), ("TXT", '"Sample text."'), ("TXT", '"one" "two"'), ("TXT", '""'),
        ("TXT", r'"a \"quoted\" word and \303\251"'), ("TXT", f'"{"a" * 255}"'), ("TXT", '"' + r"\101" * 255 + '"'),
    )),
    value("A", "x.", "ARRDATAIllegalIPv4Address (Value is not a valid IPv4 address) encountered with 'x.''"),
    value("A", "2001:db8::1", "ARRDATAIllegalIPv4Address"),
    value("AAAA", "192.0.2.1", "AAAARRDATAIllegalIPv6Address"),
    value("CAA", "0 issue ca.test", "CAARRDATA"),
    value("CAA", '256 issue "ca.test"', "CAARRDATA"),
    value("CNAME", "a..test", "DomainLabelEmpty (Domain label is empty)"),
    value("CNAME", f"{'a' * 64}.test", "DomainLabelTooLong"),
    value("MX", "mail.example.com", "MXRRDATAPriorityRequired"),
    value("MX", "70000 mail.example.com", "MXRRDATAPriorityRequired"),
    value("NAPTR", '100 50 "u" "E2U+sip" .', "NAPTRRRDATA"),
    value("NS", "", "DomainNameEmpty"),
    value("SRV", "10 5 hostname.example.com", "SRVRRDATA"),
    value("SRV", "10 5 70000 hostname.example.com", "SRVRRDATA"),
    value("TXT", "x=y", "InvalidCharacterString (Value should be enclosed in quotation marks)"),
    value("TXT", '"a" b', "InvalidCharacterString"),
    value("TXT", '"a', "InvalidCharacterString"),
    value("TXT", f'"{"b" * 256}"', "CharacterStringTooLong (Value is too long)"),
    value("TXT", " ".join(['"' + "a" * 250 + '"'] * 16), "CharacterStringTooLong"),
    value("TXT", '"é"', "UnsupportedCharacter"),
    create("«more than one value … except CNAME and SOA»", BATCH, www("CNAME", "a.test", "b.test")),
    create("401-values", BATCH, www("A", *(f"192.0.{n // 250}.{n % 250}" for n in range(401)))),
    create("duplicate", f"{BATCH}[Duplicate Resource Record: '192.0.2.1']", www("A", "192.0.2.1", "192.0.2.1")),
]  # fmt: skip
INPUTS: Final = [
    create("no-ttl", f"InvalidInput: Invalid request: {FIELDS}, but found none in Change with "
        f"[Action=CREATE, Name={WWW}, Type=A, SetIdentifier=null]",
        {name: field for name, field in www("A").items() if name != "TTL"}),
    create("alias-with-ttl", f"{FIELDS}, but found more than one", ALIAS | {"TTL": 60}),
    create("alias-with-values", f"{FIELDS}, but found more than one", www("A") | ALIAS),
    create("policy-without-identifier", "Missing field 'SetIdentifier'", www("A", Weight=1)),
    create("identifier-without-policy", f"{POLICY}, but found none", www("A", SetIdentifier="one")),
    create("two-policies-in-one", f"{POLICY}, but found more than one", routed("one", Weight=1, Region="eu-west-1")),
    *(create(f"{policy}"[:60], "InvalidInput", routed("one", **policy)) for policy in (
        {"Weight": 256}, {"Weight": -1}, {"Region": "nowhere"}, {"Failover": "TERTIARY"},
        {"GeoLocation": {"ContinentCode": "EU", "CountryCode": "DE"}}, {"GeoLocation": {"ContinentCode": "XX"}},
        {"GeoLocation": {"CountryCode": "DE", "SubdivisionCode": "BY"}}, {"GeoProximityLocation": {"Bias": 1}},
        {"GeoProximityLocation": {"AWSRegion": "eu-west-1", "Bias": 100}},
        {"GeoProximityLocation": {"AWSRegion": "eu-west-1", "LocalZoneGroup": "us-east-1-bue-1"}},
        {"GeoProximityLocation": {"Coordinates": {"Latitude": "91", "Longitude": "0"}}},
    )),
    *(create(label, "InvalidInput", one) for label, one in {
        "ttl-below-0": www("A", ttl=-1), "ttl-over-31-bits": www("A", ttl=2**31),
        "unsupported-type": www("DNAME", "x.test"), "identifier-over-128": routed("x" * 129, Weight=1),
        "no-value-at-all": www("A") | {"ResourceRecords": []},
        "half-an-alias": ALIAS | {"AliasTarget": {"HostedZoneId": LB_ZONE, "DNSName": LB}},
    }.items()),
    case("no-changes", "InvalidInput"),
]  # fmt: skip


@pytest.mark.parametrize(("held", "batch", "answer"), [*CHANGES, *CONFLICTS, *ALIASES, *VALUES, *INPUTS])
def test_batch(
    fake: Route53,
    client: Client,
    held: tuple[Json, ...],
    batch: tuple[tuple[str, Json], ...],
    answer: str,
) -> None:
    """A refused batch changes nothing; after an accepted one, the zone has its records as they were sent."""
    fake.put(ZONE, *held)
    before = fake.shown(ZONE)
    found = send(client, *batch)
    assert (answer in found, bool(found)) == (True, bool(answer)), found
    expected = {identify(one): one for one in before}
    for action, one in batch if not answer else ():
        expected.pop(identify(show(one)), None)
        expected |= {identify(show(one)): show(one)} if action != "DELETE" else {}
    assert {identify(one): one for one in fake.shown(ZONE)} == expected


def identify(one: Json) -> tuple[str, str, str]:
    return one["Name"], one["Type"], one.get("SetIdentifier", "")


def show(one: Json) -> Json:
    """Return a record set as the service lists it."""
    target = one.get("AliasTarget")
    shown = {"AliasTarget": target | {"DNSName": normalize(target["DNSName"])}} if target else {}
    return one | {"Name": normalize(one["Name"])} | shown


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("www.example.com", "www.example.com."),
        ("WWW.Example.COM.", "www.example.com."),
        (r"\127\127\127.example.com", "www.example.com."),
        ("_a-1.example.com", "_a-1.example.com."),
        ("*.example.com", r"\052.example.com."),
        (r"\052.example.com", r"\052.example.com."),
        ("a/b@c.example.com", r"a\057b\100c.example.com."),
        (r"ex\344mple.com", r"ex\344mple.com."),
        (r"a\056b.example.com", r"a\056b.example.com."),
        (rf"{'a' * 62}\052.com", rf"{'a' * 62}\052.com."),
        ("", "DomainNameEmpty"),
        ("a..com", "DomainLabelEmpty"),
        (f"{'a' * 64}.com", "DomainLabelTooLong"),
        (".".join(["a" * 49] * 5) + ".abcd.com", "DomainNameTooLong"),
        ("bücher.example.com", "UnsupportedCharacter"),
    ],
)
def test_name(name: str, shown: str) -> None:
    """«DNS domain name format»."""
    if shown.endswith("."):
        assert normalize(name) == shown
    else:
        with pytest.raises(BadName, match=shown):
            normalize(name)


def test_names_are_listed_by_their_labels_from_right_to_left() -> None:
    """`-` (45) sorts before the dot (46), digits and letters after it; an escape starts with a backslash (92)."""
    names = ["0", r"\052", "_srv", "www-x", "www", "a.www", "www1", "zzz"]
    assert sorted(names, key=lambda name: build_sort_key(f"{name}.example.com.")) == names


# Reads


@pytest.mark.parametrize(
    ("action", "query", "answer"),
    [
        ("list_resource_record_sets", {"HostedZoneId": ZONE, "StartRecordType": "A"}, "InvalidInput"),
        (
            "list_resource_record_sets",
            {"HostedZoneId": ZONE, "StartRecordName": "a", "StartRecordIdentifier": "x"},
            "InvalidInput",
        ),
        ("list_resource_record_sets", {"HostedZoneId": ZONE, "MaxItems": "many"}, "InvalidInput"),
        ("list_resource_record_sets", {"HostedZoneId": ZONE, "MaxItems": "0"}, "InvalidInput"),
        ("list_resource_record_sets", {"HostedZoneId": "ZNO"}, "NoSuchHostedZone: No hosted zone found with ID: ZNO"),
        ("list_resource_record_sets", {"HostedZoneId": "ZOTHER"}, "AccessDenied"),
        ("get_hosted_zone", {"Id": "ZNO"}, "NoSuchHostedZone"),
        ("list_hosted_zones", {"Marker": "ZNO"}, "InvalidInput"),
        ("list_tags_for_resources", {"ResourceType": "hostedzone", "ResourceIds": [ZONE, "ZNO"]}, "NoSuchHostedZone"),
        ("list_tags_for_resources", {"ResourceType": "hostedzone", "ResourceIds": [ZONE] * 10}, ""),
        ("list_tags_for_resources", {"ResourceType": "hostedzone", "ResourceIds": [ZONE] * 11}, "InvalidInput"),
    ],
)
def test_call(fake: Route53, client: Client, action: str, query: Json, answer: str) -> None:
    fake.add_zone("example.org", zone_id="ZOTHER", account="222222222222")
    found = call(client, action, **query)
    assert (answer in found, bool(found)) == (True, bool(answer)), found


def test_zones(fake: Route53, client: Client) -> None:
    """«Returns a maximum of 100 items in each response»; NextMarker is the first zone of the next page."""
    fake.add_zone("example.net", zone_id="ZNET", private=True)
    fake.add_zone("example.org", zone_id="ZOTHER", account="222222222222")
    shown = {"Id": "/hostedzone/ZNET", "Name": "example.net.", "CallerReference": "ZNET", "ResourceRecordSetCount": 2}
    assert client.list_hosted_zones(Marker="ZNET")["HostedZones"] == [shown | {"Config": {"PrivateZone": True}}]
    private, public = (client.get_hosted_zone(Id=zone_id) for zone_id in ("/hostedzone/ZNET", ZONE))
    assert ("DelegationSet" in private, len(public["DelegationSet"]["NameServers"])) == (False, 4)
    (tags,) = client.list_tags_for_resources(ResourceType="hostedzone", ResourceIds=[ZONE])["ResourceTagSets"]
    assert tags["Tags"] == [{"Key": "team", "Value": "a"}]
    assert [one["Id"] for one in connect(fake, "AKIDOTHER").list_hosted_zones()["HostedZones"]] == [
        "/hostedzone/ZOTHER"
    ]
    for number in range(100):
        fake.add_zone(f"zone{number}.test")
    pages = list(client.get_paginator("list_hosted_zones").paginate())
    assert [len(page["HostedZones"]) for page in pages] == [100, 2]


# What the service protects, and limits


def test_the_apex_keeps_ns_and_soa(fake: Route53, client: Client) -> None:
    ns, soa = fake.shown(ZONE, own=True)
    assert send(client, ("DELETE", ns), ("DELETE", soa)) == (
        f"{BATCH}[A HostedZone must contain exactly one SOA record., "
        "A HostedZone must contain at least one NS record for the zone itself.]"
    )
    assert send(client, ("UPSERT", ns | {"TTL": 60}), ("UPSERT", soa | {"TTL": 60})) == ""


def test_no_alias_to_cloudfront_in_a_private_zone(fake: Route53, client: Client) -> None:
    """«Alias resource record sets for CloudFront can't be created in a private zone»."""
    private = fake.add_zone("example.com", private=True)
    assert BATCH in send(client, ("CREATE", alias("d1.cloudfront.net", CLOUDFRONT)), zone_id=private)
    assert send(client, ("CREATE", ALIAS), zone_id=private) == ""


def test_protected_records(fake: Route53, client: Client) -> None:
    """Protection covers a name and type, also without a record (developer guide, "Protecting records from changes")."""
    fake.put(ZONE, www("A"))
    fake.protect(ZONE, WWW, "A", "ask the owner")
    fake.protect(ZONE, "new.example.com", "A")
    for item in (("DELETE", www("A")), ("UPSERT", www("A")), ("CREATE", record("new.example.com"))):
        assert send(client, item).startswith(BATCH)
    assert "ask the owner" in send(client, ("DELETE", www("A")))
    assert send(client, ("CREATE", TEXT)) == ""


@pytest.mark.parametrize(
    ("rule", "action", "one", "admitted"),
    [
        ({"names": [r"\052.example.com", "a.*"]}, "CREATE", record("*.example.com"), False),
        ({"names": [r"\052.example.com", "a.*"]}, "CREATE", record("A.example.com."), False),
        ({"names": [r"\052.example.com", "a.*"]}, "CREATE", record("b.example.com"), True),
        ({"types": ["TXT"]}, "CREATE", TEXT, False),
        ({"types": ["TXT"]}, "CREATE", www("A"), True),
        ({"actions": ["DELETE"]}, "DELETE", www("A"), False),
        ({"actions": ["DELETE"]}, "UPSERT", www("A"), True),
        ({"zone_id": "ZOTHER"}, "CREATE", www("A"), True),
    ],
)
def test_denied_changes(
    fake: Route53,
    client: Client,
    rule: Json,
    action: str,
    one: Json,
    admitted: bool,
) -> None:
    """«All letters must be lowercase. The DNS name must be without trailing dot. … escape codes …»."""
    fake.access.deny(CHANGE, **rule)
    denial = "AccessDenied: User: arn:aws:iam::123456789012:user/test is not authorized to perform: route53:Change"
    assert send(client, ("CREATE", BASE), (action, one)).startswith(denial) is not admitted


def test_allowed_changes(fake: Route53, client: Client) -> None:
    """A permission covers a whole batch: the examples of the guide use `ForAllValues:StringLike`."""
    fake.access.allow(CHANGE, names=["*.example.com"], types=["A"], actions=["CREATE"])
    fake.access.allow(CHANGE, types=["TXT"])
    assert send(client, ("CREATE", www("A"))) == send(client, ("CREATE", TEXT)) == ""
    for batch in (
        [("DELETE", www("A"))],
        [("CREATE", record("example.com"))],
        [("CREATE", BASE), ("CREATE", TEXT | {"Name": "t.example.com"})],
    ):
        assert send(client, *batch).startswith("AccessDenied")


def test_rate_limits(fake: Route53, clock: MovedClock, client: Client) -> None:
    """A limit is one of an account and action."""
    fake.buckets.action = Rate(per_s=10, burst=3)
    answers = [call(client, "list_hosted_zones") for _ in range(4)]
    assert answers == ["", "", "", "Throttling: Rate exceeded"]
    clock.now_s += 0.2
    assert [call(client, "list_hosted_zones") for _ in range(3)].count("") == 2
    assert call(connect(fake, "AKIDOTHER"), "list_hosted_zones") == ""


# The protocol


@pytest.mark.parametrize(
    ("path", "body", "signed", "status", "part"),
    [
        (f"hostedzone/{ZONE}/rrset", "<", True, 400, "<Type>Sender</Type><Code>MalformedInput</Code>"),
        (f"hostedzone/{ZONE}/rrset", "<ChangeBatch/>", True, 400, "<Code>MalformedInput</Code>"),
        (f"hostedzone/{ZONE}/rrset", "<ChangeResourceRecordSetsRequest/>", True, 400, "<Code>MalformedInput</Code>"),
        (
            f"hostedzone/{ZONE}/rrset/",
            "",
            True,
            200,
            '<ListResourceRecordSetsResponse xmlns="https://route53.amazonaws',
        ),
        (f"hostedzone/{ZONE}/rrset", "", False, 403, "MissingAuthenticationToken"),
        ("hostedzone/ZNO", "", True, 404, "No hosted zone found with ID: ZNO</Message></Error><RequestId>R"),
        ("nothing", "", True, 404, ""),
    ],
)
def test_http(fake: Route53, path: str, body: str, signed: bool, status: int, part: str) -> None:
    key = "AWS4-HMAC-SHA256 Credential=AKIDTEST/20260101/us-east-1/route53/aws4_request"
    connection = HTTPConnection(urlsplit(fake.url).netloc, timeout=60)
    with closing(connection):
        headers = {"Authorization": key} if signed else {}
        connection.request("POST" if body else "GET", f"/2013-04-01/{path}", body or None, headers)
        answer = connection.getresponse()
        assert (answer.status, part in answer.read().decode()) == (status, True)
