"""The laws with real DNS servers."""

from tests.conformance.test_laws import *  # noqa: F403 - the same tests, with the fixtures of this folder
