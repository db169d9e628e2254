"""How calls end badly."""

from __future__ import annotations

import pytest

from extdns.errors import ForbiddenError, RetryableError
from extdns.model.outcome import Applied, Forbidden, Outcome, TryLater, Unknown
from providers.remote.failure import CallFailedError, Trouble, as_outcome, as_read_error

ASKED = Applied(records=())


def failed(trouble: Trouble) -> CallFailedError:
    return CallFailedError(trouble, "dns.change", "zone z", "Code", "words")


def test_a_failure_names_the_call_what_it_was_about_and_the_services_words() -> None:
    assert str(failed(Trouble.LATER)) == "dns.change on zone z: Code: words"
    assert str(CallFailedError(Trouble.LATER, "dns.list", "", "Code", "")) == "dns.list: Code"


@pytest.mark.parametrize(
    ("trouble", "outcome"),
    [
        (Trouble.REFUSED, ASKED),
        (Trouble.FORBIDDEN, Forbidden(message="dns.change on zone z: Code: words")),
        (Trouble.CREDENTIALS, TryLater(message="dns.change on zone z: Code: words")),
        (Trouble.LATER, TryLater(message="dns.change on zone z: Code: words")),
        (Trouble.UNANSWERED, Unknown(message="dns.change on zone z: Code: words")),
    ],
)
def test_a_batch_whose_call_failed_has_an_outcome(trouble: Trouble, outcome: Outcome) -> None:
    assert as_outcome(failed(trouble), lambda: ASKED) == outcome


@pytest.mark.parametrize("trouble", Trouble)
def test_only_a_missing_right_ends_reading_for_good(trouble: Trouble) -> None:
    expected = ForbiddenError if trouble is Trouble.FORBIDDEN else RetryableError
    assert type(as_read_error(failed(trouble))) is expected
