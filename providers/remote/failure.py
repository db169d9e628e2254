"""How a call can end badly, sorted by what the caller does about it."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from typing import Final, assert_never

from extdns.errors import ForbiddenError, ProviderError, RetryableError
from extdns.model.outcome import Forbidden, Outcome, TryLater, Unknown

UNNAMED: Final = "; zones that --zone-id-filter names are asked for one by one, and this right is not needed"
"""What to do where zones may not be listed."""


class Trouble(StrEnum):
    """What went wrong."""

    REFUSED = "refused"  # the service does not take what was asked
    FORBIDDEN = "forbidden"  # it knows us and does not let us
    CREDENTIALS = "credentials"  # there are none, or they are not valid; nothing was done
    LATER = "later"  # throttled, busy, failing or out of reach; nothing was done
    UNANSWERED = "unanswered"  # sent, and no answer came


class CallFailedError(ProviderError):
    """A call failed; the text names the call, what it was about and the service's words.

    Attributes:
        code: the service's, or the name of what happened.
        words: the service's message alone.
        parts: the service's single complaints, () where they come in one text.
    """

    def __init__(
        self, trouble: Trouble, call: str, about: str, code: str, words: str, *, parts: tuple[str, ...] = ()
    ) -> None:
        """Join the facts into one line."""
        where = f" on {about}" if about else ""
        super().__init__(f"{call}{where}: {code}: {words}" if words else f"{call}{where}: {code}")
        self.trouble = trouble
        self.code = code
        self.words = words
        self.parts = parts


def as_read_error(failed: CallFailedError) -> ProviderError:
    """What a failed read is to the engine: a right that is missing, or something that may pass."""
    if failed.trouble is Trouble.FORBIDDEN:
        return ForbiddenError(str(failed))
    return RetryableError(str(failed))


def as_outcome(failed: CallFailedError, refusal: Callable[[], Outcome]) -> Outcome:
    """What a batch came to whose call *failed*; *refusal* tells it where the service did not take what was asked."""
    message = str(failed)
    match failed.trouble:
        case Trouble.REFUSED:
            return refusal()
        case Trouble.FORBIDDEN:
            return Forbidden(message=message)
        case Trouble.CREDENTIALS | Trouble.LATER:
            return TryLater(message=message)
        case Trouble.UNANSWERED:
            return Unknown(message=message)
        case _:
            assert_never(failed.trouble)
