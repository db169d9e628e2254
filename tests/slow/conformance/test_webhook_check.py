"""`extdns webhook-check` on `extdns webhook` in front of real DNS servers."""

from tests.conformance.test_webhook_check import *  # noqa: F403 - the same tests, with the fixtures of this folder
