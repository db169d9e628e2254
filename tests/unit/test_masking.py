"""Secrets in flags and environment variables are masked in errors and log lines."""

from __future__ import annotations

import base64
import json
import logging
import os
from collections.abc import Iterator
from functools import cache
from urllib.parse import quote

import pytest
import urllib3
from botocore import exceptions as sdk
from hypothesis import assume, example, given
from hypothesis import strategies as st

from extdns import masking
from extdns.errors import ApiError, UsageError, describe_error, sanitize, shorten
from extdns.flags.flag import Flag
from extdns.flags.parser import hide_secrets
from extdns.flags.table import FLAGS
from extdns.log import JsonFormatter, TextFormatter
from extdns.masking import MASK, mask, mask_url
from providers.common.api_calls import CallFailedError, FailureKind

SECRET = "hunter-2/is:the?whole@truth#%"
SECRETS = st.text(st.characters(min_codepoint=0x21, max_codepoint=0x17E), min_size=6, max_size=40)
FOREIGN_VARIABLES = (
    "AWS_ENDPOINT_URL",
    "AWS_ENDPOINT_URL_ROUTE_53",
    "AWS_ENDPOINT_URL_STS",
    "HTTPS_PROXY",
    "HTTP_PROXY",
    "http_proxy",
    "ALL_PROXY",
    "ETCD_URLS",
)
SECRET_VARIABLES = (
    "AWS_SECRET_ACCESS_KEY",
    "AWS_SESSION_TOKEN",
    "AWS_CONTAINER_AUTHORIZATION_TOKEN",
    "ETCD_PASSWORD",
    "CF_API_TOKEN",
    "CF_API_KEY",
)


def build_urls(secret: str) -> list[str]:
    """Build URLs with *secret* as password, percent-encoded or not, and as the user."""
    return [
        f"https://user:{quote(secret, safe='')}@api.example.org:6443/v1",
        f"https://user:{secret}@127.0.0.1/",
        f"https://{quote(secret, safe='')}@127.0.0.1:1",
    ]


def build_library_errors(text: str) -> Iterator[BaseException]:
    """Yield errors of libraries that quote *text*."""
    yield sdk.EndpointConnectionError(endpoint_url=text, error=OSError(text))
    yield sdk.ProxyConnectionError(proxy_url=text, error=OSError(text))
    yield sdk.HTTPClientError(error=OSError(repr(text)))
    yield urllib3.exceptions.LocationParseError(text)
    yield urllib3.exceptions.ProxySchemeUnknown(text)
    yield urllib3.exceptions.LocationValueError(f"No host specified: {json.dumps(text)}")
    yield ValueError(f"Proxy-Authorization: Basic {base64.b64encode(text.encode()).decode()}, {text!r}")


def format_outputs(text: str) -> Iterator[str]:
    """Yield errors and log lines of extdns that contain *text* or an error that quotes it."""
    for error in build_library_errors(text):
        words = str(error)
        yield describe_error(error)
        yield str(CallFailedError(FailureKind.RETRYABLE, "route53:ListHostedZones", "", type(error).__name__, words))
        yield CallFailedError(FailureKind.RETRYABLE, "route53:ListHostedZones", "", type(error).__name__, words).detail
        yield str(ApiError(f"GET /api: {words}"))
        yield str(UsageError(f"--server={sanitize(words)} is wrong\n  {shorten(words, 20)}"))
        for formatter in (TextFormatter(), JsonFormatter()):
            line = logging.LogRecord("urllib3", logging.WARNING, "", 0, "Retrying: %s %r", (words, text), None)
            yield formatter.format(line)


def assert_hidden(secret: str, text: str) -> None:
    """Assert that no error or log line that contains *text* shows *secret*."""
    for masked_text in format_outputs(text):
        assert_absent(secret, masked_text)


def assert_absent(secret: str, text: str) -> None:
    """Assert that *text* shows *secret* neither as it is nor percent-encoded."""
    assert secret not in text, text
    assert quote(secret, safe="") not in text, text


@cache
def format_public_outputs() -> str:
    """Return errors and log lines that contain no secret, without regard to case."""
    masking.clear_secrets()
    return "\n".join(text.casefold() for text in format_outputs("https://example.org/"))


def is_distinctive(secret: str) -> bool:
    """Return whether *secret* occurs neither in outputs that contain no secret nor in the mask itself."""
    return secret.casefold() not in format_public_outputs() and secret not in masking.MASK


@given(secret=SECRETS, flag=st.sampled_from([flag for flag in FLAGS if flag.kind.is_url]))
@example(secret=SECRET, flag=next(flag for flag in FLAGS if flag.name == "server"))
@example(secret="@x/0000", flag=next(flag for flag in FLAGS if flag.name == "server"))
def test_the_password_in_the_url_of_a_flag_is_masked(secret: str, flag: Flag) -> None:
    assume(is_distinctive(secret))
    for url in build_urls(secret):
        for arguments, environ in (
            ([f"{flag.spelling}={url}"], {}),
            ([flag.spelling, url], {}),
            ([], {flag.variable: url}),
        ):
            masking.clear_secrets()
            hide_secrets(arguments, environ)
            assert_absent(secret, mask(f"{url} {url!r}"))
        assert_hidden(secret, url)
        assert not any(secret in argument for argument in flag.format_arguments(url, masked=True))


@given(secret=SECRETS, name=st.sampled_from(FOREIGN_VARIABLES))
@example(secret=SECRET, name="HTTPS_PROXY")
def test_the_password_in_a_variable_that_a_library_reads_is_masked(secret: str, name: str) -> None:
    assume(is_distinctive(secret))
    for url in build_urls(secret):
        masking.clear_secrets()
        hide_secrets([], {name: url})
        assert_hidden(secret, url)
    without_scheme = f"user:{quote(secret, safe='')}@proxy.example.org:3128"
    masking.clear_secrets()
    hide_secrets([], {name: without_scheme})
    assert_hidden(secret, without_scheme)


@given(secret=SECRETS, name=st.sampled_from(SECRET_VARIABLES))
def test_the_value_of_a_secret_environment_variable_is_masked(secret: str, name: str) -> None:
    assume(is_distinctive(secret))
    masking.clear_secrets()
    hide_secrets([], {name: secret})
    assert_hidden(secret, f"the key is {secret}.")


@given(secret=SECRETS, flag=st.sampled_from([flag for flag in FLAGS if flag.secret]))
def test_the_value_of_a_secret_flag_is_masked(secret: str, flag: Flag) -> None:
    assume(is_distinctive(secret))
    for arguments, environ in (
        ([f"{flag.spelling}={secret}"], {}),
        ([flag.spelling, secret], {}),
        ([], {flag.variable: secret}),
    ):
        masking.clear_secrets()
        hide_secrets(arguments, environ)
        assert_hidden(secret, f"the key is {secret}.")


def test_each_line_of_a_secret_is_masked() -> None:
    hide_secrets([], {"TLS_PRIVATE_KEY": "first-line\nsecond-line\n"})
    assert mask("it has first-line and second-line") == f"it has {MASK} and {MASK}"


@pytest.mark.parametrize("variable", ["CF_API_TOKEN", "HTTPS_PROXY", "EXTERNAL_DNS_TXT_ENCRYPT_AES_KEY"])
def test_a_secret_that_is_not_utf_8_is_masked(variable: str) -> None:
    secret = os.fsdecode(b"hunter-two\xff")
    hide_secrets([], {variable: f"http://user:{secret}@127.0.0.1" if variable == "HTTPS_PROXY" else secret})
    assert mask(f"the key is {secret}, {secret!r}") == f"the key is {MASK}, '{MASK}'"


@pytest.mark.parametrize(
    ("url", "masked_url"),
    [
        pytest.param("http://user:pw@127.0.0.1:8080/path", f"http://{MASK}@127.0.0.1:8080/path", id="password"),
        pytest.param("http://token@127.0.0.1", f"http://{MASK}@127.0.0.1", id="token"),
        pytest.param("user:pw@127.0.0.1:3128", f"{MASK}@127.0.0.1:3128", id="no-scheme"),
        pytest.param("http://user:p/w@127.0.0.1", f"http://{MASK}@127.0.0.1", id="slash-that-is-not-encoded"),
        pytest.param("http://user:p@w@127.0.0.1/a@b", f"http://{MASK}@127.0.0.1/a@b", id="two-at-signs"),
        pytest.param("https://hooks.example.org/?key=abc", f"https://hooks.example.org/?{MASK}", id="query"),
        pytest.param("https://127.0.0.1/me@home", "https://127.0.0.1/me@home", id="at-sign-in-the-path"),
        pytest.param("https://127.0.0.1:6443", "https://127.0.0.1:6443", id="nothing-to-hide"),
        pytest.param("", "", id="empty"),
    ],
)
def test_password_and_tokens_in_a_url_are_masked(url: str, masked_url: str) -> None:
    assert mask_url(url) == masked_url


def test_the_password_in_any_url_in_the_text_is_masked() -> None:
    text = 'Could not connect to the endpoint URL: "http://user:pw@127.0.0.1:9/2013-04-01/hostedzone"'
    assert mask(text) == f'Could not connect to the endpoint URL: "http://{MASK}@127.0.0.1:9/2013-04-01/hostedzone"'


def test_a_text_without_secrets_is_unchanged() -> None:
    hide_secrets(["--pdns-api-key=ab"], {"API_KEY": "x", "PATH": "/bin", "KUBECONFIG": "/home/me@work/config"})
    text = "TXT shop.example.org 'v=spf1 mx:me@example.org' in /home/me@work/config, abx"
    assert mask(text) == text


def test_the_user_in_a_url_is_masked_only_within_the_url() -> None:
    hide_secrets(["--server=http://extdns:hunter-two@127.0.0.1"], {})
    text = "extdns at http://extdns:hunter-two@127.0.0.1 says: hunter-two"
    assert mask(text) == f"extdns at http://{MASK}@127.0.0.1 says: {MASK}"


def test_every_flag_that_holds_a_url_is_declared_as_a_url_for_masking() -> None:
    named = {flag.name for flag in FLAGS if flag.kind.metavar == "URL"}
    assert named == {flag.name for flag in FLAGS if flag.kind.is_url}
    assert named >= {"server", "google-api-endpoint", "pdns-server", "webhook-provider-url", "ns1-endpoint"}
