"""Requests that are wrong as such: InvalidInput, MalformedInput and their like."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from botocore.config import Config
from botocore.exceptions import SSLError

from tests.fakes.route53.probe import Probe, alias, client, simple
from tests.fakes.route53.server import Route53

NAME = "www.example.com"
RRSET = "/2013-04-01/hostedzone/ZEXAMPLE/rrset"
CONTENTS = "Expected exactly one of [AliasTarget, all of [TTL, and ResourceRecords], or TrafficPolicyInstanceId]"
ALIAS = alias(NAME, "x.us-east-1.elb.amazonaws.com", "Z35SXDOTRQ7X7K")


def without(record: dict[str, Any], field: str) -> dict[str, Any]:
    return {name: value for name, value in record.items() if name != field}


@pytest.mark.parametrize(
    ("record", "problem"),
    [
        pytest.param(without(simple(NAME), "TTL"), f"{CONTENTS}, but found none", id="no-ttl"),
        pytest.param(without(simple(NAME), "ResourceRecords"), f"{CONTENTS}, but found none", id="no-values"),
        pytest.param(ALIAS | {"TTL": 60}, f"{CONTENTS}, but found more than one", id="alias-with-ttl"),
        pytest.param(simple(NAME) | ALIAS, f"{CONTENTS}, but found more than one", id="alias-with-values"),
        pytest.param(simple(NAME, Weight=1), "Missing field 'SetIdentifier'", id="policy-without-identifier"),
        pytest.param(
            simple(NAME, SetIdentifier="one"),
            "Expected exactly one of [Weight, Region, Failover, GeoLocation, MultiValueAnswer, CidrRoutingConfig, "
            "or GeoProximityLocation], but found none",
            id="identifier-without-policy",
        ),
        pytest.param(
            simple(NAME, SetIdentifier="one", Weight=1, Region="eu-west-1"),
            "Expected exactly one of [Weight, Region, Failover, GeoLocation, MultiValueAnswer, CidrRoutingConfig, "
            "or GeoProximityLocation], but found more than one",
            id="two-policies",
        ),
    ],
)
def test_fields_that_do_not_go_together_are_invalid_input(probe: Probe, record: dict[str, Any], problem: str) -> None:
    identifier = record.get("SetIdentifier", "null")
    whom = f"in Change with [Action=CREATE, Name={NAME}, Type=A, SetIdentifier={identifier}]"
    assert probe.refusal(("CREATE", record)) == ("InvalidInput", f"Invalid request: {problem} {whom}")


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
        pytest.param({"GeoProximityLocation": {"Bias": 1}}, id="proximity-to-nothing"),
        pytest.param(
            {"GeoProximityLocation": {"AWSRegion": "eu-west-1", "LocalZoneGroup": "us-east-1-bue-1"}},
            id="«only one of LocalZoneGroup, Coordinates, or Region»",
        ),
        pytest.param(
            {"GeoProximityLocation": {"Coordinates": {"Latitude": "91", "Longitude": "0"}}}, id="latitude-over-90"
        ),
    ],
)
def test_policies_out_of_range_are_invalid_input(probe: Probe, policy: dict[str, Any]) -> None:
    assert probe.refusal(("CREATE", simple(NAME, SetIdentifier="one", **policy)))[0] == "InvalidInput"


@pytest.mark.parametrize(
    "record",
    [
        pytest.param(simple(NAME, ttl=-1), id="ttl-below-0"),
        pytest.param(simple(NAME, SetIdentifier="one", Weight=-1), id="weight-below-0"),
        pytest.param(simple(NAME, ttl=2**31), id="ttl-over-31-bits"),
        pytest.param(simple(NAME, "DNAME", "x.test"), id="a-type-that-it-does-not-have"),
        pytest.param(simple(NAME, SetIdentifier="x" * 129, Weight=1), id="identifier-over-128"),
        pytest.param(simple(NAME) | {"ResourceRecords": []}, id="no-value-at-all"),
        pytest.param(
            ALIAS | {"AliasTarget": without(ALIAS["AliasTarget"], "EvaluateTargetHealth")}, id="half-an-alias"
        ),
    ],
)
def test_fields_out_of_range_are_invalid_input(probe: Probe, record: dict[str, Any]) -> None:
    """boto3 would refuse some of them itself, so it does not check here."""
    probe.client = client(probe.fake.url, config=Config(parameter_validation=False))
    assert probe.refusal(("CREATE", record))[0] == "InvalidInput"


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
def test_a_malformed_body_is_refused(probe: Probe, body: str, code: str) -> None:
    status, said = probe.http("POST", RRSET, body)
    assert status == 400
    assert f"<Type>Sender</Type><Code>{code}</Code>" in said


def test_the_wire_is_xml_in_the_namespace_of_the_api(probe: Probe) -> None:
    """API reference, ListResourceRecordSets, "Response syntax"."""
    probe.create(simple("a.example.com", "TXT", '"<&>"'))
    status, said = probe.http("GET", f"{RRSET}?name=a.example.com&maxitems=1")
    assert status == 200
    assert said == (
        '<?xml version="1.0"?>\n<ListResourceRecordSetsResponse xmlns="https://route53.amazonaws.com/doc/2013-04-01/">'
        "<ResourceRecordSets><ResourceRecordSet><Name>a.example.com.</Name><Type>TXT</Type><TTL>300</TTL>"
        '<ResourceRecords><ResourceRecord><Value>"&lt;&amp;&gt;"</Value></ResourceRecord></ResourceRecords>'
        "</ResourceRecordSet></ResourceRecordSets><IsTruncated>false</IsTruncated><MaxItems>1</MaxItems>"
        "</ListResourceRecordSetsResponse>"
    )


def test_a_refusal_names_the_request(probe: Probe) -> None:
    status, said = probe.http("GET", "/2013-04-01/hostedzone/ZNONE")
    assert status == 404
    assert "<Code>NoSuchHostedZone</Code><Message>No hosted zone found with ID: ZNONE</Message></Error>" in said
    assert "<RequestId>R" in said


def test_a_path_may_end_with_a_slash(probe: Probe) -> None:
    """SDKs differ: boto3 sends `rrset/`, others `rrset`."""
    assert probe.http("GET", f"{RRSET}/")[0] == probe.http("GET", RRSET)[0] == 200


def test_what_is_not_signed_is_refused(probe: Probe) -> None:
    status, said = probe.http("GET", RRSET, signed=False)
    assert status == 403
    assert "MissingAuthenticationToken" in said


@pytest.mark.parametrize("path", ["/", "/2013-04-01/nothing", "/2012-12-12/hostedzone", "/2013-04-01/hostedzone/Z/x"])
def test_what_the_api_does_not_know_is_refused(probe: Probe, path: str) -> None:
    assert probe.http("GET", path)[0] == 404


def test_it_speaks_tls_to_those_who_trust_it(tmp_path: Path) -> None:
    with Route53(tls=True) as fake:
        fake.add_zone("example.com")
        trusted = tmp_path / "ca.pem"
        trusted.write_bytes(fake.ca)
        assert len(client(fake.url, verify=str(trusted)).list_hosted_zones()["HostedZones"]) == 1
        with pytest.raises(SSLError):
            client(fake.url).list_hosted_zones()


def test_it_can_stand_for_a_proxy(probe: Probe) -> None:
    """A client with an HTTP proxy sends the whole URL."""
    through = client("http://route53.invalid", config=Config(proxies={"http": probe.fake.url}))
    assert len(through.list_hosted_zones()["HostedZones"]) == 1


def test_many_clients_at_once_lose_nothing(probe: Probe) -> None:
    def make(number: int) -> None:
        Probe(probe.fake, probe.zone_id).create(simple(f"n{number}.example.com"), simple(f"m{number}.example.com"))

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(make, range(24)))
    assert len(probe.listed()) == 48
