"""What every test gets: a network that ends at loopback, and hypothesis settings that do not depend on the machine."""

import logging
import os
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, settings

from tests.loopback import confine

pytest_plugins = ("tests.apimachinery.fixtures",)

# Time limits would fail on a slow or busy machine, and say nothing about the law under test.
settings.register_profile("default", deadline=None, suppress_health_check=[HealthCheck.too_slow])
# CI tries the same examples each time, so that only a change of the code can turn it red.
settings.register_profile("ci", settings.get_profile("default"), derandomize=True, database=None, print_blob=True)
# For a long look at state machines: `make soak`. An example has 82 steps on average, and the machine asks for three
# times as many examples: a million steps.
settings.register_profile(
    "soak", settings.get_profile("default"), max_examples=4200, stateful_step_count=100, print_blob=True
)
settings.load_profile("ci" if os.environ.get("CI") else "default")


@pytest.fixture(scope="session", autouse=True)
def _loopback_only() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        confine(patch)
        yield


@pytest.fixture
def own_logging() -> Iterator[None]:
    """Put the loggers back as they were, after a program that ran in this process set them up."""
    root, ours = logging.getLogger(), logging.getLogger("extdns")
    handlers, levels = list(root.handlers), (root.level, ours.level)
    yield
    root.handlers, root.level, ours.level = handlers, *levels
