"""The webhook provider that the tests here check, and what follows if a test does not pass."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Generator, Iterator
from inspect import getdoc
from typing import Final

import pytest

from extdns.errors import ExtdnsError
from extdns.model.dns_name import DnsName
from providers.webhook.wire import MAX_BODY_BYTES, Property
from tests.conformance.webhook.exchange import CheckedServer
from tests.conformance.webhook.scratch import Scratch

_UNPASSED: Final = pytest.StashKey[set[Callable[..., object]]]()


def pytest_configure(config: pytest.Config) -> None:
    config.stash[_UNPASSED] = set()


def pytest_ignore_collect(config: pytest.Config) -> bool | None:
    """Leave these tests out if there is no provider to check."""
    return None if config.getoption("webhook_url") else True


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Function, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Report a violation as its message and what the protocol says, which is the docstring of the test."""
    report = yield
    if not report.passed:
        item.config.stash[_UNPASSED].add(item.function)
    if call.excinfo and isinstance(call.excinfo.value, ExtdnsError):
        report.longrepr = f"{call.excinfo.value}\n{getdoc(item.function)}"
    return report


@pytest.fixture(autouse=True)
def _needs(request: pytest.FixtureRequest) -> None:
    for marker in request.node.iter_markers("needs"):
        for test in marker.args:
            if test in request.config.stash[_UNPASSED]:
                pytest.skip(f"needs {test.__name__}, which did not pass")


@pytest.fixture(scope="session")
def scratch(request: pytest.FixtureRequest) -> Iterator[Scratch]:
    """Return the names of the tests, and delete their records at the end."""
    option = request.config.option
    properties = (text.partition("=") for text in option.webhook_property or ["webhook/extdns-check=1"])
    scratch = Scratch(
        CheckedServer(url=option.webhook_url, timeout_s=option.webhook_timeout, max_bytes=MAX_BODY_BYTES),
        DnsName.parse(option.webhook_zone or pytest.exit("--webhook-zone is missing", 1)),
        f"extdns-check-{secrets.token_hex(4)}",
        large_count=option.webhook_records,
        properties=tuple(Property(name=name, value=value) for name, _, value in properties),
    )
    yield scratch
    if left := scratch.clean_up():
        pytest.fail(f"delete by hand: {left}", pytrace=False)
