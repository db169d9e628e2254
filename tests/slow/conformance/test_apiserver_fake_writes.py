"""The questions to the fake API server, asked of the real one."""

from tests.conformance.test_apiserver_fake_writes import *  # noqa: F403 - the same tests, with the fixtures of this folder
