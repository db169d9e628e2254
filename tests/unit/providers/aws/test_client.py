"""Calls through the AWS SDK: region, credentials, certificates, and the errors that are translated."""

from __future__ import annotations

import os
from pathlib import Path
from unittest.mock import patch

import pytest
from msgspec.structs import replace

from extdns.model.api_request import UNANSWERED, ApiCall, ApiRequest
from extdns.model.value import StringMap
from providers.aws.client import Route53Api, build_apis, open_session
from providers.aws.record_sets import ChangeAction, RecordSetChange, Route53RecordSet
from providers.aws.settings import AwsAccount, AwsSettings
from providers.common.api_calls import CallFailedError, CallOptions, FailureKind, RateLimiter
from tests.fakes.route53.errors import build_throttling_fault
from tests.fakes.route53.log import CHANGE
from tests.fakes.route53.server import Route53
from tests.fakes.service.faults import Drop, Refuse, Replace
from tests.route53 import client, environ
from tests.unit.providers.aws.route53_values import ZONE

WWW = Route53RecordSet(name="www.example.org.", type="A", ttl_s=60, values=("192.0.2.1",))
CREATE_WWW = RecordSetChange(action=ChangeAction.CREATE, record_set=WWW)


def failure(client: Route53Api, **variables: str) -> CallFailedError:
    with patch.dict(os.environ, variables), pytest.raises(CallFailedError) as error:
        client.list_zones()
    assert error.value.__cause__ is not None
    return error.value


@pytest.fixture
def bare(monkeypatch: pytest.MonkeyPatch) -> Route53Api:
    """Return an API that has made no call yet, in an environment without AWS variables."""
    for name in [name for name in os.environ if name.startswith("AWS_")]:
        monkeypatch.delenv(name)
    return Route53Api(AwsAccount(), 1, RateLimiter())


@pytest.mark.parametrize(
    ("status", "code", "trouble"),
    [
        pytest.param(403, "AccessDenied", FailureKind.FORBIDDEN, id="no-right"),
        pytest.param(403, "InvalidClientTokenId", FailureKind.CREDENTIALS, id="unknown-key"),
        pytest.param(403, "SignatureDoesNotMatch", FailureKind.CREDENTIALS, id="wrong-secret"),
        pytest.param(400, "Throttling", FailureKind.RETRYABLE, id="throttled"),
        pytest.param(500, "InternalFailure", FailureKind.UNANSWERED, id="500"),
        pytest.param(502, "", FailureKind.UNANSWERED, id="proxy-response-without-text"),
        pytest.param(400, "InvalidInput", FailureKind.REFUSED, id="refused"),
    ],
)
def test_each_error_response_of_aws_is_assigned_a_kind_of_failure(
    fake: Route53, account: Route53Api, status: int, code: str, trouble: FailureKind
) -> None:
    fake.faults.arm(Refuse(status, code, "as the service says"), action="ListHostedZones", times=9)
    found = failure(account)
    assert found.kind is trouble
    assert str(found).startswith("route53:ListHostedZones: ")


def test_credentials_that_appear_after_a_failure_are_used(fake: Route53, bare: Route53Api) -> None:
    fake.add_zone("example.org")
    places = {name: value for name, value in environ(fake).items() if "KEY" not in name}
    assert failure(bare, **places).kind is FailureKind.CREDENTIALS
    with patch.dict(os.environ, environ(fake)):
        assert len(bare.list_zones()[0]) == 1


@pytest.mark.parametrize(
    ("variables", "region"),
    [
        pytest.param({}, "us-east-1", id="none"),
        pytest.param({"AWS_REGION": "eu-central-1"}, "eu-central-1", id="as-EKS-sets-it"),
        pytest.param({"AWS_DEFAULT_REGION": "eu-west-1"}, "eu-west-1", id="as-the-SDK-reads-it"),
        pytest.param({"AWS_REGION": "a-1", "AWS_DEFAULT_REGION": "b-1"}, "a-1", id="both"),
    ],
)
def test_the_region_is_taken_from_the_variable_aws_region_as_in_other_sdks(
    fake: Route53, bare: Route53Api, variables: dict[str, str], region: str
) -> None:
    with patch.dict(os.environ, environ(fake) | variables):
        reads, writes = bare._clients.open()
    assert reads.meta.config.retries["total_max_attempts"] == 1
    assert {one.meta.region_name for one in (reads, writes)} <= {region, "aws-global"}


def test_zones_get_an_account_name_only_if_there_are_several_accounts() -> None:
    assert list(build_apis(AwsSettings(accounts=(AwsAccount(profile="a"),)))) == [""]
    assert list(build_apis(AwsSettings(accounts=(AwsAccount(profile="a"), AwsAccount(profile="b"))))) == ["a", "b"]


@pytest.mark.parametrize("body", ["", "<html/>", "not XML at all"], ids=["empty", "HTML", "text"])
def test_a_response_that_is_not_the_expected_xml_raises_call_failed_error(
    fake: Route53, account: Route53Api, body: str
) -> None:
    fake.faults.arm(Replace(body, 200), times=None)
    with pytest.raises(CallFailedError):
        account.list_zones()
    with pytest.raises(CallFailedError):
        account.list_record_sets(ZONE, None, 300)


@pytest.mark.parametrize(
    "routing",
    [
        pytest.param({"Weight": "0"}, id="weight"),
        pytest.param({"Region": "eu-central-1"}, id="region"),
        pytest.param({"Failover": "PRIMARY"}, id="failover"),
        pytest.param({"MultiValueAnswer": "true"}, id="multi-value"),
        pytest.param({"GeoLocation.CountryCode": "US", "GeoLocation.SubdivisionCode": "TX"}, id="geolocation"),
        pytest.param(
            {
                "GeoProximityLocation.Bias": "-3",
                "GeoProximityLocation.Coordinates.Latitude": "60.0",
                "GeoProximityLocation.Coordinates.Longitude": "-7.5",
            },
            id="geoproximity",
        ),
        pytest.param(
            {"CidrRoutingConfig.CollectionId": "c", "CidrRoutingConfig.LocationName": "*"}, id="unknown-to-extdns"
        ),
    ],
)
def test_a_routed_record_set_is_read_as_it_was_written_and_deleted_as_it_was_read(
    fake: Route53, account: Route53Api, routing: dict[str, str]
) -> None:
    zone = replace(ZONE, id=fake.add_zone("example.org"))
    written = replace(WWW, set_identifier="a & b", routing=StringMap.from_items(routing), health_check_id="check")
    fake.api.health_checks.add("check")
    account.change_record_sets(zone, [RecordSetChange(action=ChangeAction.CREATE, record_set=written)])
    (read,) = (one for one in account.list_record_sets(zone, None, 300).sets if one.name == WWW.name)
    assert read == written
    account.change_record_sets(zone, [RecordSetChange(action=ChangeAction.DELETE, record_set=read)])


@pytest.mark.usefixtures("bare")
def test_a_role_that_the_sdk_finds_invalid_is_refused_without_a_call() -> None:
    api = Route53Api(AwsAccount(role="dns"), 1, RateLimiter())
    error = failure(api, AWS_ACCESS_KEY_ID="x", AWS_SECRET_ACCESS_KEY="y")
    assert "ParamValidationError: Invalid length for parameter RoleArn" in str(error)
    assert error.kind is FailureKind.REFUSED


def test_a_record_set_that_the_service_finds_invalid_is_refused(fake: Route53, account: Route53Api) -> None:
    zone = replace(ZONE, id=fake.add_zone("example.org"))
    routing = StringMap.from_items({"GeoLocation.ContinentCode": "E"})
    invalid = RecordSetChange(action=ChangeAction.CREATE, record_set=replace(WWW, set_identifier="x", routing=routing))
    with pytest.raises(CallFailedError, match="InvalidInput") as error:
        account.change_record_sets(zone, [invalid])
    assert error.value.kind is FailureKind.REFUSED


@pytest.mark.parametrize("variable", ["SSL_CERT_FILE", "SSL_CERT_DIR"])
def test_a_certificate_authority_from_the_certificate_variables_is_trusted(
    bare: Route53Api, tmp_path: Path, variable: str
) -> None:
    file = tmp_path / "ca.pem"
    with Route53(tls=True) as fake:
        file.write_bytes(fake.ca)
        assert "SSLError" in str(failure(Route53Api(AwsAccount(), 1, RateLimiter()), **environ(fake)))
        path = tmp_path if variable == "SSL_CERT_DIR" else file
        with patch.dict(os.environ, environ(fake) | {variable: str(path)}):
            assert bare.list_zones() == ((), 1)


@pytest.mark.parametrize(
    ("code", "account_s", "action_s"),
    [
        pytest.param("Throttling", 5, 5, id="throttled"),
        pytest.param("PriorRequestNotComplete", 10, 5, id="still-busy"),
        pytest.param("InvalidInput", 10, 10, id="refused"),
    ],
)
def test_throttling_by_route53_lowers_the_rate_of_calls(
    fake: Route53, account: Route53Api, code: str, account_s: float, action_s: float
) -> None:
    zone = replace(ZONE, id=fake.add_zone("example.org"))
    fake.faults.arm(Refuse(400, code), action=CHANGE)
    with pytest.raises(CallFailedError):
        account.change_record_sets(zone, [CREATE_WWW])
    rates = {budget.action: budget.per_s for budget in account.rate_limiter.read_rate_limits()}
    assert (rates[""], rates[CHANGE]) == (account_s, action_s)


def test_sessions_of_several_accounts_share_the_api_descriptions_of_the_sdk() -> None:
    loaders = {
        open_session(account)._session.get_component("data_loader")
        for account in (AwsAccount(), AwsAccount(role="arn:aws:iam::111111111111:role/dns"))
    }
    assert len(loaders) == 1


def test_a_throttled_attempt_of_a_read_lowers_the_rate_even_if_the_next_attempt_succeeds(fake: Route53) -> None:
    api = client(fake, attempts=2)
    fake.faults.arm(build_throttling_fault(), times=1)
    api.list_zones()
    assert [limit.throttle_count for limit in api.rate_limiter.read_rate_limits()] == [1, 1]
    assert all(limit.per_s < 10 for limit in api.rate_limiter.read_rate_limits())


@pytest.mark.parametrize(
    ("variables", "expected"),
    [
        pytest.param({}, True, id="none"),
        pytest.param({"AWS_REGION": "cn-north-1"}, True, id="China"),
        pytest.param({"AWS_USE_DUALSTACK_ENDPOINT": "true"}, True, id="dual-stack"),
        pytest.param({"AWS_ENDPOINT_URL_ROUTE_53": "https://vpce-1.vpce.amazonaws.com"}, True, id="VPC-endpoint"),
        pytest.param({"AWS_ENDPOINT_URL_ROUTE_53": "http://localhost:4566"}, False, id="variable-of-route53"),
        pytest.param({"AWS_ENDPOINT_URL": "http://localhost:4566"}, False, id="variable"),
        pytest.param({"AWS_CONFIG_FILE": "[default]\nendpoint_url = http://localhost:4566\n"}, False, id="file"),
    ],
)
def test_an_endpoint_that_the_configuration_of_the_sdk_names_is_not_amazons_unless_the_host_is(
    bare: Route53Api, tmp_path: Path, variables: dict[str, str], expected: bool
) -> None:
    config = tmp_path / "config"
    config.write_text(variables.get("AWS_CONFIG_FILE", ""))
    keys = {"AWS_ACCESS_KEY_ID": "x", "AWS_SECRET_ACCESS_KEY": "y"}
    with patch.dict(os.environ, keys | variables | {"AWS_CONFIG_FILE": str(config)}):
        assert bare.has_amazon_endpoint() == expected


# Report the HTTP requests that the AWS SDK sends


class RecordedRequests:
    """An API with two attempts for each read, and the HTTP requests that it reported."""

    def __init__(self, fake: Route53, *, may_begin: bool = True) -> None:
        self.requests: list[ApiRequest] = []
        self.calls: list[ApiCall] = []
        options = CallOptions(can_write=lambda: may_begin, on_request=self.requests.append, on_call=self.calls.append)
        self.client = Route53Api(AwsAccount(calls=options), 2, RateLimiter())
        with patch.dict(os.environ, environ(fake)):
            self.client.list_zones()


def test_each_call_is_reported_once_with_its_kind_of_failure(fake: Route53) -> None:
    reported = RecordedRequests(fake)
    for fault in (Refuse(403, "AccessDenied"), Refuse(503, "ServiceUnavailable"), Drop()):
        fake.faults.arm(fault, times=2)
        with pytest.raises(CallFailedError):
            reported.client.list_zones()
        fake.faults.clear()
    assert [(call.action, call.status) for call in reported.calls] == [
        ("ListHostedZones", "ok"),
        ("ListHostedZones", "forbidden"),
        ("ListHostedZones", "later"),
        ("ListHostedZones", "unanswered"),
    ]
    assert all(call.seconds > 0 for call in reported.calls)


def test_each_attempt_of_a_call_is_reported_with_its_url_duration_and_status_if_it_has_one(fake: Route53) -> None:
    reported = RecordedRequests(fake)
    fake.faults.arm(Refuse(503, "ServiceUnavailable"))
    fake.faults.arm(Drop())
    with pytest.raises(CallFailedError):
        reported.client.list_zones()
    assert [one.status for one in reported.requests] == [200, 503, UNANSWERED]
    assert {(one.method, one.url) for one in reported.requests} == {("GET", f"{fake.url}/2013-04-01/hostedzone")}
    assert all(one.seconds > 0 for one in reported.requests)


def test_a_write_that_is_stopped_before_it_is_sent_is_not_reported_as_a_request(fake: Route53) -> None:
    reported = RecordedRequests(fake, may_begin=False)
    with pytest.raises(CallFailedError, match="NotLeading"):
        reported.client.change_record_sets(ZONE, [CREATE_WWW])
    assert [one.method for one in reported.requests] == ["GET"]
