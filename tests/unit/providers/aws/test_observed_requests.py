"""Report the HTTP requests that the AWS SDK sends."""

from __future__ import annotations

import os
from unittest.mock import patch

import pytest

from extdns.model.api_request import UNANSWERED, ApiCall, ApiRequest
from providers.aws.client import Route53Api
from providers.aws.record_sets import ChangeAction, RecordSetChange, Route53RecordSet
from providers.aws.settings import AwsAccount
from providers.common.api_calls import CallFailedError, RateLimiter, WriteOptions
from tests.fakes.route53.server import Route53
from tests.fakes.service.faults import Drop, Refuse
from tests.route53 import environ


class RecordedRequests:
    """An API with two attempts for each read, and the HTTP requests that it reported."""

    def __init__(self, fake: Route53, *, may_begin: bool = True) -> None:
        self.requests: list[ApiRequest] = []
        writing = WriteOptions(can_begin=lambda: may_begin)
        self.calls: list[ApiCall] = []
        account = AwsAccount(on_request=self.requests.append, on_call=self.calls.append)
        self.client = Route53Api(account, 2, RateLimiter(), writing)
        with patch.dict(os.environ, environ(fake)):
            self.client.list_zones()


def outline(reported: RecordedRequests) -> list[tuple[str, str, int]]:
    return [(one.method, one.url.rpartition("/")[2], one.status) for one in reported.requests]


def test_each_http_request_is_reported_with_host_status_and_duration(fake: Route53) -> None:
    (one,) = RecordedRequests(fake).requests
    assert (one.method, one.url, one.status) == ("GET", f"{fake.url}/2013-04-01/hostedzone", 200)
    assert one.seconds > 0


def test_each_attempt_of_a_call_is_reported_as_a_request_of_its_own(fake: Route53) -> None:
    reported = RecordedRequests(fake)
    fake.faults.arm(Refuse(503, "ServiceUnavailable"))
    reported.client.list_zones()
    assert [status for _, _, status in outline(reported)] == [200, 503, 200]


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


def test_an_http_request_without_response_is_reported_without_a_status(fake: Route53) -> None:
    reported = RecordedRequests(fake)
    fake.faults.arm(Drop(), times=2)
    with pytest.raises(CallFailedError):
        reported.client.list_zones()
    assert [status for _, _, status in outline(reported)] == [200, UNANSWERED, UNANSWERED]


def test_a_write_that_is_stopped_before_it_is_sent_is_not_reported_as_a_request(fake: Route53) -> None:
    reported = RecordedRequests(fake, may_begin=False)
    www = RecordSetChange(
        action=ChangeAction.CREATE, record_set=Route53RecordSet(name="www.x.test.", type="A", values=("192.0.2.1",))
    )
    with pytest.raises(CallFailedError, match="NotLeading"):
        reported.client.change_record_sets("Z1", "zone", [www])
    assert outline(reported) == [("GET", "hostedzone", 200)]
