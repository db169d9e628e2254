"""Failed calls, their messages and outcomes."""

from __future__ import annotations

import pytest

from extdns.errors import CredentialsError, ForbiddenError, RetryableError
from extdns.model.change import Applied, Forbidden, Outcome, TryLater, Unknown
from providers.common.api_calls import CallFailedError, FailureKind, convert_to_outcome, convert_to_read_error

REQUESTED = Applied(records=())


def failed(trouble: FailureKind) -> CallFailedError:
    return CallFailedError(trouble, "dns.change", "zone z", "Code", "words")


def test_the_message_about_a_failed_call_has_the_call_its_object_and_the_text_of_the_service() -> None:
    assert str(failed(FailureKind.RETRYABLE)) == "dns.change on zone z: Code: words"
    assert str(CallFailedError(FailureKind.RETRYABLE, "dns.list", "", "Code", "")) == "dns.list: Code"


@pytest.mark.parametrize(
    ("trouble", "outcome"),
    [
        (FailureKind.REFUSED, REQUESTED),
        (FailureKind.FORBIDDEN, Forbidden(message="dns.change on zone z: Code: words")),
        (FailureKind.CREDENTIALS, TryLater(message="dns.change on zone z: Code: words")),
        (FailureKind.RETRYABLE, TryLater(message="dns.change on zone z: Code: words")),
        (FailureKind.UNANSWERED, Unknown(message="dns.change on zone z: Code: words")),
    ],
)
def test_the_kind_of_failure_of_a_call_decides_the_outcome_of_its_batch(trouble: FailureKind, outcome: Outcome) -> None:
    assert convert_to_outcome(failed(trouble), lambda: REQUESTED) == outcome


@pytest.mark.parametrize("trouble", FailureKind)
def test_a_failed_read_is_reported_as_forbidden_as_without_credentials_or_as_retryable(trouble: FailureKind) -> None:
    special = {FailureKind.FORBIDDEN: ForbiddenError, FailureKind.CREDENTIALS: CredentialsError}
    assert type(convert_to_read_error(failed(trouble))) is special.get(trouble, RetryableError)
