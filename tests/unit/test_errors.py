"""The nearest of several texts, and the causes of errors, for messages."""

from __future__ import annotations

import errno
import os
import ssl
from difflib import get_close_matches

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extdns.errors import describe_cause, find_similar

TEXTS = st.text("abcd", max_size=6)


@given(text=TEXTS, known=st.lists(TEXTS), least=st.sampled_from([0.6, 0.8, 0.95]))
def test_the_similar_text_is_the_one_that_difflib_finds(text: str, known: list[str], least: float) -> None:
    assert [find_similar(text, known, least)] == (get_close_matches(text, known, n=1, cutoff=least) or [""])


def build_tls_error() -> ssl.SSLError:
    error = ssl.SSLError(1, "[SSL: WRONG_VERSION_NUMBER] wrong version number (_ssl.c:1006)")
    error.reason = "WRONG_VERSION_NUMBER"
    return error


@pytest.mark.parametrize(
    ("exc", "text"),
    [
        pytest.param(OSError(errno.ECONNREFUSED, os.strerror(errno.ECONNREFUSED)), "Connection refused", id="system"),
        pytest.param(TimeoutError("timed out"), "timed out", id="without-a-number"),
        pytest.param(EOFError(), "EOFError", id="without-a-text"),
        pytest.param(ValueError("a\nb"), "a\\nb", id="several-lines"),
        pytest.param(
            TimeoutError("_ssl.c:989: The handshake operation timed out"),
            "The handshake operation timed out",
            id="tls-timeout",
        ),
        pytest.param(
            ssl.SSLError(1, "[SSL] certificate verify failed (_ssl.c:1006)"),
            "[SSL] certificate verify failed",
            id="tls",
        ),
        pytest.param(build_tls_error(), "the server does not use TLS", id="no-tls"),
    ],
)
def test_the_cause_of_an_error_is_described_without_class_and_number(exc: Exception, text: str) -> None:
    assert describe_cause(exc) == text
