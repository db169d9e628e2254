"""When to stop waiting for what fails (docs/design/retries.md)."""

from __future__ import annotations

import pytest

from extdns.engine.retries import Failure, GiveUpRule, Retry


@pytest.mark.parametrize(
    ("is_single_pass", "lacks_credentials", "is_reached"),
    [
        pytest.param(True, True, True, id="single pass without credentials"),
        pytest.param(True, False, False, id="single pass"),
        pytest.param(False, True, False, id="running process without credentials"),
    ],
)
def test_only_a_single_pass_without_credentials_gives_up_on_a_failed_call_before_the_timeout(
    is_single_pass: bool, lacks_credentials: bool, is_reached: bool
) -> None:
    retry = Retry(Failure.ZONE_LIST)
    retry.record_failure(100.0, message="none", lacks_credentials=lacks_credentials)
    assert GiveUpRule(is_single_pass=is_single_pass, timeout_s=30.0).is_reached(retry, 101.0) is is_reached
    retry.record_success()
    assert not retry.lacks_credentials
