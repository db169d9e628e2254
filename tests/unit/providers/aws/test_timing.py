"""What is told of the requests that the SDK sends."""

from __future__ import annotations

import os
from unittest.mock import patch

import pytest

from extdns.model.request import UNANSWERED, Request
from providers.aws.client import Client
from providers.aws.settings import Access
from providers.aws.wire import Action, RecordSet, WireChange
from providers.remote.allowance import Allowance
from providers.remote.failure import CallFailedError
from providers.remote.writing import Writing
from tests.fakes.route53.server import Route53
from tests.fakes.service.faults import Drop, Refuse
from tests.route53 import environ


class Told:
    """A client with two attempts a read, and what it told of its requests."""

    def __init__(self, fake: Route53, *, may_begin: bool = True) -> None:
        self.requests: list[Request] = []
        writing = Writing(may_begin=lambda: may_begin)
        self.client = Client(Access(heard=self.requests.append), 2, Allowance(), writing)
        with patch.dict(os.environ, environ(fake)):
            self.client.zones()


def outline(told: Told) -> list[tuple[str, str, int]]:
    return [(one.method, one.path, one.status) for one in told.requests]


def test_a_request_is_told_with_where_it_went_and_how_it_ended(fake: Route53) -> None:
    (one,) = Told(fake).requests
    assert f"{one.scheme}://{one.host}" == fake.url
    assert (one.method, one.path, one.status) == ("GET", "hostedzone", 200)
    assert one.seconds > 0


def test_each_attempt_is_a_request(fake: Route53) -> None:
    told = Told(fake)
    fake.faults.arm(Refuse(503, "ServiceUnavailable"))
    told.client.zones()
    assert [status for _, _, status in outline(told)] == [200, 503, 200]


def test_a_request_without_an_answer_has_no_status(fake: Route53) -> None:
    told = Told(fake)
    fake.faults.arm(Drop(), times=2)
    with pytest.raises(CallFailedError):
        told.client.zones()
    assert [status for _, _, status in outline(told)] == [200, UNANSWERED, UNANSWERED]


def test_what_may_not_begin_is_no_request(fake: Route53) -> None:
    told = Told(fake, may_begin=False)
    www = WireChange(action=Action.CREATE, record_set=RecordSet(name="www.x.test.", type="A", values=("192.0.2.1",)))
    with pytest.raises(CallFailedError, match="NotLeading"):
        told.client.change("Z1", "zone", [www])
    assert outline(told) == [("GET", "hostedzone", 200)]
