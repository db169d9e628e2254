"""Names in responses of a DNS service."""

from __future__ import annotations

import pytest

from providers.common.api_calls import parse_service_name


@pytest.mark.parametrize(
    ("text", "name"),
    [("WWW.Example.org.", "www.example.org"), ("*.example.org", "*.example.org"), ("_a._tcp.x.", "_a._tcp.x")],
)
def test_names_from_a_dns_service_are_converted_to_canonical_form(text: str, name: str) -> None:
    assert parse_service_name(text) == name


@pytest.mark.parametrize("text", ["", " x.org", "a b.org", "a..org", "bücher.org", "x\\052.org", f"{'a' * 64}.org"])
def test_names_from_a_dns_service_that_no_object_could_request_are_skipped(text: str) -> None:
    assert parse_service_name(text) is None
