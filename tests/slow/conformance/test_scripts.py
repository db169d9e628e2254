"""What changes cost with real DNS servers."""

from tests.conformance.test_scripts import *  # noqa: F403 - the same tests, with the fixtures of this folder
