"""Error responses of the API server become exceptions whose messages state what to do."""

from __future__ import annotations

import json
from typing import Any

import pytest

from extdns.errors import ApiError, ExpiredError, NotFoundError
from extdns.kube.api_protocol import build_error

CALL = "GET /api/v1/services"


def status(**fields: Any) -> bytes:  # noqa: ANN401 - JSON
    return json.dumps({"kind": "Status", "apiVersion": "v1", "status": "Failure", **fields}).encode()


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(b"", id="nothing"),
        pytest.param(b"<html>secret", id="html"),
        pytest.param(b"404 page not found\n", id="text"),
        pytest.param(b'{"kind":"Foo","message":"secret"}', id="another-kind"),
        pytest.param(b'{"kind":"Status","message":7}', id="wrong-types"),
        pytest.param(b'{"kind":"Status","x":' + b"[" * 5000 + b"]" * 5000 + b"}", id="nested-beyond-reason"),
        pytest.param(b"\xff", id="no-text"),
    ],
)
def test_an_error_without_a_status_object_is_described_by_its_code(body: bytes) -> None:
    assert str(build_error(CALL, 502, body)) == f"{CALL}: 502 Bad Gateway"


def test_the_error_for_an_unknown_status_code_says_that_it_is_no_http_status() -> None:
    assert str(build_error(CALL, 599, b"")) == f"{CALL}: 599 (no HTTP status)"


@pytest.mark.parametrize(
    ("header", "details", "wait_s"),
    [
        pytest.param("", {}, None, id="neither"),
        pytest.param("7", {}, 7.0, id="header"),
        pytest.param("", {"retryAfterSeconds": 3}, 3.0, id="details"),
        pytest.param("7", {"retryAfterSeconds": 3}, 7.0, id="header-first"),
        pytest.param("86400", {}, 120.0, id="a-day-is-too-long"),
        pytest.param("9" * 400, {}, 120.0, id="so-is-an-age"),
        pytest.param("-1", {}, None, id="negative"),
        pytest.param("Fri, 20 Nov 2026 09:14:31 GMT", {}, None, id="date"),
        pytest.param("\uff17", {}, None, id="no-ascii-digit"),
        pytest.param("", {"retryAfterSeconds": -5}, 0.0, id="negative-details"),
    ],
)
def test_the_retry_delay_is_read_from_header_or_status_object_and_is_at_most_120_seconds(
    header: str, details: dict[str, int], wait_s: float | None
) -> None:
    assert build_error(CALL, 429, status(code=429, details=details), header).retry_after_s == wait_s


@pytest.mark.parametrize(
    ("body", "name"),
    [
        pytest.param(status(code=404, details={"name": "web", "kind": "services"}), "web", id="object"),
        pytest.param(status(code=404, message="could not find the requested resource"), "", id="kind"),
        pytest.param(b"404 page not found\n", "", id="path"),
    ],
)
def test_the_error_for_a_404_has_a_name_only_if_the_object_and_not_its_kind_is_missing(body: bytes, name: str) -> None:
    raised = build_error(CALL, 404, body)
    assert isinstance(raised, NotFoundError)
    assert raised.name == name


def test_the_response_for_a_future_resource_version_is_treated_as_an_expired_version() -> None:
    details = {"causes": [{"reason": "ResourceVersionTooLarge"}], "retryAfterSeconds": 1}
    raised = build_error(CALL, 504, status(code=504, reason="Timeout", details=details))
    assert type(raised) is ExpiredError
    assert type(build_error(CALL, 504, status(code=504, reason="Timeout"))) is ApiError


def test_long_error_messages_are_shortened() -> None:
    assert len(str(build_error(CALL, 500, status(message="x" * 10_000)))) < 500
