"""Invalid requests (InvalidInput, MalformedInput and others), and the HTTP protocol of the fake Route 53."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from botocore.config import Config
from botocore.exceptions import SSLError

from tests.fakes.route53.server import Route53
from tests.unit.fakes.route53.raw_client import RawClient, build_alias, build_client, build_simple

NAME = "www.example.com"
RRSET = "/2013-04-01/hostedzone/ZEXAMPLE/rrset"
CONTENTS = "Expected exactly one of [AliasTarget, all of [TTL, and ResourceRecords], or TrafficPolicyInstanceId]"
ALIAS = build_alias(NAME, "x.us-east-1.elb.amazonaws.com", "Z35SXDOTRQ7X7K")


def without(record: dict[str, Any], field: str) -> dict[str, Any]:
    return {name: value for name, value in record.items() if name != field}


@pytest.mark.parametrize(
    ("record", "problem"),
    [
        pytest.param(without(build_simple(NAME), "TTL"), f"{CONTENTS}, but found none", id="no-ttl"),
        pytest.param(without(build_simple(NAME), "ResourceRecords"), f"{CONTENTS}, but found none", id="no-values"),
        pytest.param(ALIAS | {"TTL": 60}, f"{CONTENTS}, but found more than one", id="alias-with-ttl"),
        pytest.param(build_simple(NAME) | ALIAS, f"{CONTENTS}, but found more than one", id="alias-with-values"),
        pytest.param(build_simple(NAME, Weight=1), "Missing field 'SetIdentifier'", id="policy-without-identifier"),
        pytest.param(
            build_simple(NAME, SetIdentifier="one"),
            "Expected exactly one of [Weight, Region, Failover, GeoLocation, MultiValueAnswer, CidrRoutingConfig, "
            "or GeoProximityLocation], but found none",
            id="identifier-without-policy",
        ),
        pytest.param(
            build_simple(NAME, SetIdentifier="one", Weight=1, Region="eu-west-1"),
            "Expected exactly one of [Weight, Region, Failover, GeoLocation, MultiValueAnswer, CidrRoutingConfig, "
            "or GeoProximityLocation], but found more than one",
            id="two-policies",
        ),
    ],
)
def test_contradictory_fields_of_a_record_set_are_invalid_input(
    raw_client: RawClient, record: dict[str, Any], problem: str
) -> None:
    identifier = record.get("SetIdentifier", "null")
    whom = f"in Change with [Action=CREATE, Name={NAME}, Type=A, SetIdentifier={identifier}]"
    assert raw_client.refusal(("CREATE", record)) == ("InvalidInput", f"Invalid request: {problem} {whom}")


@pytest.mark.parametrize(
    "policy",
    [
        pytest.param({"Weight": 256}, id="weight-over-255"),
        pytest.param({"Region": "nowhere"}, id="no-region"),
        pytest.param({"Failover": "TERTIARY"}, id="no-role"),
        pytest.param({"GeoLocation": {"ContinentCode": "EU", "CountryCode": "DE"}}, id="continent-with-country"),
        pytest.param({"GeoLocation": {"ContinentCode": "XX"}}, id="no-continent"),
        pytest.param({"GeoLocation": {"CountryCode": "DE", "SubdivisionCode": "BY"}}, id="subdivision-outside-the-us"),
        pytest.param({"GeoProximityLocation": {"AWSRegion": "eu-west-1", "Bias": 100}}, id="bias-over-99"),
        pytest.param({"GeoProximityLocation": {"Bias": 1}}, id="proximity-without-location"),
        pytest.param(
            {"GeoProximityLocation": {"AWSRegion": "eu-west-1", "LocalZoneGroup": "us-east-1-bue-1"}},
            id="«only one of LocalZoneGroup, Coordinates, or Region»",
        ),
        pytest.param(
            {"GeoProximityLocation": {"Coordinates": {"Latitude": "91", "Longitude": "0"}}}, id="latitude-over-90"
        ),
    ],
)
def test_routing_policy_values_out_of_range_are_invalid_input(raw_client: RawClient, policy: dict[str, Any]) -> None:
    assert raw_client.refusal(("CREATE", build_simple(NAME, SetIdentifier="one", **policy)))[0] == "InvalidInput"


@pytest.mark.parametrize(
    "record",
    [
        pytest.param(build_simple(NAME, ttl=-1), id="ttl-below-0"),
        pytest.param(build_simple(NAME, SetIdentifier="one", Weight=-1), id="weight-below-0"),
        pytest.param(build_simple(NAME, ttl=2**31), id="ttl-over-31-bits"),
        pytest.param(build_simple(NAME, "DNAME", "x.test"), id="unsupported-type"),
        pytest.param(build_simple(NAME, SetIdentifier="x" * 129, Weight=1), id="identifier-over-128"),
        pytest.param(build_simple(NAME) | {"ResourceRecords": []}, id="no-value-at-all"),
        pytest.param(
            ALIAS | {"AliasTarget": without(ALIAS["AliasTarget"], "EvaluateTargetHealth")}, id="half-an-alias"
        ),
    ],
)
def test_record_set_fields_out_of_range_are_invalid_input(raw_client: RawClient, record: dict[str, Any]) -> None:
    """The validation of boto3 is off, because it would refuse some of these requests itself."""
    raw_client.client = build_client(raw_client.fake.url, config=Config(parameter_validation=False))
    assert raw_client.refusal(("CREATE", record))[0] == "InvalidInput"


@pytest.mark.parametrize(
    ("body", "code"),
    [
        pytest.param("<", "MalformedInput", id="no-xml"),
        pytest.param("<ChangeBatch/>", "MalformedInput", id="another-document"),
        pytest.param("<ChangeResourceRecordSetsRequest/>", "MalformedInput", id="without-namespace"),
        pytest.param(
            '<ChangeResourceRecordSetsRequest xmlns="https://route53.amazonaws.com/doc/2013-04-01/"><ChangeBatch>'
            "<Changes></Changes></ChangeBatch></ChangeResourceRecordSetsRequest>",
            "InvalidInput",
            id="no-changes",
        ),
    ],
)
def test_a_malformed_xml_body_is_refused(raw_client: RawClient, body: str, code: str) -> None:
    status, detail = raw_client.http("POST", RRSET, body)
    assert status == 400
    assert f"<Type>Sender</Type><Code>{code}</Code>" in detail


def test_a_response_is_xml_in_the_namespace_of_the_api(raw_client: RawClient) -> None:
    """API reference, ListResourceRecordSets, "Response syntax"."""
    raw_client.create(build_simple("a.example.com", "TXT", '"<&>"'))
    status, detail = raw_client.http("GET", f"{RRSET}?name=a.example.com&maxitems=1")
    assert status == 200
    assert detail == (
        '<?xml version="1.0"?>\n<ListResourceRecordSetsResponse xmlns="https://route53.amazonaws.com/doc/2013-04-01/">'
        "<ResourceRecordSets><ResourceRecordSet><Name>a.example.com.</Name><Type>TXT</Type><TTL>300</TTL>"
        '<ResourceRecords><ResourceRecord><Value>"&lt;&amp;&gt;"</Value></ResourceRecord></ResourceRecords>'
        "</ResourceRecordSet></ResourceRecordSets><IsTruncated>false</IsTruncated><MaxItems>1</MaxItems>"
        "</ListResourceRecordSetsResponse>"
    )


def test_an_error_response_contains_code_message_and_request_id(raw_client: RawClient) -> None:
    status, detail = raw_client.http("GET", "/2013-04-01/hostedzone/ZNONE")
    assert status == 404
    assert "<Code>NoSuchHostedZone</Code><Message>No hosted zone found with ID: ZNONE</Message></Error>" in detail
    assert "<RequestId>R" in detail


def test_a_request_path_may_end_with_a_slash(raw_client: RawClient) -> None:
    """boto3 sends `rrset/`, other SDKs send `rrset`."""
    assert raw_client.http("GET", f"{RRSET}/")[0] == raw_client.http("GET", RRSET)[0] == 200


def test_an_unsigned_request_is_refused(raw_client: RawClient) -> None:
    status, detail = raw_client.http("GET", RRSET, signed=False)
    assert status == 403
    assert "MissingAuthenticationToken" in detail


@pytest.mark.parametrize("path", ["/", "/2013-04-01/nothing", "/2012-12-12/hostedzone", "/2013-04-01/hostedzone/Z/x"])
def test_an_unknown_path_gets_a_404(raw_client: RawClient, path: str) -> None:
    assert raw_client.http("GET", path)[0] == 404


def test_a_tls_server_is_trusted_only_with_its_own_ca(tmp_path: Path) -> None:
    with Route53(tls=True) as fake:
        fake.add_zone("example.com")
        trusted = tmp_path / "ca.pem"
        trusted.write_bytes(fake.ca)
        assert len(build_client(fake.url, verify=str(trusted)).list_hosted_zones()["HostedZones"]) == 1
        with pytest.raises(SSLError):
            build_client(fake.url).list_hosted_zones()


def test_a_request_sent_through_an_http_proxy_is_answered(raw_client: RawClient) -> None:
    """A client with an HTTP proxy sends the full URL."""
    through = build_client("http://route53.invalid", config=Config(proxies={"http": raw_client.fake.url}))
    assert len(through.list_hosted_zones()["HostedZones"]) == 1


def test_changes_of_concurrent_clients_are_all_applied(raw_client: RawClient) -> None:
    def make(number: int) -> None:
        RawClient(raw_client.fake, raw_client.zone_id).create(
            build_simple(f"n{number}.example.com"), build_simple(f"m{number}.example.com")
        )

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(make, range(24)))
    assert len(raw_client.listed()) == 48
