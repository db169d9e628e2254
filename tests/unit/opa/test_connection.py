"""What the messages about a connection show."""

from __future__ import annotations

import pytest

from extdns.masking import add_secrets
from extdns.opa.connection import OpaConnection, OpaError, OpaSettings


def test_the_message_about_an_unreadable_token_file_shows_its_whole_path() -> None:
    path = f"missing/{'folder/' * 30}to\nken"
    connection = OpaConnection(OpaSettings(url="http://127.0.0.1:1", timeout_s=0.3, token_file=path))
    with pytest.raises(OpaError) as raised:
        connection.request("GET", "/v1/policies", max_bytes=1)
    assert str(raised.value) == (
        f"GET http://127.0.0.1:1/v1/policies: token file missing/{'folder/' * 30}to\\nken: No such file or directory"
    )


@pytest.mark.parametrize(
    ("url", "request_line"),
    [
        pytest.param("http://127.0.0.1:1/opa/", "GET http://127.0.0.1:1/opa/v1/policies", id="below-a-path"),
        pytest.param("unix:///missing/opa.sock", "GET unix:///missing/opa.sock:/v1/policies", id="unix-socket"),
        pytest.param("http://127.0.0.1:1/long-secret", "GET http://127.0.0.1:1/******/v1/policies", id="secret"),
    ],
)
def test_the_message_about_a_failed_request_names_the_address_without_secrets(url: str, request_line: str) -> None:
    add_secrets(("long-secret",))
    with pytest.raises(OpaError) as raised:
        OpaConnection(OpaSettings(url=url, timeout_s=0.3)).request("GET", "/v1/policies", max_bytes=1)
    assert str(raised.value).startswith(f"{request_line}: ")
