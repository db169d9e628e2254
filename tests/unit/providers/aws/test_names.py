"""Names as Route 53 spells them."""

from __future__ import annotations

import pytest

from providers.aws.record_sets import parse_name


@pytest.mark.parametrize(
    ("text", "name"),
    [
        pytest.param("www.example.org.", "www.example.org", id="plain"),
        pytest.param("\\052.example.org.", "*.example.org", id="10.5-wildcard"),
        pytest.param("txt-\\041\\042\\073-test.example.com.", 'txt-!";-test.example.com', id="10.5-punctuation"),
        pytest.param("xn--c1yn36f.example.org.", "xn--c1yn36f.example.org", id="A-label"),
        pytest.param("b\\303\\274cher.example.org.", None, id="raw-octets-are-no-A-label"),
        pytest.param("a\\040b.example.org.", None, id="blank"),
        pytest.param("\\040a.example.org.", None, id="blank-at-the-edge"),
        pytest.param("a\\134b.example.org.", None, id="backslash"),
    ],
)
def test_octal_escapes_in_names_from_route53_are_decoded(text: str, name: str | None) -> None:
    assert parse_name(text) == name
