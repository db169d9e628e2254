"""What the messages about a connection show."""

from __future__ import annotations

import pytest

from extdns.opa.connection import OpaConnection, OpaError, OpaSettings


def test_the_message_about_an_unreadable_token_file_shows_its_whole_path() -> None:
    path = f"missing/{'folder/' * 30}to\nken"
    connection = OpaConnection(OpaSettings(url="http://127.0.0.1:1", timeout_s=0.3, token_file=path))
    with pytest.raises(OpaError) as raised:
        connection.request("GET", "/v1/policies", max_bytes=1)
    assert str(raised.value) == (
        f"GET /v1/policies: token file missing/{'folder/' * 30}to\\nken: No such file or directory"
    )
