"""The rules for every provider, with real DNS servers."""

from tests.conformance.test_provider import *  # noqa: F403 - the same tests, with the fixtures of this folder
