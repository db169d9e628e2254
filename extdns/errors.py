"""Everything extdns raises on purpose, split by what the catcher does about it.

::

    ExtdnsError
    ├── UsageError            stop and tell the user: a flag or environment variable is wrong
    ├── InvalidValueError     tell the owner of the object, file or record; go on without that value
    ├── NotReadyError         ask again when the kind has been listed
    └── ProviderError         the DNS service (or its files) could not do what was asked
        ├── RetryableError    the same call may succeed later
        └── ForbiddenError    a person must grant a right first; other zones go on
"""

from __future__ import annotations


class ExtdnsError(Exception):
    """Base of every error that extdns raises on purpose."""


class UsageError(ExtdnsError):
    """A flag, an environment variable or their combination is wrong; the text is for the user."""


class InvalidValueError(ExtdnsError, ValueError):
    """A value from an object, a file or a zone is not what it must be.

    Attributes:
        value: the text as it was found.
        allowed: what would have been right, as a noun phrase.
        reason: the reason code under which it is reported (`extdns.model.reason.Reason`).
    """

    def __init__(self, value: str, allowed: str, reason: str) -> None:
        """Keep the three facts; the message joins them."""
        super().__init__(f"{shortened(value)!r} is not valid; allowed: {allowed}")
        self.value = value
        self.allowed = allowed
        self.reason = reason


class NotReadyError(ExtdnsError):
    """A look-up needs a kind that has not been listed yet, so its answer is unknown."""

    def __init__(self, kind: str) -> None:
        """Name the *kind* that is missing, as in `EndpointSlice`."""
        super().__init__(f"{kind} objects are not listed yet")
        self.kind = kind


class ProviderError(ExtdnsError):
    """A call to the DNS service failed; the text names the call and the zone, never a secret."""


class RetryableError(ProviderError):
    """The call may succeed later: throttled, timed out, or the service failed."""

    def __init__(self, message: str, *, retry_after_s: float | None = None) -> None:
        """Keep the wait that the service asked for, in seconds, if it did."""
        super().__init__(message)
        self.retry_after_s = retry_after_s


class ForbiddenError(ProviderError):
    """The service refused the call for lack of a right."""


def shortened(text: str, most: int = 120) -> str:
    """*text* cut to *most* characters, what a message can bear; untrusted values may be of any length."""
    return text if len(text) <= most else f"{text[:most]}… ({len(text)} characters)"
