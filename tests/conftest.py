"""Settings of all tests: connections only to loopback, and hypothesis settings that do not depend on the machine."""

import gc
import logging
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest
from hypothesis import HealthCheck, settings

from extdns import masking
from tests.loopback import confine

_UNIT_TESTS: Final = Path(__file__).parent / "unit"
_FIRST: Final = ("model", "planner", "registry", "engine", "sources")
"""The unit tests that run first: those of the rules, most of which take milliseconds."""

pytest_plugins = ("tests.kubernetes.fixtures",)

# A time limit would fail on a slow or busy machine. The examples are the same each time, so that only a change of the
# code can fail a test. The 100 examples of Hypothesis take a state machine about 10 s.
settings.register_profile(
    "default",
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
    derandomize=True,
    database=None,
    print_blob=True,
)
# For long runs of state machines (`make soak`). An example has 82 steps on average: a million steps.
settings.register_profile(
    "soak", settings.get_profile("default"), max_examples=12_600, stateful_step_count=100, derandomize=False
)
# kubectl, etcd, the API server and others written in Go run for seconds; they need not collect garbage to save memory.
os.environ.setdefault("GOGC", "400")
settings.load_profile("default")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options of tests/conformance/webhook."""
    group = parser.getgroup("webhook", "check a webhook provider (docs/how-to/check-a-webhook-provider.md)")
    group.addoption("--webhook-url", metavar="URL", help="the provider, as http://localhost:8888")
    group.addoption("--webhook-zone", metavar="ZONE", help="a zone for tests that the provider manages")
    group.addoption(
        "--webhook-timeout", metavar="SECONDS", type=float, default=15.0, help="for each request; default 15"
    )
    group.addoption("--webhook-records", metavar="N", type=int, default=5000, help="in a large request; default 5000")
    group.addoption(
        "--webhook-property",
        metavar="NAME=VALUE",
        action="append",
        default=[],
        help="a property that the provider stores, such as webhook/proxied=true; repeatable",
    )


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Run the tests first that show most failures after the shortest time: unit tests, and of these the rules."""
    items.sort(key=_rank)


def pytest_collection_finish() -> None:
    """Let the garbage collector skip the tests themselves, which else costs a tenth of the time."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000)


def _rank(item: pytest.Item) -> int:
    if not item.path.is_relative_to(_UNIT_TESTS):
        return len(_FIRST) + 2
    package = item.path.relative_to(_UNIT_TESTS).parts[0]
    if item.name == "runTest":  # a state machine takes seconds
        return len(_FIRST) + 1
    return _FIRST.index(package) if package in _FIRST else len(_FIRST)


@pytest.fixture(scope="session", autouse=True)
def _loopback_only(pytestconfig: pytest.Config) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        if not pytestconfig.getoption("webhook_url"):
            confine(patch)
        yield


@pytest.fixture(scope="module")
def moto() -> Iterator[str]:
    """Run moto, and return its URL."""
    from moto.server import ThreadedMotoServer  # noqa: PLC0415 - few tests need it, and it is slow

    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    try:
        yield "http://{}:{}".format(*server.get_host_and_port())
    finally:
        server.stop()


@pytest.fixture(autouse=True)
def _secrets_of_one_test() -> Iterator[None]:
    """Forget the secrets that a test registered, because the next test may use the same texts."""
    yield
    masking.clear_secrets()


@pytest.fixture(autouse=True)
def _own_logging() -> Iterator[None]:
    """Restore the loggers after each test, because a command that runs in this process configures them."""
    root, ours = logging.getLogger(), logging.getLogger("extdns")
    handlers, levels = list(root.handlers), (root.level, ours.level)
    yield
    root.handlers = handlers
    root.setLevel(levels[0])
    ours.setLevel(levels[1])
